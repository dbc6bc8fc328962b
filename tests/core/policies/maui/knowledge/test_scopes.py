"""Limits of many credentials and pairs at once: each counts by itself."""

from dataclasses import replace
from typing import Any

import pytest

from molokini.model.credentials import CredentialType
from molokini.model.machine import Machine
from molokini.policies import load_policy
from molokini.policies.maui.configuration.settings import (
    Credential,
    Limit,
    MauiSettings,
    PairLimit,
    Qos,
    Weight,
)
from molokini.policies.maui.configuration.vector import by_number, vector_of
from molokini.policies.maui.configuration.words import Component, Factor, LimitKind, ListRule
from molokini.sim.replay import Options, Replay
from tests.kit.maui import Whose, at, maui, priorities
from tests.kit.workloads import Job, workload_of

MANY = 16
APART = 1 << 16
"""Numbers so far apart are looked up at one place of any table of scopes."""


def test_each_of_many_pairs_has_a_limit_of_its_own() -> None:
    """One user, of whom one job may run in each of many classes at a time."""
    pair = PairLimit(LimitKind.JOBS, CredentialType.QUEUE, Limit(1, 1))
    workload = workload_of([*[Job(0, 100, 1)] * MANY, Job(1, 10, 1)])
    workload.queue[:] = [APART * k for k in (*range(1, MANY + 1), MANY)]
    made = MauiSettings(users={"1": Credential(pairs=(pair,))})
    options = Options(parameters=vector_of(made, by_number), interpreted=True)
    replay = Replay(workload, Machine.counted(2 * MANY), load_policy("maui"), options=options)
    replay.run()
    assert replay.schedule().start_s.tolist() == [0] * MANY + [100]


def test_each_of_many_users_has_a_limit_of_his_own() -> None:
    workload = workload_of([Job(0, 100, 1, user=APART * (1 + k % MANY)) for k in range(MANY + 1)])
    made = MauiSettings(users={"DEFAULT": Credential(active={LimitKind.JOBS: Limit(1, 1)})})
    options = Options(parameters=vector_of(made, by_number), interpreted=True)
    replay = Replay(workload, Machine.counted(2 * MANY), load_policy("maui"), options=options)
    replay.run()
    assert replay.schedule().start_s.tolist() == [0] * MANY + [100]


ADD, ALL, ALONE = ListRule.ADD, ListRule.ALL, ListRule.ALONE
QOS = {"high": Qos(priority=100), "low": Qos(priority=10), "free": Qos(priority=1), "DEFAULT": Qos()}
POINTS = {"high": 100, "low": 10, "free": 1, "DEFAULT": 0}
MINE = {"users": "ann", "groups": "staff", "accounts": "p1", "queues": "long"}


def got(asked: str, **lines: Credential) -> int:
    """The points of the QoS of a waiting job that has *asked* for one, where its credentials have *lines*."""
    kinds: dict[str, Any] = {kind: {MINE[kind]: line} for kind, line in lines.items() if kind in MINE}
    settings = MauiSettings(
        components={Component.CREDENTIAL: Weight(1)},
        factors={Factor.QUEUE_TIME: Weight(0), Factor.QOS: Weight(1)},
        qos=QOS,
        system=lines.get("system", Credential()),
        **kinds,
        chosen={"negative_priority": True},
    )
    whose = [Whose("bob", "guests", "short"), Whose("ann", "staff", "long", "p1", asked)]
    t = at(maui([Job(0, 100, 8), Job(1, 10, 8)], settings, whose), 1)
    return int(priorities(t)[2])


def listed(*names: str, rule: ListRule = ADD, first: str = "") -> Credential:
    return Credential(qos_list=names, qos_rule=rule, qos_default=first)


@pytest.mark.parametrize("kind", [*MINE, "system"])
def test_any_list_lets_a_job_have_what_it_names_and_nothing_else(kind: str) -> None:
    assert got("low", **{kind: listed("high", "low")}) == POINTS["low"]
    assert got("high", **{kind: listed("high", "low")}) == POINTS["high"]
    assert got("free", **{kind: listed("high", "low")}) == POINTS["DEFAULT"]


def test_lists_are_joined() -> None:
    for asked in ("high", "low", "free"):
        lines = {"users": listed("high"), "queues": listed("low"), "system": listed("free")}
        assert got(asked, **lines) == POINTS[asked]


@pytest.mark.parametrize("kind", [*MINE, "system"])
def test_a_list_that_everything_must_be_on_takes_away(kind: str) -> None:
    other = "groups" if kind == "users" else "users"
    lines = {other: listed("high", "low"), kind: listed("low", "free", rule=ALL)}
    assert got("low", **lines) == POINTS["low"]
    assert got("free", **lines) == POINTS["free"], "it is on the one list, and need not be on the other"
    assert got("high", **lines) == POINTS["DEFAULT"]


@pytest.mark.parametrize("kind", [*MINE, "system"])
def test_a_list_that_counts_alone_gives_and_takes_away(kind: str) -> None:
    other = "groups" if kind == "users" else "users"
    lines = {other: listed("high"), kind: listed("low", rule=ALONE)}
    assert got("low", **lines) == POINTS["low"]
    assert got("high", **lines) == POINTS["DEFAULT"]


def test_of_two_that_count_alone_the_first_does() -> None:
    """In the order of user, group, account, queue and system."""
    kinds = [*MINE, "system"]
    for k, kind in enumerate(kinds[:-1]):
        lines = {kind: listed("low", rule=ALONE), kinds[k + 1]: listed("high", rule=ALONE)}
        assert (got("low", **lines), got("high", **lines)) == (POINTS["low"], POINTS["DEFAULT"])


def test_a_default_may_be_asked_for_and_is_had_where_what_was_asked_for_may_not() -> None:
    lines = {"users": listed("high", first="low")}
    assert got("", **lines) == POINTS["low"]
    assert got("low", **lines) == POINTS["low"]
    assert got("high", **lines) == POINTS["high"]
    assert got("free", **lines) == POINTS["low"]
    assert got("", users=listed(first="low"), groups=listed(first="high")) == POINTS["low"]


@pytest.mark.parametrize(
    ("asked", "line", "wanted"),
    [
        ("high", Credential(qos_list=("high",)), [1]),
        ("", Credential(qos_default="high"), [1]),
        ("low", Credential(qos_default="high"), [1]),
        ("high", Credential(qos_default="low"), [1, 2]),
        ("high", Credential(), [1, 2]),
    ],
)
def test_a_limit_of_user_and_qos_is_of_the_qos_had(asked: str, line: Credential, wanted: list[int]) -> None:
    """Ann may have one job of high at a time, whatever QoS was asked for."""
    pair = PairLimit(LimitKind.JOBS, CredentialType.QOS, Limit(1, 1), "high")
    settings = MauiSettings(qos=QOS, users={"ann": replace(line, pairs=(pair,))})
    t = at(maui([Job(0, 10, 1)] * 2, settings, [Whose("ann", qos=asked)] * 2), 0)
    assert sorted(t.jobs.number[t.queue.running[: t.queue.running_count]].tolist()) == wanted
