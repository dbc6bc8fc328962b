"""What the tools of ``molokini workload`` take: clean, split, merge, select, scale, compare."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from molokini.clients.arguments.shared import JsonFile
from molokini.experiments.asked import InputFormat, Seed
from molokini.model.declared import argument, option

WholeLogArgument = Annotated[
    str,
    argument(
        metavar="LOG", help="A log (.swf, .gz; other formats and generated workloads, their jobs alone)."
    ),
]
Output = Annotated[
    str | None,
    option("--output", "-o", metavar="FILE", help="Write the log that results (.swf, .swf.gz)."),
]


@dataclass(frozen=True, kw_only=True)
class CleanArguments:
    """``molokini workload clean``."""

    log: WholeLogArgument
    filter: Annotated[
        Sequence[str],
        option(
            metavar="FILTER",
            help="Remove these: 'user=50 and (job>=24439 and job<=64542)'; may be repeated.",
        ),
    ] = ()
    filters: Annotated[str | None, option(metavar="FILE", help="Filters, one a line.")] = None
    filters_of: Annotated[
        str | None, option(metavar="LOG", help="The filters that the header of a cleaned log tells.")
    ] = None
    output: Output = None
    json: JsonFile = None
    input_format: InputFormat = None


@dataclass(frozen=True, kw_only=True)
class SplitArguments:
    """``molokini workload split``."""

    log: WholeLogArgument
    by: Annotated[
        Literal["day", "week", "month", "share", "ends", "users", "random-weeks"],
        option(
            help="share: the first --share of the time, and the rest; ends: --warm-up, middle, --cool-down; "
            "users, random-weeks: --share of them, drawn, and the others.",
        ),
    ] = "week"
    into: Annotated[
        str | None, option(metavar="DIR", help="The folder to write the parts to; without, they are listed.")
    ] = None
    share: Annotated[float, option(metavar="X", help="Of the first part, above 0 and below 1.")] = 0.5
    warm_up: Annotated[str, option(metavar="TIME", help="With --by ends: as 7d, 12h, 3600.")] = "0"
    cool_down: Annotated[str, option(metavar="TIME", help="With --by ends.")] = "0"
    seed: Seed = 0
    packed: Annotated[bool, option("--packed/--plain", help="Write .swf.gz, or .swf.")] = True
    json: JsonFile = None
    input_format: InputFormat = None


@dataclass(frozen=True, kw_only=True)
class MergeArguments:
    """``molokini workload merge``."""

    logs: Annotated[list[str], argument(metavar="LOG...", help="Parts of one log, or different logs.")]
    output: Annotated[
        str, option("--output", "-o", metavar="FILE", help="Where to write the log (.swf, .swf.gz).")
    ]
    align: Annotated[
        Literal["clock", "start"],
        option(help="Different logs: as their headers tell the date, or all beginning at second 0."),
    ] = "clock"
    processors: Annotated[
        int | None,
        option(
            "--processors",
            "--procs",
            metavar="N",
            help="Of the merged machine; without: the sum, the largest where all name one machine.",
        ),
    ] = None
    json: JsonFile = None
    input_format: InputFormat = None
