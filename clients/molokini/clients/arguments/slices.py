"""What ``molokini slices`` takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from molokini.clients.arguments.shared import JsonArguments
from molokini.model.declared import argument, option


@dataclass(frozen=True, kw_only=True)
class SlicesArguments(JsonArguments):
    """``molokini slices``."""

    jobs: Annotated[
        Sequence[str], argument(metavar="ID", help="Jobs, or elements of arrays: ID[INDEX].")
    ] = ()
    period: Annotated[
        float | None, option(metavar="SECONDS", help="From the beginning of one slice to the next.")
    ] = None
    slice: Annotated[
        float | None, option(metavar="SECONDS", help="How long the jobs compute in each period.")
    ] = None
    rows: Annotated[int | None, option(metavar="N", help="Rows of the matrix.")] = None
    row: Annotated[
        Sequence[str], option(metavar="N", help="Compute in this row, from 0; may be repeated.")
    ] = ()
    quantum: Annotated[float | None, option(metavar="SECONDS", help="How long one row lasts.")] = None
    origin: Annotated[
        float,
        option(metavar="SECONDS", help="Where the first period begins, on the server's monotonic clock."),
    ] = 0.0
    real_time: Annotated[
        bool, option(help="With --period: go before all processes without real-time priority.")
    ] = False
    off: Annotated[bool, option(help="Compute all the time again.")] = False
