"""Priorities against tables worked out from the paper's formulas (tables 1 and 2), component by component."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from molokini.policies.maui.configuration.settings import Credential, Limit, MauiSettings, Qos, Target, Weight
from molokini.policies.maui.configuration.words import (
    Accrual,
    Charge,
    Component,
    Factor,
    LimitKind,
    QosFlag,
    TargetKind,
)
from molokini.policies.maui.selection import priority as weigh
from molokini.tables.tables import Tables
from tests.kit.maui import Whose, at, maui, nodes, priorities, request, value
from tests.kit.workloads import Job

NOW = 8000.0
BLOCKER = Job(0, 20_000, 8)

# waited (s), limit (s), processors; then by formula:
# service  = 2 min(90, minutes) + 10 min(20, (waited + limit) / max(120, limit))
# target   = 3 max(1e-4, 30 - minutes)^-2 + 5 max(1e-4, 4 - expansion)^-2
# resource = 2 procs + 0.01 min(5000, procs limit) + 0.1 limit + 3 equivalents
TWENTY = [
    (300, 100, 7, 43.333333333333336, 11.2548, 52.0),
    (0, 60, 2, 5.0, 0.41149659863945576, 17.2),
    (300, 600, 1, 25.0, 0.8048, 71.0),
    (3600, 100, 1, 320.0, 8e8, 16.0),
    (30, 300, 7, 12.0, 0.597977606309229, 86.0),
    (30, 100, 2, 11.833333333333332, 0.5912023873036718, 22.0),
    (3600, 300, 1, 250.0, 8e8, 38.0),
    (7200, 60, 4, 380, 8e8, 28.4),
    (7200, 60, 7, 380, 8e8, 45.2),
    (0, 100, 1, 8.333333333333334, 0.5019482917820868, 16.0),
    (3600, 3600, 3, 140.0, 300000001.25, 425.0),
    (120, 300, 3, 18.0, 0.743471501026446, 54.0),
    (3600, 60, 5, 320.0, 8e8, 34.0),
    (3600, 3600, 4, 140.0, 300000001.25, 430.0),
    (30, 600, 4, 11.5, 0.5779948290721058, 104.0),
    (300, 60, 2, 40.0, 5.0048, 17.2),
    (7200, 60, 1, 380, 8e8, 11.6),
    (1200, 1000, 7, 62.0, 1.57320987654321, 185.0),
    (300, 300, 8, 30.0, 1.2548, 94.0),
    (300, 120, 4, 45.0, 20.0048, 36.8),
]
SETTINGS = MauiSettings(
    factors={
        Factor.QUEUE_TIME: Weight(2, 90),
        Factor.EXPANSION_FACTOR: Weight(10, 20),
        Factor.TARGET_QUEUE_TIME: Weight(3),
        Factor.TARGET_EXPANSION_FACTOR: Weight(5),
        Factor.PROCESSORS: Weight(2),
        Factor.PROCESSOR_SECONDS: Weight(0.01, 5000),
        Factor.WALL_TIME: Weight(0.1),
        Factor.PROCESSOR_EQUIVALENTS: Weight(3),
    },
    qos={"DEFAULT": Qos(queue_time_target_min=30, expansion_target=4)},
    chosen={"min_wall_time_s": 120},
)


def rows(t: Tables) -> dict[int, int]:
    """Row of each waiting job, by number."""
    waiting = t.queue.waiting[t.queue.head : t.queue.tail]
    return dict(zip(t.jobs.number[waiting].tolist(), waiting.tolist(), strict=True))


def waiting_at_now(settings: MauiSettings = SETTINGS) -> Tables:
    jobs = [BLOCKER, *(Job(NOW - wait, limit, width) for wait, limit, width, *_ in TWENTY)]
    jobs = [replace(job, number=k + 1) for k, job in enumerate(jobs)]
    return at(maui(sorted(jobs, key=lambda job: (job.submit, job.number)), settings), NOW)


def test_service_target_and_resource_of_twenty_jobs() -> None:
    t = waiting_at_now()
    for number, (wait, limit, width, service, target, resource) in enumerate(TWENTY, 2):
        row = rows(t)[number]
        told = f"waited {wait}, limit {limit}, {width} processors"
        assert weigh.service(t, row, NOW) == pytest.approx(service, rel=1e-12), told
        assert weigh.target(t, row, NOW) == pytest.approx(target, rel=1e-9), told
        assert weigh.resource(t, row) == pytest.approx(resource, rel=1e-12), told


def test_the_whole_is_the_weighted_and_capped_sum() -> None:
    weights = {
        Component.SERVICE: Weight(3, 100),
        Component.TARGET: Weight(0.5, 1000),
        Component.RESOURCE: Weight(-2, 90),
        Component.BYPASS: Weight(7),
    }
    settings = replace(SETTINGS, components=weights).choosing(negative_priority=True, reject_negative=False)
    t = waiting_at_now(settings)
    for number, (*_, service, target, resource) in enumerate(TWENTY, 2):
        row = rows(t)[number]
        by_hand = 3 * min(100, service) + 0.5 * min(1000, target) - 2 * min(90, resource)
        assert weigh.priority(t, row, NOW) == pytest.approx(by_hand, rel=1e-9)
        t.jobs.bypassed[row] = 4
        assert weigh.priority(t, row, NOW) == pytest.approx(by_hand + 28, rel=1e-9)


def test_twenty_jobs_by_their_credentials() -> None:
    """User 5, group 7, account 11, queue 13, QoS 17 times what administrators gave; bob's are capped."""
    settings = MauiSettings(
        factors={
            Factor.QUEUE_TIME: Weight(0),
            Factor.USER: Weight(5, 10),
            Factor.GROUP: Weight(7),
            Factor.ACCOUNT: Weight(11),
            Factor.QUEUE: Weight(13),
            Factor.QOS: Weight(17),
        },
        users={
            "ann": Credential(priority=3),
            "bob": Credential(priority=40),
            "DEFAULT": Credential(priority=1),
        },
        groups={"staff": Credential(priority=-2), "guests": Credential(priority=4, queue_weight=1.0)},
        accounts={"p1": Credential(priority=6)},
        queues={"short": Credential(priority=8), "DEFAULT": Credential(priority=2)},
        qos={"high": Qos(priority=9), "DEFAULT": Qos()},
        system=Credential(qos_list=("high",)),
        chosen={"reject_negative": False, "negative_priority": True},
    )
    of_user = {"ann": 15, "bob": 50, "cy": 5}
    of_group = {"staff": -14, "guests": 28}
    of_account = {"": 0, "p1": 66, "p2": 0}
    whose = [
        Whose(user, group, queue, account, qos)
        for user, group, account in (
            ("ann", "staff", ""),
            ("ann", "guests", "p1"),
            ("bob", "staff", "p2"),
            ("cy", "guests", ""),
            ("cy", "staff", "p1"),
        )
        for queue in ("short", "long")
        for qos in ("", "high")
    ]
    assert len(whose) == 20
    replay = maui([BLOCKER, *(Job(5, 10, 1) for _ in whose)], settings, [Whose(), *whose])
    t = at(replay, 5)
    for number, one in enumerate(whose, 2):
        queue_weight = 1 if one.group == "guests" else 13
        by_hand = of_user[one.user] + of_group[one.group] + of_account[one.account]
        by_hand += queue_weight * (8 if one.queue == "short" else 2) + (17 * 9 if one.qos else 0)
        assert priorities(t)[number] == by_hand, one


