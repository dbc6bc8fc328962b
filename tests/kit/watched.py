"""Running the engine through a world second by second, and comparing it with the plain one."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import numpy as np

from molokini.metrics.timelines import busy_processors, value_at
from molokini.model.ranks import AgendaEvent, EventKind
from molokini.model.states import JobState
from molokini.sim.replay import Replay
from molokini.sim.schedule import Schedule
from molokini.tables.tables import NEVER
from tests.kit.invariants import assert_tables_empty
from tests.kit.plain_nodes import Place, take
from tests.kit.plain_world import HELD, RUNNING, SUSPENDED, WAITING, Picture, PlainWorld, members
from tests.kit.replays import prepared
from tests.kit.worlds import NAMES, World

T = TypeVar("T")
_STATES = {
    JobState.WAITING: WAITING,
    JobState.HELD: HELD,
    JobState.RUNNING: RUNNING,
    JobState.SUSPENDED: SUSPENDED,
}


def replay_of(world: World, interpreted: bool = True) -> Replay:
    """A replay of *world* that has not begun."""
    options = {**world.options, "interpreted": interpreted}
    return prepared(world.jobs, world.policy, world.machine, world.values, **options)


def picture_of(replay: Replay) -> Picture:
    """Of each job in the tables: its state, and where it is."""
    t, found = replay.tables, {}
    for row in range(t.jobs.state.size):
        state = _STATES.get(JobState(int(t.jobs.state[row])))
        if state is not None:
            places = tuple(places_of(replay, row)) if state == RUNNING else ()
            found[int(t.jobs.serial[row])] = (state, places)
    return found


def promised_by(replay: Replay) -> dict[int, float]:
    """Of each waiting job that has a reservation, when it is to start."""
    t = replay.tables
    return {
        int(t.jobs.serial[row]): float(t.jobs.reserved_s[row])
        for row in t.queue.waiting[t.queue.head : t.queue.tail].tolist()
        if t.jobs.reserved_s[row] < NEVER
    }


def places_of(replay: Replay, row: int) -> list[Place]:
    """Where the tasks of *row* are, in the order in which they were placed."""
    t, found = replay.tables, []
    parts, component = [], int(t.jobs.components[row])
    for _ in range(int(t.jobs.component_count[row])):
        parts.append(component)
        component = int(t.components.next[component])
    entry = int(t.jobs.entries[row])
    while entry >= 0:
        part = parts.index(int(t.entries.component[entry]))
        found.append((int(t.entries.node[entry]), int(t.entries.tasks[entry]), part))
        entry = int(t.entries.next[entry])
    return found


def assert_as_plain(
    world: World,
    simulator: type[PlainWorld],
    interpreted: bool = True,
    parts: bool = True,
    promises: bool = False,
    at_events: bool = False,
) -> None:
    """State, place, start, end, work and losses of every job as the plain world has them, at every second.

    Without *parts* only the tasks of a job on each node count, not of which of its parts they are. With
    *promises* the promised starts of waiting jobs are the same, too; *at_events*: when something happens.
    """
    plain = simulator(world).simulate()
    replay = replay_of(world, interpreted)
    for now, expected in enumerate(plain.pictures):
        replay.run(until_s=float(now))
        found = {job: (state, _sorted(places, parts)) for job, (state, places) in picture_of(replay).items()}
        wanted = {job: (state, _sorted(places, parts)) for job, (state, places) in expected.items()}
        assert found == wanted, f"at {now}: {found}, not {wanted}"
        if promises and (plain.eventful[now] or not at_events):
            told = promised_by(replay)
            assert told == plain.promises[now], f"at {now} promised: {told}, not {plain.promises[now]}"
    schedule = replay.schedule()
    for row, (start, end, refused) in enumerate(members(plain.jobs)):
        assert bool(schedule.refused_rows[row]) == refused, f"job {row}"
        assert _known(schedule.start_s[row]) == start, f"start of job {row}"
        assert _known(schedule.end_s[row]) == end, f"end of job {row}"
    assert_interrupted_as(plain, schedule)
    assert_busy_as(plain, schedule)


def assert_busy_as(plain: PlainWorld, schedule: Schedule) -> None:
    """As many processors are busy at every second as jobs have that run then, suspensions and all."""
    wanted = [
        sum(plain.jobs[row].width for row, (state, _) in picture.items() if state == RUNNING)
        for picture in plain.pictures
    ]
    found = value_at(busy_processors(schedule), np.arange(len(wanted), dtype=np.float64))
    assert found.tolist() == wanted


def assert_interrupted_as(plain: PlainWorld, schedule: Schedule) -> None:
    """How often each job was taken off its processors, what it lost by that, and what it has done."""
    told = schedule.interruptions
    assert told is not None
    for job in plain.jobs:
        found = (told.suspensions, told.requeues, told.checkpoints, told.lost_s)
        wanted = (job.suspensions, job.requeues, job.checkpoints, job.lost)
        assert tuple(one[job.row] for one in found) == wanted, f"interruptions of job {job.row}"
        if job.end is not None:
            assert schedule.run_s[job.row] == job.work, f"work of job {job.row}"


def _sorted(places: tuple[Place, ...], parts: bool) -> list[Place]:
    if parts:
        return sorted(places)
    tasks = Counter[int]()
    for node, here, _ in places:
        tasks[node] += here
    return [(node, here, 0) for node, here in sorted(tasks.items())]


def _known(at: float) -> float | None:
    return None if at != at else float(at)


def assert_sound(world: World, keeps_work: bool = False, shares: bool = False) -> Replay:
    """What must hold whatever the policy decides, asked at every second; the replay, at its end.

    *keeps_work*: the policy puts jobs back into the queue with the work that they have done. *shares*: jobs
    progress at a rate, and have no processors of their own.
    """
    replay = replay_of(world)
    plain = PlainWorld(world)
    done: dict[int, tuple[int, float]] = {}
    for now in range(world.horizon_s):
        plain.now = now
        plain.lose_and_return()
        replay.run(until_s=float(now))
        assert_within_the_machine(replay, plain, shares)
        if world.overrun == "kill" and not shares:
            assert_strangers_stay_out(replay, plain)
        _count_work(replay, done)
    assert replay.run(), "something is left to happen"
    schedule = replay.schedule()
    gone = {fact.subject for fact in world.facts if fact.kind is EventKind.CANCELLED}
    for row, job in enumerate(world.jobs):
        if schedule.refused_rows[row]:
            assert _known(schedule.start_s[row]) is None
            continue
        ended = _known(schedule.end_s[row]) is not None
        assert ended or row in gone, f"job {row} of {world.policy} waits for ever"
        if not ended:
            continue
        assert schedule.start_s[row] >= job.submit
        run = min(job.run, job.estimated) if world.overrun == "kill" else job.run
        if row not in gone and not _ended_by_policy(replay, row):
            assert schedule.run_s[row] == run
            lost = any(fact.kind is EventKind.NODE_LOST for fact in world.facts)
            if not shares and not (keeps_work and lost):
                assert done.get(row, (0, 0.0))[1] == run, f"job {row} has done {done.get(row)}, not {run}"
    assert_tables_empty(replay)
    return replay


def _ended_by_policy(replay: Replay, row: int) -> bool:
    """Whether the policy has cancelled the job *row*."""
    return bool(replay.agenda.results.done_s[row] < NEVER)


def _count_work(replay: Replay, done: dict[int, tuple[int, float]]) -> None:
    """Add the work of the second that follows; who begins a new attempt begins anew, unless work was kept."""
    t = replay.tables
    for row in t.queue.running[: t.queue.running_count].tolist():
        job, attempt = int(t.jobs.serial[row]), int(t.jobs.attempt[row])
        before, work = done.get(job, (attempt, 0.0))
        if before != attempt:
            work = float(t.jobs.work_s[row])
        done[job] = (attempt, work + float(t.jobs.rate[row]))


def assert_within_the_machine(replay: Replay, plain: PlainWorld, shares: bool) -> None:
    """No node gives more than it has, none that is lost gives anything; what is free is what is left."""
    t = replay.tables
    rows = t.queue.running[: t.queue.running_count].tolist()
    if shares:
        assert float((t.jobs.width[rows] * t.jobs.rate[rows]).sum()) <= plain.up + 1e-9
        return
    assert int(t.jobs.held[rows].sum()) == plain.up - int(t.machine.free)
    assert 0 <= int(t.machine.free) <= plain.up == int(t.machine.processors)
    if not plain.nodes:
        return
    room = [list(node.total) for node in plain.nodes]
    for row in rows:
        job = plain.jobs[int(t.jobs.serial[row])]
        wanted = dict.fromkeys(range(len(job.parts)), 0)
        for node, tasks, part in places_of(replay, row):
            one, of = job.parts[part], plain.nodes[node]
            assert tasks > 0
            assert node not in plain.down, f"job {job.row} is on {node}, which is lost"
            assert one.group in (-1, of.group)
            assert not one.features & ~of.features
            assert one.most == 0 or tasks <= one.most
            wanted[part] += tasks
            take(room, node, tasks, one)
        assert wanted == {k: part.tasks for k, part in enumerate(job.parts)}
    for node, left in enumerate(room):
        assert min(left) >= 0.0, f"node {node} gives more than it has"
        free = [0.0, 0.0] if node in plain.down else left
        columns = t.nodes.free.shape[1]
        assert t.nodes.free[node].tolist()[:2] == free[:columns]


def assert_strangers_stay_out(replay: Replay, plain: PlainWorld) -> None:
    """Who has no access to what is reserved now leaves it alone."""
    t = replay.tables
    whole = not any(fact.kind is EventKind.NODE_LOST for fact in plain.world.facts)
    for one in plain.lasting(plain.now):
        strangers = 0
        on_nodes = dict.fromkeys(range(len(plain.nodes)), 0.0)
        for row in t.queue.running[: t.queue.running_count].tolist():
            job = plain.jobs[int(t.jobs.serial[row])]
            if plain.wants(job, one) is None:
                strangers += job.width
                for node, tasks, part in places_of(replay, row) if plain.nodes else ():
                    on_nodes[node] += tasks * job.parts[part].need[0]
        for name, kept in one.terms.hosts.items():
            node = NAMES.index(name)
            assert on_nodes[node] <= plain.nodes[node].total[0] - kept, f"strangers on {name} at {plain.now}"
        assert not whole or strangers <= plain.world.processors - one.processors, f"strangers at {plain.now}"


def smallest(world: World, fails: Callable[[World], bool]) -> World:
    """*world* without jobs, facts and reservations that it does not need to fail."""
    again = True
    while again:
        again = False
        smaller = [world.without(row) for row in range(len(world.jobs)) if len(world.jobs) > 1]
        smaller += [replace(world, facts=left) for left in _fewer(world.facts)]
        kept = world.reservations
        smaller += [replace(world, reservations=_left_out(kept, k)) for k in range(len(kept))]
        for one in smaller:
            if fails(one):
                world, again = one, True
                break
    return world


def _fewer(facts: tuple[AgendaEvent, ...]) -> list[tuple[AgendaEvent, ...]]:
    """Without each of *facts*; what is lost or held is drawn with what ends that, and goes with it."""
    pairs = (EventKind.NODE_LOST, EventKind.HELD)
    ends = (EventKind.NODE_RETURNED, EventKind.RELEASED)
    return [
        facts[:k] + facts[k + (2 if fact.kind in pairs else 1) :]
        for k, fact in enumerate(facts)
        if fact.kind not in ends
    ]


def _left_out(all_of: tuple[T, ...], k: int) -> tuple[T, ...]:
    return all_of[:k] + all_of[k + 1 :]
