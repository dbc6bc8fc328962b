"""``molokini queues``."""

from collections.abc import Mapping, Sequence
from typing import Any

from molokini.client.client import Client
from molokini.client.quantities import clock_time
from molokini.clients.arguments.cluster import QueuesArguments
from molokini.clients.live.connection import with_client
from molokini.clients.live.documents import plain
from molokini.clients.live.settings import settings
from molokini.clients.show.lines import Column, show_json, show_listing
from molokini.model.errors import BadInput, BadValue, UnknownName
from molokini.proto.v1.cluster_service_pb2 import Queue

COLUMNS = (
    Column("queue", cut=True),
    Column("state"),
    Column("priority", figures=True),
    Column("held", figures=True),
    Column("waiting", figures=True),
    Column("running", figures=True),
    Column("most procs", figures=True),
    Column("most time", figures=True),
    Column("nodes", cut=True),
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
        show_json("molokini.queues/1", {"queues": [plain(queue) for queue in wanted]}, rows="queues")
    else:
        show_listing(COLUMNS, map(_row, wanted))
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


def _row(queue: Queue) -> Sequence[str]:
    state = "closed" if not queue.enabled else "open" if queue.started else "stopped"
    return (
        queue.name,
        state,
        str(queue.priority),
        str(queue.jobs_held),
        str(queue.jobs_waiting),
        str(queue.jobs_running),
        str(queue.max_processors or ""),
        clock_time(queue.max_estimate_s) if queue.max_estimate_s else "",
        " ".join(queue.nodes),
    )
