"""What ``molokini rate`` takes."""

from dataclasses import dataclass
from typing import Annotated

from molokini.clients.arguments.shared import JsonArguments
from molokini.model.declared import argument, option


@dataclass(frozen=True, kw_only=True)
class RateArguments(JsonArguments):
    """``molokini rate``."""

    job: Annotated[
        str | None, argument(metavar="ID", help="Job id, or array element: ID[INDEX]; all where left out.")
    ] = None
    rate: Annotated[
        str | None, argument(metavar="RATE", help="The new target: 30% or 0.5/s; 20%-80% with --work.")
    ] = None
    off: Annotated[bool, option(help="Let the job go as fast as it can.")] = False
    full_rate: Annotated[
        float | None, option(metavar="R", help="The full rate of the job, iterations a second.")
    ] = None
    full_use: Annotated[
        str | None,
        option(
            metavar="SHARE",
            help="What it uses of its busiest processor at its full rate: 0.14, or measured (1).",
        ),
    ] = None
    threshold: Annotated[
        float | None,
        option(metavar="POINTS", help="Leave rates alone within so many points of the target (3)."),
    ] = None
    period: Annotated[float | None, option(metavar="SECONDS", help="Try this period first (0.2).")] = None
    step: Annotated[
        float | None, option(metavar="SECONDS", help="By how much the search shortens the period (0.002).")
    ] = None
    search: Annotated[
        str | None, option(metavar="RULE", help="How the period is searched: sweep, halving or model.")
    ] = None
