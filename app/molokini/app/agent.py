"""``molokini agent``: a node agent in a process of its own, connected to a server over gRPC."""

import asyncio
import logging
import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import grpc

from molokini.agents.grpc_link import run_agent
from molokini.agents.identity import Identity, claim_identity
from molokini.agents.session import Agent
from molokini.app.agent_log import log_warnings
from molokini.app.local_policy import check_no_local_policy
from molokini.client.certificates import read_files
from molokini.client.endpoint import STATE, Endpoint, find_endpoint, is_local
from molokini.client.quantities import memory_kb, whole
from molokini.model.errors import BadFile, BadValue
from molokini.proto.v1.agent_service_pb2 import NodeOffer

_log = logging.getLogger(__name__)

TOKEN_VARIABLE = "MOLOKINI_AGENT_TOKEN"
TOKEN_FILE = STATE / "agent-token"
NAME = "agent"
MODES = ("emulate", "process")
MOST_GPUS = 2**31 - 1
_LARGEST_TOKEN = 4096


def run(arguments: Any) -> None:
    """Stand for nodes until stopped; prints one line when the server has taken the agent."""
    log_warnings()
    if arguments.mode not in MODES:
        raise BadValue("--mode", arguments.mode, " or ".join(MODES))
    endpoint = endpoint_of(arguments)
    name = arguments.name or NAME
    identity = claim_identity(name, endpoint.target)
    known = identity.name if identity is not None else ""
    if not known and arguments.mode == "emulate":
        _log.warning(
            "the kernel has no free name for agent %s, or another user's process has it: "
            "after a restart this agent has to wait until its lease has run out",
            name,
        )
    if arguments.mode == "process":
        from molokini.app.process_agent import process_agent

        agent: Agent = process_agent(arguments, name, known)
    else:
        agent = _emulated(arguments, name, known)
    try:
        with suppress(asyncio.CancelledError):
            asyncio.run(_stand(endpoint, agent, identity))
    finally:
        agent.stop()


def _emulated(arguments: Any, name: str, identity: str) -> Agent:
    """An agent whose nodes pretend. Its libraries are loaded here, since real nodes do without."""
    check_no_local_policy(arguments)
    from molokini.agents.agent import EmulatedAgent

    nodes, each = _or(arguments.nodes, 64), _or(arguments.procs_per_node, 16)
    return EmulatedAgent(
        name,
        [offer_of(name, nodes, each, arguments.cluster or "", **more_of(arguments))],
        seed=arguments.seed or 0,
        mtbf_s=arguments.mtbf or 0.0,
        repair_s=arguments.repair or 0.0,
        follows_clock=arguments.follow_clock,
        monotonic=time.monotonic,
        identity=identity,
    )


def _or(given: int | None, usual: int) -> int:
    return usual if given is None else given


def more_of(arguments: Any) -> dict[str, Any]:
    """What else each node has, by the fields of an offer."""
    more: dict[str, Any] = {"features": list(arguments.feature)}
    if arguments.memory is not None:
        more["memory_kb"] = memory_kb("--memory", arguments.memory)
    if arguments.gpus is not None:
        more["generic"] = {"gpu": whole("--gpus", arguments.gpus, 1, MOST_GPUS)}
    return more


def offer_of(name: str, nodes: int, processors: int, cluster: str = "", **more: Any) -> NodeOffer:
    """Equal nodes; those of an agent with a name of its own are called after it."""
    if not 1 <= nodes <= 10_000:
        raise BadValue("--nodes", nodes, "from 1 to 10,000")
    digits = max(3, len(str(nodes)))
    stem = "node" if name == NAME else f"{name}-node"
    names = f"{stem}[{1:0{digits}d}-{nodes:0{digits}d}]"
    return NodeOffer(names=names, processors=processors, cluster=cluster, **more)


def endpoint_of(arguments: Any) -> Endpoint:
    """Where the server is, and the agent's token: its file's, the environment's, or the local server's."""
    return find_endpoint(arguments.server, _token(arguments.token_file, arguments.server))


def _token(given: str | Path | None, server: str) -> str:
    if given:
        return _read(Path(given))
    if (token := os.environ.get(TOKEN_VARIABLE)) is not None:
        return token
    # The token of this machine's server is not to be shown to another server.
    return _read(TOKEN_FILE) if is_local(server) and TOKEN_FILE.exists() else ""


def _read(path: Path) -> str:
    try:
        text = path.read_bytes()[:_LARGEST_TOKEN].decode().strip()
    except UnicodeDecodeError:
        raise BadFile(str(path), "is no text") from None
    except OSError as error:
        raise BadFile(str(path), f"cannot be read: {error.strerror or error}") from None
    if not text or "\n" in text:
        raise BadFile(str(path), "should hold one line, an agent's token")
    return text


async def _stand(endpoint: Endpoint, agent: Agent, identity: Identity | None) -> None:
    """Talk to the server until SIGTERM or SIGINT; what stops the agent for good is raised."""
    connected = asyncio.create_task(
        run_agent(endpoint.target, agent, endpoint.token or None, _credentials(endpoint)), name="agent"
    )
    told = asyncio.create_task(_tell(agent, endpoint.target))
    loop = asyncio.get_running_loop()
    if identity is not None:
        loop.add_reader(identity.claim, identity.answer)
    for one in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(one, connected.cancel)
    try:
        await connected
    finally:
        told.cancel()


async def _tell(agent: Agent, server: str) -> None:
    while not agent.welcomed:
        await asyncio.sleep(0.02)
    print(f"molokini agent {agent.name} is connected to {server}", flush=True)


def _credentials(endpoint: Endpoint) -> grpc.ChannelCredentials | None:
    if endpoint.tls is None:
        return None
    authority, key, certificate = read_files(endpoint.tls)
    return grpc.ssl_channel_credentials(authority, key, certificate)
