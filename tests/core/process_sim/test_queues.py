"""The queues of jobs that wait to be admitted, one a class, against plain lists."""

from hypothesis import given
from hypothesis import strategies as st

from molokini.process_sim.building import build
from molokini.process_sim.scenario import MS, Pipeline, Scenario, Settings
from molokini.process_sim.tables import World
from molokini.process_sim.verbs import drop, head_of, keep
from molokini.process_sim.words import Kind
from tests.kit.processes import compute, job, loop

JOBS = 6
"""Of each class."""


def queue_of(world: World, kind: Kind) -> list[int]:
    found, one = [], head_of(world, kind)
    while one >= 0:
        found.append(one)
        one = int(world.jobs.next[one])
    return found


@given(st.lists(st.integers(0, 2 * JOBS - 1), max_size=40))
def test_jobs_stand_in_the_order_in_which_they_came(steps: list[int]) -> None:
    """Each step puts a job behind its queue or, where it stands in it, takes it out."""
    pipeline = Pipeline(duration_ns=None, patience_ns=None)
    jobs = [job(f"R{k}", (compute(MS), loop()), pipeline=pipeline) for k in range(JOBS)]
    jobs += [job(f"B{k}", (compute(MS), loop())) for k in range(JOBS)]
    world = build(Scenario("queues", 1, jobs, settings=Settings(scheme="2dcs-tdm", admission=True)))
    kinds = {number: Kind(int(world.jobs.kind[number])) for number in range(2 * JOBS)}
    assert sorted(kinds.values()) == sorted([Kind.RT, Kind.BE] * JOBS)
    wanted: dict[Kind, list[int]] = {Kind.RT: [], Kind.BE: []}
    for number in steps:
        line = wanted[kinds[number]]
        if number in line:
            drop(world, number)
            line.remove(number)
        else:
            keep(world, number)
            line.append(number)
        assert {kind: queue_of(world, kind) for kind in wanted} == wanted
    assert world.illegal_decision == 0
