"""What ``molokini reservations`` takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from molokini.clients.arguments.shared import JsonArguments
from molokini.model.declared import argument, option


@dataclass(frozen=True, kw_only=True)
class ReserveArguments(JsonArguments):
    """``molokini reservations create``."""

    name: Annotated[str, argument(metavar="NAME", help="Name of the reservation; must be unique.")]
    processors: Annotated[
        int, option("--processors", "--procs", metavar="N", help="Number of processors to reserve.")
    ]
    start: Annotated[
        str | None,
        option(
            metavar="WHEN",
            help='Start: a date (2026-12-04T18:00), "Fri 18:00", +TIME from now, or seconds of the clock '
            "(default: now).",
        ),
    ] = None
    length: Annotated[
        str | None, option(metavar="TIME", help="Duration: seconds, or H:MM:SS (default: no end).")
    ] = None
    access: Annotated[
        Sequence[str],
        option(metavar="KIND:NAME", help="Give a user, group, account or queue access; may be repeated."),
    ] = ()
    period: Annotated[
        str | None, option(metavar="PERIOD", help="Repeat the reservation every DAY or WEEK.")
    ] = None
    days: Annotated[str | None, option(metavar="DAYS", help="Only on these days: Mon,Tue,...")] = None
    day_start: Annotated[
        str | None, option("--from", metavar="TIME", help="With --period: start, as H:MM:SS after midnight.")
    ] = None
    day_end: Annotated[
        str | None,
        option("--until", metavar="TIME", help="With --period: end, likewise (default: end of the period)."),
    ] = None
    depth: Annotated[
        int,
        option(metavar="N", help="With --period: number of next occurrences to reserve; 0: the default, 2."),
    ] = 0


@dataclass(frozen=True, kw_only=True)
class DeleteReservationArguments:
    """``molokini reservations delete``."""

    names: Annotated[list[str], argument(metavar="NAME", help="Reservations to delete.")]
