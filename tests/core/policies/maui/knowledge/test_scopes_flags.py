"""Flags of users, groups, accounts and classes: their jobs have them whatever their QoS."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from molokini.model.decisions import Refusal
from molokini.policies.maui.configuration.settings import Bucket, Credential, MauiSettings, Qos, Weight
from molokini.policies.maui.configuration.words import (
    BackfillPolicy,
    Component,
    Factor,
    PreemptPolicy,
    QosFlag,
)
from tests.kit.maui import Whose, finished, maui, nodes
from tests.kit.replays import starts
from tests.kit.workloads import Job

ANN, BOB, CY = Whose(), Whose(user="bob", group="guests", queue="short", account="p2"), Whose(user="cy")
LINES = {
    "users": {"bob": QosFlag.PREEMPTOR},
    "groups": {"guests": QosFlag.PREEMPTOR},
    "accounts": {"p2": QosFlag.PREEMPTOR},
    "queues": {"short": QosFlag.PREEMPTOR},
}


def flagged(*flags: QosFlag) -> Credential:
    return Credential(job_flags=frozenset(flags))


def settings(preempt: PreemptPolicy = PreemptPolicy.REQUEUE, **lines: Any) -> MauiSettings:
    """Bob goes before others."""
    return MauiSettings(
        components={Component.CREDENTIAL: Weight(1.0)},
        factors={Factor.USER: Weight(1.0)},
        **lines,
        chosen={"preempt": preempt},
    )


TWO = [Job(0, 100, 8), Job(10, 10, 8)]


@pytest.mark.parametrize("kind", LINES)
def test_each_kind_of_credential_may_have_them(kind: str) -> None:
    lines: dict[str, Any] = {kind: {name: flagged(flag) for name, flag in LINES[kind].items()}}
    lines.setdefault("users", {})["ann"] = flagged(QosFlag.PREEMPTEE)
    assert starts(finished(TWO, settings(**lines), [ANN, BOB])) == [0, 10]
    lines["users"]["ann"] = flagged()
    assert starts(finished(TWO, settings(**lines), [ANN, BOB])) == [0, 100]


def test_default_and_the_system_speak_for_all() -> None:
    made = settings(users={"DEFAULT": flagged(QosFlag.PREEMPTEE), "bob": flagged(QosFlag.PREEMPTOR)})
    assert starts(finished(TWO, made, [ANN, BOB])) == [0, 10]
    made = settings(users={"ann": flagged(QosFlag.PREEMPTEE)})
    made = MauiSettings(**{**vars(made), "system": flagged(QosFlag.PREEMPTOR)})
    assert starts(finished(TWO, made, [ANN, BOB])) == [0, 10]


def test_who_is_dedicated_has_his_nodes_for_himself() -> None:
    jobs = [Job(0, 100, 1), Job(1, 10, 1), Job(1, 10, 1)]
    machine = nodes(2, 4)
    made = settings(queues={"short": flagged(QosFlag.DEDICATED)})
    replay = maui(jobs, made, [ANN, BOB, CY], machine)
    replay.run(1)
    t = replay.tables
    assert sorted((t.nodes.total - t.nodes.free)[:, 0].tolist()) == [1, 2]
    assert t.nodes.jobs.size == 2
    replay = maui([*jobs, Job(2, 10, 4)], made, [BOB, ANN, BOB, ANN], machine)
    replay.run()
    assert starts(replay) == [0, 1, 11, 21]


def test_a_promise_to_who_is_dedicated_is_of_whole_nodes() -> None:
    """Two nodes of 4, one busy up to 100, one for ever: bob's 2 get the first, and cy comes after him."""
    made = settings(users={"bob": flagged(QosFlag.DEDICATED)})
    made = replace(made, buckets=(Bucket(2),))
    jobs = [Job(0, 100, 4), Job(0, 1000, 4), Job(1, 10, 2), Job(1, 10, 2)]
    replay = maui(jobs, made, [ANN, ANN, BOB, CY], nodes(2, 4))
    replay.run(1)
    t = replay.tables
    rows = t.queue.waiting[t.queue.head : t.queue.tail]
    assert t.jobs.reserved_s[rows].tolist() == [100, 110]
    replay.run()
    assert starts(replay) == [0, 0, 100, 110]


