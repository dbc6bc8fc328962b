"""``molokini up``: a server and its nodes in one process, emulated ones or this machine."""

import asyncio
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from molokini.app.agent import MODES
from molokini.app.described import offers_of_site, queue_of_site
from molokini.app.process_agent import (
    check_for_processes_only,
    ends_of,
    local_agent,
    local_offer,
    notes_of,
)
from molokini.app.reloading import reload_on_hangup
from molokini.app.serving import LOCAL_AGENT, LiveServer, node_offers, tell_starting
from molokini.clients.compiling import SERVER_S, compilation_told
from molokini.model.errors import BadInput, BadValue, Conflict
from molokini.model.names import expand
from molokini.model.site import DESCRIBED, Site
from molokini.model.specs import split_spec
from molokini.policies import load_policy
from molokini.proto.v1.agent_service_pb2 import NodeOffer
from molokini.server.config import Config, load_config
from molokini.server.logs import logging_to
from molokini.server.policies import check_parameters
from molokini.server.state.node_names import NodeRecord
from molokini.server.time.clock import ClockKind

MOST_PROCESSORS = 2**20
"""Of one node."""
MOST_NODES = 10_000
"""Of one agent."""
_EQUAL, _EACH = re.compile(r"(\d{1,9})x(\d{1,9})", re.ASCII), re.compile(r"\d{1,9}(,\d{1,9})*", re.ASCII)


def run(arguments: Any) -> None:
    """Serve until stopped; prints one line when it is ready."""

    def load() -> Config:
        return configuration(arguments, {"server.new": True})

    config = load()
    # Before anything is opened: a number that cannot be leaves no trace.
    real = real_offer(arguments, config)
    if real is None:
        offers(arguments, config, ())
    with logging_to(config.log):
        asyncio.run(_serve(config, arguments, load, real))


def configuration(arguments: Any, overrides: dict[str, Any]) -> Config:
    """The configuration file with what the command line says on top."""
    given = dict(overrides)
    for text in arguments.set:
        name, equals, value = text.partition("=")
        if not equals:
            raise BadValue("--set", text, "NAME=VALUE")
        if f"policy.parameters.{name}" in given:
            raise BadValue("--set", text, f"without a second value for {name!r}")
        given[f"policy.parameters.{name}"] = value
    if arguments.policy:
        given["policy.name"], own = split_spec(arguments.policy)
        given.update({f"policy.parameters.{name}": value for name, value in own.items()})
    if arguments.maui_config:
        given["policy.maui_config"] = str(Path(arguments.maui_config).absolute())
    if arguments.slurm_conf:
        given["policy.slurm_conf"] = str(Path(arguments.slurm_conf).absolute())
    if arguments.slurm_accounts:
        given["policy.slurm_accounts"] = [str(Path(name).absolute()) for name in arguments.slurm_accounts]
    if arguments.state:
        given["server.journal"] = str(arguments.state)
    if arguments.listen:
        given["server.listen"] = arguments.listen
    elif not arguments.config:
        given["server.listen"] = "127.0.0.1:0"
    if not arguments.config:
        given["web.listen"] = "127.0.0.1:0"
    if arguments.clock:
        given.update(_clock(arguments.clock))
    config = load_config(arguments.config, given)
    site = described_site(config)
    if site is None or arguments.config:
        return config
    # Jobs name partitions as queues; the one that the site calls first takes those that name none.
    names = site.known_names()["queue"]
    others = (arguments.nodes, arguments.procs_per_node, arguments.clusters)
    if any(one is not None for one in others):
        # The nodes are others than those of the site, and so no queue is kept to some of these.
        given["queues"] = [{"name": name} for name in names]
    else:
        given["queues"] = [queue_of_site(site, name) for name in names]
    return load_config(arguments.config, given) if given["queues"] else config


def described_site(config: Config) -> Site | None:
    """What the configuration of the policy describes; None: it has none that describes a machine."""
    file = config.policy.slurm_conf
    if file is None:
        return None
    loaded = load_policy(DESCRIBED)
    beside = [str(file.parent / name) for name in config.policy.slurm_accounts]
    return loaded.configurations.site_in(loaded.plain, file, {}, beside)


def _clock(text: str) -> dict[str, Any]:
    kind, colon, rate = text.partition(":")
    if (kind == "scaled") != bool(colon):
        # Scaled by what must be said, and nothing else has a number.
        raise BadValue("--clock", text, "real, scaled:N, stepped or virtual")
    if not colon:
        return {"clock.kind": kind}
    try:
        return {"clock.kind": kind, "clock.rate": float(rate)}
    except ValueError:
        raise BadValue("--clock", text, "real, scaled:N, stepped or virtual") from None


def offers(arguments: Any, config: Config, known: Sequence[NodeRecord]) -> list[NodeOffer]:
    """The nodes to pretend: as the command line says, or the configuration, or as the state has them."""
    if arguments.clusters is not None:
        return cluster_offers(arguments)
    if arguments.nodes is None and arguments.procs_per_node is None:
        given = node_offers(config) or described_offers(config) or same_again(known)
        if given:
            return given
    nodes = 64 if arguments.nodes is None else arguments.nodes
    each = 16 if arguments.procs_per_node is None else arguments.procs_per_node
    if not 1 <= nodes <= MOST_NODES:
        raise BadValue("--nodes", nodes, f"from 1 to {MOST_NODES:,}")
    if not 1 <= each <= MOST_PROCESSORS:
        raise BadValue("--procs-per-node", each, f"from 1 to {MOST_PROCESSORS:,}")
    digits = max(3, len(str(nodes)))
    return [NodeOffer(names=f"node[{1:0{digits}d}-{nodes:0{digits}d}]", processors=each)]


