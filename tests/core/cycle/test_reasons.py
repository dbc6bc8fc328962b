"""Passes that are asked for reasons decide what others decide, also beside reservations and lost nodes."""

from dataclasses import replace
from random import Random

import pytest

from molokini.availability.beside_reserved import first_conflict, may_start
from molokini.model.decisions import Rule
from molokini.model.hostlists import folded
from molokini.model.states import JobState
from tests.kit.every_policy import Way, every_way
from tests.kit.replays import outcome
from tests.kit.watched import replay_of
from tests.kit.worlds import World, draw_world

WORLDS = 8
WAYS = [way for way in every_way(None) if way.policy]
"""All but those of policies from files."""


def worlds(way: Way) -> list[World]:
    """Small worlds in which jobs wait beside reservations, and nodes come and go."""
    drawn = (
        draw_world(Random(f"reasons-{way.name}-{seed}"), way.policy, way.values, crowd=True)
        for seed in range(WORLDS)
    )
    return [replace(world, vector=way.vector) for world in drawn]


@pytest.mark.quick(one_in=37)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
def test_asking_for_reasons_changes_no_decision(way: Way) -> None:
    for world in worlds(way):
        asked, plain = replay_of(world), replay_of(world)
        asked.tables.cycle.explain = 1
        assert asked.run(until_s=world.horizon_s) == plain.run(until_s=world.horizon_s)
        assert outcome(asked.schedule()) == outcome(plain.schedule()), world


@pytest.mark.quick(one_in=3)
@pytest.mark.parametrize("policy", ["fcfs", "firstfit", "easy", "easy-depth", "conservative"])
def test_what_reservations_keep_out_is_what_the_first_conflict_says(policy: str) -> None:
    """It is told of exactly the jobs that ``may_start`` keeps out, as long as they fit in number."""
    seen = 0
    for seed in range(20):
        world = draw_world(Random(f"conflicts-{policy}-{seed}"), policy, {}, crowd=True)
        replay = replay_of(world)
        t = replay.tables
        t.cycle.explain = 1
        for second in range(0, int(world.horizon_s), 3):
            replay.run(until_s=float(second))
            for row in t.queue.waiting[t.queue.head : t.queue.tail].tolist():
                if t.jobs.state[row] != JobState.WAITING or not t.reservations.count:
                    continue
                if t.jobs.width[row] <= t.machine.idle:
                    assert (first_conflict(t, row)[0] < 0) == may_start(t, row), (world, second, row)
                    seen += t.reasons.rule[row] == Rule.RESERVED_FOR_OTHERS
    assert seen > 0


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([], ""),
        (["login"], "login"),
        (["n1", "n2", "n3", "n7", "io"], "n[1-3,7],io"),
        (["n002", "n001", "n010", "n11"], "n[001-002,010],n11"),
        (["a1", "b", "b1"], "a1,b,b1"),
    ],
)
def test_names_of_nodes_are_folded(names: list[str], text: str) -> None:
    assert folded(names) == text
