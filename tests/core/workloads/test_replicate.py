import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.model.errors import BadValue
from molokini.workloads.replicate import resample_arrivals
from molokini.workloads.workload import Workload
from tests.core.workloads.builders import workload


def made(gaps: list[int]) -> Workload:
    submits = np.concatenate([[7.0], 7.0 + np.cumsum(gaps)])
    return workload(*((float(submit), 10.0, 1) for submit in submits))


@given(st.lists(st.integers(0, 50), min_size=2, max_size=60), st.integers(0, 9), st.integers(1, 8))
def test_the_same_jobs_and_gaps_in_another_order(gaps: list[int], seed: int, block: int) -> None:
    log = made(gaps)
    again = resample_arrivals(log, seed, block=block)
    assert sorted(np.diff(again.submit_s)) == sorted(np.diff(log.submit_s))
    assert again.submit_s[0] == log.submit_s[0]
    assert again.submit_s[-1] == log.submit_s[-1]
    assert sorted(again.number) == sorted(log.number)
    assert (again.records[:, 1] == again.submit_s).all()
    assert (np.lexsort((again.number, again.submit_s)) == np.arange(len(again))).all()


def test_a_seed_is_a_sample() -> None:
    log = made(list(range(100)))
    first, again, other = (resample_arrivals(log, seed).submit_s for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()
    assert (first != log.submit_s).any()


def test_neighbours_stay_together() -> None:
    log = made(list(range(100)))
    gaps = np.diff(resample_arrivals(log, 3, block=20).submit_s)
    assert np.count_nonzero(np.diff(gaps) == 1) >= 94  # at most six blocks: five seams


def test_a_job_keeps_the_gap_in_front_of_it() -> None:
    log = made(list(range(100, 200)))
    before = dict(zip(log.number[1:], np.diff(log.submit_s), strict=True))
    again = resample_arrivals(log, 1)
    assert (again.number != log.number).any()
    assert dict(zip(again.number[1:], np.diff(again.submit_s), strict=True)) == before


def test_few_jobs_stay_as_they_are() -> None:
    log = made([5])
    assert resample_arrivals(log, 1) is log


@pytest.mark.parametrize(("seed", "block"), [(-1, None), (1, 0)])
def test_what_is_not_allowed(seed: int, block: int | None) -> None:
    with pytest.raises(BadValue):
        resample_arrivals(made([1, 2, 3]), seed, block=block)
