"""A replay in pieces, watched, or beside other threads: the same comes of it, and it keeps nobody waiting."""

import threading
from dataclasses import replace
from random import Random

import pytest

from molokini.model.calendars import Calendar
from molokini.model.errors import BadValue
from molokini.model.machine import Machine
from molokini.model.ranks import AgendaEvent, EventKind
from molokini.model.reservations import StandingReservation
from molokini.policies import load_policy
from molokini.sim.replay import Options, Replay, Ties
from molokini.tables.tables import NEVER
from tests.core.sim.test_reservations import work_of
from tests.kit.replays import ends, finished, outcome, prepared, starts
from tests.kit.workloads import Job, workload_of
from tests.kit.worlds import World, draw_world

WORLDS = 5


def replay_of(world: World, ties: Ties, **more: int) -> Replay:
    options = Options(**{**world.options, "interpreted": True, "ties": ties, **more})
    return Replay(workload_of(world.jobs), world.machine, load_policy(world.policy), world.values, options)


@pytest.mark.quick(one_in=2)
@pytest.mark.parametrize("ties", list(Ties))
@pytest.mark.parametrize("policy", ["fcfs", "easy", "srpt"])
def test_the_same_comes_of_a_replay_in_pieces_as_of_a_whole_one(policy: str, ties: Ties) -> None:
    """Stopped between instants, at instants, after each instant, and for more rows than it began with."""
    values = load_policy(policy).declaration.values({})
    for seed in range(WORLDS):
        world = draw_world(Random(f"pieces-{policy}-{seed}"), policy, dict(values))
        whole = replay_of(world, ties)
        assert whole.run()
        wanted = outcome(whole.schedule()), dict(whole.schedule().info)
        for more in ({"step_instants": 1}, {"rows": 1}):
            pieces = replay_of(world, ties, **more)
            assert pieces.run()
            assert (outcome(pieces.schedule()), dict(pieces.schedule().info)) == wanted, (world, more)
        pieces = replay_of(world, ties)
        for half in range(100):
            pieces.run(until_s=half / 2)
            assert pieces.agenda.now <= half / 2
        assert pieces.run()
        assert (outcome(pieces.schedule()), dict(pieces.schedule().info)) == wanted, world


def test_a_cancel_of_a_job_that_waits_in_a_new_row_touches_no_end() -> None:
    """There is room for one job at first: the rows that are added have no ends either."""
    facts = [AgendaEvent(5, EventKind.CANCELLED, 1)]
    replay = finished([Job(0, 10, 8), Job(1, 10, 8)], "fcfs", 8, rows=1, interpreted=True, facts=facts)
    assert ends(replay) == [10.0, None]


def test_a_schedule_that_is_cut_off_has_the_first_start_of_each_job_that_has_begun() -> None:
    """Whether it is suspended then, or runs for the second time."""
    replay = prepared([Job(0, 100, 4), Job(2, 4, 4), Job(3, 50, 4)], "srpt", 4, interpreted=True)
    assert not replay.run(until_s=3.0)
    assert (starts(replay), ends(replay)) == ([0.0, 2.0, None], [None] * 3)
    facts = [AgendaEvent(5, EventKind.NODE_LOST, -1, 4), AgendaEvent(6, EventKind.NODE_RETURNED, -1, 4)]
    replay = prepared([Job(0, 10, 4)], "fcfs", 4, interpreted=True, facts=facts)
    assert not replay.run(until_s=8.0)
    assert (starts(replay), ends(replay)) == ([0.0], [None])
    assert replay.run(until_s=16.0)
    assert (starts(replay), ends(replay)) == ([0.0], [16.0])


def test_an_instant_up_to_which_it_runs_is_run_itself() -> None:
    replay = prepared([Job(0, 10, 4), Job(10, 5, 4)], "fcfs", 4, interpreted=True)
    assert not replay.run(until_s=9.999)
    assert ends(replay) == [None, None]
    assert not replay.run(until_s=10.0)
    assert (starts(replay), ends(replay)) == ([0.0, 10.0], [10.0, None])


