"""Room: whether a job can start now without taking what is reserved, and what its start changes."""

import pytest

from molokini.availability.profile import least_free, plan, profile_of_running
from molokini.cycle.cycle import begin_pass
from molokini.model.decisions import Decision
from molokini.policies.maui.configuration.settings import MauiSettings
from molokini.policies.maui.knowledge.memory import DECIDED, mine
from molokini.policies.maui.starting.free_slots import enough_started, fits_now, start_now
from molokini.tables.tables import Tables
from tests.kit.maui import at, maui
from tests.kit.workloads import Job


def asking(width: int, estimate_s: float) -> tuple[Tables, int]:
    """Three of eight processors are busy up to 100 and four reserved from 50 to 90; the row of who waits."""
    jobs = [Job(0, 100, 3), Job(0, estimate_s, width)]
    t = at(maui(jobs, MauiSettings(chosen={"max_starts": 1})), 0)
    row = int(t.queue.waiting[t.queue.head])
    begin_pass(t, 0.0)
    profile_of_running(t, 0.0)
    plan(t, 50.0, 90.0, 4)
    mine(t).started = 0
    return t, row


@pytest.mark.parametrize(
    ("width", "estimate_s", "fits"),
    [(5, 50, True), (5, 51, False), (1, 200, True), (2, 200, False), (6, 1, False), (5, 0, True)],
)
def test_a_job_fits_if_over_in_time_or_beside_reserved(width: int, estimate_s: float, fits: bool) -> None:
    """One of no length delays no other job."""
    t, row = asking(width, estimate_s)
    assert fits_now(t, row, 0.0) == fits
    assert t.cycle.decided == 0


def test_a_start_takes_its_processors_now_and_in_the_plan_and_is_counted() -> None:
    t, row = asking(4, 50)
    assert not enough_started(t)
    assert start_now(t, row, 0.0)
    assert t.cycle.decisions[: t.cycle.decided, :2].tolist() == [[Decision.START, row]]
    assert (t.machine.idle, least_free(t, 0.0, 50.0), least_free(t, 50.0, 90.0)) == (1, 1, 1)
    assert (mine(t).level[row], mine(t).started, mine(t).backfilled[row]) == (DECIDED, 1, 0)
    assert enough_started(t)
