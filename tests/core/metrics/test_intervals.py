import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.metrics import aggregate, batch_means, mean_with_interval, running_average, running_interval
from molokini.metrics.intervals import batch_size_for, in_order_of_end
from molokini.model.errors import BadValue
from tests.kit.schedules import Ran, schedule


def test_by_hand() -> None:
    # Batches of two: means 2, 4, 9; the seventh value is left out of the interval.
    found = batch_means(np.array([1.0, 3, 3, 5, 8, 10, 100]), batch_size=2)
    deviation = math.sqrt((9 + 1 + 16) / 2)
    assert found.batches == 3
    assert found.batched_mean == pytest.approx(5)
    assert found.mean == pytest.approx(130 / 7)
    assert found.half_width == pytest.approx(4.302653 * deviation / math.sqrt(3))
    assert found.low is not None
    assert found.high is not None
    assert (found.low + found.high) / 2 == pytest.approx(5)
    assert found.lag1_correlation == pytest.approx((-3 * -1 + -1 * 4) / 26)
    assert not found.converged
    assert "half width" in str(found.warning)


def test_four_batches_have_students_interval() -> None:
    found = batch_means(np.array([10.0, 12.0, 14.0, 12.0]), batch_size=1)
    assert found.batched_mean == 12
    assert found.half_width == pytest.approx(2.59846, abs=5e-6)
    assert found.relative_half_width == pytest.approx(0.21654, abs=5e-6)


def test_a_wide_confidence_makes_a_wide_interval() -> None:
    values = np.random.default_rng(1).exponential(100, 5000)
    narrow, wide = batch_means(values, 100, 0.8), batch_means(values, 100, 0.99)
    assert narrow.half_width is not None
    assert wide.half_width is not None
    assert narrow.half_width < wide.half_width


def test_intervals_of_independent_values_cover_the_truth_about_as_often_as_they_say() -> None:
    random = np.random.default_rng(7)
    found = [batch_means(random.exponential(100, 2000), 100) for _ in range(400)]
    hits = sum(
        1 for one in found if one.low is not None and one.high is not None and one.low <= 100 <= one.high
    )
    assert 0.92 <= hits / 400 <= 0.98


def test_independent_values_converge_and_correlated_ones_are_told() -> None:
    random = np.random.default_rng(3)
    independent = batch_means(random.normal(100, 10, 20000), 100)
    assert independent.converged
    assert independent.warning is None
    walk = 1000 + np.cumsum(random.normal(0, 1, 20000))
    assert "correlated" in str(batch_means(walk, 100).warning)


@pytest.mark.parametrize(
    ("values", "size"),
    [(0, 100), (30, 100), (999, 111), (2000, 200), (28475, 2847), (312_807, 5045), (10**6, 5000)],
)
def test_the_batch_size_that_is_chosen(values: int, size: int) -> None:
    assert batch_size_for(values) == size


@pytest.mark.parametrize("count", [0, 1, 199])
def test_fewer_than_two_batches_have_no_interval_but_a_reason(count: int) -> None:
    found = batch_means(np.ones(count))
    assert found.low is None
    assert found.half_width is None
    assert not found.converged
    assert "not fill two batches" in str(found.warning)
    assert found.mean == (1 if count else None)


def test_what_never_varies_has_converged() -> None:
    found = batch_means(np.zeros(1000))
    assert (found.low, found.high, found.relative_half_width) == (0, 0, None)
    assert found.converged


def test_a_mean_of_zero_with_spread_has_not() -> None:
    found = batch_means(np.tile([-1.0, 1.0, 1.0, -1.0], 50), batch_size=1)
    assert found.relative_half_width is None
    assert not found.converged


def test_every_field_is_json() -> None:
    for values in (np.arange(1000.0), np.zeros(0)):
        made = batch_means(values).as_dict()
        assert json.loads(json.dumps(made, allow_nan=False)) == made


def test_jobs_enter_in_order_of_their_ends() -> None:
    story = schedule(Ran(0, 0, 30), Ran(0, 0, 10), Ran(0, 0, 20), Ran(0, None, 5))
    rows, values = in_order_of_end(story, "response_s")
    assert rows.tolist() == [1, 2, 0]
    assert values.tolist() == [10, 20, 30]
    found = mean_with_interval(story, "response_s", batch_size=1)
    assert found.mean == 20
    assert found.batches == 3


def test_running_average_ends_at_the_mean() -> None:
    count, average = running_average(np.array([4.0, 0.0, 2.0]))
    assert count.tolist() == [1, 2, 3]
    assert average.tolist() == [4, 2, 2]
    assert running_average(np.zeros(0))[0].size == 0
    assert running_average(np.ones(10000), points=50)[0].size == 50


@given(st.lists(st.floats(0, 1e6), min_size=4, max_size=60), st.integers(1, 4))
def test_the_last_running_interval_is_the_interval(values: list[float], size: int) -> None:
    sample = np.array(values)
    whole = batch_means(sample, size)
    count, middle, half = running_interval(sample, size)
    if whole.half_width is None:
        assert count.size == 0
        return
    assert count[-1] == whole.batches * size
    assert middle[-1] == pytest.approx(whole.batched_mean)
    assert half[-1] == pytest.approx(whole.half_width, rel=1e-6, abs=1e-6 * (1 + sample.max()))


def test_replications() -> None:
    found = aggregate([1.0, 2.0, 3.0])
    assert found.mean == 2
    assert found.half_width == pytest.approx(4.302653 / math.sqrt(3))
    assert aggregate([5.0]).low is None
    assert "needs two or more" in str(aggregate([5.0]).warning)


def test_replications_have_no_order_to_be_correlated_in() -> None:
    assert "correlated" in str(batch_means(np.arange(1000.0, 1020), 1).warning)
    rising = aggregate(list(np.arange(1000.0, 1020)))
    assert rising.converged
    assert rising.lag1_correlation is None
    assert "half width" in str(aggregate([1.0, 9.0]).warning)


@pytest.mark.parametrize(
    "wrong", [{"batch_size": 0}, {"confidence": 0.0}, {"confidence": 1.0}, {"precision": 0.0}]
)
def test_values_out_of_range(wrong: dict[str, float]) -> None:
    with pytest.raises(BadValue):
        batch_means(np.ones(10), **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("batches", [2, 3, 7])
def test_a_running_interval_begins_with_two_batches_and_ends_with_all(batches: int) -> None:
    values = np.arange(10.0 * batches + 3) % 7
    count, mean, half = running_interval(values, batch_size=10)
    assert count.tolist() == [10 * k for k in range(2, batches + 1)]
    whole = batch_means(values, 10)
    assert (mean[-1], half[-1]) == pytest.approx((whole.batched_mean, whole.half_width))
    first = batch_means(values[:20], 10)
    assert (mean[0], half[0]) == pytest.approx((first.batched_mean, first.half_width))
