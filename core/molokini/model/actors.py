"""What changes a cluster: a user or an agent, by its name, or an origin, which is no name.

A name is a text and an origin is not, so facts distinguish a user called ``policy`` from the policy; in print
both are that word.
"""

from enum import Enum
from typing import Any, TypeAlias


class Origin(Enum):
    """What changes a cluster by itself."""

    SYSTEM = "system"
    """The server, as rules of its own want it."""
    POLICY = "policy"
    CONFIGURATION = "configuration"
    LEASE = "lease"
    """A lease that has run out, and the agent that is heard of again after that."""

    def __str__(self) -> str:
        return self.value


Actor: TypeAlias = str | Origin
"""The name of a user or an agent, or an origin; the empty text where something came about by itself."""


def written(actor: Actor) -> str | dict[str, str]:
    """*actor* as JSON has it: a name as a text, an origin as an object."""
    return {"origin": actor.value} if isinstance(actor, Origin) else actor


def read(value: Any) -> Actor:
    """The actor that ``written`` has made *value* of; ValueError or TypeError for anything else."""
    if isinstance(value, str):
        return value
    return Origin(value["origin"])


def of_word(word: str) -> Actor:
    """The actor of an early fact, in which origins stood as texts like the names of users."""
    return Origin(word) if word in _WORDS else word


_WORDS = frozenset(one.value for one in Origin)
