"""How a command talks to the server: one client, one event loop, and how long it has patience."""

import asyncio
import math
import os
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from molokini.client.calls import Patience
from molokini.client.connected import Connected
from molokini.client.endpoint import await_start
from molokini.model.errors import BadValue

TIMEOUT_VARIABLE = "MOLOKINI_TIMEOUT_S"
_TIMEOUT_S = 10.0
_CONNECT_S = 2.0
"""A user at a terminal wants to know soon that there is no server."""

_START_S = 5.0
"""So long a command waits for a server that is starting."""

R = TypeVar("R")
C = TypeVar("C", bound="Connected")


if TYPE_CHECKING:
    from molokini.client.client import Client
    from molokini.client.job_client import JobClient


def with_client(work: "Callable[[Client], Awaitable[R]]") -> R:
    """What *work* returns, given a client of the server that the environment or the state folder names."""
    from molokini.client.client import Client

    return _ran(Client, work)


def with_job_client(work: "Callable[[JobClient], Awaitable[R]]") -> R:
    """The same for work that calls about jobs alone; it starts sooner."""
    from molokini.client.job_client import JobClient

    return _ran(JobClient, work)


def _ran(kind: type[C], work: Callable[[C], Awaitable[R]]) -> R:
    given = patience()
    await_start(min(given.timeout_s, _START_S))
    return asyncio.run(_connected(kind, work, given))


def patience() -> Patience:
    """As MOLOKINI_TIMEOUT_S says, or what suits a terminal."""
    text = os.environ.get(TIMEOUT_VARIABLE)
    if text is None:
        return Patience(timeout_s=_TIMEOUT_S, attempt_s=_TIMEOUT_S / 2, connect_s=_CONNECT_S)
    try:
        timeout_s = float(text)
    except ValueError:
        timeout_s = math.nan
    if not 0 < timeout_s < math.inf:
        raise BadValue(TIMEOUT_VARIABLE, text, "a number of seconds above 0")
    return Patience(timeout_s=timeout_s, attempt_s=timeout_s / 2, reckoning_s=timeout_s, connect_s=timeout_s)


async def _connected(kind: type[C], work: Callable[[C], Awaitable[R]], patience: Patience) -> R:
    async with kind.connect(patience=patience) as client:
        return await work(client)
