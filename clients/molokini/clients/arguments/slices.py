"""What ``molokini slices`` takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from molokini.clients.arguments.shared import JsonArguments
from molokini.model.declared import argument, option


@dataclass(frozen=True, kw_only=True)
class SlicesArguments(JsonArguments):
    """``molokini slices``."""

    jobs: Annotated[Sequence[str], argument(metavar="ID", help="Job ids, or array elements: ID[INDEX].")] = ()
    period: Annotated[
        float | None, option(metavar="SECONDS", help="Time from the beginning of one slice to the next.")
    ] = None
    slice: Annotated[
        float | None, option(metavar="SECONDS", help="Time that the jobs run in each period.")
    ] = None
    rows: Annotated[int | None, option(metavar="N", help="Number of rows in the matrix.")] = None
    row: Annotated[
        Sequence[str], option(metavar="N", help="Run in this row (the first is 0); may be repeated.")
    ] = ()
    quantum: Annotated[float | None, option(metavar="SECONDS", help="Length of one row.")] = None
    origin: Annotated[
        float,
        option(metavar="SECONDS", help="Begin of the first period, on the server's monotonic clock."),
    ] = 0.0
    real_time: Annotated[
        bool, option(help="With --period: take precedence over all processes without real-time priority.")
    ] = False
    off: Annotated[bool, option(help="Remove the slices: the jobs run all the time again.")] = False