def test_work_that_a_loss_takes_is_counted_and_traced() -> None:
    """Lost twice, after 5 s and after 2 s; the second start holds the processors from then on."""
    lost, returned = EventKind.NODE_LOST, EventKind.NODE_RETURNED
    facts = [
        AgendaEvent(at, kind, -1, 4) for at, kind in ((5, lost), (7, returned), (9, lost), (20, returned))
    ]
    replay = finished([Job(0, 10, 4)], "fcfs", 4, interpreted=True, facts=facts)
    schedule = replay.schedule()
    assert (starts(replay), ends(replay)) == ([0.0], [30.0])
    counts = schedule.interruptions
    assert counts is not None
    assert (counts.suspensions[0], counts.requeues[0], counts.checkpoints[0], counts.lost_s[0]) == (
        0,
        2,
        0,
        7,
    )
    trace = schedule.trace
    assert list(zip(trace.time_s, trace.job, trace.rate, trace.occupied, strict=True)) == [
        (5, 0, 0, 0), (7, 0, 1, 4), (9, 0, 0, 0), (20, 0, 1, 4),
    ]  # fmt: skip


def test_no_more_processors_are_lost_than_there_are() -> None:
    facts = [AgendaEvent(1, EventKind.NODE_LOST, -1, 20), AgendaEvent(5, EventKind.NODE_RETURNED, -1, 8)]
    replay = finished([Job(0, 10, 8), Job(2, 3, 8)], "fcfs", 8, interpreted=True, facts=facts)
    assert ends(replay) == [15.0, 18.0]


def test_the_first_promise_is_kept_in_mind_when_a_better_one_follows() -> None:
    jobs = [Job(0, 5, 8, estimate=10), Job(1, 5, 8), Job(2, 5, 8)]
    replay = finished(jobs, "conservative", 8, interpreted=True)
    assert starts(replay) == [0.0, 5.0, 10.0]
    assert replay.agenda.results.first_reserved_s[1:].tolist() == [10.0, 15.0]


def test_a_copy_of_a_replay_that_has_begun_goes_on_by_itself() -> None:
    jobs = [Job(0, 10, 4), Job(5, 10, 4), Job(30, 10, 4)]
    first = prepared(jobs, "fcfs", 4, interpreted=True)
    first.run(until_s=6.0)
    second = first.copy()
    assert second.run()
    assert starts(first) == [0.0, None, None]
    assert starts(second) == [0.0, 10.0, 30.0]
    first.tables.jobs.estimate_s[:] += 1.0
    assert first.run()
    assert outcome(first.schedule()) == outcome(second.schedule())


def test_jobs_in_another_order_than_that_of_submission_are_refused() -> None:
    workload = workload_of([Job(0, 1), Job(0, 1), Job(5, 1)])
    wrong = (
        {"submit_s": workload.submit_s[::-1].copy()},
        {"number": workload.number[[1, 0, 2]]},
        {"number": workload.number[[0, 0, 2]]},
        {"run_s": workload.run_s - 2.0},
        {"processors": workload.processors - 1},
        {"run_s": workload.run_s * float("nan")},
        {"estimate_s": workload.estimate_s * float("inf")},
        {"submit_s": workload.submit_s + float("inf")},
    )
    prepared([Job(0, 0), Job(0, 1), Job(5, 1)])
    for changed in wrong:
        with pytest.raises(BadValue):
            Replay(replace(workload, **changed), Machine.counted(8), load_policy("fcfs"))


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


JOBS = [Job(0.0, 3.0, 2) for _ in range(6_000)]
"""One processor stays idle, so each end has the whole queue looked through: some tenths of a second."""


def test_python_runs_elsewhere_while_the_compiled_engine_does() -> None:
    replay = Replay(workload_of(JOBS), Machine.counted(3), load_policy("easy"), None, Options())
    replay.prepare()
    seen: list[float] = []
    over, looking = threading.Event(), threading.Event()

    def look() -> None:
        while not over.is_set():
            seen.append(replay.agenda.now)
            looking.set()

    looker = threading.Thread(target=look)
    looker.start()
    assert looking.wait(30)
    try:
        # One call of machine code: in Python there is nothing at which the lock could be given away.
        assert replay.run()
    finally:
        over.set()
        looker.join()
    last_s = replay.agenda.now
    assert any(0 < now < last_s for now in seen)
