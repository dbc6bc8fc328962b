"""``molokini maui setres`` and ``releaseres``: processors kept for some, anywhere or on nodes by name."""

import re
from collections.abc import Sequence
from itertools import count

from molokini.client.client import Client
from molokini.client.quantities import whole
from molokini.clients.arguments.maui import SetResArguments
from molokini.clients.arguments.reservations import DeleteReservationArguments
from molokini.clients.live.connection import with_client
from molokini.clients.live.documents import plain
from molokini.clients.live.instants import asked, need_clock
from molokini.clients.show.lines import show_json
from molokini.clients.show.rich_tables import console, lines
from molokini.model.errors import BadInput, BadValue
from molokini.model.names import expand
from molokini.model.spans import seconds
from molokini.model.text import plural, printable
from molokini.proto.v1.cluster_service_pb2 import Node, Reservation, ReservationAccess, ReservedNode

_ALLOWED = "ALL, TASKS==N, or names, patterns or regular expressions of nodes that there are: 'node00[1-8]'"
_SEPARATORS = re.compile(r"[,:](?![^\[({]*[\])}])")
"""Between the members of a list, and not inside of what an expression brackets."""
_UNKNOWN_WORDS = {
    "charge_account": ("-A", "idle reserved processors are not charged to any account"),
    "features": ("-f", "name the nodes, as 'diagnose -n' lists them with their features"),
    "initial": ("-i", "a reservation begins at -s, and what runs then goes on"),
    "job_features": ("-j", "jobs have no features of their own to be admitted by"),
    "node_set": ("-N", "name the nodes"),
    "partition": ("-p", "name the nodes, as 'diagnose -n' lists them with their partitions"),
    "qos": ("-q", "admit users, groups, accounts or classes"),
    "flags": (
        "-x",
        "a reservation has no flags here; access lists and signs (user-, user=) define who may use it",
    ),
}
"""Options of Maui's setres that nothing here follows: as they are written, and what to do instead."""


def setres(arguments: SetResArguments) -> int:
    """Reserve, and show what was reserved."""
    for name, (option, instead) in _UNKNOWN_WORDS.items():
        if getattr(arguments, name):
            raise BadInput(f"setres {option} is not supported: {instead}")
    if arguments.end is not None and arguments.duration is not None:
        raise BadInput("give --duration or --end, not both")
    length_s = None if arguments.duration is None else seconds("--duration", arguments.duration)
    each = _resources(arguments.resources)
    access = [
        ReservationAccess(kind=kind, name=name)
        for kind in ("user", "group", "account", "queue")
        for name in getattr(arguments, kind).split(":")
        if name
    ]

    times = {"start": ("--start", arguments.start or "now")}
    times |= {} if arguments.end is None else {"end": ("--end", arguments.end)}
    need_clock(times)

    async def work(client: Client) -> Reservation:
        at = await asked(client, times)
        made = Reservation(access=access, start_s=at["start"])
        if length_s is not None:
            made.end_s = made.start_s + length_s
        elif arguments.end is not None:
            made.end_s = at["end"]
        await _put_place(client, made, arguments.what, each)
        known = {one.name for one in await client.reservations()}
        made.name = arguments.name or _free_name(access[0].name if access else "SYSTEM", known)
        return await client.create_reservation(made)

    found = with_client(work)
    if arguments.json:
        show_json("molokini.reservations/1", {"reservations": [plain(found)]}, rows="reservations")
        return 0
    spread = f"on {plural(len(found.nodes), 'node')} " if found.nodes else ""
    size = plural(found.processors, "processor") if found.nodes else f"{found.processors} processors"
    told = [f"reservation '{found.name}' created {spread}({size})"]
    told += [f"{one.node}:{one.processors}" for one in found.nodes]
    lines(console(), [printable(text) for text in told])
    return 0


def releaseres(arguments: DeleteReservationArguments) -> int:
    """Give reservations up, one after the other."""

    async def work(client: Client) -> None:
        for name in arguments.names:
            await client.release_reservation(name)

    with_client(work)
    lines(console(), [printable(f"released User reservation '{name}'") for name in arguments.names])
    return 0


def _resources(text: str) -> int:
    """Processors of each task, by ``PROCS=2``; 0: all of a node, or one where tasks are anywhere."""
    if not text:
        return 0
    name, _, given = text.partition("=")
    if name.upper() in ("MEM", "DISK", "SWAP"):
        raise BadInput(
            f"setres -r {name.upper()} is not supported: only processors can be reserved (PROCS=N)"
        )
    if name.upper() != "PROCS" or not re.fullmatch(r"-1|[1-9]\d{0,8}", given, re.ASCII):
        raise BadValue("--resources", text, "PROCS=N; N is 1 or more, or -1 for whole nodes")
    return max(0, int(given))


async def _put_place(client: Client, made: Reservation, what: str, each: int) -> None:
    """How many processors *what* stands for, or on which nodes."""
    tasks = re.fullmatch(r"TASKS[=>]=(\d{1,9})", what, re.ASCII)
    if tasks is not None:
        made.processors = whole("TASKS", int(tasks[1]), 1) * (each or 1)
    elif what == "ALL" and not each:
        made.processors = int((await client.cluster()).processors)
    else:
        nodes = [node async for node in client.nodes()]
        for node in nodes if what == "ALL" else chosen(what, nodes):
            made.nodes.append(ReservedNode(node=node.name, processors=each or node.processors))
            if each > node.processors:
                raise BadValue(
                    "--resources", f"PROCS={each}", f"at most the {node.processors} of {node.name}"
                )


def chosen(what: str, nodes: Sequence[Node]) -> list[Node]:
    """Those of *nodes* that the list *what* names, in their order; BadValue where a member names none."""
    by_name = {node.name: node for node in nodes}
    wanted: set[str] = set()
    for member in _SEPARATORS.split(what):
        found = [member] if member in by_name else _of_pattern(member, by_name) or _matching(member, by_name)
        if not found:
            raise BadValue("what is reserved", member[:80], _ALLOWED)
        wanted.update(found)
    return [node for name, node in by_name.items() if name in wanted]


def _of_pattern(member: str, known: dict[str, Node]) -> list[str]:
    """The names of ``node[001-064]``, all of which there must be."""
    try:
        names = expand(member)
    except BadInput:
        return []
    return names if all(name in known for name in names) else []


def _matching(member: str, known: dict[str, Node]) -> list[str]:
    """The names that the whole of an expression matches."""
    try:
        return [name for name in known if re.fullmatch(member, name)]
    except re.error:
        return []


def _free_name(first: str, known: set[str]) -> str:
    """*first* and the first number that makes it another name than all *known*."""
    return next(name for number in count(1) if (name := f"{first}.{number}") not in known)
