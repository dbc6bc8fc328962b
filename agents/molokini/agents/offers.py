"""What an agent says of itself and its nodes before it talks to a server."""

from collections.abc import Sequence

from molokini.model.errors import BadValue
from molokini.model.names import MOST_NAMES, expand
from molokini.proto.v1.agent_service_pb2 import NodeOffer

LOOK_S = 1.0
"""Seconds after which an agent looks at its clock even when nothing is due."""


def check_name(name: str) -> None:
    """Raises BadValue for what cannot be the name of an agent."""
    if not name or len(name) > 255:
        raise BadValue("agent", name[:80], "a name of 1 to 255 characters")


def names_of(offers: Sequence[NodeOffer]) -> list[str]:
    """The names of all nodes of *offers*: 1 to 10,000, each once. Raises BadValue."""
    names: list[str] = []
    for offer in offers:
        names += expand(offer.names)
        if offer.processors < 1:
            raise BadValue("processors", offer.processors, f"1 or more (nodes {offer.names})")
        if offer.memory_kb < 0:
            raise BadValue("memory_kb", offer.memory_kb, f"0 or more (nodes {offer.names})")
    if not 1 <= len(names) <= MOST_NAMES:
        raise BadValue("nodes", len(names), f"from 1 to {MOST_NAMES} nodes an agent")
    if len(set(names)) < len(names):
        raise BadValue("nodes", ", ".join(offer.names for offer in offers), "offers that name each node once")
    return names
