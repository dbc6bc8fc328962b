"""What an agent may be called and offer, and by what its starts are told apart."""

import pytest

from molokini.agents.agent import EmulatedAgent
from molokini.agents.offers import names_of
from molokini.model.errors import BadValue
from molokini.proto.v1.agent_service_pb2 import NodeOffer
from tests.kit.agents import Hands


def _made(name: str = "a", rate: float = 1.0, identity: str = "") -> EmulatedAgent:
    offers = [NodeOffer(names="n1", processors=1)]
    return EmulatedAgent(name, offers, follows_clock=True, monotonic=Hands(), rate=rate, identity=identity)


@pytest.mark.parametrize("name", ["", "x" * 256])
def test_a_name_of_no_or_too_many_characters_is_refused(name: str) -> None:
    with pytest.raises(BadValue, match=r"^agent: "):
        _made(name)
    assert _made("x" * 255).name == "x" * 255


@pytest.mark.parametrize("rate", [0.0, -1.0, float("inf"), float("nan")])
def test_a_rate_at_which_no_clock_goes_is_refused(rate: float) -> None:
    with pytest.raises(BadValue, match=r"^rate: "):
        _made(rate=rate)


@pytest.mark.parametrize(
    ("offers", "field"),
    [
        ([NodeOffer(names="n1", processors=0)], "processors"),
        ([NodeOffer(names="n1", processors=1, memory_kb=-1)], "memory_kb"),
        ([NodeOffer(names="n[1-3]", processors=1), NodeOffer(names="n2", processors=1)], "nodes"),
        ([NodeOffer(names="n[00001-10000]", processors=1), NodeOffer(names="m1", processors=1)], "nodes"),
        ([], "nodes"),
    ],
)
def test_offers_that_cannot_be_are_refused_by_field(offers: list[NodeOffer], field: str) -> None:
    with pytest.raises(BadValue, match=f"^{field}: "):
        names_of(offers)


def test_ten_thousand_nodes_are_not_too_many() -> None:
    assert len(names_of([NodeOffer(names="n[00001-10000]", processors=1)])) == 10_000


def test_starts_of_one_agent_have_its_identity_before_the_slash() -> None:
    one, other = _made(identity="me"), _made(identity="me")
    assert {each.boot_id.partition("/")[0] for each in (one, other)} == {"me"}
    assert one.boot_id != other.boot_id
    assert "/" not in _made().boot_id
