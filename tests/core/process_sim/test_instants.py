"""What holds at every instant: each process is in one place, and no CPU idles for nothing."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.compiled.compilation import interpreted, interpreting
from molokini.process_sim import replaying
from molokini.process_sim.accounts import as_dict
from molokini.process_sim.ready import is_useful
from molokini.process_sim.replaying import ScenarioReplay
from molokini.process_sim.scenario import LOCAL_NAMES, MS, Pipeline, Scenario, Settings
from molokini.process_sim.tables import LISTS, RT_LIST, World
from molokini.process_sim.words import Event, Kind, Segment, State, Wait
from tests.kit.process_mixes import SCENARIOS, mixed
from tests.kit.processes import FREE, compute, io, job, receive, send, sleep

SCHEMES = ("1gs", "2dcs-tdm", "2dcs-ps")


@pytest.fixture
def each_instant(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine comes back at the end of every instant."""
    monkeypatch.setattr(replaying, "BUDGET", 1)


def queue_of(world: World, cpu: int, which: int) -> list[int]:
    """The processes of one list of a CPU, from head to tail, as its links say."""
    found: list[int] = []
    if world.cpus.mask[cpu] >> which & 1 == 0:
        return found
    p = int(world.cpus.heads[cpu, which])
    while p >= 0:
        assert world.procs.before[p] == (found[-1] if found else -1)
        assert world.procs.queue[p] == which
        found.append(p)
        p = int(world.procs.behind[p])
    assert found[-1] == world.cpus.tails[cpu, which]
    return found


def check_places(world: World, queued: bool) -> None:
    """Each process is in one place; *queued*: ready ones are in the lists of their CPUs."""
    procs, cpus = world.procs, world.cpus
    listed = [
        p for cpu in range(cpus.node.size) for which in range(LISTS) for p in queue_of(world, cpu, which)
    ]
    assert len(listed) == len(set(listed))
    ready = {p for p in range(procs.state.size) if procs.state[p] == State.READY}
    assert not queued or set(listed) == ready
    running = [int(p) for p in cpus.proc if p >= 0]
    assert sorted(running) == [p for p in range(procs.state.size) if procs.state[p] == State.RUNNING]
    for cpu in range(cpus.node.size):
        here = [p for p in range(procs.state.size) if procs.cpu[p] == cpu]
        alive = [p for p in here if procs.state[p] in (State.READY, State.RUNNING)]
        assert cpus.present[cpu] == len(alive)
        assert cpus.proc[cpu] < 0 or cpus.proc[cpu] in here
        if cpus.segment[cpu] < Segment.SWITCH:
            assert cpus.segment[cpu] == procs.segment[cpus.proc[cpu]]
        for p in alive:
            wanted = RT_LIST if procs.kind[p] == Kind.RT else procs.level[p]
            assert procs.queue[p] in (-1, wanted)
    states = {True: (State.QUEUED,), False: (State.NEW,)}
    for number in range(world.jobs.count.size):
        if world.jobs.placed[number] < 0 and world.jobs.end[number] < 0:
            first = int(world.jobs.first[number])
            for p in range(first, first + int(world.jobs.count[number])):
                assert procs.state[p] in states[number < world.arrived]


def check_messages(world: World) -> None:
    """What waits in channels is what mailboxes say, and nothing waits that is also on its way."""
    for p in range(world.procs.state.size):
        into, peers = int(world.procs.into[p]), int(world.procs.peers[p])
        waiting = world.channels.waiting[into : into + peers * peers : peers]
        assert (waiting >= 0).all()
        assert world.procs.inbox[p] == waiting.sum()
    heap = world.agenda.heap[: world.agenda.count]
    assert (heap[:, 0] >> 4 >= world.now).all()
    for _, _, mark, channel in heap[heap[:, 2] & 15 == Event.MESSAGE].tolist():
        assert world.channels.last[channel] >= world.now, mark


def check_blocked(world: World) -> None:
    """No process stays blocked when the message, or the room for a frame, for which it waits is there."""
    for p in range(world.procs.state.size):
        if world.procs.state[p] == State.BLOCKED_MSG and is_useful(world, p):
            assert world.procs.notes[p] != 0, f"process {p} at {world.now}"


def nobody_waits_for_an_idle_cpu(world: World) -> None:
    for cpu in range(world.cpus.node.size):
        if world.cpus.segment[cpu] == Segment.IDLE:
            assert world.cpus.mask[cpu] == 0


