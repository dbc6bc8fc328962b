"""H20 of the reference: a tree of controllers, process control, activity working sets; both ways."""

from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from molokini.compiled.compilation import interpreted
from molokini.process_sim.accounts import check_invariants
from molokini.process_sim.policies import needs_of
from molokini.process_sim.replaying import ScenarioReplay
from molokini.process_sim.scenario import MS, Job, Process, S, Scenario, Settings, Step
from molokini.process_sim.words import Op, Segment, State
from tests.kit.processes import FREE, both_ways, compute, job, loop

LONG = (compute(1000 * S),)


@pytest.fixture(params=[False, True], ids=["interpreted", "compiled"], autouse=True)
def _compiled(request: pytest.FixtureRequest) -> Iterator[None]:
    if request.param and interpreted():
        pytest.skip("nothing is compiled")
    yield from both_ways(request.param)


def settings(name: str, **given: object) -> Settings:
    return Settings(
        name, given=needs_of(name).values(name, {key: str(value) for key, value in given.items()})
    )


def who_runs(run: ScenarioReplay, at_ns: int) -> list[str]:
    """The job, or activity, on each CPU at an instant."""
    pieces, found = run.pieces, []
    names = [process.name or one.name for one in run.scenario.jobs for process in one.processes]
    for cpu in range(run.scenario.cpus):
        here = pieces[(pieces[:, 0] == cpu) & (pieces[:, 3] <= at_ns) & (pieces[:, 4] > at_ns)]
        found.append(names[int(here[0, 1])] if len(here) and here[0, 1] >= 0 else "-")
    return found


def test_h20_a_tree_of_controllers() -> None:
    sizes = (4, 2, 2, 1, 2)
    jobs = [job(f"J{k + 1}", *[LONG] * size) for k, size in enumerate(sizes)]
    made = settings("dhc", slot="100ms", cross="0ns")
    scenario = Scenario("H20", 4, jobs, until_ns=S, prices=FREE, settings=made)
    run = ScenarioReplay(scenario, (0, S)).finish()
    slots = [who_runs(run, (100 * k + 50) * MS) for k in range(6)]
    assert [" ".join(slot) for slot in slots] == [
        "J1 J1 J1 J1",
        "J2 J2 J3 J3",
        "J4 J2 J5 J5",
        "J1 J1 J1 J1",
        "J2 J2 J5 J5",
        "J4 J2 J3 J3",
    ]
    assert check_invariants(run) == []


def test_levels_by_class_have_time_by_the_width_and_number_of_their_jobs() -> None:
    """One job as wide as the machine, and two on one leaf: fractions 4 : 2."""
    jobs = [job("wide", *[LONG] * 4), *(job(f"L{k}", LONG) for k in range(8))]
    made = settings("dhc", slot="90ms", cross="0ns", shares="classes")
    scenario = Scenario("classes", 4, jobs, until_ns=18 * S // 10, prices=FREE, settings=made)
    spent = ScenarioReplay(scenario).finish().world.procs.spent[:, 0]
    assert spent[:4].tolist() == [1200 * MS] * 4
    assert spent[4:].tolist() == [300 * MS] * 8


def task_bags(wants: Sequence[int], at_ns: Sequence[int], tasks: int = 10**6) -> list[Job]:
    again = (Step(Op.TAKE, peer=3), compute(MS), loop())
    return [
        Job(f"A{k}", [Process(again)] * want, at, tasks=tasks)
        for k, (want, at) in enumerate(zip(wants, at_ns, strict=True))
    ]


def running(run: ScenarioReplay) -> list[int]:
    """Processes of each job that are not suspended."""
    procs = run.world.procs
    alive = (procs.parked == 0) & (procs.state != State.DONE) & (procs.state >= State.READY)
    return [int(count) for count in np.bincount(procs.job[alive], minlength=len(run.scenario.jobs))]


@pytest.mark.parametrize(("until_s", "expected"), [(1, [2, 3, 2, 1]), (3, [2, 2, 2, 1, 1])])
def test_h20_process_control(until_s: int, expected: list[int]) -> None:
    jobs = [job("U", LONG, LONG), *task_bags((6, 6, 1), (0, 0, 0))]
    if until_s == 3:
        jobs += task_bags((6,), (2 * S,))
    scenario = Scenario(
        "H20", 1, jobs, cpus_a_node=8, until_ns=until_s * S, prices=FREE, settings=settings("process-control")
    )
    run = ScenarioReplay(scenario).finish()
    assert running(run) == expected
    # Eight processes on eight processors: each has one of its own.
    alive = (run.world.procs.state == State.RUNNING).sum()
    assert alive == 8


def test_suspended_processes_end_with_their_bag() -> None:
    jobs = task_bags((6, 6), (0, 0), tasks=100)
    scenario = Scenario("bag", 1, jobs, cpus_a_node=4, prices=FREE, settings=settings("process-control"))
    run = ScenarioReplay(scenario).finish()
    assert (run.world.jobs.end >= 0).all()
    assert int(run.world.procs.spent[:, Segment.COMPUTE].sum()) == 200 * MS
    assert int(run.world.now) == 50 * MS


def activity(name: str, objects: Sequence[int], every_ns: int) -> Job:
    steps = [compute(every_ns), *(Step(Op.ACCESS, peer=thing) for thing in objects), loop()]
    return Job(name, [Process(tuple(steps))])


def test_h20_activity_working_sets() -> None:
    """{a b c} use an object 50 times a second, {d e} another, c and d a third seldom; f and g none."""
    jobs = [
        activity("a", [0], 20 * MS),
        activity("b", [0], 20 * MS),
        activity("c", [0], 20 * MS),
        activity("d", [1], 20 * MS),
        activity("e", [1], 20 * MS),
        activity("f", [], 20 * MS),
        activity("g", [], 20 * MS),
    ]
    seldom = Step(Op.ACCESS, peer=2)
    for k in (2, 3):
        jobs[k] = Job(
            jobs[k].name,
            [Process((compute(20 * MS), Step(Op.ACCESS, peer=k - 2), loop(0, 50), seldom, loop(0, -1, 1)))],
        )
    scenario = Scenario(
        "H20", 1, jobs, cpus_a_node=4, until_ns=10 * S, prices=FREE, settings=settings("rawsi")
    )
    run = ScenarioReplay(scenario, (0, 10 * S)).finish()
    assert check_invariants(run) == []
    slots = [sorted(who_runs(run, 8 * S + (100 * k + 50) * MS)) for k in range(6)]
    rounds = {tuple(slot) for slot in slots}
    assert any(slot[:3] == ("a", "b", "c") for slot in rounds)
    assert any(slot[:2] == ("d", "e") and slot[2:] == ("f", "g") for slot in rounds)
    for slot in slots:
        # A set runs whole or, in the slot of the rest, where a processor has nothing else.
        assert len(set(slot)) == 4
