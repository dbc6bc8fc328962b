"""Estimates by every model: their bounds, what is published of each, what is refused."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.model.errors import BadInput, BadValue
from molokini.model.policy import values_of
from molokini.workloads.estimates.rounding import ROUND_S, rounded_up
from molokini.workloads.estimates.table import MODELS, OWN_PARAMETERS, estimates
from molokini.workloads.estimates.tsafrir import (
    EstimateCount,
    distinct_values,
    given_to,
    head_ranks,
    head_shares,
    head_times,
    modes,
    tail_times,
)
from molokini.workloads.streams import Streams
from molokini.workloads.workload import Floats

RUNS = st.lists(st.integers(0, 100_000), min_size=1, max_size=60)


def made(model: str, run_s: Floats, seed: int = 1, **given: Any) -> Floats:
    values = values_of("estimates", OWN_PARAMETERS, {name: str(value) for name, value in given.items()})
    return estimates(model, values, Streams(seed), run_s)


@pytest.mark.parametrize("model", [name for name in MODELS if name != "tsafrir"])
@given(RUNS)
def test_an_estimate_is_as_long_as_the_run(model: str, runs: list[int]) -> None:
    run_s = np.array(runs, dtype=float)
    found = made(model, run_s)
    assert (found >= run_s).all()
    assert (found == np.rint(found)).all()
    assert (found == made(model, run_s)).all()


def test_f_is_uniform() -> None:
    ratio = made("f", np.full(50_000, 1e6), f=3.0) / 1e6
    assert (ratio.min(), ratio.max()) == (pytest.approx(1.0, abs=1e-3), pytest.approx(4.0, abs=1e-3))
    assert ratio.mean() == pytest.approx(2.5, rel=0.01)


def test_phi_is_a_share_of_exact_requests_and_a_uniform_rest() -> None:
    ratio = 1e6 / made("phi", np.full(100_000, 1e6), phi=0.2)
    assert (ratio > 1 - 1e-5).mean() == pytest.approx(0.2, abs=0.01)
    rest = np.sort(ratio[ratio < 1 - 1e-5])
    assert np.abs(rest - np.arange(1, rest.size + 1) / rest.size).max() < 0.01
    assert (made("phi", np.full(10, 50.0), phi=1.0) == 50.0).all()


def test_a_multiple_and_a_cut() -> None:
    assert made("multiple", np.array([10.0, 100.0]), multiple=3).tolist() == [30.0, 300.0]
    assert made("multiple", np.array([10.0, 100.0, 500.0]), multiple=3, most=200).tolist() == [30, 200, 500]


def test_round_values() -> None:
    assert made("rounded", np.array([1.0, 60.0, 61.0, 3601.0, 700_000.0])).tolist() == [
        *(60.0, 60.0, 120.0, 5400.0, 9 * 86400.0)
    ]
    assert (rounded_up(np.array(ROUND_S)) == np.array(ROUND_S)).all()


@pytest.mark.parametrize(
    ("jobs", "values"), [(20, 10), (200, 20), (28_476, 167), (250_000, 565), (10**6, 565), (1, 1)]
)
def test_tsafrirs_number_of_values(jobs: int, values: int) -> None:
    assert distinct_values(jobs) == values


def test_tsafrirs_head() -> None:
    shares = head_shares(20)
    assert [shares[rank - 1] for rank in (2, 3, 10, 20)] == pytest.approx(
        [10.313, 8.710, 2.843, 0.866], abs=6e-4
    )
    assert sum(shares[1:]) == pytest.approx(67.267, abs=5e-4)
    assert shares[0] == pytest.approx(21.733, abs=5e-4)
    hours = [time / 3600 for time in head_times(160 * 3600)]
    assert hours[0] == 160
    assert len(hours) == 20
    assert {100.0, 50.0, 150.0, 18.0, 5 / 60} <= set(hours)
    assert head_times(3600.0)[0] == 3600.0
    assert max(head_times(3600.0)[1:]) < 3600.0


@given(st.integers(0, 10_000))
def test_every_rank_is_given_once_and_not_too_late(seed: int) -> None:
    ranks = head_ranks(np.random.default_rng(seed))
    assert sorted(ranks) == list(range(1, 21))
    assert ranks[0] == 1
    # The second most popular value stands at the ninth place in one of the four logs, and later in none.
    assert ranks.index(2) <= 8


@given(st.integers(1, 400), st.integers(1, 200))
def test_the_tail_has_values_of_its_own(values: int, hours: int) -> None:
    taken = head_times(3600.0 * hours)
    found = tail_times(values, values + 20, 3600.0 * hours, taken)
    assert len(set(found)) == len(found)
    assert not set(found) & set(taken)
    assert all(0 < one <= 3600 * hours for one in found)


@settings(max_examples=30)
@given(st.integers(1, 3000), st.integers(1, 100), st.integers(0, 100))
def test_counts_add_up(jobs: int, hours: int, seed: int) -> None:
    times, counts = modes(np.random.default_rng(seed), jobs, 3600.0 * hours)
    assert counts.sum() == jobs
    assert counts.min() >= 1
    assert (np.diff(times) > 0).all()
    assert times[-1] == 3600.0 * hours or jobs < 20


def test_tsafrir_as_a_whole() -> None:
    run_s = np.floor(np.random.default_rng(1).exponential(600.0, 28_476))
    found = made("tsafrir", run_s, most=60 * 3600)
    assert (found >= run_s).all()
    times, counts = np.unique(found, return_counts=True)
    assert times.size == 167
    assert counts[times == 60 * 3600] / run_s.size == pytest.approx(0.21733, abs=1e-3)
    assert np.sort(counts)[-20:].sum() / run_s.size == pytest.approx(0.89, abs=0.01)


def test_known_numbers_of_jobs_stay() -> None:
    run_s = np.full(10_000, 60.0)
    found = made("tsafrir", run_s, most=36_000, bins="7200:2000,900:100")
    assert (found == 7200).sum() == 2000
    assert (found == 900).sum() == 100
    times, counts = modes(np.random.default_rng(1), 10_000, 36_000.0, [EstimateCount(36_000.0, 5000)])
    assert counts[times == 36_000].tolist() == [5000]


def test_longest_jobs_choose_first() -> None:
    times, counts = np.array([10.0, 100.0, 1000.0]), np.array([5, 3, 2])
    run_s = np.array([1.0] * 6 + [50.0, 60.0, 500.0, 100.0])
    for seed in range(20):
        found = given_to(np.random.default_rng(seed), run_s, times, counts)
        assert (found >= run_s).all()
        assert np.unique(found, return_counts=True)[1].tolist() == [5, 3, 2]


def test_every_choice_is_as_likely() -> None:
    """Of the jobs of 1 s each estimate of 100 s goes to any."""
    times, counts, run_s = np.array([10.0, 100.0]), np.array([2, 1]), np.array([1.0, 1.0, 1.0])
    hits = np.zeros(3)
    for seed in range(3000):
        hits += given_to(np.random.default_rng(seed), run_s, times, counts) == 100.0
    assert hits / 3000 == pytest.approx([1 / 3] * 3, abs=0.04)


@pytest.mark.parametrize(
    ("given_values", "run_s", "words"),
    [
        ({"most": 3600}, [5000.0] * 40, "40 jobs of 40 run longer"),
        ({"most": 1800}, [50.0] * 40, "most: 1800"),
        ({"bins": "5"}, [50.0] * 40, "SECONDS:JOBS"),
        ({"bins": "5:x"}, [50.0] * 40, "SECONDS:JOBS"),
        ({"bins": "99999:3"}, [50.0] * 40, "at most the largest estimate"),
        ({"bins": "300:0"}, [50.0] * 40, "1 or more jobs"),
        ({"bins": "300:39"}, [50.0] * 40, "89%"),
        ({"most": 7200}, [7000.0] * 39 + [1.0], "more jobs than estimates are longer"),
    ],
)
def test_what_tsafrir_refuses(given_values: dict[str, Any], run_s: list[float], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        made("tsafrir", np.array(run_s), **given_values)


def test_no_jobs_need_no_estimates() -> None:
    assert made("tsafrir", np.zeros(0)).size == 0
    with pytest.raises(BadValue):
        modes(np.random.default_rng(1), 10, float("nan"))
