"""What ``molokini reservations`` takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from molokini.clients.arguments.shared import JsonArguments
from molokini.model.declared import argument, option


@dataclass(frozen=True, kw_only=True)
class ReserveArguments(JsonArguments):
    """``molokini reservations create``."""

    name: Annotated[str, argument(metavar="NAME", help="A name of its own.")]
    processors: Annotated[
        int, option("--processors", "--procs", metavar="N", help="So many processors are kept.")
    ]
    start: Annotated[
        str | None,
        option(
            metavar="WHEN",
            help='A date (2026-12-04T18:00), "Fri 18:00", +TIME from now, or seconds of the clock; without, '
            "now.",
        ),
    ] = None
    length: Annotated[str | None, option(metavar="TIME", help="Seconds, or H:MM:SS; for ever without.")] = (
        None
    )
    access: Annotated[
        Sequence[str],
        option(metavar="KIND:NAME", help="Admits a user, group, account or queue; may be repeated."),
    ] = ()
    period: Annotated[str | None, option(metavar="PERIOD", help="It comes back: each DAY or WEEK.")] = None
    days: Annotated[str | None, option(metavar="DAYS", help="Mon,Tue,...: on these days alone.")] = None
    day_start: Annotated[
        str | None, option("--from", metavar="TIME", help="Of one that comes back: H:MM:SS after midnight.")
    ] = None
    day_end: Annotated[
        str | None, option("--until", metavar="TIME", help="Likewise its end; that of the period without.")
    ] = None
    depth: Annotated[
        int, option(metavar="N", help="With --period: so many of its next times are kept; 0 is the usual 2.")
    ] = 0


@dataclass(frozen=True, kw_only=True)
class DeleteReservationArguments:
    """``molokini reservations delete``."""

    names: Annotated[list[str], argument(metavar="NAME", help="Those to be given up.")]
