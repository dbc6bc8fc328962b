"""Reservations in rows: each is kept, moves earlier where room is left, and holds its columns."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from molokini.model.machine import Machine
from molokini.model.ranks import AgendaEvent, EventKind
from molokini.sim.agenda import next_instant
from molokini.tables.tables import NEVER
from tests.kit.matrix_rows import GANG, declared_of, job, picture, row_settings, spans
from tests.kit.replays import prepared
from tests.kit.workloads import Job, job_lists


def test_a_narrow_job_passes_one_that_waits_for_its_reservation() -> None:
    jobs = [job(4, 10), job(3, 10), job(4, 2), job(1, 2)]
    assert spans(jobs, "bgs") == [(0, 20), (0, 20), (20, 22), (0, 4)]
    assert spans(jobs, "gs") == [(0, 20), (0, 20), (20, 24), (20, 24)]


def test_a_reservation_in_the_same_row_holds() -> None:
    jobs = [job(4, 20), job(3, 5), job(4, 2), job(1, 6), job(1, 5)]
    assert spans(jobs, "bgs") == [(0, 33), (0, 10), (10, 14), (14, 26), (0, 10)]


@pytest.mark.parametrize("replan", ["kept", "fresh"])
@pytest.mark.parametrize("policy", ["bgs", "mbgs"])
def test_compaction_leaves_room_for_reservations(policy: str, replan: str) -> None:
    # Rows 1113 and 222.: job 4 is to have row 1 at 10 s. At 4 s job 1 has ended; job 3, planned until 20 s,
    # stays in row 0, although job 4 could start there at once if it moved.
    none = {"migration_cost": 0, "migrated_tasks": 0} if policy == "mbgs" else {}
    jobs = [job(3, 2), job(3, 5), job(1, 10), job(4, 7)]
    assert spans(jobs, policy, replan=replan, **none) == [(0, 4), (0, 7), (0, 13), (7, 17)]


@pytest.mark.parametrize("predict", ["literal", "remaining"])
def test_a_job_starts_in_another_row_than_reserved(predict: str) -> None:
    jobs = [job(4, 10), job(4, 5, at=5), job(4, 1, at=6)]
    assert spans(jobs, "bgs", predict=predict) == [(0, 15), (5, 15), (15, 16)]
    replay = prepared(jobs, "bgs", 4, {"mpl": 2, "predict": predict}, interpreted=True)
    replay.run(until_s=6.0)
    t = replay.tables
    assert t.jobs.reserved_s[t.queue.waiting[t.queue.head]] == 15.0
    replay.run(until_s=15.0)
    assert picture(t) == ["3333", "3333"]


@pytest.mark.parametrize("replan", ["kept", "fresh"])
def test_what_is_planned_moves_earlier_when_processors_return(replan: str) -> None:
    """One row: of 10 processors the idle 5 are lost at 10, and the second job is planned behind the first."""
    lost = [AgendaEvent(10, EventKind.NODE_LOST, -1, 5), AgendaEvent(100, EventKind.NODE_RETURNED, -1, 5)]
    values: dict[str, int | str] = {"mpl": 1, "replan": replan}
    jobs = [Job(0, 1000, 5), Job(20, 100, 5)]
    replay = prepared(jobs, "bgs", Machine.counted(10), values, facts=lost, interpreted=True)
    replay.run()
    assert replay.schedule().start_s.tolist() == [0, 100]


PROCESSORS = 8
every = pytest.mark.parametrize("policy", GANG)


@pytest.mark.parametrize("policy", ["bgs", "mbgs"])
@given(jobs=job_lists(PROCESSORS, shortest=1), values=row_settings())
@settings(max_examples=60, deadline=None)
def test_no_reservation_moves_later(policy: str, jobs: list[Job], values: dict[str, Any]) -> None:
    replay = prepared(jobs, policy, PROCESSORS, {**declared_of(policy, values), "mode": "rate"})
    promised: dict[int, float] = {}
    while not replay.run(next_instant(replay.agenda, replay.tables)):
        t = replay.tables
        for row in t.queue.waiting[t.queue.head : t.queue.tail].tolist():
            number, at_s = int(t.jobs.number[row]), float(t.jobs.reserved_s[row])
            assert at_s <= promised.get(number, NEVER)
            promised[number] = at_s
    first = replay.agenda.results.first_reserved_s
    assert (np.nan_to_num(replay.schedule().start_s, nan=-1.0) <= first).all()
