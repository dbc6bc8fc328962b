"""``molokini up``: which nodes it pretends, on a new state and on one that has nodes already."""

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from molokini.app.serving import LiveServer
from molokini.app.up import _serve as serving_up
from molokini.app.up import configuration, named, note_of, offers, same_again
from molokini.model.errors import BadInput, BadValue
from molokini.proto.v1.agent_service_pb2 import NodeOffer
from molokini.server.config import Config, load_config
from molokini.server.state.node_names import NodeRecord
from tests.kit.waiting import DEADLINE_S


def said(**more: Any) -> Any:
    return SimpleNamespace(**{"nodes": None, "procs_per_node": None, "clusters": None, **more})


@pytest.fixture
def config() -> Config:
    return load_config(None, {})


def test_what_is_pretended_unless_it_is_said(config: Config) -> None:
    [offer] = offers(said(), config, [])
    assert (offer.names, offer.processors) == ("node[001-064]", 16)
    [offer] = offers(said(nodes=1000, procs_per_node=4), config, [])
    assert (offer.names, offer.processors) == ("node[0001-1000]", 4)


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [
        ("nodes", 0, "--nodes: 0 is not allowed; it must be from 1 to 10,000"),
        ("nodes", -1, "--nodes: -1"),
        ("nodes", 10_001, "--nodes: 10001"),
        ("procs_per_node", 0, "--procs-per-node: 0 is not allowed; it must be from 1 to 1,048,576"),
        ("procs_per_node", -3, "--procs-per-node: -3"),
        ("procs_per_node", 2**20 + 1, "--procs-per-node: 1048577"),
    ],
)
def test_numbers_that_cannot_be(config: Config, field: str, value: int, text: str) -> None:
    with pytest.raises(BadValue) as refused:
        offers(said(**{field: value}), config, [])
    assert str(refused.value).startswith(text)


def records(count: int, processors: int, agent: str = "emulated") -> list[NodeRecord]:
    return [
        NodeRecord(n, f"node{n + 1:03}", agent, processors, 2**20, {"gpu": 2}, ("fast",))
        for n in range(count)
    ]


def test_a_state_that_has_nodes_keeps_them(config: Config) -> None:
    """Starting again without options neither adds nodes nor changes any."""
    made = offers(said(), config, records(3, 8))
    assert named(made) == ["node001", "node002", "node003"]
    assert {(o.processors, o.memory_kb, o.generic["gpu"], tuple(o.features)) for o in made} == {
        (8, 2**20, 2, ("fast",))
    }
    assert same_again(records(3, 8, agent="elsewhere")) == []


def test_options_that_the_state_overrules_are_told() -> None:
    eight = [NodeOffer(names="node[001-008]", processors=16)]
    assert note_of(eight, []) == note_of(eight, records(8, 16)) == note_of(eight, records(4, 16)) == ""
    assert note_of(eight, records(8, 4)) == (
        "the state has 8 nodes already; they stay as they are, with the processors that they have"
    )
    assert note_of(eight, records(64, 16)).startswith("the state has 64 nodes already; they stay")
    assert note_of(eight, records(64, 16, agent="elsewhere")) == ""


def test_parameters_of_a_policy_may_stand_behind_its_name() -> None:
    options = {
        "maui_config": None,
        "slurm_conf": None,
        "slurm_accounts": (),
        "state": None,
        "listen": None,
        "config": None,
        "clock": None,
    }
    given = said(policy="easy?order=shortest", set=["order=queue"], **options)
    found = configuration(given, {"server.new": True}).policy
    assert (found.name, found.parameters) == ("easy", {"order": "shortest"})


@pytest.mark.parametrize(
    "policy",
    [
        {"policy.name": "nope"},
        {"policy.name": "easy", "policy.parameters.order": "nonsense"},
        # They belong to a slurm.conf, which is not there.
        {"policy.name": "slurm", "policy.slurm_accounts": ["assoc.txt"]},
    ],
)
async def test_an_unknown_policy_leaves_no_state_behind(tmp_path: Path, policy: dict[str, Any]) -> None:
    folder = tmp_path / "state"
    config = load_config(None, {"server.new": True, "server.journal": str(folder), **policy})
    with pytest.raises(BadInput):
        await LiveServer.open(config)
    assert not folder.exists()


async def test_a_policy_that_wants_more_than_there_is_does_not_start(tmp_path: Path) -> None:
    given = {
        "server.listen": "127.0.0.1:0",
        "server.new": True,
        "server.journal": str(tmp_path / "state"),
        "policy.name": "edf-opr-k",
        "policy.parameters.k": 17,
    }
    config = load_config(None, given)
    with pytest.raises(BadValue, match="k: 17"):
        await asyncio.wait_for(
            serving_up(config, said(nodes=16, procs_per_node=1), lambda: config), DEADLINE_S
        )
