"""The rule of verdicts: what an interval, a count, a crossing and several parts say."""

from math import inf

import pytest

from molokini.studies.claims import Finding, Verdict
from molokini.studies.results import Interval, interval
from molokini.studies.rule import (
    Count,
    above,
    at_least,
    at_most,
    below,
    by_intervals,
    crosses,
    each_within,
    exactly,
    in_shape_if,
    no_more_than_shape,
    of_readings,
    seeds_for,
    somewhere,
    together,
    weakest,
    within,
)

HOLDS, SHAPE, AGAINST = Verdict.HOLDS, Verdict.IN_SHAPE, Verdict.CONTRADICTED
UNDECIDED, UNTESTABLE = Verdict.UNDECIDED, Verdict.UNTESTABLE
ONE_SEED = interval([1.0])
UP, DOWN, WIDE, NOTHING = (Interval((a + b) / 2, a, b, 4) for a, b in ((1, 2), (-2, -1), (-1, 2), (0, 0)))


@pytest.mark.parametrize(
    ("ends", "slack", "verdict"),
    [
        ((1.0, 2.0), 0.0, HOLDS),
        ((1.2, 1.8), 0.0, HOLDS),
        ((0.9, 1.8), 0.0, UNDECIDED),
        ((0.9, 1.8), 0.1, SHAPE),
        ((2.05, 2.1), 0.1, SHAPE),  # the figure is not met, but nearly
        ((0.8, 1.8), 0.1, UNDECIDED),
        ((2.0, 2.2), 0.0, UNDECIDED),
        ((2.01, 2.2), 0.0, AGAINST),
        ((2.05, 2.2), 0.1, UNDECIDED),
        ((-inf, inf), 0.5, UNDECIDED),
    ],
)
def test_a_number_within_a_range(ends: tuple[float, float], slack: float, verdict: Verdict) -> None:
    ours = Interval((ends[0] + ends[1]) / 2 if ends[0] > -inf else 1.5, *ends, 4)
    assert within(ours, 1.0, 2.0, slack=slack).verdict is verdict


def test_limits_on_one_side() -> None:
    assert [at_most(UP, most).verdict for most in (2.0, 1.5, 0.9)] == [HOLDS, UNDECIDED, AGAINST]
    assert [at_least(UP, least).verdict for least in (1.0, 1.5, 2.1)] == [HOLDS, UNDECIDED, AGAINST]
    assert at_most(UP, 1.5, slack=0.5).verdict is SHAPE
    assert within(UP, 1.2, 2.5, slack=(0.2, 0.0)).verdict is SHAPE


def test_what_is_undecided_says_what_would_tell() -> None:
    assert at_most(Interval(1.0, 0.5, 1.5, 10), 1.1).why == (
        "1.0000 (0.5000 to 1.5000); undecided with 10 seeds, about 191 would tell if means stayed"
    )
    assert at_most(ONE_SEED, 5.0).why == "1.0000 (one seed); one seed has no interval"
    assert seeds_for(Interval(1.0, 0.5, 1.5, 10), 1.0) is None
    assert seeds_for(Interval(1.0, 0.5, 1.5, 10), 1.000001) is None  # too many to run
    assert seeds_for(UP) == 4


@pytest.mark.parametrize(
    ("count", "verdict"),
    [
        (Count(0, 0), UNTESTABLE),
        (Count(0, 0, equal=3), AGAINST),
        (Count(3, 0), HOLDS),
        (Count(2, 0, 1), SHAPE),
        (Count(1, 0, 1), UNDECIDED),
        (Count(9, 1), SHAPE),
        (Count(8, 1), AGAINST),
        (Count(5, 1, 4), UNDECIDED),
        (Count(0, 1), AGAINST),
        (Count(0, 0, 1), UNDECIDED),
    ],
)
def test_a_count(count: Count, verdict: Verdict) -> None:
    assert count.verdict is verdict


def test_signs_of_many() -> None:
    assert [above([one]).verdict for one in (UP, DOWN, WIDE, NOTHING, ONE_SEED)] == [
        *(HOLDS, AGAINST, UNDECIDED, UNTESTABLE, UNDECIDED)
    ]
    assert [below([one]).verdict for one in (UP, DOWN, WIDE)] == [AGAINST, HOLDS, UNDECIDED]
    assert above([UP, UP, NOTHING]).verdict is HOLDS
    assert above([]).verdict is UNTESTABLE
    assert above([WIDE], "it grows").why == (
        "it grows; clearly above in 0 of 1, clearly below in 0; undecided with 4 seeds, "
        "about 17 would tell if means stayed"
    )
    assert each_within([UP, UP, WIDE], 0.0, 2.0).verdict is SHAPE
    assert each_within([UP, DOWN], 0.0, 2.0).verdict is AGAINST


@pytest.mark.parametrize(
    ("at", "verdict"),
    [
        ([], UNTESTABLE),
        ([0.7], UNDECIDED),  # one seed
        ([None, None, None], AGAINST),
        ([0.7, None, None, None], UNDECIDED),
        ([0.70, 0.71, 0.70, None], HOLDS),
        ([0.70, 0.71, 0.70, 0.71], HOLDS),
        ([0.60, 0.61, 0.60, 0.61], SHAPE),
        ([0.40, 0.41, 0.40, 0.41], AGAINST),
        ([0.50, 0.90, 0.50, 0.90], UNDECIDED),
    ],
)
def test_a_crossing(at: list[float | None], verdict: Verdict) -> None:
    assert crosses(at, 0.65, 0.75, slack=0.1).verdict is verdict


def test_parts_and_readings() -> None:
    assert weakest([]) is UNTESTABLE
    assert weakest([HOLDS, SHAPE]) is SHAPE
    assert weakest([UNDECIDED, SHAPE]) is UNDECIDED
    assert weakest([UNDECIDED, UNTESTABLE]) is UNTESTABLE
    assert weakest([UNTESTABLE, AGAINST]) is AGAINST
    both = together({"one": exactly(True, "yes"), "two": exactly(False, "no")})
    assert both == Finding(AGAINST, "one: yes; two: no", [], exact=True)
    assert not together([exactly(True, "yes"), by_intervals(True, "yes")]).exact
    assert of_readings([HOLDS, HOLDS]) is HOLDS
    assert of_readings([HOLDS, AGAINST]) is SHAPE
    assert of_readings([UNDECIDED, AGAINST]) is AGAINST
    assert no_more_than_shape(above([UP]), unless=False).verdict is SHAPE
    assert no_more_than_shape(above([WIDE]), unless=False).verdict is UNDECIDED
    assert in_shape_if(above([WIDE]), above([UP])).verdict is SHAPE
    assert in_shape_if(above([UP]), above([WIDE])).verdict is HOLDS
    assert in_shape_if(above([DOWN]), above([WIDE])).verdict is UNDECIDED
    assert [somewhere(Count(*one), "").verdict for one in ((1, 5), (0, 5), (0, 5, 1), (0, 0))] == [
        *(HOLDS, AGAINST, UNDECIDED, UNTESTABLE)
    ]


def test_what_is_undecided_names_the_seeds_that_would_tell() -> None:
    found = interval([0.8, 1.1, 0.9, 1.3])
    told = each_within([found], 0.0, 1.1)
    assert told.verdict is UNDECIDED
    assert told.why.endswith(
        f"undecided with 4 seeds, about {seeds_for(found, 1.1)} would tell if means stayed"
    )
    assert "no number of seeds would tell" in each_within([found], 0.0, found.mean).why
