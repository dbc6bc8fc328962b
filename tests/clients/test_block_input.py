"""What gang scheduling in blocks refuses in a simulation."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.clients.command_runs import Ran
from tests.kit.blocks import REFUSED, SIX
from tests.kit.matrix_rows import BLOCKS

each = pytest.mark.parametrize(("values", "text"), REFUSED, ids=[next(iter(one)) for one, _ in REFUSED])


@each
def test_simulated(molokini: Callable[..., Ran], small: Path, values: dict[str, str], text: str) -> None:
    [(name, value)] = values.items()
    ran = molokini("simulate", small, "--policy", BLOCKS, "--set", f"{name}={value}")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert text in ran.err


def test_simulated_on_a_machine_that_is_no_power_of_two(molokini: Callable[..., Ran], small: Path) -> None:
    ran = molokini("simulate", small, "--procs", 6, "--policy", BLOCKS)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert SIX in ran.err


def test_a_job_wider_than_the_machine_is_refused_alone(molokini: Callable[..., Ran], small: Path) -> None:
    ran = molokini("simulate", small, "--procs", 2, "--policy", BLOCKS, "--json", "-")
    refused = ran.json["metrics"]["refused"]
    assert refused["wider_than_machine"] > 0
    assert ran.json["metrics"]["finished_jobs"] == 4 - refused["wider_than_machine"]