def described_offers(config: Config) -> list[NodeOffer]:
    """The nodes that the configuration of the policy describes."""
    site = described_site(config)
    return [] if site is None else offers_of_site(site)


def cluster_offers(arguments: Any) -> list[NodeOffer]:
    """The nodes of each cluster that ``--clusters`` asks for: c0-node001 and so on."""
    if arguments.nodes is not None:
        raise BadValue("--nodes", arguments.nodes, "left out where --clusters says how many")
    each = 1 if arguments.procs_per_node is None else arguments.procs_per_node
    if not 1 <= each <= MOST_PROCESSORS:
        raise BadValue("--procs-per-node", each, f"from 1 to {MOST_PROCESSORS:,}")
    sizes = _sizes(arguments.clusters)
    digits = max(3, len(str(max(sizes))))
    return [
        NodeOffer(
            names=f"c{number}-node[{1:0{digits}d}-{size:0{digits}d}]", processors=each, cluster=f"c{number}"
        )
        for number, size in enumerate(sizes)
    ]


def _sizes(text: str) -> list[int]:
    """Nodes of each cluster: ``4x8``, or ``8,8,4``."""
    found = _EQUAL.fullmatch(text)
    if not (found or _EACH.fullmatch(text)):
        raise BadValue("--clusters", text, "CxN, such as 4x8, or the nodes of each: 8,8,4")
    sizes = [int(found[2])] * min(int(found[1]), MOST_NODES + 1) if found else [*map(int, text.split(","))]
    if not sizes or min(sizes) < 1 or sum(sizes) > MOST_NODES:
        raise BadValue("--clusters", text, f"from 1 node each to {MOST_NODES:,} in all")
    return sizes


def same_again(known: Sequence[NodeRecord]) -> list[NodeOffer]:
    """Offers of the nodes that the state has of us, each as it is."""
    return [
        NodeOffer(
            names=one.name,
            processors=one.processors,
            memory_kb=one.memory_kb,
            generic=one.generic,
            features=one.features,
            cluster=one.cluster,
        )
        for one in known
        if one.agent == LOCAL_AGENT
    ]


def named(given: Sequence[NodeOffer]) -> list[str]:
    """The names of all nodes of *given*."""
    return [name for offer in given for name in expand(offer.names)]


EMULATED = (
    "the nodes are emulated: jobs pretend to run, and their commands are not run; "
    "--mode process runs them on this machine"
)


def note_of(given: Sequence[NodeOffer], known: Sequence[NodeRecord]) -> str:
    """What to tell where the state overrules *given*; nothing where it does not."""
    ours = [one for one in known if one.agent == LOCAL_AGENT]
    wanted = {name: offer.processors for offer in given for name in expand(offer.names)}
    if all(wanted.get(one.name) == one.processors for one in ours):
        return ""
    have = "1 node" if len(ours) == 1 else f"{len(ours):,} nodes"
    return f"the state has {have} already; they stay as they are, with the processors that they have"


def real_offer(arguments: Any, config: Config) -> NodeOffer | None:
    """This machine as a node, where it is to run the jobs; None where nodes only pretend."""
    if arguments.mode not in MODES:
        raise BadValue("--mode", arguments.mode, " or ".join(MODES))
    if arguments.mode == "emulate":
        check_for_processes_only(arguments)
        return None
    if config.clock.kind not in (None, "real"):
        raise Conflict("--mode process", f"real jobs take real time; the clock is {config.clock.kind}")
    return local_offer(arguments)


async def _serve(
    config: Config, arguments: Any, load: Callable[[], Config], real: NodeOffer | None = None
) -> None:
    tell_starting()
    with compilation_told([config.policy.name], SERVER_S):
        live = await LiveServer.started(config)
    try:
        if real is not None and live.core.clock.kind is not ClockKind.REAL:
            raise Conflict("--mode process", f"real jobs take real time; {live.clock_note()}")
        reload_on_hangup(live, load)
        known = list(live.core.state.machine.nodes)
        given = offers(arguments, config, known) if real is None else [real]
        ours = None if real is None else local_agent(real, live.folder, ends_of(arguments))
        notes = [note_of(given, known)] if ours is None else notes_of(ours)
        emulated = EMULATED if ours is None else ""
        for note in filter(None, (*notes, live.clock_note(), emulated)):
            print(f"molokini: {note}", file=sys.stderr, flush=True)
        if ours is None:
            live.emulate(given)
        else:
            live.stand(ours, ours.follows)
        await live.ready(len({*named(given), *(one.name for one in known)}))
        t = live.core.state.tables
        if live.core.state.policy is not None:
            check_parameters(*live.core.state.policy, t.machine.processors_in_all, t.nodes.count)
        live.heed_signals()
        if page := page_of(live):
            # With the notes for people: programs read one line, on standard output.
            print(f"molokini: the page is at {page}", file=sys.stderr, flush=True)
        print(
            f"molokini is ready: {config.server.listen.rpartition(':')[0]}:{live.port}, "
            f"clock {live.core.clock.kind}, policy {live.core.reactor.running_policy.policy.name}, "
            f"{t.nodes.count:,} nodes, {t.machine.processors_in_all:,} processors, state {live.folder}",
            flush=True,
        )
        await live.until_told()
    finally:
        await live.stop()


def page_of(live: LiveServer) -> str:
    """The address of the page, which logs its owner in once; empty where there is no HTTP."""
    if live.gateway is None or not live.gateway.port:
        return ""
    kind = "https" if live.config.security.mode in ("tls", "mtls") else "http"
    host = live.config.web.listen.rpartition(":")[0]
    return f"{kind}://{host}:{live.gateway.port}/{live.gateway.page.link()}"


__all__ = ["BadInput", "run"]
