"""``molokini up``: a server and emulated nodes in one process."""

import asyncio
from collections.abc import Callable
from typing import Any

from molokini.app.reloading import reload_on_hangup
from molokini.app.serving import LiveServer
from molokini.model.errors import BadInput, BadValue
from molokini.proto.v1.agent_service_pb2 import NodeOffer
from molokini.server.config import Config, load_config
from molokini.server.logs import logging_to


def run(arguments: Any) -> None:
    """Serve until told to stop; prints one line when it is ready."""

    def load() -> Config:
        return configuration(arguments, {"server.new": True})

    config = load()
    with logging_to(config.log):
        asyncio.run(_serve(config, offers(arguments, config), load))


def configuration(arguments: Any, overrides: dict[str, Any]) -> Config:
    """The configuration file with what the command line says on top."""
    given = dict(overrides)
    if arguments.policy:
        given["policy.name"] = arguments.policy
    for text in arguments.set:
        name, equals, value = text.partition("=")
        if not equals:
            raise BadValue("--set", text, "NAME=VALUE")
        given[f"policy.parameters.{name}"] = value
    if arguments.state:
        given["server.journal"] = str(arguments.state)
    if arguments.listen:
        given["server.listen"] = arguments.listen
    elif not arguments.config:
        given["server.listen"] = "127.0.0.1:0"
    if arguments.clock:
        given.update(_clock(arguments.clock))
    return load_config(arguments.config, given)


def _clock(text: str) -> dict[str, Any]:
    kind, colon, rate = text.partition(":")
    if not colon:
        return {"clock.kind": kind}
    try:
        return {"clock.kind": kind, "clock.rate": float(rate)}
    except ValueError:
        raise BadValue("--clock", text, "real, scaled:N, stepped or virtual") from None


def offers(arguments: Any, config: Config) -> list[NodeOffer]:
    """The nodes to pretend: those of the configuration, or equal ones by the command line."""
    if config.nodes and arguments.nodes is None:
        return node_offers(config)
    nodes, each = arguments.nodes or 64, arguments.procs_per_node or 16
    if not 1 <= nodes <= 10_000:
        raise BadValue("--nodes", nodes, "from 1 to 10,000")
    digits = max(3, len(str(nodes)))
    return [NodeOffer(names=f"node[{1:0{digits}d}-{nodes:0{digits}d}]", processors=each)]


def node_offers(config: Config) -> list[NodeOffer]:
    """The nodes of the configuration."""
    return [
        NodeOffer(
            names=one.names,
            processors=one.processors,
            memory_kb=one.memory_kb,
            generic=one.generic,
            features=one.features,
        )
        for one in config.nodes
    ]


async def _serve(config: Config, emulated: list[NodeOffer], load: Callable[[], Config]) -> None:
    live = await LiveServer.open(config)
    try:
        port = await live.start()
        reload_on_hangup(live, load)
        live.emulate(emulated)
        known = len(live.core.state.machine.nodes)
        await live.ready(max(1, known))
        t = live.core.state.tables
        print(
            f"molokini is ready: {config.server.listen.rpartition(':')[0]}:{port}, "
            f"clock {config.clock.kind}, policy {live.core.reactor.thinker.policy.name}, "
            f"{t.nodes:,} nodes, {t.processors_in_all:,} processors, state {live.folder}",
            flush=True,
        )
        await live.until_told()
    finally:
        await live.stop()


__all__ = ["BadInput", "run"]
