"""What the tools of ``molokini workload`` take: clean, split, merge, select, scale, compare, fit."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from molokini.clients.arguments.shared import JsonFile, PlotFile, Setting
from molokini.experiments.asked import InputFormat, Jobs, Seed
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
    set: Setting = ()
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
    set: Setting = ()
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
    set: Setting = ()
    json: JsonFile = None
    input_format: InputFormat = None


@dataclass(frozen=True, kw_only=True)
class SelectArguments:
    """``molokini workload select``."""

    log: WholeLogArgument
    utilization: Annotated[
        float, option(metavar="X", help="The mean utilization wished, above 0, at most 1.")
    ]
    length: Annotated[str, option(metavar="TIME", help="Of a period: as 7d, 12h, 3600.")] = "7d"
    tolerance: Annotated[float, option(metavar="X", help="How far utilization may be off.")] = 0.05
    count: Annotated[int, option(metavar="N", help="Tell so many periods, the nearest first.")] = 5
    processors: Annotated[
        int | None,
        option(
            "--processors", "--procs", metavar="N", help="The machine, where the header does not tell it."
        ),
    ] = None
    output: Annotated[
        str | None, option("--output", "-o", metavar="FILE", help="Write the nearest (.swf, .swf.gz).")
    ] = None
    set: Setting = ()
    json: JsonFile = None
    input_format: InputFormat = None


@dataclass(frozen=True, kw_only=True)
class ScaleArguments:
    """``molokini workload scale``."""

    log: WholeLogArgument
    processors: Annotated[
        int, option("--processors", "--procs", metavar="N", help="Of the machine that the log is to be for.")
    ]
    output: Annotated[
        str, option("--output", "-o", metavar="FILE", help="Where to write the log (.swf, .swf.gz).")
    ]
    by: Annotated[
        Literal["widths", "copies"],
        option(help="Wider or narrower jobs, gaps stretched to keep the load; or more or fewer jobs."),
    ] = "widths"
    narrow: Annotated[bool, option(help="By widths: also to fewer processors than the widest job has.")] = (
        False
    )
    seed: Seed = 0
    set: Setting = ()
    json: JsonFile = None
    input_format: InputFormat = None


@dataclass(frozen=True, kw_only=True)
class CompareLogsArguments:
    """``molokini workload compare``."""

    first: Annotated[str, argument(metavar="A", help="A log, or a generated workload.")]
    second: Annotated[str, argument(metavar="B", help="Another.")]
    plot: PlotFile = None
    set: Setting = ()
    json: JsonFile = None
    jobs: Jobs = None
    seed: Seed = 0
    input_format: InputFormat = None


@dataclass(frozen=True, kw_only=True)
class FitArguments:
    """``molokini workload fit``."""

    log: WholeLogArgument
    output: Annotated[
        str | None,
        option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the parameters (.toml), for --workload 'fitted:FILE'.",
        ),
    ] = None
    plot: PlotFile = None
    set: Setting = ()
    json: JsonFile = None
    keep_downtime: Annotated[
        bool, option(help="Fit gaps between arrivals with those that may be downtime.")
    ] = False
    seed: Seed = 0
    input_format: InputFormat = None
