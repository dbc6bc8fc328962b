"""Callers over a Unix socket: the kernel says which user the other end is."""

import os
import pwd
import time
from collections.abc import Callable, Mapping
from typing import Protocol

from molokini.server.config.names import is_name
from molokini.server.security.authentication import MOST_KEPT, Call, NotProven, Prover, capped, entries
from molokini.server.security.methods import Need
from molokini.server.security.roles import Caller, Role

ROOT = 0
NAMED_S = 60.0
"""For so long the name of a user is believed."""


class LocalCall(Call, Protocol):
    """A call with the kernel's word beside it."""

    user_id: int | None


class ByPeer:
    """The kernel's word, or a token where one is shown: a program may ask with another name than its own.

    The server's owner and root are administrators, as the token in the owner's files is; other users have the
    role of the configuration, or that of a user.
    """

    def __init__(
        self,
        others: Prover,
        users: Mapping[str, str],
        is_open: bool,
        owner: Callable[[], int] = os.geteuid,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._others, self._users, self._open, self._owner = others, users, is_open, owner
        self._monotonic = monotonic
        self._names: dict[int, tuple[str, float]] = {}
        """By number: the name, and until when it is believed."""

    def caller_of(self, context: Call, need: Need) -> Caller:
        """The caller under the name that this machine has for its number."""
        number = getattr(context, "user_id", None)
        if number is None or self._shows_a_name(context):
            return self._others.caller_of(context, need)
        if need is Role.NODE:
            raise NotProven("a node without a token")
        name = self._name_of(number)
        if not is_name(name):
            raise NotProven("a user whose name is invalid here")
        if number in (ROOT, self._owner()) or self._open:
            return capped(Caller(name, Role.ADMINISTRATOR), self._users)
        return Caller(name, Role(self._users.get(name, Role.USER)))

    def _name_of(self, number: int) -> str:
        """The name of *number*. It may come from another machine, so it is not asked for at each call."""
        now_s = self._monotonic()
        name, until_s = self._names.get(number, ("", 0.0))
        if not name or now_s >= until_s:
            name = name_of(number)
            if len(self._names) >= MOST_KEPT:
                self._names.clear()
            self._names[number] = name, now_s + NAMED_S
        return name

    def token_id(self, context: Call) -> str:
        """The id of a token that was shown in place of the kernel's word."""
        return self._others.token_id(context) if self._shows_a_name(context) else ""

    def stands(self, token_id: str) -> bool:
        """Whether that token was not taken back."""
        return self._others.stands(token_id)

    def _shows_a_name(self, context: Call) -> bool:
        return bool(entries(context, "molokini-user" if self._open else "authorization"))


def name_of(number: int) -> str:
    """The name of a user of this machine; ``uid-NUMBER`` where it has none."""
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"uid-{number}"