@pytest.mark.parametrize("policy", [BackfillPolicy.FIRSTFIT, BackfillPolicy.NONE])
def test_who_is_not_to_queue_starts_at_once_or_goes(policy: BackfillPolicy) -> None:
    # The third is in nobody's way: the fourth has the reservation, and the fifth is backfilled before it.
    jobs = [Job(0, 100, 6), Job(0, 5, 1), Job(1, 10, 8), Job(2, 10, 8), Job(3, 10, 2), Job(3, 10, 2)]
    made = settings(users={"bob": flagged(QosFlag.NO_QUEUE)})
    made = made.choosing(backfill=policy)
    replay = finished(jobs, made, [ANN, BOB, BOB, ANN, ANN, BOB])
    late = 110 if policy is BackfillPolicy.NONE else 5
    assert starts(replay) == [0, 0, None, 100, late, None]
    refused = replay.agenda.results.refusal
    assert np.flatnonzero(refused == Refusal.NOT_AT_ONCE).tolist() == [2, 5]


def test_who_goes_at_once_is_no_longer_one_that_others_were_backfilled_past() -> None:
    """Bob's goes in the iteration that backfills ann's past it, and past cy's, which stays."""
    made = MauiSettings(components={Component.BYPASS: Weight(1)}, users={"bob": flagged(QosFlag.NO_QUEUE)})
    jobs = [Job(0, 100, 6), Job(1, 10, 8), Job(1, 10, 8), Job(1, 10, 2)]
    replay = finished(jobs, made, [ANN, CY, BOB, ANN])
    assert starts(replay) == [0, 100, None, 1]
    assert np.flatnonzero(replay.agenda.results.refusal == Refusal.NOT_AT_ONCE).tolist() == [2]


@pytest.mark.parametrize("policy", [BackfillPolicy.FIRSTFIT, BackfillPolicy.NONE])
def test_who_goes_at_once_is_in_nobodys_way(policy: BackfillPolicy) -> None:
    """Bob's 8 are refused at 1, and ann's 2 behind them, there up to 501, start in the same iteration."""
    made = settings(users={"bob": flagged(QosFlag.NO_QUEUE)}).choosing(backfill=policy)
    jobs = [Job(0, 100, 6), Job(1, 10, 8), Job(1, 500, 2)]
    assert starts(finished(jobs, made, [ANN, BOB, ANN])) == [0, None, 1]


def test_who_goes_at_once_has_passed_nobody() -> None:
    """Cy's is passed by ann's at 2 and at 20; bob's has the row of the former, and goes at 20."""
    made = MauiSettings(components={Component.BYPASS: Weight(1)}, users={"bob": flagged(QosFlag.NO_QUEUE)})
    jobs = [Job(0, 100, 6), Job(1, 10, 8), Job(2, 10, 1), Job(20, 10, 8), Job(20, 10, 1)]
    replay = maui(jobs, made, [ANN, CY, ANN, BOB, ANN])
    replay.run(20)
    t = replay.tables
    row = int(t.queue.waiting[t.queue.head])
    assert (t.jobs.number[row], t.jobs.bypassed[row]) == (2, 2)


@pytest.mark.parametrize("preempt", [PreemptPolicy.REQUEUE, PreemptPolicy.SUSPEND, PreemptPolicy.CANCEL])
def test_restartpreempt_requeues_who_can_be_restarted_and_nobody_else(preempt: PreemptPolicy) -> None:
    jobs = [Job(0, 100, 4), Job(0, 100, 4), Job(10, 10, 4)]
    strong = Credential(qos_default="high", priority=10)
    made = settings(
        preempt, users={"bob": strong, "ann": flagged(QosFlag.RESTARTABLE), "cy": flagged(QosFlag.PREEMPTEE)}
    )
    made = MauiSettings(**{**vars(made), "qos": {"high": Qos(flags=frozenset({QosFlag.RESTART_PREEMPT}))}})
    replay = maui(jobs, made, [ANN, CY, BOB])
    assert replay.run()
    schedule = replay.schedule()
    # Ann starts anew at 20, with nothing kept.
    assert (list(schedule.start_s), list(schedule.end_s)) == ([0.0, 0.0, 10.0], [120.0, 100.0, 20.0])
    assert finished([*jobs[:2], Job(10, 10, 8)], made, [ANN, CY, BOB]).schedule().start_s[2] == 100.0
