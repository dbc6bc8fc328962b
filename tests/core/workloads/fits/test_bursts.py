"""Bursts of fitted arrivals: the gaps stay, their order has the log's Hurst parameter."""

import numpy as np
import pytest

from molokini.model.errors import BadValue
from molokini.workloads.arriving.processes import visits
from molokini.workloads.distributions import Exponential
from molokini.workloads.fits.arrivals import Arrivals
from molokini.workloads.fits.bursts import TRIED, Bursts, fit_bursts, in_bursts
from molokini.workloads.fits.cycle import week_of
from molokini.workloads.statistics.selfsimilar import variance_time_h
from molokini.workloads.streams import Streams
from molokini.workloads.workload import Floats

JOBS, GAP_S = 30_000, 120.0
EVEN = week_of([1.0] * 48, [1.0] * 48, [1.0] * 48)


def made(bursts: Bursts | None, seed: int) -> Floats:
    arrivals = Arrivals(Exponential(GAP_S), 0.1, 1e5, EVEN, bursts)
    return arrivals.feed(Streams(seed), JOBS).instants_s


def test_the_gaps_stay_and_their_order_changes() -> None:
    gaps = Exponential(GAP_S).sample(Streams(1).of("gaps"), JOBS)
    found = in_bursts(gaps, Bursts(20.0), Streams(1))
    assert (np.sort(found) == np.sort(gaps)).all()
    assert (found != gaps).mean() > 0.9
    assert (in_bursts(gaps, Bursts(20.0), Streams(1)) == found).all()
    assert (in_bursts(gaps, None, Streams(1)) == gaps).all()
    assert in_bursts(gaps[:1], Bursts(20.0), Streams(1)).tolist() == gaps[:1].tolist()


def test_bursts_leave_all_other_streams_alone() -> None:
    """The gaps that are drawn are the same with bursts and without."""
    plain, burst = made(None, 3), made(Bursts(20.0), 3)
    assert np.sort(np.diff(burst))[-100:] == pytest.approx(np.sort(np.diff(plain))[-100:], rel=1e-6)
    assert burst[-1] == pytest.approx(plain[-1], rel=0.01)


def test_a_bursty_log_has_its_hurst_parameter_in_what_is_made() -> None:
    log = visits(Streams(7), JOBS, GAP_S, 1.4, 20.0).instants_s
    found = fit_bursts(log, made)
    assert found.bursts is not None
    assert found.bursts.jobs in TRIED
    assert found.log is not None
    assert found.made is not None
    assert found.independent is not None
    wanted = found.log["variance_time"]["h"]
    assert wanted > 0.65
    assert found.made["variance_time"]["h"] == pytest.approx(wanted, abs=0.05)
    assert found.independent["variance_time"]["h"] < 0.55
    # Other seeds than those that the fit looked at.
    others = [variance_time_h(made(found.bursts, seed)) for seed in (11, 12, 13)]
    assert np.mean([one for one in others if one is not None]) == pytest.approx(wanted, abs=0.05)


def test_a_log_of_independent_gaps_has_no_bursts() -> None:
    log = np.cumsum(Exponential(GAP_S).sample(Streams(9).of("gaps"), JOBS))
    found = fit_bursts(log, made)
    assert found.bursts is None
    assert found.told()["jobs_of_a_visit"] is None


def test_a_log_that_is_too_short_for_an_estimate_has_no_bursts() -> None:
    found = fit_bursts(np.arange(50.0), made)
    assert found.bursts is None
    assert found.told() == {
        "jobs_of_a_visit": None,
        "tail": None,
        "log": None,
        "made": None,
        "independent_gaps": None,
    }


@pytest.mark.parametrize(
    ("jobs", "tail", "field"), [(0.0, 1.4, "jobs"), (5.0, 1.0, "tail"), (5, 2.0, "tail")]
)
def test_parameters_outside_their_range_are_refused(jobs: float, tail: float, field: str) -> None:
    with pytest.raises(BadValue, match=f"bursts.{field}"):
        Bursts(jobs, tail)
