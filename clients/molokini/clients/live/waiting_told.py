"""Why a call takes long: the server is asked whether it compiles, and a line on standard error says so."""

import asyncio
import sys
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from molokini.client.client import Client
from molokini.model.errors import MolokiniError
from molokini.model.text import printable

AFTER_S = 2.0
"""A call that is answered within this time needs no word."""

R = TypeVar("R")


async def told_of_compiling(client: Client, call: Coroutine[Any, Any, R]) -> R:
    """What *call* answers; where that takes long because the server compiles, a line says so meanwhile."""
    answer = asyncio.ensure_future(call)
    try:
        waiting = True
        while waiting:
            await asyncio.wait([answer], timeout=AFTER_S)
            waiting = not answer.done() and not await _told(client)
        return await answer
    finally:
        answer.cancel()


async def _told(client: Client) -> bool:
    """Whether the server compiles, and that was said."""
    # The call itself says what is wrong with the server.
    with suppress(MolokiniError):
        found = await client.policy()
        if found.compiling:
            text = (
                f"the server compiles {printable(found.compiling)}, this once, since "
                f"{found.compiling_for_s:.0f} s: 10 to 30 s of its processor's time"
            )
            print(f"molokini: {text}", file=sys.stderr, flush=True)
            return True
    return False
