"""What verbs do to the tables of a CPU, and what they refuse to do."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.process_sim.building import build
from molokini.process_sim.scenario import MS, Pipeline, Scenario, Settings
from molokini.process_sim.tables import World
from molokini.process_sim.verbs import admit, drop, keep, put, take_off, timer, touch_job
from molokini.process_sim.words import IllegalDecision, Kind
from tests.kit.processes import compute, job, loop

CPUS, EACH = 2, 3


def two_jobs() -> World:
    """A real-time job and a best-effort one, of three processes each, that are placed nowhere."""
    program = (compute(MS), loop())
    pipeline = Pipeline(duration_ns=None, patience_ns=None)
    jobs = [
        job("R", *[program] * EACH, pipeline=pipeline, zeta_ns=[MS, 2 * MS, 4 * MS]),
        job("B", *[program] * EACH),
    ]
    return build(Scenario("two", CPUS, jobs, settings=Settings(scheme="2dcs-ps", admission=True)))


def on_cpu(world: World, cpu: int) -> list[int]:
    found, p = [], int(world.cpus.first[cpu])
    while p >= 0:
        found.append(p)
        p = int(world.procs.beside[p])
    return found


@given(st.lists(st.tuples(st.integers(0, 2 * EACH - 1), st.integers(0, CPUS - 1)), max_size=30))
def test_a_cpu_has_who_was_put_on_it_in_the_order_of_numbers(steps: list[tuple[int, int]]) -> None:
    """Each step puts a process on a CPU or, where it is on one, takes it off; work is that of those there."""
    world, place = two_jobs(), dict[int, int]()
    kinds, work = world.procs.kind, world.procs.work
    for p, cpu in steps:
        if p in place:
            take_off(world, p)
            world.procs.cpu[p] = -1
            del place[p]
        else:
            put(world, p, cpu)
            place[p] = cpu
        for one in range(CPUS):
            here = sorted(p for p, cpu in place.items() if cpu == one)
            assert on_cpu(world, one) == here
            assert world.cpus.real_time[one] == sum(int(work[p]) for p in here if kinds[p] == Kind.RT)
            assert world.cpus.best_effort[one] == sum(1 for p in here if kinds[p] == Kind.BE)
    assert world.illegal_decision == IllegalDecision.NONE


Verb = Callable[[World], None]
BAD: list[tuple[Verb, IllegalDecision, tuple[int, int]]] = [
    (lambda w: put(w, -1, 0), IllegalDecision.PUT_PROCESS, (-1, 0)),
    (lambda w: put(w, 2 * EACH, 1), IllegalDecision.PUT_PROCESS, (2 * EACH, 1)),
    (lambda w: put(w, 3, -1), IllegalDecision.PUT_CPU, (3, -1)),
    (lambda w: put(w, 3, CPUS), IllegalDecision.PUT_CPU, (3, CPUS)),
    (lambda w: put(w, 0, 1), IllegalDecision.PUT_TWICE, (0, 1)),
    (lambda w: put(w, 0, 0), IllegalDecision.PUT_TWICE, (0, 0)),
    (lambda w: admit(w, -1), IllegalDecision.ADMIT_JOB, (-1, -1)),
    (lambda w: admit(w, 2), IllegalDecision.ADMIT_JOB, (2, -1)),
    (lambda w: admit(w, 0), IllegalDecision.ADMIT_TWICE, (0, -1)),
    (lambda w: admit(w, 1), IllegalDecision.ADMIT_UNPLACED, (4, -1)),
    (lambda w: timer(w, 9, 0), IllegalDecision.TIMER_PAST, (9, -1)),
    (lambda w: keep(w, -1), IllegalDecision.KEEP_JOB, (-1, -1)),
    (lambda w: keep(w, 2), IllegalDecision.KEEP_JOB, (2, -1)),
    (lambda w: keep(w, 0), IllegalDecision.KEEP_TWICE, (0, -1)),
    (lambda w: drop(w, 1), IllegalDecision.DROP_JOB, (1, -1)),
    (lambda w: drop(w, -1), IllegalDecision.DROP_JOB, (-1, -1)),
    (lambda w: drop(w, 2), IllegalDecision.DROP_JOB, (2, -1)),
    (lambda w: touch_job(w, -1), IllegalDecision.TOUCH_JOB, (-1, -1)),
    (lambda w: touch_job(w, 2), IllegalDecision.TOUCH_JOB, (2, -1)),
]


def begun() -> World:
    """The first job is admitted, and stands in the queue; one process of the second is on a CPU. It is 10."""
    world = two_jobs()
    world.now = 10
    for p in range(EACH):
        put(world, p, p % CPUS)
    admit(world, 0)
    keep(world, 0)
    put(world, EACH, 1)
    timer(world, 10, 0)
    assert world.illegal_decision == IllegalDecision.NONE
    return world


def tables_of(world: World) -> list[object]:
    return [
        world.procs.cpu.tolist(),
        world.cpus.real_time.tolist(),
        world.cpus.best_effort.tolist(),
        [on_cpu(world, cpu) for cpu in range(CPUS)],
        world.jobs.placed.tolist(),
        world.jobs.next.tolist(),
        world.procs.notes.tolist(),
        int(world.agenda.count),
    ]


@pytest.mark.parametrize(("verb", "illegal_decision", "about"), BAD)
def test_what_cannot_be_is_noted(
    verb: Verb, illegal_decision: IllegalDecision, about: tuple[int, int]
) -> None:
    world = begun()
    world.budget = 1000
    before = tables_of(world)
    verb(world)
    assert (world.illegal_decision, world.misused, world.misused_cpu, world.budget) == (
        illegal_decision,
        *about,
        0,
    )
    assert tables_of(world) == before


def test_the_first_misdeed_is_the_one_that_is_told() -> None:
    world = begun()
    put(world, -1, 0)
    drop(world, 1)
    assert (world.illegal_decision, world.misused, world.misused_cpu) == (IllegalDecision.PUT_PROCESS, -1, 0)