def fairshare_of(settings: MauiSettings, usage: Mapping[Whose, float], asked: Whose) -> float:
    """The fairshare component of a job of *asked* after these usages (processor-seconds)."""
    jobs, whose, clock = [], [], 0.0
    for one, amount in usage.items():
        if amount:
            jobs.append(Job(clock, amount, 1))
            whose.append(one)
            clock += amount
    jobs += [Job(clock, 1000, 8), Job(clock, 10, 8)]
    whose += [Whose("cy", "guests", "short"), asked]
    settings = settings.choosing(
        fairshare=Charge.DEDICATED_PROCESSOR_SECONDS,
        fairshare_interval_s=1e6,
        reject_negative=False,
        negative_priority=True,
    )
    t = at(maui(jobs, settings, whose), clock)
    return float(weigh.component(t, Component.FAIRSHARE, weigh.fairshare(t, credential_of(t, len(jobs)))))


def credential_of(t: Tables, number: int) -> int:
    """The credential of the job of this number, whatever it does."""
    row = int(np.flatnonzero((t.jobs.number == number) & (t.jobs.state > 0))[0])
    return int(t.jobs.credential[row])


def test_the_guides_example_of_fairshare() -> None:
    """100 * (10 * (50 - 45) + 20 * 0 + 30 * (25 - 35) + 40 * min... 0) = -25000."""
    settings = MauiSettings(
        components={Component.FAIRSHARE: Weight(100)},
        factors={
            Factor.FAIRSHARE_USER: Weight(10),
            Factor.FAIRSHARE_GROUP: Weight(20),
            Factor.FAIRSHARE_ACCOUNT: Weight(30),
            Factor.FAIRSHARE_QOS: Weight(40),
        },
        users={"ann": Credential(target=Target(50))},
        accounts={"p1": Credential(target=Target(25))},
        qos={"high": Qos(target=Target(10, TargetKind.FLOOR)), "DEFAULT": Qos()},
        system=Credential(qos_list=("high",)),
    )
    usage = {
        Whose("ann", "staff", "long", "p1", "high"): 25,
        Whose("ann", "staff", "long", "p2"): 20,
        Whose("bob", "guests", "long", "p1"): 10,
        Whose("bob", "guests", "long"): 45,
    }
    found = fairshare_of(settings, usage, Whose("ann", "staff", "long", "p1", "high"))
    assert found == pytest.approx(-25_000)


