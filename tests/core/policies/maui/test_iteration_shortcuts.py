"""What an iteration remembers, or sees without a look at every node, is what a look at everything finds.

Each way to look less is taken away in turn; small worlds in which many features meet go on as with it.
"""

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import pytest

from molokini.availability import hosts, node_classes, node_order, partition_capacity
from molokini.availability.node_rules import NodeRule
from molokini.availability.reservation_cache import lists, minimum, steps
from molokini.policies import load_policy
from molokini.policies.maui.configuration.node_settings import NodeLine
from molokini.policies.maui.configuration.settings import Bucket, Credential
from molokini.policies.maui.configuration.slots import KINDS
from molokini.policies.maui.configuration.vector import vector_of
from molokini.policies.maui.configuration.words import BackfillPolicy, QosFlag, ReservationPolicy
from molokini.policies.maui.knowledge import scopes
from molokini.policies.maui.knowledge.memory import mine
from molokini.policies.maui.nodes import beside, holding, node_rows, sharing
from molokini.policies.maui.selection import fairshare, priority, ranking
from molokini.sim.replay import Options, Replay
from molokini.tables.tables import View
from tests.kit.depth import deep, examples
from tests.kit.maui import node_of, number_of
from tests.kit.maui_worlds import QOSES, Picture, draw_settings, picture_of
from tests.kit.workloads import Job, workload_of
from tests.kit.worlds import USERS, World, draw_world

WORLDS = examples(36)
LAST_S = 50
Kernel = Callable[..., Any]


def first(forget: Callable[[View], None]) -> Callable[[Kernel], Kernel]:
    """The same kernel, which has forgotten something before each call."""

    def wrap(kernel: Kernel) -> Kernel:
        def wrapped(view: View, *arguments: Any) -> Any:
            forget(view)
            return kernel(view, *arguments)

        return wrapped

    return wrap


def always(value: Any) -> Callable[[Kernel], Kernel]:
    return lambda kernel: lambda *arguments: value


def word(name: str, value: int = 0) -> Callable[[Kernel], Kernel]:
    """A number of the policy's memory is *value* before each call."""

    def forget(view: View) -> None:
        setattr(mine(view), name, value)

    return first(forget)


def _no_lists(view: View) -> None:
    view.lists.epoch = -1


def _no_later(view: View) -> None:
    view.later.epoch = -1


def _no_bases(view: View) -> None:
    view.credentials.weighed[:] = -1


def _no_widest(view: View) -> None:
    mine(view).widest = 0
    view.credentials.widest[:] = 0


def _no_history(view: View) -> None:
    mine(view).history_window = 0.0


def _all_kinds(view: View, scope: int) -> None:
    view.scopes.limited[scope] |= sum(1 << (scopes.FIRST_KIND + kind) for kind in range(KINDS))


SHORTCUTS: dict[str, tuple[Kernel, Callable[[Kernel], Kernel]]] = {
    "no room seen by shape or partition": (beside._may_fit, always(True)),
    "room that reservations leave": (beside._begin_on_spares, word("spares_of")),
    "counts of partitions beside reservations": (beside._partition_has_room, word("counted_beside")),
    "classes of nodes": (node_classes._no_room, always(False)),
    "bounds by counting": (partition_capacity.counting_bounds, always(False)),
    "lists of what is kept": (lists._kept_from, first(_no_lists)),
    "stretches of what is kept": (steps._stretch_at, always(-1)),
    "the least that is left": (minimum.least_of, always(-1)),
    "counts outside of reservations": (hosts.may_be_outside, always(True)),
    "counts of what is left later": (partition_capacity.may_have_room, always(True)),
    "nodes as they are later": (holding._room_at, first(_no_later)),
    "nodes nearly in order": (node_order.resort_nodes, lambda kernel: node_order.sort_nodes),
    "what a credential's jobs have in common": (priority._base, first(_no_bases)),
    "kinds of limits": (scopes._note_kinds, lambda kernel: _all_kinds),
    "the widest that could run": (sharing.could_ever_run, first(_no_widest)),
    "the list of the last iteration": (ranking.refresh_ranks, first(ranking.forget_ranks)),
    "usage of past windows": (fairshare._add_up_past, first(_no_history)),
    "lines of nodes": (node_rows.find_node_rows, word("nodes_found", -1)),
    "rules of credentials": (sharing._set_rules, word("ruled")),
    "scopes": (scopes.find_scopes, first(scopes.forget_scopes)),
}


