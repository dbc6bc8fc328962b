"""Longer run times, and estimates by the model of Zhang et al."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.model.errors import BadValue
from molokini.workloads.lengths import factors, lengthen, overestimate, uniform
from tests.kit.workloads import Job, workload_of

JOBS = workload_of([Job(k, 10.0 + k, estimate=100.0) for k in range(2000)])


def test_run_times_and_estimates_grow_and_gaps_stay() -> None:
    longer = lengthen(JOBS, 1.5)
    assert (longer.run_s == 1.5 * JOBS.run_s).all()
    assert (longer.estimate_s == 150.0).all()
    assert (longer.submit_s == JOBS.submit_s).all()
    assert lengthen(JOBS, 1) is JOBS


def test_the_factor_of_some_draws() -> None:
    assert factors(np.array([0.1, 0.2, 0.6, 0.9]), 0.2) == pytest.approx([1.0, 1.0, 2.0, 8.0])


@pytest.mark.parametrize("phi", [0.0, 0.2, 0.6, 1.0])
def test_a_share_is_right_and_the_rest_is_uniform(phi: float) -> None:
    made = overestimate(JOBS, phi, 7)
    share = np.sort(made.run_s / made.estimate_s)
    assert (made.run_s == JOBS.run_s).all()
    assert 0 < share[0] <= share[-1] <= 1
    assert np.mean(share > 1 - 1e-12) == pytest.approx(phi, abs=0.04)
    rest = share[share <= 1 - 1e-12]
    if rest.size:
        # Kolmogorov's distance; 1.63 over the root is exceeded by chance in a hundredth of all cases.
        expected = (np.arange(rest.size) + 0.5) / rest.size
        assert np.abs(rest - expected).max() < 1.63 / math.sqrt(rest.size)


@given(seed=st.integers(0, 2**31), first=st.integers(0, 1000))
def test_jobs_that_are_left_out_change_no_other_estimate(seed: int, first: int) -> None:
    whole, part = overestimate(JOBS, 0.2, seed), overestimate(JOBS.take(slice(first, None)), 0.2, seed)
    assert (part.estimate_s == whole.estimate_s[first:]).all()


def test_draws_differ_by_seed() -> None:
    assert (uniform(JOBS.number, 1) != uniform(JOBS.number, 2)).all()


@pytest.mark.parametrize("phi", [-0.1, 1.1, math.nan])
def test_no_such_share(phi: float) -> None:
    with pytest.raises(BadValue, match="from 0 to 1"):
        overestimate(JOBS, phi, 1)


@pytest.mark.parametrize("factor", [0.0, -1.0, math.inf, math.nan])
def test_no_such_factor(factor: float) -> None:
    with pytest.raises(BadValue, match="above 0"):
        lengthen(JOBS, factor)


def test_draws_are_those_of_the_published_function() -> None:
    """SplitMix64 from state 0 gives these; another constant gives numbers that are as good, and others."""
    published = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC]
    once = np.uint64(published[0])
    numbers = (np.arange(4, dtype=np.uint64) ^ once).view(np.int64)
    assert uniform(numbers, 0).tolist() == [(value >> 11) * 2.0**-53 for value in published]
