"""Everything that can be set: what is refused, and what follows from it."""

from typing import Any

import pytest

from molokini.model.credentials import CredentialType
from molokini.model.errors import BadValue, UnknownName
from molokini.policies.maui.configuration.node_settings import NodeLine, NodeSettings
from molokini.policies.maui.configuration.settings import (
    MOST_BUCKETS,
    MOST_QOS,
    Bucket,
    Credential,
    MauiSettings,
    Qos,
    Weight,
)
from molokini.policies.maui.configuration.words import Allocation, Component, Factor
from tests.kit.maui import value


def qoses(count: int) -> dict[str, Qos]:
    return {f"q{k}": Qos() for k in range(count)}


@pytest.mark.parametrize(
    ("given", "error", "cause"),
    [
        ({"chosen": {"backfil": 1.0}}, UnknownName, "did you mean 'backfill'"),
        ({"chosen": {"node_allocation": 1.0}}, UnknownName, "node_allocation"),
        ({"chosen": {"fairshare_depth": 33}}, BadValue, "fairshare_depth: 33 .* from 1 to 32"),
        ({"chosen": {"fairshare_decay": 1.5}}, BadValue, "fairshare_decay: 1.5"),
        ({"chosen": {"fairshare_interval_s": 0.0}}, BadValue, "fairshare_interval_s: 0"),
        ({"buckets": (Bucket(),) * (MOST_BUCKETS + 1)}, BadValue, f"at most {MOST_BUCKETS}"),
        ({"qos": qoses(MOST_QOS + 1)}, BadValue, f"at most {MOST_QOS} of them beside DEFAULT"),
        (
            {"system": Credential(partition_list=tuple(f"p{k}" for k in range(99)))},
            BadValue,
            "partitions: 100",
        ),
    ],
)
def test_what_has_no_room_is_refused(given: dict[str, Any], error: type[Exception], cause: str) -> None:
    with pytest.raises(error, match=cause):
        MauiSettings(**given)


def test_as_many_as_there_is_room_for_are_taken() -> None:
    made = MauiSettings(buckets=(Bucket(),) * MOST_BUCKETS, qos={"DEFAULT": Qos(), **qoses(MOST_QOS)})
    assert len(made.credentials(CredentialType.QOS)) == MOST_QOS + 1


def test_numbers_are_those_that_were_chosen_else_the_defaults() -> None:
    made = MauiSettings(
        chosen={"poll_s": 30.0, "max_starts": 4},
        components={Component.SERVICE: Weight(3, cap=9)},
        factors={Factor.USER: Weight(2)},
        buckets=(Bucket(5), Bucket(7)),
        nodes=NodeSettings(allocation=Allocation.FASTEST),
    )
    wanted = {"poll_s": 30, "next_iteration_s": 30, "max_starts": 4, "service_weight": 3, "service_cap": 9}
    wanted |= {"user_weight": 2, "user_cap": 0, "reservation_depth": 5, "node_allocation": Allocation.FASTEST}
    assert {name: value(made, name) for name in wanted} == wanted
    assert value(made.choosing(next_iteration_s=5.0), "next_iteration_s") == 5
    assert value(MauiSettings(), "queue_time_weight") == 1


@pytest.mark.parametrize(
    ("given", "partitions"),
    [
        ({}, ()),
        (
            {"users": {"ann": Credential(partition_default="b", partition_list=("c", "DEFAULT"))}},
            ("DEFAULT", "b", "c"),
        ),
        ({"system": Credential(partition_list=())}, ("DEFAULT",)),
        ({"nodes": NodeSettings(lines={"n1": NodeLine(partition="z"), "n2": NodeLine()})}, ("DEFAULT", "z")),
    ],
)
def test_partitions_are_those_that_lines_name(given: dict[str, Any], partitions: tuple[str, ...]) -> None:
    assert MauiSettings(**given).partitions == partitions
