"""What the policy tells of its last pass: reservations, their nodes, weights, limits and steps."""

import pytest

from molokini.model.decisions import Rule
from molokini.policies.maui.configuration.node_settings import NodeLine, NodeSettings
from molokini.policies.maui.configuration.settings import Bucket, Credential, Limit, MauiSettings, Weight
from molokini.policies.maui.configuration.words import (
    BackfillPolicy,
    Component,
    Factor,
    LimitKind,
    ReservationPolicy,
)
from molokini.policies.maui.introspection.introspection import INSIGHT
from molokini.shared.introspection import Decay, IterationSettings
from molokini.tables.sizes import MOST_HELD
from molokini.tables.tables import NEVER
from tests.kit.maui import Whose, at, maui, nodes
from tests.kit.workloads import Job


def test_as_many_reservations_as_can_be_told_say_on_which_nodes_they_are_and_others_nothing() -> None:
    """Each wants one of two nodes of 4 whole; n1 is busy up to 100, n2 is another partition's."""
    settings = MauiSettings(
        nodes=NodeSettings(lines={"n2": NodeLine(partition="b")}),
        users={"ann": Credential(partition_list=("DEFAULT",))},
        buckets=(Bucket(MOST_HELD + 1),),
    )
    t = at(maui([Job(0, 100, 4)] + [Job(1, 10, 4)] * (MOST_HELD + 1), settings, machine=nodes(2, 4)), 1)
    rows = [int(row) for row in t.queue.waiting[t.queue.head : t.queue.tail]]
    assert [INSIGHT.held_nodes(t, row) for row in rows] == [{0: 4}] * MOST_HELD + [{}]


def test_weights_and_settings_are_those_in_force() -> None:
    made = MauiSettings(
        components={Component.SERVICE: Weight(3), Component.FAIRSHARE: Weight(0)},
        factors={Factor.QUEUE_TIME: Weight(2), Factor.USER: Weight(5)},
        chosen={"poll_s": 30.0, "max_starts": 2, "backfill": BackfillPolicy.BESTFIT, "fairshare_decay": 0.5},
    )
    t = at(maui([Job(0, 1, 1)], made), 0)
    weights = {one.component: (one.weight, one.factors) for one in INSIGHT.weights(t)}
    assert weights["service"] == (3, {"queue-time": 2})
    assert weights["credential"] == (1, {"user": 5})
    assert "fairshare" not in weights
    assert INSIGHT.settings(t) == IterationSettings(30.0, "BESTFIT", "CURRENTHIGHEST", 2)
    assert INSIGHT.decay(t) == Decay("none", 7, 0.5, by_ratio=False)


@pytest.mark.parametrize("keeps", [ReservationPolicy.HIGHEST, ReservationPolicy.CURRENT_HIGHEST])
def test_ranks_and_reservations_are_those_of_the_last_pass(keeps: ReservationPolicy) -> None:
    """Bob has the higher priority, and the reservation; ann's second job is over a limit, and has none."""
    made = MauiSettings(
        factors={Factor.USER: Weight(1)},
        users={"bob": Credential(priority=9), "ann": Credential(active={LimitKind.JOBS: Limit(1, 1)})},
        chosen={"reservation": keeps},
    )
    t = at(maui([Job(0, 100, 8), Job(1, 9, 8), Job(1, 9, 8)], made, [Whose("ann")] * 2 + [Whose("bob")]), 1)
    ranked = INSIGHT.ranked(t)
    assert t.jobs.number[ranked].tolist() == [3, 2]
    assert [INSIGHT.reserved_s(t, row) for row in ranked] == [100.0, NEVER]
    assert INSIGHT.keeps_promises(t) == (keeps is ReservationPolicy.HIGHEST)
    assert INSIGHT.limit(t, ranked[1], Rule.OVER_HARD_LIMIT, int(LimitKind.JOBS)) == (1, 1, 1)
    assert INSIGHT.limit(t, ranked[0], Rule.OVER_HARD_LIMIT, int(LimitKind.JOBS)) is None
