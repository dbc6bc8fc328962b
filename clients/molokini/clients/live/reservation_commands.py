"""``molokini reservations list``, ``create`` and ``delete``."""

from collections.abc import Iterable, Sequence

from molokini.client.client import Client
from molokini.client.quantities import MOST_AT_ONCE, clock_time, whole
from molokini.clients.arguments.reservations import DeleteReservationArguments, ReserveArguments
from molokini.clients.arguments.shared import JsonArguments
from molokini.clients.live.connection import with_client
from molokini.clients.live.documents import plain
from molokini.clients.live.instants import asked, need_clock
from molokini.clients.show.lines import Column, show_json, show_listing
from molokini.model.errors import BadInput, BadValue
from molokini.model.instants import instant
from molokini.model.spans import seconds
from molokini.proto.v1.cluster_service_pb2 import Reservation, ReservationAccess, ReservationCalendar

COLUMNS = (
    Column("reservation"),
    Column("procs", figures=True),
    Column("from"),
    Column("until"),
    Column("comes back", cut=True),
    Column("access", cut=True),
)

_MOST_NODES = 8
"""So many names of nodes a line shows; of a reservation on more nodes it shows the first ones."""


def listed(arguments: JsonArguments) -> int:
    """List what is reserved."""

    async def work(client: Client) -> list[Reservation]:
        return await client.reservations()

    return _shown(with_client(work), arguments.json)


def create(arguments: ReserveArguments) -> int:
    """Reserve processors, and show what was reserved."""
    made = Reservation(
        name=arguments.name,
        processors=whole("--processors", arguments.processors, 1, MOST_AT_ONCE),
        access=[_access(text) for text in arguments.access],
        depth=whole("--depth", arguments.depth, 0, MOST_AT_ONCE),
    )
    length_s = seconds("--length", arguments.length) if arguments.length is not None else None
    calendar = _calendar(arguments)
    if calendar is not None:
        if arguments.start is not None or length_s is not None:
            raise BadInput("--start and --length are of one that does not come back; give --from and --until")
        made.calendar.CopyFrom(calendar)
    elif arguments.depth:
        raise BadInput("--depth is of one that comes back; give --period, too")

    start = {"start_s": ("--start", arguments.start if arguments.start is not None else "now")}
    need_clock(start)

    async def work(client: Client) -> Reservation:
        if calendar is None:
            made.start_s = (await asked(client, start))["start_s"]
            if length_s is not None:
                made.end_s = made.start_s + length_s
        return await client.create_reservation(made)

    return _shown([with_client(work)], arguments.json)


def delete(arguments: DeleteReservationArguments) -> int:
    """Give reservations up, one after the other."""

    async def work(client: Client) -> None:
        for name in arguments.names:
            await client.release_reservation(name)

    with_client(work)
    return 0


def _access(text: str) -> ReservationAccess:
    kind, colon, name = text.partition(":")
    if not colon or not kind or not name:
        raise BadValue("--access", text, "KIND:NAME, as user:ann")
    return ReservationAccess(kind=kind, name=name)


def _calendar(arguments: ReserveArguments) -> ReservationCalendar | None:
    parts = (arguments.days, arguments.day_start, arguments.day_end)
    if arguments.period is None:
        if any(part is not None for part in parts):
            raise BadInput("--days, --from and --until are of one that comes back; give --period, too")
        return None
    made = ReservationCalendar(period=arguments.period.upper())
    made.days.extend(day for day in (arguments.days or "").split(",") if day)
    if arguments.day_start is not None:
        made.start_s = seconds("--from", arguments.day_start)
    if arguments.day_end is not None:
        made.end_s = seconds("--until", arguments.day_end)
    return made


def _shown(found: Sequence[Reservation], as_json: bool) -> int:
    if as_json:
        show_json(
            "molokini.reservations/1", {"reservations": [plain(one) for one in found]}, rows="reservations"
        )
    else:
        placed = any(one.nodes for one in found)
        columns = (*COLUMNS, Column("nodes", cut=True)) if placed else COLUMNS
        rows = ((*row, _nodes(one)) if placed else row for one in found for row in _rows(one))
        show_listing(columns, rows)
    return 0


def _nodes(one: Reservation) -> str:
    """Where it is: ``n1:4 n2:4``; of many nodes the first ones."""
    told = " ".join(f"{each.node}:{each.processors}" for each in one.nodes[:_MOST_NODES])
    return told + (f" and {len(one.nodes) - _MOST_NODES:,} more" if len(one.nodes) > _MOST_NODES else "")


def _rows(one: Reservation) -> Iterable[Sequence[str]]:
    access = " ".join(f"{each.kind}:{each.name}" for each in one.access) or "none"
    if not one.HasField("calendar"):
        until = instant(one.end_s) if one.HasField("end_s") else ""
        yield (one.name, str(one.processors), instant(one.start_s), until, "", access)
        return
    when = one.calendar
    back = f"{when.period} {clock_time(when.start_s)}-{clock_time(when.end_s)} {','.join(when.days)}"
    yield (one.name, str(one.processors), "", "", back, access)
    for each in one.instances:
        until = instant(each.end_s) if each.HasField("end_s") else ""
        yield (each.name, str(one.processors), instant(each.start_s), until, "", access)
