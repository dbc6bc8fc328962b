"""``molokini wiki-scheduler``: our policies for the nodes and jobs of another resource manager."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from molokini.app.reloading import reload_on_hangup
from molokini.app.serving import LiveServer, tell_starting
from molokini.app.up import configuration
from molokini.clients.compiling import SERVER_S, compilation_told
from molokini.model.errors import BadInput
from molokini.server.config import Config
from molokini.server.logs import logging_to

STATE = "./molokini-wiki-state"
"""Where the state is unless said: the resource manager may be ours, and have its own in the same folder."""


def run(arguments: Any) -> None:
    """Look, decide and order until stopped; prints one line after the first look."""

    def load() -> Config:
        return configuration(arguments, overrides(arguments))

    config = load()
    if not config.manager.address:
        raise BadInput("--manager is missing: say HOST:PORT of the resource manager")
    with logging_to(config.log):
        asyncio.run(_serve(config, load))


def overrides(arguments: Any) -> dict[str, Any]:
    """What the command line says beside what all servers have."""
    given: dict[str, Any] = {"server.new": True}
    if not (arguments.state or arguments.config):
        given["server.journal"] = STATE
    named = {
        "address": arguments.manager,
        "key_file": str(Path(arguments.key_file).absolute()) if arguments.key_file else None,
        "algorithm": arguments.algorithm,
        "poll_s": arguments.poll,
        "events": arguments.events,
    }
    return given | {f"manager.{key}": value for key, value in named.items() if value is not None}


async def _serve(config: Config, load: Callable[[], Config]) -> None:
    tell_starting()
    with compilation_told([config.policy.name], SERVER_S):
        live = await LiveServer.started(config)
    try:
        reload_on_hangup(live, load)
        nodes, jobs = live.core.state.tables.nodes.count, len(live.core.state.open_jobs)
        live.heed_signals()
        print(
            f"molokini is ready: {config.server.listen.rpartition(':')[0]}:{live.port}, "
            f"clock {live.core.clock.kind}, policy {live.core.reactor.running_policy.policy.name}, "
            f"{nodes:,} nodes and {jobs:,} jobs of {config.manager.address}, "
            f"state {live.folder}",
            flush=True,
        )
        await live.until_told()
    finally:
        await live.stop()
