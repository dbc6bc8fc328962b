"""Which real-time process is the first, against a list of those that may run."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.nodes.building import build
from molokini.nodes.classes import earliest, earliest_of_all
from molokini.nodes.policies import tdm
from molokini.nodes.ready import START_LEVEL, enqueue
from molokini.nodes.scenario import MS, Pipeline, Scenario, Settings
from molokini.nodes.tables import RT_LIST, World
from molokini.nodes.words import Hook, Kind
from tests.kit.processes import compute, job, loop

ONES = st.lists(st.tuples(st.integers(1, 3), st.booleans()), min_size=1, max_size=5)
"""Deadlines, and whether frames of the period are left to be finished."""


def on_one_cpu(
    ones: list[tuple[int, bool]], present: int, sated_last: bool = True, best_effort: bool = False
) -> World:
    """A CPU whose process is number *present* (-1: it has none); all others are ready.

    With *best_effort* another of that class is ready behind them.
    """
    pipeline = Pipeline(duration_ns=None, patience_ns=None)
    jobs = [job(f"J{number}", (compute(MS), loop()), pipeline=pipeline) for number in range(len(ones))]
    jobs += [job("E", (compute(MS), loop()))] * best_effort
    world = build(Scenario("one", 1, jobs, settings=Settings(scheme="2dcs-ps", sated_last=sated_last)))
    assert (world.procs.kind[: len(ones)] == Kind.RT).all()
    for p, (deadline, hungry) in enumerate(ones):
        world.procs.cpu[p] = 0
        world.jobs.deadline[p] = deadline
        world.jobs.frames_a_period[p] = 4
        world.jobs.frames[p] = 3 if hungry else 4
        if p == present:
            world.cpus.proc[0] = p
        else:
            enqueue(world, p, RT_LIST, False)
    if best_effort:
        world.procs.cpu[len(ones)] = 0
        enqueue(world, len(ones), START_LEVEL, False)
    return world


def first(ones: list[tuple[int, bool]], hungry: bool) -> int:
    found = [(deadline, p) for p, (deadline, left) in enumerate(ones) if left or not hungry]
    return min(found)[1] if found else -1


@given(ones=ONES, present=st.integers(-1, 4), hungry=st.booleans())
def test_the_earliest_deadline_of_those_that_are_ready_or_run(
    ones: list[tuple[int, bool]], present: int, hungry: bool
) -> None:
    world = on_one_cpu(ones, present if present < len(ones) else -1)
    assert earliest(world, 0, hungry) == first(ones, hungry)


@given(ones=ONES, present=st.integers(-1, 4))
def test_who_has_the_frames_of_its_period_comes_last(ones: list[tuple[int, bool]], present: int) -> None:
    present = present if present < len(ones) else -1
    hungry = first(ones, True)
    wanted = hungry if hungry >= 0 else first(ones, False)
    assert earliest_of_all(on_one_cpu(ones, present), 0) == wanted
    assert earliest_of_all(on_one_cpu(ones, present, sated_last=False), 0) == first(ones, False)


@pytest.mark.parametrize("kind", list(Kind))
def test_the_process_of_a_cpu_counts_where_it_is_a_real_time_one(kind: Kind) -> None:
    world = on_one_cpu([(1, True), (2, True)], present=0)
    world.procs.kind[0] = kind
    assert earliest(world, 0, True) == (0 if kind is Kind.RT else 1)


@given(ones=ONES)
def test_a_real_time_process_that_has_its_frames_gives_way_in_its_division(
    ones: list[tuple[int, bool]],
) -> None:
    world = on_one_cpu(ones, -1, best_effort=True)
    world.queues.division = Kind.RT.value
    hungry = first(ones, True)
    assert tdm.policy(world, Hook.PICK, 0, 0) == (hungry if hungry >= 0 else len(ones))
    world.queues.division = Kind.BE.value
    assert tdm.policy(world, Hook.PICK, 0, 0) == len(ones)
