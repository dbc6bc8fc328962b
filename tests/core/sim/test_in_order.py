"""Policies that let nobody overtake are not asked about arrivals behind a waiting head: nothing differs."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from molokini.cycle.ports import PolicyFunction
from molokini.model.calendars import Calendar
from molokini.model.machine import Machine
from molokini.model.reservations import Reservation, StandingReservation
from molokini.policies import load_policy
from molokini.sim.replay import Options, Overrun, Replay, Ties
from molokini.tables.tables import View
from tests.kit.replays import outcome
from tests.kit.workloads import Job, workload_of
from tests.kit.worlds import World, draw_world

WORLDS = 60
DECLARED = ("fcfs", "fcfs-worstfit")


def counted_calls(world: World, in_order: bool, ties: Ties) -> tuple[list[Any], dict[str, float], int]:
    """What came of *world* in one run, its counts, and how often the policy was called."""
    policy, calls = load_policy(world.policy), 0
    schedule: PolicyFunction = policy.schedule

    def counting(view: View, now: float) -> None:
        nonlocal calls
        calls += 1
        schedule(view, now)

    declaration = replace(policy.declaration, in_order=in_order)
    options = Options(**{**world.options, "interpreted": True, "ties": ties})
    watched = replace(policy, declaration=declaration, schedule=counting)
    replay = Replay(workload_of(world.jobs), world.machine, watched, world.values, options)
    replay.run()
    done = replay.schedule()
    return outcome(done), dict(done.info), calls


@pytest.mark.quick(one_in=4)
@pytest.mark.parametrize("ties", list(Ties))
@pytest.mark.parametrize("policy", DECLARED)
def test_the_same_comes_of_it_as_when_the_policy_is_asked_each_time(policy: str, ties: Ties) -> None:
    spared = 0
    values = load_policy(policy).declaration.values({})
    for seed in range(WORLDS):
        random = Random(f"{policy}-{seed}")
        world = draw_world(random, policy, dict(values))
        world = replace(world, overrun="extend" if random.random() < 0.2 else "kill")
        asked, counts, calls = counted_calls(world, in_order=False, ties=ties)
        spared_asking, same_counts, fewer = counted_calls(world, in_order=True, ties=ties)
        assert spared_asking == asked, world
        assert same_counts == counts, "an instant counts as a pass, asked or not"
        spared += calls - fewer
    assert spared > 0


def test_an_arrival_behind_a_waiting_head_is_not_asked_about() -> None:
    jobs = [Job(0, 10, 8), Job(1, 10, 8), Job(2, 10, 1), Job(3, 10, 1)]
    world = World("fcfs", {}, tuple(jobs), processors=8)
    _, counts, calls = counted_calls(world, in_order=True, ties=Ties.BATCH)
    # The first arrival, the one that begins to wait, and three ends.
    assert (calls, counts["passes"]) == (5, 7)


def test_only_policies_that_keep_the_order_declare_it() -> None:
    assert not load_policy("easy").declaration.in_order
    assert not load_policy("firstfit").declaration.in_order
    assert all(load_policy(name).declaration.in_order for name in DECLARED)


FAR = Reservation("far", 1, 1000.0, 1001.0, {"user": ("9",)})
NIGHTS = StandingReservation("nights", 1, Calendar(start_s=80_000.0), 1, {"user": ("9",)})


@pytest.mark.parametrize(
    ("options", "explain", "asked"),
    [
        ({}, 0, 5),
        ({}, 1, 7),
        ({"overrun": Overrun.EXTEND}, 0, 7),
        ({"reservations": (FAR,)}, 0, 7),
        ({"reservations": (NIGHTS,)}, 0, 7),
    ],
)
def test_where_time_may_change_something_or_reasons_are_wanted_each_arrival_is_asked_about(
    options: dict[str, Any], explain: int, asked: int
) -> None:
    policy, calls = load_policy("fcfs"), 0
    schedule: PolicyFunction = policy.schedule

    def counting(view: View, now: float) -> None:
        nonlocal calls
        calls += 1
        schedule(view, now)

    workload = workload_of([Job(0, 10, 8), Job(1, 10, 8), Job(2, 10, 1), Job(3, 10, 1)])
    watched = replace(policy, schedule=counting)
    replay = Replay(workload, Machine.counted(8), watched, None, Options(interpreted=True, **options))
    replay.tables.cycle.explain = explain
    replay.run(until_s=100.0)
    assert replay.schedule().finished.all()
    assert (calls, replay.schedule().info["passes"]) == (asked, 7)
