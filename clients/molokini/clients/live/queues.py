"""``molokini queues``."""

from collections.abc import Mapping
from typing import Any

from molokini.client.client import Client
from molokini.client.quantities import clock_time
from molokini.clients.arguments.cluster import QueuesArguments
from molokini.clients.live.connection import with_client
from molokini.clients.live.documents import fields_of
from molokini.clients.live.settings import settings
from molokini.clients.show.field_tables import Field
from molokini.clients.show.lines import Column, show_json, show_things
from molokini.model.errors import BadInput, BadValue, UnknownName
from molokini.proto.v1.cluster_service_pb2 import Queue


def _state(queue: Queue) -> str:
    return "closed" if not queue.enabled else "open" if queue.started else "stopped"


def _most_time(queue: Queue) -> str:
    return clock_time(queue.max_estimate_s) if queue.max_estimate_s else ""


QUEUES = fields_of(
    Queue,
    Field("name", "queue", cut=True),
    Field("priority", "priority", figures=True),
    Field("nodes", "nodes", text=lambda queue: " ".join(queue.nodes), cut=True),
    Field("max_processors", "most procs", text=lambda queue: str(queue.max_processors or ""), figures=True),
    Field("max_estimate_s", "most time", text=_most_time, figures=True),
    Field("jobs_held", "held", figures=True),
    Field("jobs_waiting", "waiting", figures=True),
    Field("jobs_running", "running", figures=True),
)
_LISTED = (
    *QUEUES.columns("queue"),
    Column("state", of=_state),
    *QUEUES.columns("priority", "held", "waiting", "running", "most procs", "most time", "nodes"),
)
_SET_BY_SERVER = frozenset({"jobs_held", "jobs_waiting", "jobs_running", "name"})
_TRUTHS = {"true": True, "yes": True, "false": False, "no": False}


def queues(arguments: QueuesArguments) -> int:
    """List queues, or change the named one."""
    if arguments.set or arguments.remove:
        return _change(arguments)

    async def work(client: Client) -> list[Queue]:
        return await client.queues()

    found = with_client(work)
    known = [queue.name for queue in found]
    for name in arguments.names:
        if name not in known:
            raise UnknownName("queue", name, known)
    wanted = [queue for queue in found if not arguments.names or queue.name in arguments.names]
    if arguments.json:
        show_json(
            "molokini.queues/1", {"queues": [QUEUES.document(queue) for queue in wanted]}, rows="queues"
        )
    else:
        show_things(_LISTED, wanted)
    return 0


def queue_fields(texts: Mapping[str, str]) -> dict[str, Any]:
    """Fields of a queue from their texts; UnknownName or BadValue where that cannot be."""
    return {name: _value(name, text) for name, text in texts.items()}


def _value(name: str, text: str) -> Any:
    known = set(Queue.DESCRIPTOR.fields_by_name) - _SET_BY_SERVER
    if name not in known:
        raise UnknownName("field of a queue", name, known)
    present = getattr(Queue(), name)
    try:
        if isinstance(present, bool):
            return _TRUTHS[text.lower()]
        if isinstance(present, int | float):
            return type(present)(text)
    except (KeyError, ValueError):
        allowed = "yes or no" if isinstance(present, bool) else "a number"
        raise BadValue(f"--set {name}", text, allowed) from None
    return [part for part in text.split(",") if part]


def _change(arguments: QueuesArguments) -> int:
    if len(arguments.names) != 1 or (arguments.set and arguments.remove):
        raise BadInput("name one queue, and either --set FIELD=VALUE or --remove")
    name, fields = arguments.names[0], queue_fields(settings("--set", arguments.set))

    async def work(client: Client) -> None:
        if arguments.remove:
            await client.remove_queue(name)
        else:
            await client.set_queue(name, **fields)

    with_client(work)
    return 0
