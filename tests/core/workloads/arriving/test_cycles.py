"""Rhythms of arrivals: operational time, the published weights, loads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.model.errors import BadValue, UnknownName
from molokini.workloads.arriving.cycles import EVEN, Cycle, of_week
from molokini.workloads.arriving.feeds import Feed, merged, stretch_for
from molokini.workloads.arriving.rhythms import RHYTHMS, gamma_day, rhythm, week_of_rates
from molokini.workloads.workload import Floats

WEIGHTS = st.lists(st.floats(0.01, 10.0), min_size=48, max_size=48)


@given(WEIGHTS, st.lists(st.floats(0.0, 1e7), min_size=1, max_size=20))
def test_clock_and_operational_time_are_inverse(weights: list[float], at: list[float]) -> None:
    cycle, instants = Cycle.of(weights), np.array(sorted(at))
    clock = cycle.clock_s(instants)
    assert (np.diff(clock) >= 0).all()
    assert cycle.operational_s(clock) == pytest.approx(instants, rel=1e-9, abs=1e-6)


@given(WEIGHTS)
def test_a_day_is_a_day(weights: list[float]) -> None:
    days = np.linspace(0.0, 4 * 86400.0, 5)
    assert Cycle.of(weights).clock_s(days) == pytest.approx(days)


def test_no_rhythm_changes_nothing() -> None:
    assert EVEN.clock_s(np.array([0.0, 1.5, 1e9])).tolist() == [0.0, 1.5, 1e9]


@pytest.mark.parametrize(
    ("shape", "scale", "most", "at_h", "least", "least_h"),
    [
        (6.1271, 5.2740, 1.6659, 13.0, 0.23536, 4.5),
        (8.9186, 3.6680, 1.8810, 14.0, 0.11869, 5.0),
        (8.1737, 3.9631, 1.8331, 13.5, 0.16492, 5.0),
    ],
)
def test_lublin_days(
    shape: float, scale: float, most: float, at_h: float, least: float, least_h: float
) -> None:
    found = np.array(gamma_day(shape, scale).intensities)
    assert (found.max(), found.argmax() / 2) == (pytest.approx(most, abs=5e-5), at_h)
    assert (found.min(), found.argmin() / 2) == (pytest.approx(least, abs=5e-6), least_h)


def test_a_week_has_its_days() -> None:
    week = np.array(week_of_rates(30.0, 15.0, 5.0).intensities).reshape(7, 48)
    assert (week[:5] == week[0]).all()
    assert week[0, 20] / week[0, 0] == pytest.approx(6.0)
    assert week[5].max() == pytest.approx(week[0, 47])
    assert of_week([1.0] * 48, [0.0] * 48, [1.0] * 48).clock_s(np.array([5 * 86400 * 7 / 6 + 1.0])) == (
        pytest.approx(6 * 86400.0, abs=2.0)
    )


def test_rhythms_have_names() -> None:
    assert [len(rhythm(name).intensities) for name in RHYTHMS] == [1, 48, 336]
    with pytest.raises(UnknownName, match="did you mean 'week'"):
        rhythm("weak")


@pytest.mark.parametrize("weights", [[1.0] * 10, [0.0] * 48, [-1.0, *[1.0] * 47], []])
def test_weights_that_are_no_rhythm(weights: list[float]) -> None:
    with pytest.raises(BadValue, match="cycle"):
        Cycle.of(weights)


def _offered(feeds: list[Feed], works: list[Floats], jobs: int, stretch: float) -> float:
    found = merged(feeds, jobs, stretch)
    work = sum(float(one[:count].sum()) for one, count in zip(works, found.counts, strict=True))
    return work / float(found.submit_s[-1] - found.submit_s[0])


@given(st.floats(0.05, 20.0), st.integers(1, 3), st.integers(0, 100))
def test_a_load_is_reached_and_the_day_kept(load: float, kinds: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    day = gamma_day(8.1737, 3.9631)
    feeds = [Feed(np.cumsum(generator.exponential(600.0, 3000)), day) for _ in range(kinds)]
    works = [generator.exponential(1000.0, 3000) for _ in range(kinds)]
    stretch = stretch_for(feeds, works, 3000, 1, load)
    assert _offered(feeds, works, 3000, stretch) == pytest.approx(load, rel=1e-3)


def test_streams_are_merged_in_order_and_each_keeps_its_own() -> None:
    feeds = [Feed(np.array([1.0, 4.0, 9.0]), EVEN), Feed(np.array([2.0, 3.0, 5.0]), EVEN)]
    found = merged(feeds, 4)
    assert found.submit_s.tolist() == [1.0, 2.0, 3.0, 4.0]
    assert found.feed.tolist() == [0, 1, 1, 0]
    assert found.counts == (2, 2)


def test_arrivals_at_one_instant_are_not_more_than_asked_for() -> None:
    feeds = [Feed(np.array([1.0, 1.0, 1.0]), EVEN), Feed(np.array([1.0, 1.0]), EVEN)]
    assert sum(merged(feeds, 4).counts) == 4


@pytest.mark.parametrize("load", [0.0, -1.0, float("nan")])
def test_a_load_that_is_none(load: float) -> None:
    with pytest.raises(BadValue, match="load"):
        stretch_for([Feed(np.arange(5.0), EVEN)], [np.ones(5)], 5, 1, load)


def test_a_load_of_jobs_that_take_no_time() -> None:
    with pytest.raises(BadValue, match="take no time"):
        stretch_for([Feed(np.arange(5.0), EVEN)], [np.zeros(5)], 5, 1, 0.5)
