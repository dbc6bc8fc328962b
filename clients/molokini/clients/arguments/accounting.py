"""What ``molokini accounting`` takes."""

from dataclasses import dataclass
from typing import Annotated

from molokini.model.declared import option


@dataclass(frozen=True, kw_only=True)
class ExportArguments:
    """``molokini accounting export``."""

    format: Annotated[str, option(metavar="NAME", help="Format: pbs, lsf, sacct or swf.")]
    from_: Annotated[
        str | None,
        option(
            "--from",
            metavar="TIME",
            help='Only jobs that ended at this time or later: "2026-11-20", "2026-11-20 08:00" (local time; '
            "Z: UTC), or "
            "seconds of the clock.",
        ),
    ] = None
    to: Annotated[str | None, option(metavar="TIME", help="Only jobs that ended before this time.")] = None
    output: Annotated[
        str | None,
        option(
            "--output",
            "-o",
            metavar="FILE",
            help="File to write (.gz: compressed); default: standard output.",
        ),
    ] = None
