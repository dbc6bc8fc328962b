"""``molokini nodes``."""

from molokini.client.client import Client
from molokini.client.cluster_calls import NODE_STATES, node_state
from molokini.client.quantities import memory_text
from molokini.clients.arguments.cluster import NodesArguments
from molokini.clients.live.connection import with_client
from molokini.clients.live.documents import fields_of
from molokini.clients.live.messages import told
from molokini.clients.show.field_tables import Field
from molokini.clients.show.lines import show_json, show_things
from molokini.model.errors import BadInput
from molokini.proto.v1.cluster_service_pb2 import Node

_WORDS = {value: name for name, value in NODE_STATES.items()}


def _state(node: Node) -> str:
    return _WORDS.get(node.state, str(node.state))


def _memory(node: Node) -> str:
    if not node.memory_kb:
        return ""
    return f"{memory_text(node.memory_kb)}{' not enforced' if node.memory_not_enforced else ''}"


def _generic(node: Node) -> str:
    return " ".join(f"{name}:{count}" for name, count in sorted(node.generic.items()))


def _slices(node: Node) -> str:
    """What it was measured to keep for jobs with target rates; empty: it was not measured."""
    kept = node.slices
    if not kept.measured:
        return ""
    if not (kept.least_period_s and kept.least_slice_s and kept.usable_share):
        return "none kept"
    pair = f"{1000 * kept.least_period_s:g} ms, {1000 * kept.least_slice_s:g} ms"
    return f"{pair}, {kept.usable_share:.0%}{'' if kept.real_time else ', no real time'}"


NODES = fields_of(
    Node,
    Field("name", "node"),
    Field("state", "state", _state),
    Field("processors", "procs", figures=True),
    Field("processors_used", "used", figures=True),
    Field("memory_kb", "memory", text=_memory, figures=True),
    Field("generic", "generic", lambda node: dict(node.generic), _generic, cut=True),
    Field("features", "features", text=lambda node: " ".join(node.features), cut=True),
    Field("reason", "reason", cut=True),
    Field("job_ids", "jobs", text=lambda node: " ".join(map(str, node.job_ids)), cut=True),
    Field("cluster", "cluster"),
    Field("slices", "slices", text=_slices),
)
_LISTED = ("state", "used", "procs", "memory", "generic", "features", "jobs", "reason")


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
        show_json("molokini.nodes/1", {"nodes": [NODES.document(node) for node in found]}, rows="nodes")
    else:
        named = ("node", "cluster") if any(node.cluster for node in found) else ("node",)
        slices = ("slices",) if any(node.slices.measured for node in found) else ()
        show_things(NODES.columns(*named, *_LISTED, *slices), found)
    return 0


def _change(arguments: NodesArguments) -> int:
    if not arguments.names:
        raise BadInput("give the nodes to change")

    async def work(client: Client) -> list[str]:
        change = client.drain if arguments.drain else client.resume_nodes if arguments.resume else client.down
        return await change(arguments.names, arguments.reason)

    return told(with_client(work))
