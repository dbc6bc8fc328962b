"""``molokini serve``: the server alone; node agents come over the network."""

import asyncio
from typing import Any

from molokini.app.serving import LiveServer
from molokini.app.up import configuration
from molokini.server.config import Config


def run(arguments: Any) -> None:
    """Serve until told to stop; prints one line when it is ready."""
    overrides = {"server.new": True} if arguments.new else {}
    asyncio.run(_serve(configuration(arguments, overrides)))


async def _serve(config: Config) -> None:
    live = await LiveServer.open(config)
    try:
        port = await live.start()
        print(
            f"molokini is ready: {config.server.listen.rpartition(':')[0]}:{port}, "
            f"clock {config.clock.kind}, policy {live.core.reactor.thinker.policy.name}, state {live.folder}",
            flush=True,
        )
        await live.until_told()
    finally:
        await live.stop()
