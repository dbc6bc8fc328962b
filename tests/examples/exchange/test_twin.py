"""The emulated twin of a run: its model takes as long as the run by its own formula."""

import shlex
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exchange.options import read
from exchange.patterns import PATTERNS
from exchange.twin import twin
from molokini.applications.kinds import PATTERNS as KINDS
from molokini.applications.placed import over, run_s, together
from molokini.client.coallocation import communication
from tests.kit.exchanging import run


@given(
    st.sampled_from(PATTERNS),
    st.integers(1, 8),
    st.floats(0.001, 100.0),
    st.integers(0, 100),
    st.integers(1, 100),
    st.integers(1, 10_000),
)
def test_the_model_takes_as_long_as_the_formula(
    pattern: str, tasks: int, grain_s: float, computing: int, communicating: int, iterations: int
) -> None:
    said = ["--tasks", str(tasks), "--pattern", pattern, "--iterations", str(iterations)]
    said += ["--grain", repr(grain_s), "--ratio", f"{computing}:{communicating}"]
    found = twin(read(said, {}))
    kind = KINDS[found.communication.upper().replace("-", "_")]
    took_s = run_s(kind, found.run_s, together(tasks), (found.message_s, found.message_s, 0.0, 0.0))
    compute_s = grain_s * computing / (computing + communicating)
    exchange_s = grain_s * communicating / (computing + communicating) if tasks > 1 else 0.0
    assert took_s == pytest.approx(iterations * (compute_s + exchange_s), rel=1e-9)
    spread = over([1, tasks - 1]) if tasks > 1 else together(1)
    apart_s = run_s(kind, found.run_s, spread, (found.message_s, found.message_s, 0.0, 0.0))
    assert apart_s == pytest.approx(took_s, rel=1e-9)


@given(st.integers(1, 1000))
def test_rounds_only_cut_an_iteration(rounds: int) -> None:
    said = ["--tasks", "4", "--pattern", "all-to-all", "--iterations", "50", "--ratio", "3:1"]
    assert twin(read([*said, "--rounds", str(rounds)], {})) == twin(read(said, {}))


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_command_is_one_that_submit_understands(pattern: str) -> None:
    said = ("--tasks", 5, "--pattern", pattern, "--ratio", "3:1", "--grain", 2, "--iterations", 10, "--twin")
    words = shlex.split(run(*said).stdout)
    assert words[:2] == ["molokini", "submit"]
    options: dict[str, str] = dict(zip(words[2::2], words[3::2], strict=True))
    assert (options["--processors"], options["--emulate"]) == ("5", "run=15")
    made: dict[str, Any] | None = communication(options["--communication"], options["--message"])
    assert made is not None
    assert made["inside_s"] == made["between_s"] == (1.25 if pattern == "all-to-all" else 5.0)
