from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.model.errors import BadValue
from molokini.workloads.scaling import clone, offered_load, scale_load, shaken
from molokini.workloads.workload import SWF_FIELDS, Workload
from tests.core.workloads.builders import workload

JOBS = workload((100, 10, 4), (110, 20, 2), (140, 5, 8))


def test_offered_load_by_hand() -> None:
    assert offered_load(JOBS, 10) == pytest.approx((40 + 40 + 40) / (10 * 40))
    short = workload((0, 10, 4), (10, 10, 4), estimate=5)
    assert offered_load(short, 4) == pytest.approx(1.0)
    assert offered_load(short, 4, kill=False) == pytest.approx(2.0)
    assert offered_load(workload((7, 1, 1)), 4) is None
    with pytest.raises(BadValue):
        offered_load(JOBS, 0)


@given(st.floats(0.01, 100))
def test_gaps_shrink_by_the_factor_and_the_load_grows_by_it(factor: float) -> None:
    scaled = scale_load(JOBS, factor)
    assert scaled.submit_s[0] == 100
    assert np.diff(scaled.submit_s) == pytest.approx(np.diff(JOBS.submit_s) / factor)
    assert np.array_equal(scaled.records[:, 1], scaled.submit_s)
    before, after = offered_load(JOBS, 10), offered_load(scaled, 10)
    assert before is not None
    assert after == pytest.approx(before * factor)
    assert JOBS.submit_s.tolist() == [100, 110, 140]


@pytest.mark.parametrize("factor", [0, -1, float("nan"), float("inf")])
def test_a_factor_that_is_none_is_refused(factor: float) -> None:
    with pytest.raises(BadValue):
        scale_load(JOBS, factor)


def triples(many: Workload) -> list[tuple[float, float, int]]:
    return list(zip(many.submit_s.tolist(), many.run_s.tolist(), many.processors.tolist(), strict=True))


@given(copies=st.integers(1, 5), seed=st.integers(0, 99), shift=st.integers(1, 1000))
def test_clones_are_the_same_jobs_a_little_later(copies: int, seed: int, shift: int) -> None:
    many = clone(JOBS, copies, seed, shift_s=shift)
    assert len(many) == 3 * copies
    assert len(set(many.number.tolist())) == len(many)
    assert set(triples(JOBS)) <= set(triples(many))
    assert many.run_s.sum() == copies * JOBS.run_s.sum()
    assert np.array_equal(np.lexsort((many.number, many.submit_s)), np.arange(len(many)))
    assert np.array_equal(many.records[:, :2], np.column_stack([many.number, many.submit_s]))
    for number, submit in zip(many.number, many.submit_s, strict=True):
        later = submit - JOBS.submit_s[(number - 1) % 3]
        assert later == 0 if number <= 3 else 1 <= later <= shift
    assert triples(many) == triples(clone(JOBS, copies, seed, shift_s=shift))


def test_another_seed_shifts_otherwise_and_followers_follow_their_own() -> None:
    JOBS.records[1, 16] = 1
    assert triples(clone(JOBS, 2, 1)) != triples(clone(JOBS, 2, 2))
    many = clone(JOBS, 2, 1)
    follows = {int(row[0]): int(row[16]) for row in many.records if row[16] > 0}
    assert follows == {2: 1, 5: 4}


@given(seed=st.integers(0, 20))
def test_clones_of_one_instant_stand_in_order_of_their_numbers(seed: int) -> None:
    """Numbers fall from job to job, so that copies of two meet the wrong way round."""
    jobs = workload(*((at, 5, 1) for at in range(12)))
    turned = replace(jobs, number=jobs.number[::-1].copy())
    many = clone(turned, 3, seed, shift_s=6)
    places = list(zip(many.submit_s.tolist(), many.number.tolist(), strict=True))
    assert places == sorted(places)


def test_a_clone_of_who_follows_nobody_follows_nobody() -> None:
    """Field 17 is -1 where it is unknown; some logs have 0 there, which is no job either."""
    preceding = SWF_FIELDS.index("preceding")
    records = JOBS.records.copy()
    records[:, preceding] = [0, -1, 1]
    many = clone(replace(JOBS, records=records), 2, seed=1)
    by_number = dict(zip(many.number.tolist(), many.records[:, preceding].tolist(), strict=True))
    assert by_number == {1: 0, 2: -1, 3: 1, 4: 0, 5: -1, 6: 4}


def test_impossible_clones_are_refused() -> None:
    for copies, shift in ((0, 1), (2, 0), (2**53, 1)):
        with pytest.raises(BadValue):
            clone(JOBS, copies, 1, shift_s=shift)


@given(st.floats(0, 1000), st.integers(0, 2**32))
def test_shaken_jobs_come_a_little_sooner_or_later(most_s: float, seed: int) -> None:
    moved = shaken(JOBS, most_s, seed)
    assert np.all(np.diff(moved.submit_s) >= 0)
    assert sorted(moved.number) == sorted(JOBS.number)
    before = dict(zip(JOBS.number, JOBS.submit_s, strict=True))
    for number, submit_s in zip(moved.number, moved.submit_s, strict=True):
        assert submit_s >= 0
        assert abs(submit_s - before[number]) <= most_s * (1 + 1e-12)
    assert np.array_equal(shaken(JOBS, most_s, seed).submit_s, moved.submit_s)


def test_each_seed_shakes_otherwise() -> None:
    assert shaken(JOBS, 0, 1).submit_s.tolist() == JOBS.submit_s.tolist()
    assert shaken(JOBS, 5, 1).submit_s.tolist() != shaken(JOBS, 5, 2).submit_s.tolist()
    with pytest.raises(BadValue):
        shaken(JOBS, -1, 1)
