"""The holders of agents' names: one agent at a time, from its registration until its lease has run out.

The journal keeps by which start of which agent a name was used last (``State.taken``), so that a server that
was started again still knows. An agent that comes again (the same identity) has its name back at once.
Another one may run the same jobs a second time, so it is let in only when the first has ended its own: after
lease and margin without a word, or when an administrator has released the name.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

from molokini.model.errors import MolokiniError
from molokini.server.link.session import Session
from molokini.server.state.state import State


class NameInUse(MolokiniError):
    """Another agent has the name; *retry_s* is 0 where it lives, else the name may be free after so long."""

    def __init__(self, text: str, retry_s: float) -> None:
        super().__init__(text)
        self.retry_s = retry_s


def identity_of(boot_id: str) -> str:
    """Which agent it is, whatever its start: what stands before the slash, or else the start itself."""
    return boot_id.partition("/")[0]


@dataclass(frozen=True)
class Comer:
    """A start of an agent that registers, and the identity that an earlier release gave it (empty: none)."""

    boot_id: str
    former: str = ""

    def is_agent_of(self, boot_id: str) -> bool:
        """Whether the start *boot_id* was one of the same agent, so that it finds whatever that one runs."""
        identity = identity_of(boot_id)
        return identity == identity_of(self.boot_id) or (identity == self.former != "")


class Holders:
    """The names of agents. *heard_s* has the instant of the last message of each absent agent."""

    def __init__(
        self,
        sessions: dict[str, Session],
        heard_s: dict[str, float],
        monotonic: Callable[[], float],
        fresh_s: float,
        held_s: float,
    ) -> None:
        self._sessions, self._heard_s, self._monotonic = sessions, heard_s, monotonic
        self._fresh_s, self._held_s = fresh_s, held_s
        """So long after a word an agent surely lives; so long it may have jobs (0: while it is connected)."""
        self._coming: dict[str, str] = {}
        """Boot ids of agents whose registration is being journalled, by name."""

    def of(self, name: str, state: State) -> str:
        """The boot id under which *name* was used last; empty: any agent may take it."""
        return self._coming.get(name) or state.taken.get(name, ("", 0))[0]

    def claim(self, name: str, comer: Comer, state: State) -> None:
        """Keep *name* for *comer* until ``settle``; NameInUse where it is another's."""
        self.check(name, comer, state)
        self._coming[name] = comer.boot_id

    def settle(self, name: str) -> None:
        """The registration of *name* is journalled, or was refused."""
        self._coming.pop(name, None)

    def left_s(self, name: str) -> float:
        """Seconds, without another word of it, until the agent called *name* can have no job any more."""
        session = self._sessions.get(name)
        heard_s = session.heard_s if session is not None else self._heard_s.get(name, -float("inf"))
        return max(0.0, heard_s + self._held_s - self._monotonic())

    def check(self, name: str, comer: Comer, state: State) -> None:
        """Raise NameInUse where *name* belongs to another agent than *comer*."""
        holder = self.of(name, state)
        if not holder or comer.is_agent_of(holder):
            return
        session = self._sessions.get(name)
        if name in self._coming or (session is not None and self._lives(session)):
            raise NameInUse(f"agent {name} is connected already: {_WAYS.format(name=name)}", 0.0)
        left_s = self.left_s(name)
        if left_s > 0.0:
            state_of = "was heard of a moment ago" if session is not None else "has only just left"
            raise NameInUse(
                f"another agent {name} {state_of} and may still run its jobs for {ceil(left_s)} s: wait, or "
                f"{_WAYS.format(name=name)}",
                left_s,
            )

    def _lives(self, session: Session) -> bool:
        return self._held_s == 0.0 or self._monotonic() - session.heard_s <= self._fresh_s


_WAYS = (
    "start this one with another --name, or, if the first is gone for good, let an administrator say "
    "'molokini agents {name} --release'"
)