@pytest.mark.deep
@settings(max_examples=10, deadline=None)
@given(SCENARIOS, st.sampled_from(sorted(LOCAL_NAMES)))
def test_under_every_local_policy(scenario: Scenario, name: str) -> None:
    wait, arrival = LOCAL_NAMES[name]
    looks = 0

    def look(world: World) -> None:
        nonlocal looks
        looks += 1
        check_places(world, queued=True)
        check_messages(world)
        check_blocked(world)
        nobody_waits_for_an_idle_cpu(world)

    made = replace(
        scenario, settings=replace(scenario.settings, wait=wait, arrival=arrival), until_ns=30 * MS
    )
    with pytest.MonkeyPatch.context() as patch, interpreting():
        patch.setattr(replaying, "BUDGET", 1)
        ScenarioReplay(made, look=look).finish()
    assert looks > 0


@pytest.mark.quick(one_in=6)
@pytest.mark.usefixtures("each_instant")
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("admission", [False, True])
def test_under_every_scheme(scheme: str, admission: bool) -> None:
    seen: set[int] = set()

    def look(world: World) -> None:
        check_places(world, queued=scheme != "1gs")
        check_messages(world)
        check_blocked(world)
        seen.update(world.procs.state.tolist())
        if scheme.startswith("2dcs"):
            nobody_waits_for_an_idle_cpu(world)

    with interpreting():
        ScenarioReplay(replace(mixed(scheme, admission=admission), until_ns=500 * MS), look=look).finish()
    assert {State.READY, State.RUNNING} <= seen
    assert not admission or State.QUEUED in seen


def test_a_job_that_waits_is_queued_until_it_is_rejected() -> None:
    pipeline = Pipeline(frames=1, duration_ns=None, patience_ns=40 * MS)
    big = [50 * MS]
    jobs = [
        job("A", (compute(MS),), at_ns=10 * MS, pipeline=pipeline, zeta_ns=big),
        job("B", (compute(MS),), at_ns=70 * MS, pipeline=pipeline, zeta_ns=big),
    ]
    settings = Settings(scheme="2dcs-ps", admission=True)
    states = []
    for until_ms in (5, 20, 60, 75):
        with interpreting():
            run = ScenarioReplay(
                Scenario("S", 1, jobs, until_ns=until_ms * MS, prices=FREE, settings=settings)
            ).finish()
        states.append(tuple(State(state) for state in run.world.procs.state.tolist()))
        assert as_dict(run)["measures"]["rt_admitted"] == 0
    assert states == [
        (State.NEW, State.NEW),
        (State.QUEUED, State.NEW),
        (State.DONE, State.NEW),
        (State.DONE, State.QUEUED),
    ]


@settings(max_examples=8, deadline=None)
@given(SCENARIOS, st.sampled_from(sorted(LOCAL_NAMES)))
def test_local_policies_are_one_however_they_run_and_are_drawn(scenario: Scenario, name: str) -> None:
    wait, arrival = LOCAL_NAMES[name]
    made = replace(scenario, settings=replace(scenario.settings, wait=wait, arrival=arrival))
    with interpreting():
        plain = as_dict(ScenarioReplay(made).finish())
        assert as_dict(ScenarioReplay(made, (0, 1 << 57)).finish()) == plain
    if interpreted():
        pytest.skip("nothing is compiled")
    assert as_dict(ScenarioReplay(made).finish()) == plain
    assert as_dict(ScenarioReplay(made, (0, 1 << 57)).finish()) == plain


TELLS = """
from molokini.process_sim.levels import place_where_fewest, prepare_levels, ready_in_levels
from molokini.process_sim.words import Hook, Wait

told = []


def policy(w, hook, subject, value):
    if hook == Hook.PLACE:
        place_where_fewest(w, subject)
        return 1
    if hook == Hook.START:
        for p in range(w.procs.state.size):
            prepare_levels(w, p)
    if hook == Hook.READY:
        ready_in_levels(w, subject, value)
    if hook == Hook.SPUN:
        return Wait.BLOCK.value
    if hook == Hook.BLOCK:
        told.append((int(w.now), subject, int(w.procs.state[subject])))
    if hook == Hook.PICK:
        for p in range(w.procs.state.size):
            if w.procs.cpu[p] == subject and w.procs.state[p] in (2, 3):
                return p
        return -1
    return 0
"""


def test_a_policy_is_told_of_each_process_that_leaves_its_cpu_by_itself() -> None:
    names: dict[str, Any] = {}
    exec(TELLS, names)
    programs = ((receive(1), io(MS)), (compute(MS), sleep(MS), send(0)))
    way = Settings(wait=Wait.BLOCK, spin_ns=MS // 2)
    scenario = Scenario("S", 2, [job("J", *programs)], prices=FREE, settings=way)
    with interpreting():
        ScenarioReplay(scenario, policy=names["policy"]).finish()
    assert names["told"] == [
        (MS // 2, 0, State.BLOCKED_MSG),
        (MS, 1, State.SLEEPING),
        (2 * MS, 1, State.DONE),
        (2 * MS, 0, State.BLOCKED_IO),
        (3 * MS, 0, State.DONE),
    ]
