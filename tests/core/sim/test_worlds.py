"""Many features in one small world: policy, nodes, requests, reservations, losses, holds, cancels together.

Each feature alone has tests of its own; here each two of them meet. Where every start is known (the plain
policies) state and place of every job at every second are those of the plain world; of all policies what must
hold whatever they decide is asked at every second. Uncompiled, because the worlds are small.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from molokini.policies.maui.configuration.words import BackfillPolicy, PreemptPolicy, ReservationPolicy
from tests.kit.depth import examples
from tests.kit.every_policy import Way, every_way
from tests.kit.found_iterations import FOUND_ITERATIONS
from tests.kit.found_worlds import FOUND
from tests.kit.plain_clusters import CLUSTERED, draw_clustered
from tests.kit.plain_holding import draw_holding, plain_holding
from tests.kit.plain_iterations import Rules, draw_iterating, plain_iterations
from tests.kit.plain_maui import draw_preempting, plain_maui
from tests.kit.plain_policies import PLAIN
from tests.kit.plain_world import PlainWorld
from tests.kit.watched import assert_as_plain, assert_sound, smallest
from tests.kit.worlds import World, draw_world, features_of

PLAIN_WORLDS = 150
CLUSTERED_WORLDS = 120
CROWDED_WORLDS = examples(80)
SOUND_WORLDS = examples(40)
PREEMPTING_WORLDS = examples(60)
ITERATING_WORLDS = examples(120)
"""So many for each policy and way to set it; of the first two the features are counted in so many."""


def name_of(policy: str, values: dict[str, Any]) -> str:
    return "-".join([policy, *(str(value) for value in values.values())])


def plain_worlds(policy: str, values: dict[str, Any], count: int = PLAIN_WORLDS) -> Iterator[World]:
    for seed in range(count):
        yield draw_world(Random(f"{name_of(policy, values)}-{seed}"), policy, dict(values))


def crowded_worlds(policy: str, values: dict[str, Any]) -> Iterator[World]:
    for seed in range(CROWDED_WORLDS):
        yield draw_world(Random(f"{name_of(policy, values)}-crowd-{seed}"), policy, dict(values), crowd=True)


def clustered_worlds(policy: str, values: dict[str, Any], count: int = CLUSTERED_WORLDS) -> Iterator[World]:
    for seed in range(count):
        yield draw_clustered(Random(f"{name_of(policy, values)}-{seed}"), policy, dict(values))


def sound_worlds(way: Way) -> Iterator[World]:
    for seed in range(SOUND_WORLDS):
        random = Random(f"{way.name}-{seed}")
        overrun = "extend" if random.random() < 0.3 else "kill"
        yield replace(draw_world(random, way.policy, way.values), vector=way.vector, overrun=overrun)


def hold_beside_plain(world: World, simulator: type[PlainWorld], **what: bool) -> None:
    """``assert_as_plain``; a world that differs is printed, made as small as can be."""

    def fails(world: World) -> bool:
        try:
            assert_as_plain(world, simulator, **what)
        except Exception:
            return True
        return False

    if fails(world):
        world = smallest(world, fails)
        print(world, getattr(simulator, "rules", ""))
        assert_as_plain(world, simulator, **what)


@pytest.mark.quick(one_in=11)
@pytest.mark.parametrize(
    ("policy", "values", "simulator"), PLAIN, ids=[name_of(policy, values) for policy, values, _ in PLAIN]
)
def test_every_job_is_where_the_plain_world_has_it_at_every_second(
    policy: str, values: dict[str, Any], simulator: type[PlainWorld]
) -> None:
    for world in plain_worlds(policy, values, examples(PLAIN_WORLDS)):
        hold_beside_plain(world, simulator, promises=policy == "conservative")


@pytest.mark.quick(one_in=11)
@pytest.mark.parametrize(
    ("policy", "values", "simulator"), PLAIN, ids=[name_of(policy, values) for policy, values, _ in PLAIN]
)
def test_who_passes_a_wide_job_is_whom_the_plain_world_lets_pass(
    policy: str, values: dict[str, Any], simulator: type[PlainWorld]
) -> None:
    for world in crowded_worlds(policy, values):
        hold_beside_plain(world, simulator, promises=policy == "conservative")


@pytest.mark.quick(one_in=6)
@pytest.mark.parametrize(
    ("policy", "values", "simulator"),
    CLUSTERED,
    ids=[name_of(policy, values) for policy, values, _ in CLUSTERED],
)
def test_jobs_over_clusters_are_where_the_plain_world_has_them(
    policy: str, values: dict[str, Any], simulator: type[PlainWorld]
) -> None:
    for world in clustered_worlds(policy, values, examples(CLUSTERED_WORLDS)):
        hold_beside_plain(world, simulator, parts=False, promises=policy.startswith("conservative"))


@pytest.mark.quick(one_in=2)
@pytest.mark.parametrize(("world", "simulator"), FOUND.values(), ids=FOUND)
def test_worlds_in_which_one_rule_decides(world: World, simulator: type[PlainWorld]) -> None:
    assert_as_plain(world, simulator)


GIVING_WAY = [
    *[
        (preempt, holes)
        for preempt in PreemptPolicy
        for holes in (BackfillPolicy.FIRSTFIT, BackfillPolicy.NONE)
    ],
    # Where a job that gave way comes back, two could change places at each look of the plain one, for ever:
    # the policy waits for an event instead.
    (PreemptPolicy.CANCEL, BackfillPolicy.PREEMPT),
]


@pytest.mark.quick(one_in=11)
@pytest.mark.parametrize(("preempt", "holes"), GIVING_WAY)
def test_who_gives_way_is_as_the_plain_maui_has_it(preempt: PreemptPolicy, holes: BackfillPolicy) -> None:
    simulator = plain_maui(preempt, holes)

    for seed in range(PREEMPTING_WORLDS):
        world = draw_preempting(Random(f"{preempt.name}-{holes.name}-{seed}"), preempt, holes)
        hold_beside_plain(world, simulator)


@pytest.mark.quick(one_in=4)
@pytest.mark.parametrize("part", range(4))
def test_who_starts_and_who_is_promised_a_start_is_as_the_plain_iterations_have_it(part: int) -> None:
    for seed in range(ITERATING_WORLDS):
        world, rules = draw_iterating(Random(f"iterating-{part}-{seed}"))
        # Where a kept reservation may move, or a limit ends one, the tables show that at the next event only.
        kept = rules.reservation is ReservationPolicy.HIGHEST
        later = bool(kept or rules.active or rules.idle)
        hold_beside_plain(world, plain_iterations(rules), promises=True, at_events=later)


@pytest.mark.quick(one_in=2)
@pytest.mark.parametrize("part", range(2))
def test_who_is_promised_which_nodes_is_as_the_plain_iterations_have_it(part: int) -> None:
    for seed in range(ITERATING_WORLDS):
        world, rules = draw_holding(Random(f"holding-{part}-{seed}"))
        hold_beside_plain(world, plain_holding(rules), promises=True, at_events=True)


@pytest.mark.parametrize(("world", "rules"), FOUND_ITERATIONS.values(), ids=FOUND_ITERATIONS)
def test_iterations_in_which_one_rule_decides(world: World, rules: Rules) -> None:
    simulator = (plain_holding if world.nodes else plain_iterations)(rules)
    assert_as_plain(world, simulator, promises=True, at_events=True)


def ways() -> list[Any]:
    """The ways by name; their files are made where the test runs."""
    return [way.name for way in every_way(None)]


@pytest.mark.quick(one_in=27)
@pytest.mark.parametrize("name", ways())
def test_whatever_a_policy_decides_this_holds_at_every_second(name: str, tmp_path: Path) -> None:
    [way] = [way for way in every_way(tmp_path) if way.name == name]

    def fails(world: World) -> bool:
        try:
            assert_sound(world, way.keeps_work, way.shares)
        except Exception:
            return True
        return False

    for world in sound_worlds(way):
        if fails(world):
            world = smallest(world, fails)
            print(world)
            assert_sound(world, way.keeps_work, way.shares)


APART = [{"counted", "nodes"}, {"first-fit", "best-fit", "worst-fit", "contiguous", "counted"}]
"""Of each of these a world has one."""
OF_REQUESTS = (
    "requests",
    "memory",
    "several components",
    "group of nodes",
    "features of nodes",
    "tasks a node",
)
OF_NODES = (
    "reserved on nodes",
    "kept on nodes",
    "shared on nodes",
    "access on nodes",
    "short jobs admitted",
    *OF_REQUESTS,
)
COUNTED_ONLY = ("policy conservative", "policy easy-depth", "policy srpt")


def cannot_meet(one: str, other: str) -> bool:
    """Whether no world can have both."""
    if one.startswith("policy") and other.startswith("policy"):
        return True
    for both in ((one, other), (other, one)):
        first, second = both
        if first == "counted" and second.startswith(OF_NODES):
            return True
        if first.startswith(COUNTED_ONLY) and second in (*OF_REQUESTS, "contiguous"):
            return True
        if first == "contiguous" and second.startswith("policy easy"):
            return True
    return any({one, other} <= apart for apart in APART)


def test_each_two_features_meet() -> None:
    """Or the comparison shows little."""
    single: Counter[str] = Counter()
    pairs: Counter[tuple[str, ...]] = Counter()
    for policy, values, _ in PLAIN:
        for world in plain_worlds(policy, values):
            found = features_of(world)
            single.update(found)
            pairs.update(combinations(sorted(found), 2))
    wanted = [pair for pair in combinations(sorted(single), 2) if not cannot_meet(*pair)]
    assert len(single) > 35
    assert len(wanted) > 600
    assert {pair: pairs[pair] for pair in wanted if pairs[pair] < 3} == {}


def test_each_way_to_ask_for_clusters_meets_each_feature() -> None:
    ways = {"over clusters", "in one cluster", "several components", "group of nodes"}
    single: Counter[str] = Counter()
    pairs: Counter[tuple[str, ...]] = Counter()
    for policy, values, _ in CLUSTERED:
        for world in clustered_worlds(policy, values):
            found = features_of(world)
            single.update(found)
            pairs.update(combinations(sorted(found), 2))
    wanted = [pair for pair in combinations(sorted(single), 2) if ways & set(pair)]
    assert ways <= single.keys()
    assert len(wanted) > 100
    assert {pair: pairs[pair] for pair in wanted if pairs[pair] < 3} == {}


CHANGES = ("running to suspended", "suspended to running", "running to waiting", "waiting to held")
WANTED = dict.fromkeys(CHANGES, 20) | {"passed by": 100, "kept out": 100}


@pytest.mark.deep
def test_what_follows_from_features_happens() -> None:
    """Jobs are suspended, put back, passed by others, and kept out by a reservation."""
    seen: Counter[str] = Counter()
    for seed in range(PLAIN_WORLDS):
        for policy, values, simulator in PLAIN:
            world = draw_world(Random(f"{name_of(policy, values)}-{seed}"), policy, dict(values))
            plain = simulator(world).simulate()
            states = [{row: state for row, (state, _) in one.items()} for one in plain.pictures]
            changes = {
                (before[row], after[row])
                for before, after in pairwise(states)
                for row in before.keys() & after.keys()
            }
            seen.update(" to ".join(change) for change in changes)
            queue = sorted(plain.jobs, key=lambda job: job.queue_place)
            order = [job.first_start for job in queue if job.first_start is not None]
            seen["passed by"] += order != sorted(order)
            seen["kept out"] += plain.kept_out
        if all(seen[name] >= count for name, count in WANTED.items()):
            return
    pytest.fail(f"too seldom: {seen}")