def drawn(seed: int) -> tuple[World, tuple[float, ...]]:
    """Worlds of nodes, on which several have reservations; each user's jobs have a QoS of their own."""
    random = Random(f"shortcuts-{seed}")
    world = draw_world(random, "maui", {})
    while not world.nodes:
        world = draw_world(random, "maui", {})
    world = crowded(random, world, wishing=seed % 6 != 3)
    made = draw_settings(random)
    made = replace(made, groups={}, queues={}).choosing(max_starts=0)
    policy = random.choice([ReservationPolicy.CURRENT_HIGHEST, ReservationPolicy.HIGHEST])
    users = {
        name: replace(made.users.get(name, Credential()), qos_default=qos, active={}, pairs=())
        for name, qos in zip(("ann", "bob", "cy"), QOSES, strict=True)
    }
    flags = {"high": {QosFlag.PREEMPTOR}, "low": {QosFlag.PREEMPTEE}}
    if seed % 3 == 0:
        # Partitions are the only rule of nodes: there counting does.
        access = replace(made.nodes, access=NodeRule.SHARED)
        lines = {name: NodeLine(partition=line.partition) for name, line in made.nodes.lines.items()}
        made = replace(made, nodes=replace(access, lines={"n1": NodeLine(partition="b"), **lines}))
    chosen = {"backfill": random.choice([BackfillPolicy.FIRSTFIT, BackfillPolicy.BESTFIT])}
    without = {"backfill_depth": 0, "chunk_processors": 0, "chunk_duration_s": 0.0}
    made = replace(
        made,
        buckets=(Bucket(random.choice([1, 2, 3, 4])),),
        users={**made.users, **users},
        qos={
            name: replace(one, flags=frozenset(flags.get(name, set())) if seed % 2 else frozenset())
            for name, one in made.qos.items()
        },
    ).choosing(**chosen, **without, reservation=policy)
    return world, tuple(float(one) for one in vector_of(made, number_of, node_of))


def crowded(random: Random, world: World, wishing: bool) -> World:
    """With twice as many jobs as fit, some of which ask for what those of *world* asked for."""
    kinds = list(world.requests.values()) if wishing else []
    jobs, requests = [], {}
    for row in range(16):
        width = random.randint(1, max(1, world.processors * 2 // 3))
        if kinds and random.random() < 0.4:
            requests[row] = random.choice(kinds)
            width = requests[row].processors
        estimate = random.choice([2, 4, 6, 9, 13])
        run = estimate - random.choice([0, 0, 1])
        jobs.append(Job(row // 2, run, width, estimate, row + 1, random.choice(USERS)))
    facts = tuple(fact for fact in world.facts if fact.subject < 3)
    return replace(world, jobs=tuple(jobs), requests=requests, facts=facts)


def pictures(seed: int) -> list[Picture]:
    world, vector = drawn(seed)
    options = Options(**{**world.options, "parameters": vector}, interpreted=True)
    replay = Replay(workload_of(world.jobs), world.machine, load_policy("maui"), options=options)
    found = []
    for instant in range(LAST_S):
        replay.run(instant)
        found.append(picture_of(replay.tables))
    return found


with_all = cache(pictures)


@pytest.mark.quick(one_in=20)
@pytest.mark.parametrize("name", SHORTCUTS)
def test_all_goes_on_as_with_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = [with_all(seed) for seed in range(WORLDS)]
    kernel, without = SHORTCUTS[name]
    instead, calls = without(kernel), 0

    def counted(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        return instead(*arguments)

    for module in [one for key, one in sys.modules.items() if key.startswith("molokini.")]:
        for known, value in list(vars(module).items()):
            if value is kernel:
                monkeypatch.setattr(module, known, counted)
    for seed in range(WORLDS):
        assert pictures(seed) == wanted[seed], f"world {seed}"
    # In the quick suite a quarter of the worlds are drawn.
    assert calls > (20 if deep() else 3), "it is met often, or the comparison shows little"
