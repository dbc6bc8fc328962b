"""Settings as one vector: what is refused, and what changes nothing: others' lines, limits out of reach."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from molokini.model.credentials import CredentialType
from molokini.model.errors import UnknownName
from molokini.policies.maui.configuration.node_settings import NodeLine
from molokini.policies.maui.configuration.parameters import parameters
from molokini.policies.maui.configuration.settings import (
    DEFAULT,
    Bucket,
    Credential,
    Limit,
    MauiSettings,
    PairLimit,
    Qos,
    Target,
    Weight,
)
from molokini.policies.maui.configuration.slots import PAIR_ROW, Pair
from molokini.policies.maui.configuration.vector import by_number, vector_of
from molokini.policies.maui.configuration.words import Component, Factor, LimitKind, QosFlag, TargetKind
from tests.kit.depth import examples
from tests.kit.maui import NAMES, QOS_NUMBERS, number_of, value
from tests.kit.maui_worlds import draw_crowd, draw_settings, picture_of

KINDS = ("users", "groups", "accounts", "queues", "qos")
HUGE = 1e9
LAST_S = 60
OTHERS = {"aa": 0, "mid": 15, "zz": 99}
"""Names that no job has; their numbers are below, between and above the others."""
STRICT = Credential(
    priority=1000,
    target=Target(1.0, TargetKind.CAP),
    active={kind: Limit(1, 1) for kind in LimitKind},
    idle={LimitKind.JOBS: 1.0},
    pairs=(PairLimit(LimitKind.JOBS, CredentialType.USER, Limit(1, 1), "zz"),),
    min_processors=100.0,
    max_processors_per_job=1,
    max_nodes_per_job=1,
    min_processors_per_job=100,
    max_wall_time_s=1.0,
    qos_default="high",
    max_processors_per_node=1,
    job_flags=frozenset({QosFlag.NO_QUEUE, QosFlag.PREEMPTOR}),
)


def number(kind: CredentialType, name: str) -> int:
    return OTHERS[name] if name in OTHERS else number_of(kind, name)


def lines_of(made: MauiSettings, kind: str) -> dict[str, Any]:
    return dict(getattr(made, kind))


def each_line(made: MauiSettings, change: Callable[[Any], Any]) -> MauiSettings:
    """With *change* made to each line of each kind, DEFAULT's, too, which is there then."""
    changed: dict[str, Any] = {}
    for kind in KINDS:
        lines = {DEFAULT: Qos() if kind == "qos" else Credential(), **lines_of(made, kind)}
        changed[kind] = {name: change(line) for name, line in lines.items()}
    return replace(made, **changed)


def of_others(kind: str, made: MauiSettings) -> MauiSettings:
    strict = Qos(**vars(STRICT)) if kind == "qos" else STRICT
    changed: dict[str, Any] = {kind: {**lines_of(made, kind), **dict.fromkeys(OTHERS, strict)}}
    return replace(made, **changed)


def huge_limits(made: MauiSettings) -> MauiSettings:
    """DEFAULT's line says them of what it says nothing of; lines that say less have the rest from it."""
    changed: dict[str, Any] = {}
    for kind in KINDS:
        lines = lines_of(made, kind)
        default = lines.get(DEFAULT, Qos() if kind == "qos" else Credential())
        active = {**{one: Limit(HUGE, HUGE) for one in LimitKind}, **default.active}
        idle = {**dict.fromkeys(LimitKind, HUGE), **default.idle}
        changed[kind] = {**lines, DEFAULT: replace(default, active=active, idle=idle)}
    return replace(made, **changed)


def spelled_out(made: MauiSettings) -> MauiSettings:
    """Each name that a job has gets a line of its own, which says what DEFAULT's does."""
    named: dict[str, tuple[str, ...]] = {
        "users": ("ann", "bob", "cy"),
        "groups": ("staff", "guests"),
        "accounts": ("p1", "p2"),
    }
    named |= {"queues": ("long", "short"), "qos": ("high", "low", "free")}
    changed: dict[str, Any] = {}
    for kind, names in named.items():
        lines = lines_of(made, kind)
        default = lines.get(DEFAULT, Qos() if kind == "qos" else Credential())
        changed[kind] = {**dict.fromkeys(names, default), **lines}
    return replace(made, **changed)


def capped(made: MauiSettings) -> MauiSettings:
    def with_cap(one: Component | Factor) -> Weight:
        return Weight(value(made, f"{one.name.lower()}_weight"), HUGE)

    components = {one: with_cap(one) for one in Component}
    return replace(made, components=components, factors={one: with_cap(one) for one in Factor})


