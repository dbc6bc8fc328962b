"""A person who waits for a replay sees it move, however few its jobs and whatever stops it on the way."""

import pytest

from molokini.model.calendars import Calendar
from molokini.model.machine import Machine
from molokini.model.reservations import StandingReservation
from molokini.policies import load_policy
from molokini.sim.replay import Options, Replay
from molokini.tables.tables import NEVER
from tests.core.sim.test_reservations import work_of

NIGHTS = StandingReservation("nights", 16, Calendar(start_s=0.0, end_s=3600.0), 2, {"user": ("7",)})


@pytest.mark.parametrize("reservations", [(), (NIGHTS,)])
def test_progress_is_told_often_and_ends_with_all_jobs(reservations: tuple[StandingReservation, ...]) -> None:
    """With standing reservations the engine stops each midnight: that is no reason to be silent."""
    work = work_of(*((1000.0 * k, 10.0, 1, 1) for k in range(500)))
    options = Options(reservations=reservations, interpreted=True)
    told: list[tuple[int, int]] = []
    replay = Replay(work, Machine.counted(16), load_policy("fcfs"), options=options)
    assert replay.run(NEVER, lambda done, total: told.append((done, total)))
    assert len(told) >= 5
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1] == (500, 500)
