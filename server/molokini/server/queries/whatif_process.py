"""``WhatIf``: the present state is copied here, and run on by a process of its own.

So no call waits for more than the copy. One question is answered at a time: others would take the machine's
processors from the server and from each other.
"""

import asyncio
import json
import sys
from contextlib import suppress
from functools import partial

from molokini.model.errors import BadInput, BadValue, MolokiniError
from molokini.proto.v1 import cluster_service_pb2 as wire
from molokini.server.queries.present_state import encoded
from molokini.server.server import Server

MODULE = "molokini.app.whatif_process"
"""What the process runs. It stands above the server, and is found by its name."""
MOST_S = 600.0
"""A question that takes longer is given up."""
MOST_HOURS = 24 * 366.0
_BAD_INPUT = 2


class Ahead:
    """The one process, and who waits for it."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    async def answered(self, server: Server, request: wire.WhatIfRequest) -> str:
        """The document as JSON. Raises BadInput for what cannot be asked."""
        if not 0.0 < request.hours <= MOST_HOURS:
            raise BadValue("hours", request.hours, f"above 0, and at most {MOST_HOURS:,.0f}")
        async with self._turn:
            told = await server.background.run(partial(encoded, server))
            asked = json.dumps({"state": json.loads(told)["state"], "asked": _words(request)})
            return await _reckoned(asked)


def _words(request: wire.WhatIfRequest) -> dict[str, object]:
    """The request in the words of ``experiments.whatif_asked``."""
    return {
        "policy": list(request.policies),
        "maui_config": list(request.maui_configs),
        "drain": request.drain or None,
        "reserve": request.reserve or None,
        "access": list(request.access),
        "nodes": list(map(str, request.nodes)),
        "from_when": request.from_when or None,
        "for_time": request.for_time or None,
        "hours": request.hours,
        "arrivals": "resampled" if request.resampled else "none",
        "seeds": request.seeds or None,
    }


async def _reckoned(asked: str) -> str:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", MODULE, stdin=pipe, stdout=pipe, stderr=pipe
    )
    try:
        async with asyncio.timeout(MOST_S):
            out, told = await process.communicate(asked.encode())
    except TimeoutError:
        raise MolokiniError(f"no answer within {MOST_S:g} s; ask for fewer hours or draws") from None
    finally:
        if process.returncode is None:
            # The caller has gone, or it takes too long: no caller waits for the answer.
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    lines = told.decode(errors="replace").strip().splitlines()
    if process.returncode == _BAD_INPUT:
        raise BadInput(lines[-1] if lines else "it cannot be asked")
    if process.returncode != 0:
        raise MolokiniError(f"the process that looks ahead has failed: {lines[-1] if lines else 'no word'}")
    return out.decode()
