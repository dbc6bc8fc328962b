"""What a caller may do to a job, a node, a queue, the policy, another's role: functions without side effects.

The table of methods lets callers in; these functions are asked again where the object of the call is known,
by the code that acts on it. None means yes.
"""

from dataclasses import dataclass
from enum import StrEnum

from molokini.model.errors import BadInput, MolokiniError
from molokini.server.security.roles import Caller, Role, covers


class Action(StrEnum):
    """What can be done, as a person would say it."""

    VIEW = "see"
    READ = "read the script and the environment of"
    CANCEL = "cancel"
    HOLD = "hold"
    RELEASE = "release"
    ALTER = "alter"
    SIGNAL = "signal"
    REQUEUE = "requeue"
    SUSPEND = "suspend"
    RESUME = "resume"
    SLICE = "slice"
    SET_RATE = "set the rate of"
    START = "start, past the policy,"
    OPERATOR_HOLD = "set or clear an operator's hold on"
    SYSTEM_HOLD = "set or clear a system hold on"
    CHANGE_NODES = "change nodes"
    OPEN_QUEUE = "open, close or start a queue"
    DEFINE_QUEUE = "make, remove or redefine a queue"
    SET_POLICY = "set the policy"
    CHANGE_SCHEDULING = "pause or resume scheduling"
    RESET_STATISTICS = "reset statistics"
    CHANGE_CLOCK = "change the clock"
    RESERVE = "make or release reservations"
    ISSUE_TOKENS = "issue tokens"
    REFUND = "refund what jobs have cost"
    BOOK = "deposit in or withdraw from accounts"


_OWNERS = frozenset(
    {
        Action.VIEW,
        Action.READ,
        Action.CANCEL,
        Action.HOLD,
        Action.RELEASE,
        Action.ALTER,
        Action.SIGNAL,
        Action.REQUEUE,
        Action.SUSPEND,
        Action.SET_RATE,
        Action.RESUME,
    }
)
_ADMINISTRATORS = frozenset(
    {
        Action.SYSTEM_HOLD,
        Action.DEFINE_QUEUE,
        Action.SET_POLICY,
        Action.CHANGE_SCHEDULING,
        Action.RESET_STATISTICS,
        Action.CHANGE_CLOCK,
        Action.RESERVE,
        Action.BOOK,
    }
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why not. *hidden*: the caller is to hear only that there is no such thing."""

    text: str
    hidden: bool = False


class NotAllowed(MolokiniError):
    """The caller may not do this: neither its role nor ownership allows it."""


class NoSuchJob(BadInput):
    """There is no job of this number, or none that the caller may know of: the text is the same."""

    def __init__(self, job_id: int) -> None:
        super().__init__(f"no job {job_id}")


def may(caller: Caller, action: Action, owner: str | None = None, privacy: bool = False) -> Refusal | None:
    """Whether *caller* may do *action* to what belongs to *owner* (None: to no user, such as a node).

    With *privacy*, users do not learn that the jobs of others exist.
    """
    if caller.is_at_least(_needed(caller, action, owner, privacy)):
        return None
    if privacy and owner is not None and not _owns(caller, owner):
        return Refusal("not found", hidden=True)
    whose = "" if owner is None else " their own job" if _owns(caller, owner) else f" a job of {owner}"
    needed = _needed(caller, action, owner, privacy)
    return Refusal(f"{caller.name} has the role {caller.role}; to {action}{whose} needs the role {needed}")


def require(
    caller: Caller, action: Action, owner: str | None = None, privacy: bool = False, job_id: int = 0
) -> None:
    """Raise NotAllowed, or NoSuchJob where the caller may not know of it, unless ``may`` says yes."""
    refusal = may(caller, action, owner, privacy)
    if refusal is not None:
        raise NoSuchJob(job_id) if refusal.hidden else NotAllowed(refusal.text)


def may_grant(caller: Caller, name: str, role: Role) -> Refusal | None:
    """Whether *caller* may issue and revoke tokens of *name* with *role*.

    In its own name a caller grants no more than it has. Who has a token in another name is that user wherever
    jobs run, whatever the token's role, and so it needs an administrator.
    """
    needed = Role.ADMINISTRATOR if role is Role.NODE else role
    if caller.role is Role.NODE or not covers(caller.role, needed):
        return Refusal(f"{caller.name} has the role {caller.role} and cannot grant or revoke the role {role}")
    return may_name(caller, name)


def may_name(caller: Caller, name: str) -> Refusal | None:
    """Whether the tokens of *name* are the caller's to see at all: its own, or to an administrator all."""
    if caller.role is Role.ADMINISTRATOR or _owns(caller, name):
        return None
    needed = f"tokens of another name ({name:.80}) need the role {Role.ADMINISTRATOR}"
    return Refusal(f"{caller.name} has the role {caller.role}; {needed}")


def _owns(caller: Caller, owner: str) -> bool:
    # Names are compared whole. A node of the same name is not the user.
    return caller.role is not Role.NODE and caller.name == owner


def _needed(caller: Caller, action: Action, owner: str | None, privacy: bool) -> Role:
    if action in _ADMINISTRATORS:
        return Role.ADMINISTRATOR
    if action in _OWNERS and owner is not None and _owns(caller, owner):
        return Role.USER
    if action is Action.VIEW and not privacy:
        return Role.USER
    return Role.OPERATOR