def with_nodes(made: MauiSettings, lines: Mapping[str, NodeLine]) -> MauiSettings:
    return replace(made, nodes=replace(made.nodes, lines={**lines, **made.nodes.lines}))


WITHOUT_EFFECT: dict[str, Callable[[MauiSettings], MauiSettings]] = {
    **{f"strict lines of other {kind}": partial(of_others, kind) for kind in KINDS},
    "huge limits of what has none": huge_limits,
    "huge ceilings": lambda made: (
        made
        if value(made, "max_processors")
        else made.choosing(max_processors=10**6, max_processor_seconds=HUGE, max_wall_time_s=HUGE)
    ),
    "huge limits of each job": lambda made: each_line(
        made, lambda line: replace(line, max_nodes_per_job=10**6, max_wall_time_s=HUGE)
    ),
    "lines of their own that say what DEFAULT says": spelled_out,
    "caps that no priority reaches": capped,
    "a bucket behind all others": lambda made: replace(
        made, buckets=(*made.buckets, Bucket(9, ("zz",))), qos={**made.qos, "zz": Qos()}
    ),
    "lines of nodes that say nothing": lambda made: with_nodes(
        made, {f"n{k}": made.nodes.lines.get(DEFAULT, NodeLine()) for k in (1, 2, 3)}
    ),
    "lines of nodes that are not there": lambda made: with_nodes(
        made, {"n9": NodeLine(priority=99.0, speed=9.0, most_jobs=1, features=("fast",))}
    ),
    "more starts an iteration than there are jobs": lambda made: (
        made if value(made, "max_starts") else made.choosing(max_starts=10**6)
    ),
}


@pytest.mark.quick(one_in=11)
@pytest.mark.parametrize("name", WITHOUT_EFFECT)
def test_all_is_as_without_it(name: str) -> None:
    assert not OTHERS.keys() & (NAMES.keys() | QOS_NUMBERS.keys())
    for seed in range(examples(24)):
        random = Random(f"{name}-{seed}")
        crowd, made = draw_crowd(random), draw_settings(random)
        more = WITHOUT_EFFECT[name](made)
        plain, other = crowd.replay(made), crowd.replay(more, number=number)
        for instant in range(LAST_S):
            for replay in (plain, other):
                replay.run(instant)
            seen, wanted = picture_of(other.tables), picture_of(plain.tables)
            assert seen == wanted, f"{seed} at {instant}"
        assert list(other.schedule().refused_rows) == list(plain.schedule().refused_rows), seed


@pytest.mark.parametrize(
    "made",
    [
        MauiSettings(users={"ann": Credential(qos_default="hihg")}),
        MauiSettings(users={"ann": Credential(qos_list=("high", "hihg"))}),
        MauiSettings(buckets=(Bucket(1, ("hihg",)),)),
    ],
)
def test_a_qos_that_no_line_makes_is_refused_with_the_nearest(made: MauiSettings) -> None:
    with pytest.raises(UnknownName, match="no QoS named 'hihg'; did you mean 'high'"):
        vector_of(replace(made, qos={"high": Qos()}), number_of)


def test_credentials_of_logs_are_numbers_with_or_without_their_kind() -> None:
    assert [by_number(CredentialType.USER, name) for name in ("17", "user17")] == [17, 17]
    assert by_number(CredentialType.QOS, "high") == -1
    for name in ("ann", "group17", "\u00b2", ""):
        with pytest.raises(UnknownName, match="user of a log"):
            by_number(CredentialType.USER, name)


def test_limits_of_pairs_come_by_how_particular_they_are() -> None:
    """A named credential before each of its kind, and then a named other before each."""
    each = PairLimit(LimitKind.JOBS, CredentialType.GROUP, Limit(1, 1))
    pairs = (each, replace(each, name="staff"))
    made = MauiSettings(users={DEFAULT: Credential(pairs=pairs), "ann": Credential(pairs=pairs)})
    vector = np.array(vector_of(made, number_of))
    at = parameters(SimpleNamespace(parameters=vector))
    rows = vector[int(at.pairs) :][: int(at.pair_count) * PAIR_ROW].reshape(-1, PAIR_ROW)
    assert rows[:, [Pair.NUMBER, Pair.OTHER_NUMBER]].tolist() == [
        [number, other] for number in (NAMES["ann"], -1) for other in (NAMES["staff"], -1)
    ]
