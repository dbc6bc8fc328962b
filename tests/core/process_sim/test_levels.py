"""The 60 levels, line by line as the manual of Solaris prints them; who is raised for having starved."""

import pytest

from molokini.process_sim.building import build
from molokini.process_sim.levels import (
    a_second,
    check_messages,
    has_spun,
    pick_in_levels,
    place_where_fewest,
    prepare_levels,
    quantum_over_in_levels,
    ready_in_levels,
)
from molokini.process_sim.ready import (
    after_quantum,
    after_sleep,
    after_starving,
    dequeue,
    enqueue,
    highest,
    patience_of,
    quantum_of,
)
from molokini.process_sim.scenario import LOCAL_NAMES, MS, Scenario, Settings
from molokini.process_sim.tables import ANYBODY, World
from molokini.process_sim.words import Kind, State, Wait, Why
from tests.kit.processes import compute, job

TABLE = {
    # levels: quantum in ms, after a quantum (None: ten lower), after a sleep, after starving
    range(10): (200, 0, 50, 50),
    range(10, 20): (160, None, 51, 51),
    range(20, 30): (120, None, 52, 52),
    range(30, 35): (80, None, 53, 53),
    range(35, 40): (80, None, 54, 54),
    range(40, 45): (40, None, 55, 55),
    range(45, 46): (40, None, 56, 56),
    range(46, 47): (40, None, 57, 57),
    range(47, 49): (40, None, 58, 58),
    range(49, 59): (40, None, 58, 59),
    range(59, 60): (20, 49, 59, 59),
}


@pytest.mark.parametrize("levels", TABLE, ids=str)
def test_the_table_of_levels(levels: range) -> None:
    quantum, expired, slept, starved = TABLE[levels]
    for level in levels:
        assert quantum_of(level) == quantum * 1_000_000
        assert after_quantum(level) == (level - 10 if expired is None else expired)
        assert after_sleep(level) == slept
        assert after_starving(level) == starved
        assert patience_of(level) == (32_000 if level == 59 else 0)


def test_every_level_is_in_the_table() -> None:
    assert sorted(level for levels in TABLE for level in levels) == list(range(60))


def test_the_highest_bit_of_a_mask() -> None:
    assert highest(0) == -1
    for bit in range(61):
        assert highest(1 << bit) == highest(1 << bit | 1) == highest((1 << bit) * 2 - 1) == bit


def three(local: str = "spin", quantum_ns: int = 0) -> World:
    """A CPU that runs process 0; 1 and 2 are ready, in this order, all at level 29."""
    wait, arrival = LOCAL_NAMES[local]
    settings = Settings(wait=wait, arrival=arrival, quantum_ns=quantum_ns)
    world = build(Scenario("S", 1, [job("J", *[(compute(MS),)] * 3)], settings=settings))
    for p in range(3):
        prepare_levels(world, p)
    place_where_fewest(world, 0)
    world.procs.state[:3] = State.RUNNING, State.READY, State.READY
    world.cpus.proc[0] = 0
    for p in (1, 2):
        enqueue(world, p, 29, False)
    return world


def test_whoever_runs_keeps_its_cpu_until_its_quantum_is_over() -> None:
    world = three()
    assert pick_in_levels(world, 0, 0) == 0
    world.procs.waited[0] = 7
    quantum_over_in_levels(world, 0)
    assert (world.procs.level[0], world.cpus.quantum[0], world.procs.waited[0]) == (19, 160 * MS, 0)
    assert pick_in_levels(world, 0, 0) == 1
    # With one quantum for all, levels do not change, and who has had it goes behind the others.
    world = three(quantum_ns=MS)
    quantum_over_in_levels(world, 0)
    assert (world.procs.level[0], world.cpus.quantum[0]) == (29, MS)
    assert pick_in_levels(world, 0, 0) == 1


def test_whoever_yields_goes_behind_others_of_the_lowest_level() -> None:
    world = three("sy")
    for p in (1, 2):
        dequeue(world, p)
        world.procs.level[p] = 0
        enqueue(world, p, 0, False)
    world.cpus.favoured[0] = 0
    assert has_spun(world, 0) == Wait.YIELD
    assert (world.procs.level[0], world.procs.home[0], world.cpus.favoured[0]) == (0, 29, -1)
    assert pick_in_levels(world, 0, 0) == 1
    # It yields again before it had its message: it still belongs to level 29.
    has_spun(world, 0)
    assert world.procs.home[0] == 29


