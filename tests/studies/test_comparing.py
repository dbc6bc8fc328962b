"""Comparisons over many cases: what is clear, what is equal, and what a tendency is."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import pytest

from molokini.studies.claims import Verdict
from molokini.studies.comparing import (
    alike,
    falls_with,
    mean_difference,
    never_higher,
    ordered,
    rises_with,
    tally,
)
from molokini.studies.results import NotRun, Results, described

HOLDS, SHAPE, AGAINST = Verdict.HOLDS, Verdict.IN_SHAPE, Verdict.CONTRADICTED
UNDECIDED, UNTESTABLE = Verdict.UNDECIDED, Verdict.UNTESTABLE
LOW, HIGH, NOISY, NONE = (1.0, 2.0, 3.0), (1.5, 2.6, 3.4), (0.0, 2.0, 4.5), (1.0, None, 3.0)


@dataclass(frozen=True)
class Named:
    name: str
    more: int = 0


def results(seeds: int = 3, **samples: Sequence[float | None]) -> Results:
    """So many seeds of each name."""
    rows: dict[tuple[Hashable, int], dict[str, float | None]] = {
        (Named(name), seed): {"v": v} for name, vs in samples.items() for seed, v in enumerate(vs, 1)
    }
    return Results(range(1, seeds + 1), rows)


NOTHING = (0.0, 0.0, 0.0)
KNOWN = results(low=LOW, high=HIGH, noisy=NOISY, none=NONE, same=LOW, zero=NOTHING, nought=NOTHING)


def pairs(*names: str) -> list[tuple[Named, Named]]:
    return [(Named(one), Named(two)) for one, two in (name.split("-") for name in names)]


def test_a_tally_counts_by_interval() -> None:
    found = tally(KNOWN, pairs("low-high", "high-low", "low-noisy", "low-same", "low-none"), "v")
    assert (found.lower, found.higher, found.unclear, found.equal, found.missing) == (1, 1, 1, 1, 1)
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
        (["low-high", "low-noisy"], UNDECIDED),
        (["low-noisy"], UNDECIDED),
        (["low-high"] * 9 + ["high-low"], SHAPE),
        (["low-high"] * 8 + ["high-low"], AGAINST),
        (["low-same"], AGAINST),  # it is the same under every seed
        (["zero-none", "zero-nought"], UNTESTABLE),  # nothing happened
        (["high-low"], AGAINST),
    ],
)
def test_ordered(names: list[str], verdict: Verdict) -> None:
    assert ordered(KNOWN, pairs(*names), "v").verdict is verdict


def test_what_is_undecided_says_how_many_seeds_would_tell() -> None:
    assert ordered(KNOWN, pairs("low-high", "noisy-high"), "v").why.endswith(
        "undecided with 3 seeds, about 63 would tell if means stayed"
    )


@pytest.mark.parametrize("pair", [[], pairs("low-none")], ids=["none", "undefined"])
def test_without_pairs_nothing_is_judged(pair: list[tuple[Named, Named]]) -> None:
    for judge in (ordered, never_higher, lambda known, two, metric: alike(known, two, metric, 1.0)):
        with pytest.raises(NotRun):
            judge(KNOWN, pair, "v")


def test_one_seed_decides_nothing() -> None:
    one = results(1, low=LOW, high=HIGH, same=LOW)
    for found in (
        ordered(one, pairs("low-high"), "v"),
        never_higher(one, pairs("low-high"), "v"),
        alike(one, pairs("low-high"), "v", 9.0),
        rises_with([("a", [1.0]), ("b", [2.0])]),
    ):
        assert found.verdict is UNDECIDED


@pytest.mark.parametrize(
    ("names", "verdict"),
    [(["low-high", "low-noisy", "low-same"], HOLDS), (["low-high", "high-low"], AGAINST)],
)
def test_never_higher(names: list[str], verdict: Verdict) -> None:
    assert never_higher(KNOWN, pairs(*names), "v").verdict is verdict


@pytest.mark.parametrize(
    ("names", "within", "verdict"),
    [
        (["low-high", "low-same"], 0.8, HOLDS),
        (["low-high", "low-same"], 0.5, UNDECIDED),
        (["low-high"], 0.2, AGAINST),
        (["low-same"] * 4 + ["low-high"], 0.5, SHAPE),
        (["low-same"] * 3 + ["low-high"], 0.5, UNDECIDED),
    ],
)
def test_alike(names: list[str], within: float, verdict: Verdict) -> None:
    assert alike(KNOWN, pairs(*names), "v", within).verdict is verdict


def test_differences_are_taken_seed_by_seed() -> None:
    assert mean_difference(KNOWN, pairs("high-low", "same-low", "none-low"), "v") == pytest.approx(
        [0.25, 0.3, 0.2]
    )
    with pytest.raises(NotRun, match="v of name none is undefined"):
        mean_difference(KNOWN, pairs("none-low"), "v")


@pytest.mark.parametrize(
    ("steps", "up", "down"),
    [
        ([LOW, HIGH], HOLDS, AGAINST),
        ([HIGH, LOW], AGAINST, HOLDS),
        ([LOW, HIGH, HIGH], SHAPE, AGAINST),
        ([LOW, LOW], AGAINST, AGAINST),
        ([LOW, HIGH, LOW], AGAINST, AGAINST),
        ([LOW, NOISY], UNDECIDED, UNDECIDED),
        ([NOTHING, NOTHING], UNTESTABLE, UNTESTABLE),
    ],
)
def test_step_by_step(steps: list[Sequence[float]], up: Verdict, down: Verdict) -> None:
    named = [(str(at), samples) for at, samples in enumerate(steps)]
    assert (rises_with(named).verdict, falls_with(named).verdict) == (up, down)


def test_steps_are_told_as_they_are() -> None:
    why = "a: 2.0000, b: 2.5000; of 1 steps 1 are clearly up, 0 clearly down"
    assert rises_with([("a", LOW), ("b", HIGH)]).why == falls_with([("a", LOW), ("b", HIGH)]).why == why


def test_a_case_is_told_by_what_is_its_own() -> None:
    assert described(Named("a")) == "name a"
    assert described(Named("a", 2)) == "name a, more 2"
