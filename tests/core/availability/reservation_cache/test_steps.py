"""What reservations keep, counted once for each stretch of time: the same as counted for each question."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.availability.beside_reserved import _without_access, may_start
from molokini.availability.reservation_cache.steps import blocked_for
from molokini.availability.reserved import blocked_at, lasts
from molokini.cycle.cycle import begin_pass
from molokini.cycle.verbs import start, suspend
from molokini.model.decisions import Decision
from molokini.model.machine import Machine
from molokini.model.reservations import Reservation, Terms
from molokini.model.states import JobState
from molokini.policies import load_policy
from molokini.sim.replay import Options, Replay
from molokini.tables.running import sort_running
from molokini.tables.sizes import MOST_STEPS
from molokini.tables.tables import Tables
from tests.core.sim.test_reservations import work_of

NAMES = ("a", "b", "c", "d")
RESERVATIONS = st.lists(
    st.builds(
        lambda hosts, start_s, length_s, users, shared, counted: Reservation(
            "r",
            4 if counted else sum(hosts.values()),
            start_s,
            start_s + length_s,
            {"user": users},
            Terms(hosts={} if counted else hosts, shared=shared),
        ),
        st.sampled_from([1, 4]).flatmap(
            lambda most: st.dictionaries(st.sampled_from(NAMES), st.integers(1, 4), min_size=1, max_size=most)
        ),
        st.integers(0, 60),
        st.integers(1, 60),
        st.sampled_from([("7",), ("8",), ("7", "8"), ("9",)]),
        st.booleans(),
        st.sampled_from([False, False, False, True]),
    ),
    min_size=1,
    max_size=5,
)
JOBS = st.lists(
    st.tuples(st.integers(0, 40), st.integers(1, 50), st.integers(1, 9), st.sampled_from([7, 8, 9])),
    min_size=1,
    max_size=14,
)


@settings(max_examples=60, deadline=None)
@given(RESERVATIONS, JOBS, st.integers(0, 60))
def test_steps_say_what_each_question_says(
    reservations: list[Reservation], jobs: list[tuple[int, int, int, int]], stop_s: int
) -> None:
    """Of every job, at every instant from now on: as it is, when the pass has started a job, and when it has
    taken another off.
    """
    work = work_of(*sorted(((float(a), float(b), c, d) for a, b, c, d in jobs), key=lambda one: one[0]))
    named = [Reservation(f"r{k}", *_rest(one)) for k, one in enumerate(reservations)]
    options = Options(reservations=tuple(named), node_names=NAMES, interpreted=True)
    replay = Replay(work, Machine.uniform(4, 4), load_policy("maui"), options=options)
    replay.run(float(stop_s))
    t = replay.tables
    begin_pass(t, float(stop_s))
    t.cycle.pass_s = float(stop_s)
    sort_running(t)
    waiting = t.queue.waiting[t.queue.head : t.queue.tail].tolist()
    running = t.queue.running[: t.queue.running_count].tolist()
    for happens in ("nothing", "start", "suspension"):
        if happens == "start" and waiting and t.jobs.width[waiting[0]] <= t.machine.idle:
            start(t, waiting[0])
        elif happens == "suspension" and running:
            suspend(t, _inside(t, running))
        for asking in (*waiting, *running):
            mask = _without_access(t, asking)
            for at_s in np.arange(float(stop_s), 130.0, 0.5):
                counted = blocked_at(t, asking, at_s)
                _assert_idle_on_reserved_nodes(t, float(at_s), float(stop_s))
                assert blocked_for(t, asking, mask, at_s) == counted, (asking, at_s)
        for asking in (
            k for k in waiting if t.jobs.state[k] == JobState.WAITING and t.jobs.width[k] <= t.machine.idle
        ):
            assert may_start(t, asking) == _stays_out(t, asking, float(stop_s)), asking


def _inside(t: Tables, running: list[int]) -> int:
    """The first of these jobs that is on a node of which something is reserved; where none is, the first."""
    for row in running:
        entry = int(t.jobs.entries[row])
        while entry >= 0:
            if t.nodes.hosted[t.entries.node[entry]]:
                return row
            entry = int(t.entries.next[entry])
    return running[0]


def _stays_out(t: Tables, row: int, now: float) -> bool:
    """Whether *row*, started now, leaves at every instant of its estimate what is kept from it."""
    there = _there(t)
    for at_s in np.arange(now, now + float(t.jobs.estimate_s[row]), 0.5):
        held = [int(t.jobs.width[k]) for k in there if _end_of(t, k, now) > at_s]
        if t.jobs.width[row] > t.machine.processors - sum(held) - blocked_at(t, row, float(at_s)):
            return False
    return True


def _assert_idle_on_reserved_nodes(t: Tables, at_s: float, now: float) -> None:
    """So much is idle then of each node of which something is kept then, as has been counted."""
    for h in range(t.hosts.count):
        node, of = int(t.hosts.node[h]), t.hosts.reservation[t.hosts.node == t.hosts.node[h]]
        if t.hosts.first[h] != h or not any(lasts(t, r, at_s) for r in of):
            continue
        idle = int(t.nodes.free[node, 0])
        for row in _there(t):
            entry = int(t.jobs.entries[row]) if _end_of(t, row, now) <= at_s else -1
            while entry >= 0:
                idle += int(t.entries.tasks[entry]) if t.entries.node[entry] == node else 0
                entry = int(t.entries.next[entry])
        assert t.hosts.free[h] == idle


def _there(t: Tables) -> list[int]:
    """Rows that run, but for those that this pass has taken off, and those that it has started."""
    decided = [(int(kind), int(row)) for kind, row in t.cycle.decisions[: t.cycle.decided, :2]]
    gone = {row for kind, row in decided if kind == Decision.SUSPEND}
    running = [int(row) for row in t.queue.running[: t.queue.running_count] if row not in gone]
    return [*running, *(row for kind, row in decided if kind == Decision.START)]


def _end_of(t: Tables, row: int, now: float) -> float:
    running = t.jobs.state[row] == JobState.RUNNING
    return float(t.jobs.expected_end_s[row] if running else now + t.jobs.estimate_s[row])


def _rest(one: Reservation) -> tuple[Any, ...]:
    return one.processors, one.start_s, one.end_s, one.access, one.terms


def test_more_steps_than_there_is_room_for_are_counted_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = Reservation("r", 16, 20.0, 90.0, {"user": ("7",)}, Terms(hosts=dict.fromkeys(NAMES, 4)))
    work = work_of((0.0, 30.0, 4, 7), (0.0, 60.0, 4, 7), (5.0, 10.0, 8, 9), (6.0, 20.0, 9, 9))
    options = Options(reservations=(ours,), node_names=NAMES, interpreted=True)
    found = []
    for most in (MOST_STEPS, 2):
        monkeypatch.setattr("molokini.availability.reservation_cache.steps.MOST_STEPS", most)
        replay = Replay(work, Machine.uniform(4, 4), load_policy("maui"), options=options)
        replay.run()
        found.append(replay.schedule().start_s.tolist())
    assert found == [[0.0, 0.0, 5.0, 90.0]] * 2
