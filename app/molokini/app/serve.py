"""``molokini serve``: the server alone; node agents come over the network."""

import asyncio
import sys
from collections.abc import Callable
from typing import Any

from molokini.app.reloading import reload_on_hangup
from molokini.app.serving import LiveServer
from molokini.app.up import configuration
from molokini.clients.compiling import compilation_told
from molokini.server.config import Config
from molokini.server.logs import logging_to


def run(arguments: Any) -> None:
    """Serve until told to stop; prints one line when it is ready."""
    overrides = {"server.new": True} if arguments.new else {}
    asyncio.run(_serve(lambda: configuration(arguments, overrides)))


async def _serve(load: Callable[[], Config]) -> None:
    config = load()
    with logging_to(config.log):
        await _serve_logged(config, load)


async def _serve_logged(config: Config, load: Callable[[], Config]) -> None:
    with compilation_told():
        live = await LiveServer.open(config)
    try:
        port = await live.start()
        reload_on_hangup(live, load)
        if note := live.clock_note():
            print(f"molokini: {note}", file=sys.stderr, flush=True)
        print(
            f"molokini is ready: {config.server.listen.rpartition(':')[0]}:{port}, "
            f"clock {live.core.clock.kind}, policy {live.core.reactor.thinker.policy.name}, "
            f"state {live.folder}",
            flush=True,
        )
        await live.until_told()
    finally:
        await live.stop()
