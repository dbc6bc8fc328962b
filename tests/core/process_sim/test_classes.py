"""Which real-time process is the first, against a list of those that may run."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.process_sim.building import build
from molokini.process_sim.classes import earliest, earliest_of_all, give_up, place_of_class, retry_queue
from molokini.process_sim.policies import tdm
from molokini.process_sim.ready import START_LEVEL, enqueue
from molokini.process_sim.scenario import MS, Pipeline, Scenario, Settings
from molokini.process_sim.tables import RT_LIST, World
from molokini.process_sim.verbs import head_of, take_off
from molokini.process_sim.words import Hook, Kind
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
def test_the_earliest_deadline_of_who_is_ready(
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
def test_a_process_that_has_its_frames_gives_way_in_its_division(ones: list[tuple[int, bool]]) -> None:
    world = on_one_cpu(ones, -1, best_effort=True)
    world.queues.division = Kind.RT.value
    hungry = first(ones, True)
    assert tdm.policy(world, Hook.PICK, 0, 0) == (hungry if hungry >= 0 else len(ones))
    world.queues.division = Kind.BE.value
    assert tdm.policy(world, Hook.PICK, 0, 0) == len(ones)


def placing(*works: int, admission: bool = True) -> World:
    """Two CPUs, on which real-time jobs of these works (of 100 ms each) have half of the time."""
    pipeline = Pipeline(duration_ns=None, patience_ns=None, frames=1, frame_ns=Fraction(100 * MS))
    program = (compute(MS), loop())
    jobs = [
        job(f"J{number}", program, pipeline=pipeline, zeta_ns=[work * MS])
        for number, work in enumerate(works)
    ]
    settings = Settings(scheme="2dcs-ps", admission=admission, x=1, y=1)
    return build(Scenario("two", 2, jobs, settings=settings))


def test_a_job_is_admitted_up_to_the_share_of_its_class_and_no_further() -> None:
    """Half of a period of 100 ms: 30 and 20 fill the first CPU, and 50 the second."""
    world = placing(30, 50, 20, 1)
    assert [place_of_class(world, number, 0) for number in range(4)] == [1, 1, 1, 0]
    assert world.procs.cpu[:4].tolist() == [0, 1, 0, -1]
    assert world.cpus.real_time.tolist() == [50 * MS, 50 * MS]
    assert head_of(world, Kind.RT) == 3
    alone = placing(51)
    assert place_of_class(alone, 0, 0) == 0
    assert place_of_class(placing(51, admission=False), 0, 0) == 1


def test_no_job_is_admitted_before_one_that_waits_for_longer() -> None:
    world = placing(40, 40, 30, 5, 5)
    assert [place_of_class(world, number, 0) for number in range(5)] == [1, 1, 0, 0, 0]
    retry_queue(world, 0)
    assert (head_of(world, Kind.RT), world.jobs.placed[3]) == (2, -1)
    take_off(world, 0)
    retry_queue(world, 0)
    assert head_of(world, Kind.RT) == -1
    assert world.procs.cpu[2:5].tolist() == [0, 0, 0]
    # The other way round: the head leaves, and those behind it are tried at the next occasion.
    world = placing(40, 40, 30, 5, 5)
    for number in range(5):
        place_of_class(world, number, 0)
    assert give_up(world, 2) == 1
    retry_queue(world, 0)
    assert (head_of(world, Kind.RT), world.procs.cpu[3:5].tolist()) == (-1, [0, 1])


def test_of_a_job_that_is_too_much_no_process_stays_on_a_cpu() -> None:
    """Two of its processes have room, one on each CPU, the third has none: all are taken off again."""
    pipeline = Pipeline(duration_ns=None, patience_ns=None, frames=1, frame_ns=Fraction(100 * MS))
    program = (compute(MS), loop())
    jobs = [
        job("wide", *[program] * 3, pipeline=pipeline, zeta_ns=[30 * MS, 40 * MS, 35 * MS]),
        job("small", program, pipeline=pipeline, zeta_ns=[50 * MS]),
    ]
    settings = Settings(scheme="2dcs-ps", admission=True, x=1, y=1)
    world = build(Scenario("two", 2, jobs, settings=settings))
    assert place_of_class(world, 0, 0) == 0
    assert world.procs.cpu[:3].tolist() == [-1] * 3
    assert (world.cpus.real_time.tolist(), world.cpus.first.tolist()) == ([0, 0], [-1, -1])
    give_up(world, 0)
    assert place_of_class(world, 1, 0) == 1
    assert world.illegal_decision == 0
