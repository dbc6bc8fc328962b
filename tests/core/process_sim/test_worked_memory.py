"""Memory of nodes: H15, H16 and G26 of the reference, both ways; what holds of any resident sets."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest

from molokini.compiled.compilation import interpreted, kernel
from molokini.process_sim.accounts import check_invariants
from molokini.process_sim.building import build
from molokini.process_sim.paging import changes_state, fault_of
from molokini.process_sim.policies import local_policy, needs_of
from molokini.process_sim.ready import enqueue
from molokini.process_sim.replaying import ScenarioReplay, engine_parts
from molokini.process_sim.run_queue import MES, MILLION, OVERTAKEN
from molokini.process_sim.scenario import MS, Job, MainMemory, Pages, Process, S, Scenario, Settings
from molokini.process_sim.tables import LocalPolicy, World
from molokini.process_sim.words import Hook, State, Wait, Why
from tests.kit.processes import FREE, both_ways, compute, job, loop, receive, send

K = 1024
FIXED = 1
"""So small a deviation that a working set is its mean."""


@pytest.fixture(params=[False, True], ids=["interpreted", "compiled"], autouse=True)
def _compiled(request: pytest.FixtureRequest) -> Iterator[None]:
    if request.param and interpreted():
        pytest.skip("nothing is compiled")
    yield from both_ways(request.param)


def hooks_of(policy: LocalPolicy) -> LocalPolicy:
    """The policy's function as the engine calls it: compiled, or as it is."""
    found: LocalPolicy = engine_parts(policy, memory=True)[3]
    return found


def settings(name: str, **given: object) -> Settings:
    values = needs_of(name).values(name, {key: str(value) for key, value in given.items()})
    return Settings(name, Wait.BLOCK, given=values)


def pair(name: str, pages: Pages | None, *steps: object) -> Job:
    """A job of two tasks, the first of them on node 0."""
    return Job(name, [Process((compute(S),), node, pages=pages) for node in (0, 1)])


def queue_of(world: World, names: Sequence[str]) -> list[str]:
    found, p = [], int(world.cpus.heads[0, 0])
    while p >= 0:
        found.append(names[int(world.procs.job[p])])
        p = int(world.procs.behind[p])
    return found


@pytest.fixture
def insertion() -> tuple[World, Callable[[str, int, float, int], list[str]]]:
    """H15: X runs; D1, Lc and D2 wait; others are inserted with so many messages, so likely to fault."""
    jobs = [pair("X", None), pair("D1", None), job("Lc", (compute(S),), nodes=(0,)), pair("D2", None)]
    jobs += [pair("h", None), pair("h2", None)]
    names = [one.name for one in jobs]
    memory = MainMemory(pages=100)
    world = build(Scenario("H15", 2, jobs, settings=settings("csm"), prices=FREE, memory=memory))
    policy = hooks_of(local_policy("csm"))
    policy(world, Hook.START, 0, 0)
    for number in range(len(jobs)):
        policy(world, Hook.PLACE, number, 0)
    first = {name: int(world.jobs.first[k]) for k, name in enumerate(names)}
    world.cpus.proc[0] = first["X"]
    world.procs.state[first["X"]] = State.RUNNING
    world.memory.wrk[:] = 1000
    faults = {"D1": 0.3, "Lc": 0.0, "D2": 0.5}
    for name, mes, overtaken in (("D1", 5, 0), ("Lc", 0, 1), ("D2", 1, 0)):
        p = first[name]
        enqueue(world, p, 0, False)
        world.procs.state[p] = State.READY
        world.own.procs[p, MES], world.own.procs[p, OVERTAKEN] = mes * MILLION, overtaken
        world.memory.res[p] = round(1000 * (1 - faults[name]))

    def insert(name: str, mes: int, fault: float, received: int) -> list[str]:
        p = first[name]
        world.memory.res[p] = round(1000 * (1 - fault))
        world.procs.inbox[p] = received
        # What it will be after the average of insertion.
        world.own.procs[p, MES] = round((mes - 0.7 * received) / 0.3 * MILLION)
        world.procs.state[p] = State.READY
        policy(world, Hook.READY, p, Why.RESUMED)
        assert abs(int(world.own.procs[p, MES]) - mes * MILLION) <= 2
        return queue_of(world, names)

    return world, insert


def test_h15_where_memory_is_short(insertion: tuple[World, Callable[..., list[str]]]) -> None:
    world, insert = insertion
    world.memory.needed[:] = 101
    assert insert("h", 2, 0.2, 0) == ["D1", "Lc", "h", "D2"]


def test_h15_where_there_is_memory_for_all(insertion: tuple[World, Callable[..., list[str]]]) -> None:
    world, insert = insertion
    world.memory.needed[:] = 100
    assert insert("h", 2, 0.2, 0) == ["D1", "h", "Lc", "D2"]
    assert insert("h2", 3, 0.2, 0) == ["D1", "h", "Lc", "h2", "D2"]


