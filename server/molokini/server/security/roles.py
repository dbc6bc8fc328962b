"""Callers: a name that was proven, and a role; and the caller of the request that runs just now."""

from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum

from molokini.model.errors import MolokiniError

ANY_NODE = "*"
"""Name of the node caller that may speak for any agent: the local agents of a server's own owner."""


ANONYMOUS = "anonymous reader"
"""Name of the callers without a proof, where the configuration lets them look: no user can have it."""


class Role(StrEnum):
    """What a caller may do at most: operators all that users may, administrators all that operators may."""

    USER = "user"
    OPERATOR = "operator"
    ADMINISTRATOR = "administrator"
    NODE = "node"


_RANKS = {Role.USER: 1, Role.OPERATOR: 2, Role.ADMINISTRATOR: 3}


def covers(held: Role, needed: Role) -> bool:
    """Whether *held* is at least *needed*. A node's role covers only itself, and nothing else covers it."""
    if Role.NODE in (held, needed):
        return held is needed
    return _RANKS[held] >= _RANKS[needed]


def lesser(one: Role, other: Role) -> Role | None:
    """The role that both hold; None where a node's meets a person's."""
    if covers(one, other):
        return other
    return one if covers(other, one) else None


@dataclass(frozen=True, slots=True)
class Caller:
    """A proven name and the role that it has."""

    name: str
    role: Role

    def is_at_least(self, role: Role) -> bool:
        """Whether the caller's role covers *role*."""
        return covers(self.role, role)

    def speaks_for(self, agent: str) -> bool:
        """Whether this caller may register as *agent*: a node's proof is bound to one name."""
        return self.role is Role.NODE and self.name in (agent, ANY_NODE)


_CALLER: ContextVar[Caller] = ContextVar("molokini_caller")


def caller() -> Caller:
    """The caller of the request that runs just now; an error outside of one, and for open methods."""
    try:
        return _CALLER.get()
    except LookupError:
        raise MolokiniError("no caller: this is not part of a request") from None


def set_caller(one: Caller) -> None:
    """Make *one* the caller of the request that this task serves."""
    _CALLER.set(one)


def current_name() -> str:
    """The caller's name for a log, a dash outside of a request."""
    one = _CALLER.get(None)
    return one.name if one else "-"