@pytest.mark.parametrize(
    ("local", "why", "level", "behind_2"),
    [
        ("spin", Why.RESUMED, 52, True),
        ("dcs", Why.RESUMED, 52, True),
        ("dcs", Why.DEMAND, 59, False),
        ("dcs-sb", Why.MESSAGE, 59, False),
        ("sb", Why.MESSAGE, 52, True),
        ("dcs", Why.NEW, 29, True),
    ],
)
def test_where_a_process_comes_that_is_ready_again(local: str, why: Why, level: int, behind_2: bool) -> None:
    world = three(local)
    dequeue(world, 1)
    # Process 2 stands already where 1 will come.
    dequeue(world, 2)
    world.procs.level[2] = level
    enqueue(world, 2, level, False)
    world.procs.quantum[1], world.procs.waited[1] = 5, 3
    ready_in_levels(world, 1, why)
    assert world.procs.level[1] == level
    assert world.cpus.heads[0, level] == (2 if behind_2 else 1)
    fresh = why is not Why.DEMAND
    assert (world.procs.quantum[1], world.procs.waited[1]) == ((quantum_of(level), 0) if fresh else (5, 3))


@pytest.mark.parametrize(("why", "first"), [(Why.PREEMPTED, 0), (Why.EXPIRED, 1)])
def test_who_was_preempted_keeps_its_place_and_its_quantum(why: Why, first: int) -> None:
    world = three()
    world.procs.quantum[0], world.procs.waited[0] = 5, 3
    ready_in_levels(world, 0, why)
    assert world.cpus.heads[0, 29] == first
    assert (world.procs.quantum[0], world.procs.waited[0]) == (5, 3)


def test_a_process_that_wakes_goes_before_a_favoured_one_of_a_lower_level_only() -> None:
    for level, favoured in ((52, 2), (51, 1)):
        world = three("pb")
        dequeue(world, 1)
        dequeue(world, 2)
        world.procs.level[2] = level
        enqueue(world, 2, level, False)
        world.cpus.favoured[0] = 2
        ready_in_levels(world, 1, Why.RESUMED)
        assert world.cpus.favoured[0] == favoured
        assert pick_in_levels(world, 0, 0) == favoured


def test_who_is_ready_over_a_whole_second_is_raised_behind_others_there() -> None:
    world = three()
    world.procs.waited[:2] = 4
    a_second(world)
    assert world.procs.level[:3].tolist() == [29, 52, 52]
    assert world.procs.quantum[1:3].tolist() == [quantum_of(52)] * 2
    assert (world.cpus.heads[0, 52], world.cpus.tails[0, 52]) == (1, 2)
    assert (world.procs.waited[0], world.procs.waited[1]) == (4, 0)
    assert world.cpus.touched[0] == 1
    # At 59 nobody starves for 32,000 s, and with one quantum for all nobody at all.
    world.procs.level[1] = 59
    a_second(world)
    assert (world.procs.level[1], world.procs.waited[1]) == (59, 1)
    world = three(quantum_ns=MS)
    a_second(world)
    assert world.procs.level[:3].tolist() == [29] * 3


def test_who_had_yielded_belongs_to_the_highest_level_when_its_message_has_come() -> None:
    world = three("dcs")
    dequeue(world, 1)
    world.procs.home[1] = 29
    ready_in_levels(world, 1, Why.MESSAGE)
    assert (world.procs.level[1], world.procs.home[1]) == (59, -1)


@pytest.mark.parametrize(("home", "before", "after"), [(-1, 59, 29), (29, 0, 0)])
def test_with_one_quantum_who_has_yielded_stays_below(home: int, before: int, after: int) -> None:
    world = three("sy", quantum_ns=MS)
    world.procs.home[0], world.procs.level[0] = home, before
    quantum_over_in_levels(world, 0)
    assert world.procs.level[0] == after


def test_real_time_processes_do_not_starve() -> None:
    world = three()
    world.procs.kind[1] = Kind.RT
    a_second(world)
    assert (world.procs.level[:3].tolist(), world.procs.waited[1]) == ([29, 29, 52], 0)


@pytest.mark.parametrize(("boosts", "favoured", "looks"), [((1, 1, 1), 1, 2), ((1, 0, 1), 2, 2)])
def test_a_check_looks_at_who_may_be_boosted(boosts: tuple[int, ...], favoured: int, looks: int) -> None:
    """The present process waits for a message from anybody, the others have something to do."""
    world = three("pb")
    world.procs.waits[0] = ANYBODY
    world.procs.boosts[:3] = boosts
    assert check_messages(world, 0) == looks
    assert world.cpus.favoured[0] == favoured
