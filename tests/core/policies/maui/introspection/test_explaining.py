"""What the policy tells of itself: the parts of a priority, and the nodes of reservations."""

import pytest

from molokini.cycle.dry_run import dry_run
from molokini.model.decisions import Rule
from molokini.policies.maui.configuration.settings import Bucket, Credential, MauiSettings, Weight
from molokini.policies.maui.configuration.words import BackfillPolicy, Component, Factor
from molokini.policies.maui.introspection.introspection import INSIGHT
from molokini.shared.introspection import Part
from tests.kit.maui import Whose, at, maui
from tests.kit.workloads import Job


@pytest.mark.parametrize(
    ("components", "factors", "parts"),
    [
        ({}, {}, [Part("service", 1, "queue-time", 1, 10), Part("credential", 1, "user", 2, 30)]),
        ({Component.SERVICE: Weight(0)}, {}, [Part("credential", 1, "user", 2, 30)]),
        ({}, {Factor.QUEUE_TIME: Weight(0)}, [Part("credential", 1, "user", 2, 30)]),
        ({Component.CREDENTIAL: Weight(0)}, {}, [Part("service", 1, "queue-time", 1, 10)]),
    ],
)
def test_what_has_no_weight_or_a_component_of_none_is_left_out(
    components: dict[Component, Weight], factors: dict[Factor, Weight], parts: list[Part]
) -> None:
    """Ann's job has waited for 10 minutes, and she has 30 points, each of which counts twice."""
    settings = MauiSettings(
        components=components,
        factors={Factor.USER: Weight(2), **factors},
        users={"ann": Credential(priority=30)},
    )
    jobs, bob = [Job(0, 1000, 8), Job(60, 10, 8), Job(660, 1, 8)], Whose("bob")
    t = at(maui(jobs, settings, [bob, Whose("ann"), bob]), 660)
    [row] = [int(row) for row in t.queue.waiting[t.queue.head : t.queue.tail] if t.jobs.number[row] == 2]
    [found] = INSIGHT.explained(t.copy(), [row], 660.0)
    assert list(found.parts) == parts
    assert found.priority == sum(part.product for part in parts)


@pytest.mark.parametrize(("group", "weight"), [("staff", 3), ("guests", 5)])
def test_the_weight_of_a_groups_queues_is_told_of_its_jobs_alone(group: str, weight: float) -> None:
    """Queues weigh 5, but 3 for staff; ann has 30 points, which count twice, and her queue has 7."""
    settings = MauiSettings(
        factors={Factor.QUEUE_TIME: Weight(0), Factor.USER: Weight(2), Factor.QUEUE: Weight(5)},
        users={"ann": Credential(priority=30)},
        groups={"staff": Credential(queue_weight=3.0)},
        queues={"long": Credential(priority=7)},
    )
    t = at(maui([Job(0, 1000, 8), Job(60, 10, 8)], settings, [Whose("bob"), Whose("ann", group)]), 60)
    [found] = INSIGHT.explained(t.copy(), [int(t.queue.waiting[t.queue.head])], 60.0)
    assert list(found.parts) == [
        Part("credential", 1, "user", 2, 30),
        Part("credential", 1, "queue", weight, 7),
    ]
    assert found.priority == 60 + 7 * weight


def test_the_cap_of_a_component_takes_away_at_the_weight_of_that_component() -> None:
    """Ann has 60 points, 20 above the cap, which counts before the weight of 2; service weighs 3."""
    settings = MauiSettings(
        components={Component.SERVICE: Weight(3), Component.CREDENTIAL: Weight(2, cap=40)},
        factors={Factor.USER: Weight(2)},
        users={"ann": Credential(priority=30)},
    )
    jobs, bob = [Job(0, 1000, 8), Job(60, 10, 8), Job(660, 1, 8)], Whose("bob")
    t = at(maui(jobs, settings, [bob, Whose("ann"), bob]), 660)
    [row] = [int(row) for row in t.queue.waiting[t.queue.head : t.queue.tail] if t.jobs.number[row] == 2]
    [found] = INSIGHT.explained(t.copy(), [row], 660.0)
    assert list(found.parts) == [
        Part("service", 3, "queue-time", 1, 10),
        Part("credential", 2, "user", 2, 30),
        Part("credential", 2, "cap", 1, -20),
    ]
    assert found.priority == 3 * 10 + 2 * 40