@pytest.mark.parametrize(
    ("kind", "below", "above"),
    [
        (TargetKind.TARGET, 20, -40),
        (TargetKind.FLOOR, 20, 0),
        (TargetKind.CEILING, 0, -40),
        (TargetKind.CAP, 0, 0),
        (TargetKind.ABSOLUTE_CAP, 0, 0),
    ],
)
def test_kinds_of_targets(kind: TargetKind, below: float, above: float) -> None:
    settings = MauiSettings(
        factors={Factor.FAIRSHARE_USER: Weight(1)}, users={"ann": Credential(target=Target(40, kind))}
    )
    for used, delta in ((20, below), (80, above)):
        found = fairshare_of(settings, {Whose("ann"): used, Whose("bob"): 100 - used}, Whose("ann"))
        assert found == pytest.approx(delta), used
    assert fairshare_of(settings, {}, Whose("ann")) == 0, "nothing was delivered yet"
    assert fairshare_of(settings, {Whose("bob"): 1}, Whose("ann")) == (40 if below else 0), "one second was"


@pytest.mark.parametrize(("own", "aim"), [(60.0, 60.0), (1.0, 1.0), (0.25, 0.25), (0.0, 50.0)])
def test_any_target_goes_before_that_of_all_and_none_does_not(own: float, aim: float) -> None:
    settings = MauiSettings(
        factors={Factor.FAIRSHARE_USER: Weight(1)},
        users={"ann": Credential(target=Target(own)), "DEFAULT": Credential(target=Target(50))},
    )
    assert fairshare_of(settings, {Whose("bob"): 100}, Whose("ann")) == pytest.approx(aim)


