"""The clusters that ``molokini up --clusters`` and a configuration make."""

from types import SimpleNamespace
from typing import Any

import pytest

from molokini.app.agent import more_of, offer_of
from molokini.app.serving import node_offers
from molokini.app.up import configuration, named, offers
from molokini.model.errors import BadValue
from molokini.server.config import Config


def asked(clusters: str, nodes: int | None = None, procs_per_node: int | None = None) -> Any:
    return SimpleNamespace(clusters=clusters, nodes=nodes, procs_per_node=procs_per_node)


def made(arguments: Any) -> list[tuple[str, str, int]]:
    return [(one.names, one.cluster, one.processors) for one in offers(arguments, Config(), ())]


def test_equal_clusters_and_clusters_of_their_own_sizes() -> None:
    assert made(asked("2x8")) == [("c0-node[001-008]", "c0", 1), ("c1-node[001-008]", "c1", 1)]
    assert made(asked("8,4,1", procs_per_node=16)) == [
        ("c0-node[001-008]", "c0", 16),
        ("c1-node[001-004]", "c1", 16),
        ("c2-node[001-001]", "c2", 16),
    ]
    assert len(named(offers(asked("10x1000"), Config(), ()))) == 10_000


@pytest.mark.parametrize(
    "text",
    ["", "x", "4x", "x8", "4x0", "0x4", "4x8x2", "-1x4", "8,,4", "8,0", "10x1001", "999999999x1", "٤x٢"],
)
def test_sizes_that_cannot_be_are_refused(text: str) -> None:
    with pytest.raises(BadValue, match="--clusters"):
        offers(asked(text), Config(), ())


def test_other_options_that_do_not_go_with_it_are_refused() -> None:
    with pytest.raises(BadValue, match="--nodes"):
        offers(asked("4x8", nodes=3), Config(), ())
    with pytest.raises(BadValue, match="--procs-per-node"):
        offers(asked("4x8", procs_per_node=0), Config(), ())


def test_a_file_and_an_agent_say_it_by_name() -> None:
    config = Config.model_validate({"nodes": [{"names": "a[1-2]", "cluster": "east"}, {"names": "b1"}]})
    assert [(one.names, one.cluster) for one in node_offers(config)] == [("a[1-2]", "east"), ("b1", "")]
    assert offer_of("agent", 4, 2, "west").cluster == "west"


def test_an_agent_offers_what_its_options_say_of_memory_gpus_and_features() -> None:
    wide = arguments(memory="8G", gpus=2, feature=["fast", "ib"])
    offer = offer_of("agent", 4, 2, **more_of(wide))
    assert (offer.memory_kb, dict(offer.generic), list(offer.features)) == (
        8 << 20,
        {"gpu": 2},
        ["fast", "ib"],
    )
    assert offer_of("agent", 4, 2, **more_of(arguments())) == offer_of("agent", 4, 2)
    for wrong in ({"memory": "8"}, {"gpus": 0}, {"gpus": 2**31}):
        with pytest.raises(BadValue, match=f"--{next(iter(wrong))}"):
            more_of(arguments(**wrong))


def arguments(**given: object) -> SimpleNamespace:
    return SimpleNamespace(**{"memory": None, "gpus": None, "feature": (), **given})


@pytest.mark.parametrize(
    "text", ["scaled", "scaled:", "scaled:fast", "stepped:5", "real:3", "virtual:", ":5", ""]
)
def test_a_clock_that_is_half_said_is_refused(text: str) -> None:
    given = SimpleNamespace(
        policy=None,
        set=[],
        maui_config=None,
        slurm_conf=None,
        slurm_accounts=(),
        state=None,
        listen=None,
        config=None,
        clock=text or " ",
    )
    with pytest.raises(BadValue, match="clock"):
        configuration(given, {})
