"""Processes of arrivals: their rates, their variation, their self-similarity."""

from collections.abc import Callable

import numpy as np
import pytest

from molokini.workloads.arriving.processes import Arrived, hyper, on_off, poisson, sessions, visits
from molokini.workloads.streams import Streams
from molokini.workloads.workload import Floats

JOBS, GAP_S = 100_000, 100.0


def hurst(instants_s: Floats, unit_s: float) -> float:
    """From the variance-time plot of counts: their m-aggregated means vary as m^(2H - 2)."""
    counts = np.bincount((instants_s / unit_s).astype(np.int64))
    sizes = 2 ** np.arange(2, 9)
    variances = []
    for size in sizes:
        whole = counts[: counts.size // size * size].reshape(-1, size).mean(axis=1)
        variances.append(whole.var())
    slope = np.polyfit(np.log(sizes), np.log(variances), 1)[0]
    return float(1.0 + slope / 2.0)


def test_gaps_have_the_mean_and_the_variation() -> None:
    for found, cv in ((poisson(Streams(1), JOBS, GAP_S), 1.0), (hyper(Streams(1), JOBS, GAP_S, 3.0), 3.0)):
        gaps = np.diff(found.instants_s)
        assert gaps.mean() == pytest.approx(GAP_S, rel=0.03)
        assert gaps.std() / gaps.mean() == pytest.approx(cv, rel=0.03)


@pytest.mark.deep
@pytest.mark.parametrize("make", [on_off, visits])
@pytest.mark.parametrize("tail", [1.4, 1.7])
def test_counts_are_self_similar(make: Callable[..., Arrived], tail: float) -> None:
    found = make(Streams(1), 10 * JOBS, GAP_S, tail, 1.0).instants_s
    assert found.size == 10 * JOBS
    assert (np.diff(found) >= 0).all()
    assert found.min() >= 0
    assert np.diff(found).mean() == pytest.approx(GAP_S, rel=0.05)
    # By theory (3 - tail)/2 above the mean period; the estimate of a finite series varies.
    assert hurst(found, 100 * GAP_S) == pytest.approx((3.0 - tail) / 2.0, abs=0.08)
    assert hurst(poisson(Streams(1), 10 * JOBS, GAP_S).instants_s, 100 * GAP_S) == pytest.approx(
        0.5, abs=0.06
    )


def test_sessions_belong_to_users_and_are_heavy_tailed() -> None:
    found = sessions(Streams(1), JOBS, GAP_S, 1.3, 600.0, 50)
    assert found.user is not None
    assert found.instants_s.size == found.user.size == JOBS
    assert (np.diff(found.instants_s) >= 0).all()
    assert set(found.user.tolist()) <= set(range(1, 51))
    counts = np.sort(np.bincount(found.user)[1:])[::-1]
    assert counts[0] > 10 * counts[-1]  # as 1/n


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_very_few_jobs(jobs: int) -> None:
    for found in (
        poisson(Streams(1), jobs, GAP_S),
        hyper(Streams(1), jobs, GAP_S, 2.0),
        on_off(Streams(1), jobs, GAP_S, 1.4, 20.0),
        visits(Streams(1), jobs, GAP_S, 1.4, 20.0),
        sessions(Streams(1), jobs, GAP_S, 1.4, 60.0, 3),
    ):
        assert found.instants_s.size == jobs