@pytest.mark.parametrize(
    ("factor", "line"),
    [
        (Factor.FAIRSHARE_USER, {"users": {"ann": Credential(target=Target(50))}}),
        (Factor.FAIRSHARE_GROUP, {"groups": {"staff": Credential(target=Target(50))}}),
        (Factor.FAIRSHARE_ACCOUNT, {"accounts": {"p1": Credential(target=Target(50))}}),
        (Factor.FAIRSHARE_QUEUE, {"queues": {"long": Credential(target=Target(50))}}),
    ],
)
def test_fairshare_of_each_kind_of_credential(factor: Factor, line: dict[str, Any]) -> None:
    settings = MauiSettings(factors={factor: Weight(2)}, **line)
    own, other = Whose("ann", "staff", "long", "p1"), Whose("bob", "guests", "short", "p2")
    assert fairshare_of(settings, {own: 20, other: 80}, own) == pytest.approx(2 * (50 - 20))
    assert fairshare_of(settings, {own: 20, other: 80}, other) == 0.0


def test_deltas_as_ratios() -> None:
    settings = MauiSettings(
        factors={Factor.FAIRSHARE_USER: Weight(1)}, users={"ann": Credential(target=Target(40))}
    )
    ratio = settings.choosing(fairshare_delta=True)
    jobs = [Job(0, 20, 1), Job(20, 80, 1), Job(100, 1000, 8), Job(100, 10, 8)]
    whose = [Whose("ann"), Whose("bob"), Whose("cy"), Whose("ann")]
    ratio = ratio.choosing(
        fairshare=Charge.DEDICATED_PROCESSOR_SECONDS, fairshare_delta=True, fairshare_interval_s=1e6
    )
    t = at(maui(jobs, ratio, whose), 100)
    assert weigh.fairshare(t, credential_of(t, 4)) == pytest.approx(1 - 20 / 40)


def test_memory_swap_and_nodes_count_in_megabytes_and_pieces() -> None:
    settings = MauiSettings(
        factors={
            Factor.QUEUE_TIME: Weight(0),
            Factor.MEMORY: Weight(1),
            Factor.SWAP: Weight(10),
            Factor.NODES: Weight(10_000),
        }
    )
    jobs = [Job(0, 100, 8), Job(1, 10, 4), Job(1, 10, 4)]
    asked = {1: request(4, 400, swap_mb=8), 2: request(4, 100, nodes=2)}
    t = at(maui(jobs, settings, machine=nodes(4, 2, 4096, 4096), requests=asked), 1)
    assert priorities(t) == {2: 480.0, 3: 20_100.0}


@pytest.mark.parametrize("weight", [1.0, 40.0, -3.0])
def test_a_soft_limit_that_a_start_would_violate(weight: float) -> None:
    """Ann has as many active jobs as she is to have, bob has none."""
    settings = MauiSettings(
        factors={Factor.QUEUE_TIME: Weight(0), Factor.SOFT_VIOLATION: Weight(weight)},
        users={"DEFAULT": Credential(active={LimitKind.JOBS: Limit(1, 5)})},
        chosen={"negative_priority": True, "reject_negative": False},
    )
    jobs, ann, bob = [Job(0, 100, 8), Job(1, 10, 1), Job(1, 10, 1)], Whose("ann"), Whose("bob")
    assert priorities(at(maui(jobs, settings, [ann, ann, bob]), 1)) == {2: weight, 3: 0.0}


def test_what_the_user_has_already() -> None:
    settings = MauiSettings(
        factors={
            Factor.QUEUE_TIME: Weight(0),
            Factor.USER_PROCESSORS: Weight(-1),
            Factor.USER_JOBS: Weight(-10),
        },
        chosen={"negative_priority": True, "reject_negative": False},
    )
    jobs = [Job(0, 100, 3), Job(0, 100, 2), Job(0, 100, 3), Job(1, 10, 1), Job(1, 10, 1), Job(1, 10, 1)]
    whose = [Whose("ann"), Whose("ann"), Whose("bob"), Whose("ann"), Whose("bob"), Whose("cy")]
    assert priorities(at(maui(jobs, settings, whose), 1)) == {4: -25.0, 5: -13.0, 6: 0.0}


