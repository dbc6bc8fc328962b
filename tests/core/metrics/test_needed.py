"""How many samples a difference needs: enough, and not one too many."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.metrics.needed import samples_needed
from molokini.metrics.student import t_quantile


def half(spread: float, samples: int) -> float:
    return t_quantile(0.975, samples - 1) * spread / math.sqrt(samples)


@given(st.floats(0.001, 1e4), st.floats(0.1, 100), st.integers(2, 50), st.booleans())
def test_so_many_are_enough_and_one_fewer_is_not(spread: float, mean: float, samples: int, up: bool) -> None:
    found = samples_needed(mean if up else -mean, half(spread, samples), samples)
    if mean > half(spread, samples):
        assert found == samples
        return
    if found is None:
        assert spread > 1000 * mean
        return
    assert half(spread, found) < mean * (1 + 1e-9)
    if found > samples + 1:
        assert half(spread, found - 1) >= mean * (1 - 1e-9)


@pytest.mark.parametrize(
    ("mean", "width", "samples"), [(None, None, 0), (1.0, None, 1), (0.0, 2.0, 10), (1e-9, 5.0, 10)]
)
def test_where_there_is_no_telling(mean: float | None, width: float | None, samples: int) -> None:
    assert samples_needed(mean, width, samples) is None


def test_of_few_samples_the_first_that_is_enough_counts() -> None:
    """The quantile of few samples is large: a step by it goes past the answer."""
    assert samples_needed(20.73, half(20.73, 5), 5) == 7


def test_what_is_the_same_each_time_needs_no_more() -> None:
    assert samples_needed(3.0, 0.0, 2) == 2
