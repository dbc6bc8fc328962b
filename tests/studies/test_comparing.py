"""Comparisons over many cases: what is clear, what is equal, and what a tendency is."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import pytest

from molokini.studies.claims import Verdict
from molokini.studies.comparing import (
    almost_equal,
    always_lower,
    falls,
    grows,
    mean_difference,
    never_higher,
    tally,
)
from molokini.studies.results import NotRun, Results, described

HOLDS, SHAPE, FAILS = Verdict.HOLDS, Verdict.IN_SHAPE, Verdict.FAILS
LOW, HIGH, NOISY, NONE = (1.0, 2.0, 3.0), (1.5, 2.6, 3.4), (0.0, 2.0, 4.5), (1.0, None, 3.0)


@dataclass(frozen=True)
class Named:
    name: str
    more: int = 0


def results(**samples: Sequence[float | None]) -> Results:
    """Three seeds of each name."""
    rows: dict[tuple[Hashable, int], dict[str, float | None]] = {
        (Named(name), seed): {"v": v} for name, vs in samples.items() for seed, v in enumerate(vs, 1)
    }
    return Results([1, 2, 3], rows)


KNOWN = results(low=LOW, high=HIGH, noisy=NOISY, none=NONE, same=LOW)


def pairs(*names: str) -> list[tuple[Named, Named]]:
    return [(Named(one), Named(two)) for one, two in (name.split("-") for name in names)]


def test_a_tally_counts_by_interval() -> None:
    found = tally(KNOWN, pairs("low-high", "high-low", "low-noisy", "low-same", "low-none"), "v")
    assert (found.lower, found.higher, found.unclear, found.equal, found.missing) == (1, 1, 1, 1, 1)
    assert found.least[0] == pairs("low-high")[0]
    assert str(found) == (
        "clearly lower in 1 of 3, clearly higher in 1 (1 more are equal) (1 more are undefined); "
        "differences from -0.5000 to +0.5000"
    )


@pytest.mark.parametrize(
    ("names", "verdict"),
    [
        (["low-high"], HOLDS),
        (["low-high", "low-same"], HOLDS),
        (["low-high", "low-high", "low-noisy"], SHAPE),
        (["low-high", "low-noisy"], FAILS),
        (["low-high"] * 9 + ["high-low"], SHAPE),
        (["low-high"] * 8 + ["high-low"], FAILS),
        (["low-same"], FAILS),  # nothing was lower
        (["high-low"], FAILS),
    ],
)
def test_always_lower(names: list[str], verdict: Verdict) -> None:
    assert always_lower(KNOWN, pairs(*names), "v").verdict is verdict


@pytest.mark.parametrize(
    ("names", "verdict"), [(["low-high", "low-noisy", "low-same"], HOLDS), (["low-high", "high-low"], FAILS)]
)
def test_never_higher(names: list[str], verdict: Verdict) -> None:
    assert never_higher(KNOWN, pairs(*names), "v").verdict is verdict


@pytest.mark.parametrize(("within", "verdict"), [(0.6, HOLDS), (0.4, FAILS)])
def test_almost_equal(within: float, verdict: Verdict) -> None:
    assert almost_equal(KNOWN, pairs("low-high", "low-same"), "v", within).verdict is verdict
    assert almost_equal(KNOWN, pairs(*["low-same"] * 4, "low-high"), "v", within).verdict in (SHAPE, HOLDS)


def test_differences_are_taken_seed_by_seed() -> None:
    assert mean_difference(KNOWN, pairs("high-low", "same-low", "none-low"), "v") == pytest.approx(
        [0.25, 0.3, 0.2]
    )
    with pytest.raises(NotRun, match="v of name none is undefined"):
        mean_difference(KNOWN, pairs("none-low"), "v")


@pytest.mark.parametrize(
    ("steps", "up", "down"),
    [
        ([LOW, HIGH], HOLDS, FAILS),
        ([HIGH, LOW], FAILS, HOLDS),
        ([LOW, HIGH, HIGH], SHAPE, FAILS),
        ([LOW, LOW], FAILS, FAILS),
        ([LOW, HIGH, LOW], FAILS, FAILS),
    ],
)
def test_step_by_step(steps: list[Sequence[float]], up: Verdict, down: Verdict) -> None:
    named = [(str(at), samples) for at, samples in enumerate(steps)]
    assert (grows(named).verdict, falls(named).verdict) == (up, down)


def test_steps_are_told_as_they_are() -> None:
    why = "a: 2.0000, b: 2.5000; of 1 steps 1 are clearly up, 0 clearly down"
    assert grows([("a", LOW), ("b", HIGH)]).why == falls([("a", LOW), ("b", HIGH)]).why == why


def test_a_case_is_told_by_what_is_its_own() -> None:
    assert described(Named("a")) == "name a"
    assert described(Named("a", 2)) == "name a, more 2"