def test_h15_a_task_with_a_message_goes_to_the_top(insertion: tuple[World, Callable[..., list[str]]]) -> None:
    world, insert = insertion
    world.memory.needed[:] = 101
    assert insert("h", 2, 0.2, 1) == ["h", "D1", "Lc", "D2"]
    assert world.cpus.proc[0] == 0


def test_h15_past_messages_fade(insertion: tuple[World, Callable[..., list[str]]]) -> None:
    world, _ = insertion
    p = int(world.jobs.first[4])
    world.own.procs[p, MES], world.procs.inbox[p] = 2 * MILLION, 4
    world.procs.state[p] = State.READY
    hooks_of(local_policy("csm"))(world, Hook.READY, p, Why.RESUMED)
    assert world.own.procs[p, MES] == 3.4 * MILLION


_place = kernel(local_policy("rr"))


def asking(w: World, hook: int, subject: int, value: int) -> int:
    """RR; READY lets a process arrive in memory, REQUEST tells its fault probability in thousandths."""
    if hook == Hook.READY:
        changes_state(w, subject, State.NEW, State.READY)
        w.procs.state[subject] = State.READY
        return 0
    if hook == Hook.REQUEST:
        return int(1000 * fault_of(w, subject) + 0.5)
    return _place(w, hook, subject, value)


@pytest.mark.parametrize("printed", [False, True])
def test_h16_fault_probabilities(printed: bool) -> None:
    sizes = ((32 * K, 26214), (24 * K, 19661), (8 * K, 4 * K))
    jobs = [
        Job(f"T{k}", [Process((compute(S),), 0, pages=Pages(vir, wrk, 0))])
        for k, (vir, wrk) in enumerate(sizes)
    ]
    memory = MainMemory(pages=32 * K, printed=printed)
    world = build(Scenario("H16", 1, jobs, settings=settings("rr"), memory=memory))
    policy = hooks_of(asking)
    for number in range(3):
        policy(world, Hook.PLACE, number, 0)
        policy(world, Hook.READY, number, 0)
    assert world.memory.needed[0] == 64 * K
    assert world.memory.res[:3].tolist() == [16 * K, 12 * K, 4 * K]
    found = [policy(world, Hook.REQUEST, p, 0) for p in range(3)]
    # Of a working set that is resident to the page the printed formula says 1, and of a smaller one 0.
    assert found == ([625, 625, 1000] if printed else [375, 375, 0])


def mix(name: str, *, vir: Sequence[int], until_ns: int = 20 * S, **given: object) -> ScenarioReplay:
    """Parallel jobs of two tasks that exchange messages, and a local task on each node."""
    first = (compute(30 * MS), send(1), receive(1), loop(0, 100))
    second = (receive(0), compute(30 * MS), send(0), loop(0, 100))
    jobs = []
    for k, size in enumerate(vir):
        pages = Pages(size, size * 8 // 10, size // 10, S)
        both = (Process(program, node, pages=pages) for node, program in enumerate((first, second)))
        jobs.append(Job(f"J{k}", list(both)))
    small = Pages(20, 10, 2, S)
    jobs += [Job(f"L{n}", [Process((compute(3 * S),), n, pages=small)]) for n in (0, 1)]
    memory = MainMemory(pages=100, page_in=50, block=4)
    scenario = Scenario("mix", 2, jobs, until_ns=until_ns, settings=settings(name, **given), memory=memory)
    return ScenarioReplay(scenario).finish()


@pytest.mark.parametrize("name", ["rr", "dyn", "pred", "csm"])
def test_resident_sets_stay_within_memory(name: str) -> None:
    held: list[bool] = []

    def look(world: World) -> None:
        nodes = world.cpus.node[world.procs.cpu]
        for node in (0, 1):
            held.append(int(world.memory.res[nodes == node].sum()) <= 100)
        held.append(bool((world.memory.res <= world.memory.vir).all()))

    run = mix(name, vir=(60, 80))
    assert check_invariants(run) == []
    look(run.world)
    assert all(held)
    assert int(run.world.memory.faults.sum()) > 20
    assert (np.asarray(run.world.procs.spent[:, 2]) >= 0).all()


def test_where_all_need_alike_csm_overtakes_nobody() -> None:
    """G26: with equal memory, and so equal faults, the order is that of arrival; short of messages."""
    alike = Pages(60, 48, 0, 0)
    jobs = [
        Job(f"J{k}", [Process((compute(2 * S),), node, pages=alike) for node in (0, 1)]) for k in range(4)
    ]
    memory = MainMemory(pages=100, page_in=0, block=0)
    found = []
    for name in ("csm", "rr"):
        scenario = Scenario("G26", 2, jobs, until_ns=30 * S, settings=settings(name), memory=memory)
        run = ScenarioReplay(scenario, (0, 30 * S)).finish()
        found.append(run.pieces.tolist())
        assert int(run.world.own.cluster[1]) == 0
    assert found[0] == found[1]
