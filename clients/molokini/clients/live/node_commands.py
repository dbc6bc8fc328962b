"""``molokini nodes``."""

from collections.abc import Sequence

from molokini.client.client import Client
from molokini.client.cluster_calls import NODE_STATES, node_state
from molokini.client.quantities import memory_text
from molokini.clients.arguments.cluster import NodesArguments
from molokini.clients.live.connection import with_client
from molokini.clients.live.documents import plain
from molokini.clients.live.messages import told
from molokini.clients.show.lines import Column, show_json, show_listing
from molokini.model.errors import BadInput
from molokini.proto.v1.cluster_service_pb2 import Node

COLUMNS = (
    Column("node"),
    Column("state"),
    Column("used", figures=True),
    Column("procs", figures=True),
    Column("memory", figures=True),
    Column("generic", cut=True),
    Column("features", cut=True),
    Column("jobs", cut=True),
    Column("reason", cut=True),
)
_WORDS = {value: name for name, value in NODE_STATES.items()}


def nodes(arguments: NodesArguments) -> int:
    """List nodes, or change the named ones."""
    if arguments.drain + arguments.resume + arguments.down > 1:
        raise BadInput("nodes takes one of --drain, --resume and --down")
    if arguments.drain or arguments.resume or arguments.down:
        return _change(arguments)
    if arguments.reason:
        raise BadInput("--reason requires --drain, --down or --resume")
    for state in arguments.state:
        node_state(state)

    async def work(client: Client) -> list[Node]:
        return [node async for node in client.nodes(names=arguments.names, states=arguments.state)]

    found = with_client(work)
    if arguments.json:
        show_json("molokini.process_sim/1", {"nodes": [_document(node) for node in found]}, rows="nodes")
    else:
        clusters = any(node.cluster for node in found)
        columns = (COLUMNS[0], Column("cluster"), *COLUMNS[1:]) if clusters else COLUMNS
        show_listing(columns, [_row(node, clusters) for node in found])
    return 0


def _change(arguments: NodesArguments) -> int:
    if not arguments.names:
        raise BadInput("give the nodes to change")

    async def work(client: Client) -> list[str]:
        change = client.drain if arguments.drain else client.resume_nodes if arguments.resume else client.down
        return await change(arguments.names, arguments.reason)

    return told(with_client(work))


def _row(node: Node, clusters: bool) -> Sequence[str]:
    generic = " ".join(f"{name}:{count}" for name, count in sorted(node.generic.items()))
    return (
        node.name,
        *((node.cluster,) if clusters else ()),
        _WORDS.get(node.state, str(node.state)),
        str(node.processors_used),
        str(node.processors),
        _memory(node),
        generic,
        " ".join(node.features),
        " ".join(map(str, node.job_ids)),
        node.reason,
    )


def _memory(node: Node) -> str:
    if not node.memory_kb:
        return ""
    return f"{memory_text(node.memory_kb)}{' not enforced' if node.memory_not_enforced else ''}"


def _document(node: Node) -> dict[str, object]:
    return {**plain(node), "state": _WORDS.get(node.state, str(node.state))}