def test_clipping_and_what_an_administrator_sets() -> None:
    low = {Factor.QUEUE_TIME: Weight(0), Factor.PROCESSORS: Weight(-5)}
    jobs = [BLOCKER, Job(1, 10, 2), Job(1, 10, 1)]
    assert priorities(at(maui(jobs, MauiSettings(factors=low)), 1)) == {2: 1.0, 3: 1.0}
    rejected = MauiSettings(factors=low, chosen={"reject_negative": True})
    assert priorities(at(maui(jobs, rejected), 1)) == {1: -40.0, 2: -10.0, 3: -5.0}
    high = {Factor.PROCESSORS: Weight(1e12)}
    t = at(maui(jobs, MauiSettings(factors=high)), 1)
    assert set(priorities(t).values()) == {1e9}
    row = rows(t)[3]
    t.jobs.boost[row] = 1e9 + 7
    assert weigh.priority(t, row, 1.0) == 1e9 + 7
    t.jobs.boost[row] = -50.0
    assert weigh.priority(t, row, 1.0) == 1e9 - 50


def test_what_an_administrator_sets_goes_before_next_to_run() -> None:
    """Who is next to run stands above all that is reached without a word; a word of -50 or more is heard."""
    qos = {"high": Qos(flags=frozenset({QosFlag.NEXT_TO_RUN})), "DEFAULT": Qos()}
    settings = MauiSettings(
        factors={Factor.QUEUE_TIME: Weight(0)}, qos=qos, users={"ann": Credential(qos_default="high")}
    )
    jobs = [BLOCKER, Job(1, 10, 8), Job(1, 10, 8)]
    t = at(maui(jobs, settings, [Whose("bob"), Whose("ann"), Whose("bob")]), 1)
    assert priorities(t) == {2: 1e9 + 1, 3: 1.0}
    for number, natural in ((2, 1.0), (3, 1.0)):
        row = rows(t)[number]
        t.jobs.boost[row] = 1e9 + 7
        assert weigh.priority(t, row, 1.0) == 1e9 + 7
        t.jobs.boost[row] = -50.0
        assert weigh.priority(t, row, 1.0) == natural - 50


@pytest.mark.parametrize(("rejects", "negative", "running"), [(0, 0, 1), (0, 1, 1), (1, 0, 0), (1, 1, 0)])
def test_negative_priorities_start_unless_rejected(rejects: int, negative: int, running: int) -> None:
    factors = {Factor.QUEUE_TIME: Weight(0), Factor.PROCESSORS: Weight(-5)}
    settings = MauiSettings(
        factors=factors, chosen={"reject_negative": bool(rejects), "negative_priority": bool(negative)}
    )
    assert at(maui([Job(0, 10, 1)], settings), 0).queue.running_count == running
    assert not value(MauiSettings(), "reject_negative")


def test_equal_priorities_stand_in_queue_order() -> None:
    jobs = [BLOCKER, *(Job(at_s, 10, 1) for at_s in (1, 1, 2, 3, 3, 3))]
    replay = maui(jobs, MauiSettings(factors={Factor.QUEUE_TIME: Weight(0)}))
    t = at(replay, 3)
    assert t.jobs.number[t.cycle.ranked[:6]].tolist() == [2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize("policy", [Accrual.ALWAYS, Accrual.QUEUE_POLICY, Accrual.FULL_POLICY])
def test_queue_time_of_blocked_jobs(policy: Accrual) -> None:
    """A job that a hard limit keeps from 0 to 600 s has queued for nothing by then, but under ALWAYS."""
    settings = MauiSettings(
        users={"ann": Credential(active={LimitKind.JOBS: Limit(1, 1)})}, chosen={"accrual": policy}
    )
    jobs = [Job(0, 600, 1), Job(0, 100, 1), Job(600, 5000, 8), Job(900, 1, 8)]
    whose = [Whose("ann"), Whose("ann"), Whose("bob"), Whose("bob")]
    settings = replace(
        settings,
        factors={Factor.USER: Weight(1)},
        users={**settings.users, "bob": Credential(priority=1_000_000)},
    )
    t = at(maui(jobs, settings, whose), 900)
    assert priorities(t)[2] == (15.0 if policy is Accrual.ALWAYS else 5.0)
