"""Conservative backfilling: its plan, its promises, and what a compression may move."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from molokini.model.ranks import AgendaEvent, EventKind
from molokini.tables.tables import Tables
from tests.kit.replays import finished, prepared, starts
from tests.kit.workloads import Job, job_lists

NEVER = np.inf


@given(jobs=job_lists(8, most=40, shortest=1))
@settings(max_examples=200, deadline=None)
def test_nobody_starts_later_than_first_promised(jobs: list[Job]) -> None:
    replay = finished(jobs, "conservative", 8)
    started, promised = replay.agenda.results.started_s, replay.agenda.results.first_reserved_s
    rows = np.flatnonzero(promised < NEVER)
    assert (started[rows] <= promised[rows]).all()


@given(jobs=job_lists(8, most=40, shortest=1))
@settings(max_examples=100, deadline=None)
def test_a_reservation_never_moves_later(jobs: list[Job]) -> None:
    replay = prepared(jobs, "conservative", 8)
    promised: dict[int, float] = {}
    for now in range(150):
        replay.run(until_s=float(now))
        t = replay.tables
        for row in t.queue.waiting[t.queue.head : t.queue.tail].tolist():
            number, at = int(t.jobs.number[row]), float(t.jobs.reserved_s[row])
            assert at <= promised.get(number, NEVER)
            promised[number] = at


def planned_free(t: Tables, at: float) -> int:
    """What the plan says is free at an instant."""
    first, last = t.profile.first, t.profile.last
    segments = [k for k in range(first, last) if t.profile.time_s[k] <= at]
    return int(t.profile.free[max(segments, default=first)])


def truly_free(t: Tables, at: float) -> int:
    """The same from the running jobs and the reservations, by definition."""
    free = t.machine.processors
    for row in t.queue.running[: t.queue.running_count].tolist():
        free -= int(t.jobs.width[row]) if t.jobs.expected_end_s[row] > at else 0
    for row in t.queue.waiting[t.queue.head : t.queue.tail].tolist():
        start = float(t.jobs.reserved_s[row])
        free -= int(t.jobs.width[row]) if start <= at < start + float(t.jobs.estimate_s[row]) else 0
    return free


# At 27 job 16 is promised 48 s, since a processor is lost, and then 45 s, as it was before, in one pass.
TWICE_IN_A_PASS = [
    *(Job(0, 0, 1, 1, number, 1) for number in (1, 2, 3)),
    *(Job(0, 10, 2, 10, 4, 1), Job(0, 3, 6, 3, 5, 1)),
    *(Job(0, 0, 1, 1, number, 1) for number in (6, 7, 8)),
    *(Job(1, 5, 8, 12, 9, 1), Job(8, 1, 8, 4, 10, 1), Job(8, 3, 3, 9, 11, 1), Job(10, 9, 3, 9, 12, 1)),
    *(Job(10, 11, 4, 11, 13, 1), Job(10, 0, 8, 1, 14, 1), Job(10, 7, 4, 7, 15, 1), Job(10, 0, 4, 8, 16, 1)),
]


@pytest.mark.deep
@example(jobs=TWICE_IN_A_PASS, overrun="extend", losses=[(0, 1, 9), (27, 1, 1)])
@given(
    jobs=job_lists(8, most=20, shortest=1),
    overrun=st.sampled_from(["kill", "extend"]),
    losses=st.lists(st.tuples(st.integers(0, 30), st.integers(1, 3), st.integers(1, 20)), max_size=2),
)
@settings(max_examples=150, deadline=None)
def test_the_plan_is_what_running_and_promised_jobs_leave(
    jobs: list[Job], overrun: str, losses: list[tuple[int, int, int]]
) -> None:
    facts = []
    for at, amount, length in losses:
        facts.append(AgendaEvent(at, EventKind.NODE_LOST, -1, amount))
        facts.append(AgendaEvent(at + length, EventKind.NODE_RETURNED, -1, amount))
    replay = prepared(jobs, "conservative", 8, overrun=overrun, facts=facts)
    for now in range(60):
        before = replay.agenda.passes
        replay.run(until_s=float(now))
        if replay.agenda.passes > before:
            for at in range(now, now + 60):
                assert planned_free(replay.tables, at) == truly_free(replay.tables, at), f"at {now} for {at}"


def test_one_compression_moves_who_can_in_queue_order() -> None:
    # 1 runs to 10 by estimate and ends at 4. Of those that wait for it, 2 (wide) and 3 move to 4; 4, which
    # had been promised the hole in front of 2's old place, moves behind both.
    jobs = [Job(0, 4, 6, 10), Job(1, 5, 8), Job(2, 5, 4), Job(3, 2, 4)]
    replay = prepared(jobs, "conservative", 8)
    replay.run(until_s=3.0)
    assert replay.agenda.results.first_reserved_s.tolist() == [NEVER, 10.0, 15.0, 15.0]
    assert replay.run()
    assert starts(replay) == [0.0, 4.0, 9.0, 9.0]


def test_room_that_a_moved_job_leaves_is_offered_to_those_behind_it() -> None:
    # 2 moves from 10 to 4 and leaves [10, 14); only there is room for 3, which could not use the hole itself.
    jobs = [Job(0, 4, 4, 10), Job(0, 20, 2), Job(1, 4, 6), Job(1, 12, 4)]
    replay = prepared(jobs, "conservative", 8)
    replay.run(until_s=3.0)
    assert replay.agenda.results.first_reserved_s.tolist()[2:] == [10.0, 14.0]
    assert replay.run()
    assert starts(replay) == [0.0, 0.0, 4.0, 8.0]


def test_a_job_in_front_never_gets_what_one_behind_it_leaves() -> None:
    """One compression, not as many as it takes: who was looked at already waits for the next."""
    jobs = [Job(0, 2, 5, 20), Job(0, 30, 3), Job(1, 10, 5, 10), Job(1, 3, 5)]
    assert starts(finished(jobs, "conservative", 8)) == [0.0, 0.0, 2.0, 12.0]


def test_what_one_behind_leaves_is_offered_in_the_next_compression() -> None:
    # 1 ends at 6 instead of 9: 2 and 4 move to 6, but 3, which stands in front of 4, had been looked at while
    # 4 still had [9, 13). When 4 ends early at 7, what it left then is room for 3, which moves to 10.
    jobs = [Job(1, 5, 8, 8), Job(3, 4, 6), Job(3, 0, 8, 12), Job(3, 1, 2, 4)]
    replay = prepared(jobs, "conservative", 8)
    replay.run(until_s=5.0)
    assert replay.agenda.results.first_reserved_s.tolist()[1:] == [9.0, 13.0, 9.0]
    assert replay.run()
    assert starts(replay) == [1.0, 6.0, 10.0, 6.0]


def test_a_due_job_that_finds_its_place_taken_keeps_nobody_from_waking() -> None:
    # Estimates of 0 take no room in the plan, so that 3 may find 6 in its place at 10; whoever is
    # promised a start behind that instant must still get his pass.
    jobs = [
        Job(0, 10, 4),
        Job(1, 0, 4, 0),
        Job(1, 0, 4, 0),
        Job(1, 9, 3),
        Job(1, 5, 2),
    ]  # fmt: skip
    replay = finished(jobs, "conservative", 4)
    assert starts(replay) == [0.0, 10.0, 10.0, 10.0, 19.0]


@pytest.mark.parametrize("late", [12.0, 13.5])
def test_a_job_past_its_estimate_pushes_the_others_back(late: float) -> None:
    jobs = [Job(0, late, 8, 10), Job(1, 5, 8)]
    assert starts(finished(jobs, "conservative", 8, overrun="extend")) == [0.0, late]