@pytest.mark.parametrize("points", [50.0, -3.0])
def test_what_an_administrator_has_set_is_a_part_of_its_own(points: float) -> None:
    """Beside 10 minutes of waiting."""
    t = at(maui([Job(0, 1000, 8), Job(60, 10, 8), Job(660, 1, 8)]), 660)
    row = int(t.queue.waiting[t.queue.head])
    t.jobs.boost[row] = points
    [found] = INSIGHT.explained(t.copy(), [row], 660.0)
    assert list(found.parts) == [
        Part("service", 1, "queue-time", 1, 10),
        Part("administrator", 1, "", 1, points),
    ]
    assert found.priority == 10 + points


@pytest.mark.parametrize(
    ("policy", "rule"),
    [
        (BackfillPolicy.NONE, Rule.BEHIND_THE_HEAD),
        (BackfillPolicy.FIRSTFIT, Rule.WOULD_DELAY_THE_HEAD),
        (BackfillPolicy.GREEDY, Rule.WOULD_DELAY_THE_HEAD),
    ],
)
def test_who_waits_behind_the_first_is_told_whether_he_counts(policy: BackfillPolicy, rule: Rule) -> None:
    """Two are idle up to 100: a job of two for longer would be in the way of the first in line."""
    jobs = [Job(0, 100, 6), Job(1, 10, 8), Job(2, 200, 2)]
    replay = maui(jobs, MauiSettings(chosen={"backfill": policy}))
    t = dry_run(at(replay, 2), replay.policy.begin, replay.policy.schedule, 2.0)
    waiting = {int(t.jobs.number[row]): int(row) for row in t.queue.waiting[t.queue.head : t.queue.tail]}
    assert t.reasons.rule[waiting[3]] == rule


def test_each_that_waits_is_told_of_the_last_promise_before_it() -> None:
    """Jobs 2 and 3 are promised 100 and 150; 4 is too wide for what is idle, 5 would be in the way."""
    jobs = [Job(0, 100, 4), Job(1, 50, 8), Job(2, 50, 8), Job(3, 50, 5), Job(4, 500, 1)]
    replay = maui(jobs, MauiSettings(buckets=(Bucket(2),)))
    t = dry_run(at(replay, 4), replay.policy.begin, replay.policy.schedule, 5.0)
    rows = t.queue.waiting[t.queue.head : t.queue.tail].tolist()
    told = {
        int(t.jobs.number[row]): (Rule(int(t.reasons.rule[row])), int(t.reasons.front[row])) for row in rows
    }
    row_of = {int(t.jobs.number[row]): row for row in rows}
    assert told == {
        2: (Rule.RESERVED_LATER, -1),
        3: (Rule.RESERVED_LATER, row_of[2]),
        4: (Rule.NOT_ENOUGH_FREE, row_of[3]),
        5: (Rule.WOULD_DELAY_THE_HEAD, row_of[3]),
    }


def test_who_waits_for_the_next_iteration_is_told_how_many_this_one_has_started() -> None:
    replay = maui([Job(0, 1000, 1)] * 5, MauiSettings(chosen={"max_starts": 2, "poll_s": 60.0}))
    t = dry_run(at(replay, 0), replay.policy.begin, replay.policy.schedule, 1.0)
    rows = t.queue.waiting[t.queue.head : t.queue.tail].tolist()
    told = {
        int(t.jobs.number[row]): (Rule(int(t.reasons.rule[row])), float(t.reasons.limit[row])) for row in rows
    }
    assert told[5] == (Rule.ENOUGH_STARTED, 2.0)
