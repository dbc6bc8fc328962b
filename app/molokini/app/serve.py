"""``molokini serve``: the server. Node agents come over the network; it emulates ``[[nodes]]`` itself."""

import asyncio
import sys
from collections.abc import Callable
from typing import Any

from molokini.app.reloading import reload_on_hangup
from molokini.app.serving import LiveServer, node_offers, tell_starting
from molokini.app.up import configuration, named, note_of
from molokini.clients.compiling import SERVER_S, compilation_told
from molokini.server.config import Config
from molokini.server.descriptors import ask_for_many
from molokini.server.logs import logging_to


def run(arguments: Any) -> None:
    """Serve until stopped; prints one line when it is ready."""
    ask_for_many()
    overrides = {"server.new": True} if arguments.new else {}
    asyncio.run(_serve(lambda: configuration(arguments, overrides)))


async def _serve(load: Callable[[], Config]) -> None:
    config = load()
    with logging_to(config.log):
        await _serve_logged(config, load)


async def _serve_logged(config: Config, load: Callable[[], Config]) -> None:
    tell_starting()
    with compilation_told([config.policy.name], SERVER_S):
        live = await LiveServer.started(config)
    try:
        reload_on_hangup(live, load)
        given, known = node_offers(config), list(live.core.state.machine.nodes)
        notes = [live.clock_note(), *([note_of(given, known)] if given else [])]
        for note in filter(None, notes):
            print(f"molokini: {note}", file=sys.stderr, flush=True)
        if given:
            live.emulate(given)
            await live.ready(len({*named(given), *(one.name for one in known)}))
        t = live.core.state.tables
        live.heed_signals()
        print(
            f"molokini is ready: {config.server.listen.rpartition(':')[0]}:{live.port}, "
            f"clock {live.core.clock.kind}, policy {live.core.reactor.running_policy.policy.name}, "
            f"{t.nodes.count:,} nodes, {t.machine.processors_in_all:,} processors, "
            f"state {live.folder}",
            flush=True,
        )
        await live.until_told()
    finally:
        await live.stop()
