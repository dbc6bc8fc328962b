"""Settings of a file, declared parameters on top of them, and names that a run does not have."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from molokini.availability.node_rules import MOST_SETS
from molokini.model.credentials import CredentialType
from molokini.model.errors import BadValue, UnknownName
from molokini.policies.maui.configuration.configured import Configured, values_of
from molokini.policies.maui.configuration.node_settings import NodeLine, NodeSets, NodeSettings
from molokini.policies.maui.configuration.parameters import PARAMETERS, parameters
from molokini.policies.maui.configuration.settings import (
    MOST_BUCKETS,
    MOST_QOS,
    Bucket,
    Credential,
    Limit,
    MauiSettings,
    PairLimit,
    Qos,
    Target,
    Weight,
)
from molokini.policies.maui.configuration.slots import ROW
from molokini.policies.maui.configuration.vector import vector_of
from molokini.policies.maui.configuration.words import Factor, LimitKind, QosFlag, TargetKind
from molokini.tables.sizes import MOST_PARTITIONS
from tests.kit.maui import maui
from tests.kit.workloads import Job

NUMBERS = {"ann": 4, "bob": 2, "high": 1, "low": 2}
MADE = MauiSettings(
    factors={Factor.EXPANSION_FACTOR: Weight(3.0)},
    buckets=(Bucket(2, ("high",)), Bucket(5)),
    users={
        "DEFAULT": Credential(priority=1),
        "ann": Credential(pairs=(PairLimit(LimitKind.JOBS, CredentialType.QUEUE, Limit(1, 1), "night"),)),
        "gone": Credential(priority=9),
    },
    qos={"high": Qos(priority=7), "low": Qos()},
)


def number_of(kind: CredentialType, name: str) -> int:
    return NUMBERS[name]


def test_the_values_of_settings_are_those_of_the_policy_where_nothing_is_said() -> None:
    assert values_of(MauiSettings()) == {one.name: one.default for one in PARAMETERS}


def test_nothing_given_is_the_vector_of_the_settings() -> None:
    made, _ = Configured.of(MADE, {}).within(lambda kind, name: name in NUMBERS)
    assert made.vector(number_of) == vector_of(made.settings, number_of)
    assert made.values["expansion_factor_weight"] == 3.0


def test_what_is_given_goes_first() -> None:
    made, _ = Configured.of(
        MADE, {"backfill": "bestfit", "reservation_depth": "9", "windows": "merged"}
    ).within(lambda kind, name: name in NUMBERS)
    plain = vector_of(made.settings, number_of)
    vector = made.vector(number_of)
    assert made.values["backfill"] == "bestfit"
    differing = [k for k in range(len(plain)) if plain[k] != vector[k]]
    names = [one.name for one in PARAMETERS]
    assert [names[k] for k in differing] == ["backfill", "windows"]
    assert [bucket.depth for bucket in made.settings.buckets] == [9, 5]


@pytest.mark.parametrize(("name", "value"), [("backfill", "most"), ("reservation_depth", "-1")])
def test_a_value_out_of_its_range_is_refused(name: str, value: str) -> None:
    with pytest.raises(BadValue, match=name):
        Configured.of(MADE, {name: value})


def test_a_name_that_is_no_parameter_is_refused() -> None:
    with pytest.raises(UnknownName, match="did you mean 'backfill'"):
        Configured.of(MADE, {"backfil": "none"})


def test_names_that_a_run_does_not_have_are_left_out_and_told() -> None:
    made, gone = Configured.of(MADE, {}).within(lambda kind, name: name in NUMBERS)
    assert gone == {CredentialType.USER: ["gone"], CredentialType.QUEUE: ["night"]}
    assert set(made.settings.users) == {"DEFAULT", "ann"}
    assert made.settings.users["ann"].pairs == ()
    assert set(made.settings.qos) == {"high", "low"}, "rules give jobs their QoS"


def test_names_that_a_run_has_stay() -> None:
    made, gone = Configured.of(MADE, {}).within(lambda kind, name: True)
    assert (made.settings, gone) == (MADE, {})


def test_the_limit_of_a_job_that_gives_none_is_its_queues_else_that_of_all() -> None:
    queues = {"DEFAULT": Credential(default_wall_time_s=60.0), "short": Credential(default_wall_time_s=10.0)}
    said = MauiSettings(queues={**queues, "plain": Credential(priority=3)}, default_wall_time_s=900.0)
    made = Configured.of(said, {})
    assert [made.default_limit_s(name) for name in ("short", "plain", "other", "")] == [10, 60, 60, 60]
    system = Configured.of(replace(said, queues={"short": queues["short"]}), {})
    assert [system.default_limit_s(name) for name in ("short", "plain")] == [10, 900]
    assert Configured.of(MauiSettings(), {}).default_limit_s("short") == 0


def of_many(what: str, count: int) -> MauiSettings:
    names = [f"n{k}" for k in range(count)]
    if what == "buckets":
        return MauiSettings(buckets=(Bucket(2),) * count)
    if what == "qos":
        return MauiSettings(qos={"DEFAULT": Qos(), **{name: Qos() for name in names}})
    if what == "features of nodes":
        return MauiSettings(nodes=NodeSettings(lines={"n1": NodeLine(features=tuple(names))}))
    if what == "NODESETLIST":
        return MauiSettings(nodes=NodeSettings(sets=NodeSets(values=tuple(names))))
    # DEFAULT is one of them.
    return MauiSettings(system=Credential(partition_list=tuple(names[1:])))


@pytest.mark.parametrize(
    ("what", "most"),
    [
        ("buckets", MOST_BUCKETS),
        ("qos", MOST_QOS),
        ("features of nodes", MOST_SETS),
        ("NODESETLIST", MOST_SETS),
        ("partitions", MOST_PARTITIONS),
    ],
)
def test_as_many_as_the_tables_hold_are_taken_and_no_more(what: str, most: int) -> None:
    assert len(vector_of(of_many(what, most), lambda kind, name: 1)) > len(PARAMETERS)
    with pytest.raises(BadValue, match=f"{what}.*at most {most}"):
        of_many(what, most + 1)


SAID: dict[str, Any] = {
    "priority": 3,
    "target": Target(30.0, TargetKind.CAP),
    "active": {kind: Limit(2.0, 4.0) for kind in LimitKind},
    "idle": dict.fromkeys(LimitKind, 5.0),
    "min_processors": 2.0,
    "max_processors_per_job": 6,
    "max_nodes_per_job": 7,
    "min_processors_per_job": 8,
    "max_wall_time_s": 9.0,
    "qos_default": "high",
    "partition_default": "b",
    "max_processors_per_node": 10,
    "job_flags": frozenset({QosFlag.PREEMPTOR}),
    "queue_weight": 11.0,
}
OF_QOS: dict[str, Any] = {
    "flags": frozenset({QosFlag.NO_BACKFILL}),
    "queue_time_target_min": 12.0,
    "expansion_target": 13.0,
    "queue_time_weight": 14.0,
    "expansion_weight": 15.0,
    "active_override": {kind: Limit(2.0, 4.0) for kind in LimitKind},
    "idle_override": dict.fromkeys(LimitKind, 5.0),
    "max_processors_per_job_override": 16,
    "max_nodes_per_job_override": 17,
}


def rows_of(settings: MauiSettings, kind: CredentialType) -> list[Sequence[float]]:
    """The rows of DEFAULT and of one more line, but for the number of the credential."""
    t = maui([Job(0, 1, 1)], settings).tables
    first, count = (int(parameters(t).credentials[2 * kind + k]) for k in range(2))
    assert count == 2
    return [t.parameters[row + 1 : row + ROW].tolist() for row in (first, first + ROW)]


@pytest.mark.parametrize("name", [*SAID, *OF_QOS])
def test_a_line_that_does_not_say_something_has_it_from_default_and_goes_before_it_else(name: str) -> None:
    """As a user's line and as one of a QoS."""
    lines: dict[str, Any] = {
        "users": (CredentialType.USER, Credential, "ann"),
        "qos": (CredentialType.QOS, Qos, "high"),
    }
    for field, (kind, line, whose) in lines.items():
        if field == "users" and name in OF_QOS:
            continue
        said, silent = line(**{name: {**SAID, **OF_QOS}[name]}), line()
        others: dict[str, Any] = {} if field == "qos" else {"qos": {"high": Qos()}}
        of_all = MauiSettings(**{**others, field: {"DEFAULT": said, whose: silent}})
        of_one = MauiSettings(**{**others, field: {"DEFAULT": silent, whose: said}})
        default, taken = rows_of(of_all, kind)
        none, own = rows_of(of_one, kind)
        assert default == taken == own != none
