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
        metavar="LOG",
        help="A log (.swf, .gz). Of other formats and generated workloads, only the jobs are read.",
    ),
]
Output = Annotated[
    str | None,
    option("--output", "-o", metavar="FILE", help="Write the resulting log (.swf, .swf.gz)."),
]


@dataclass(frozen=True, kw_only=True)
class CleanArguments:
    """``molokini workload clean``."""

    log: WholeLogArgument
    filter: Annotated[
        Sequence[str],
        option(
            metavar="FILTER",
            help="Remove the records that match, such as 'user=50 and (job>=24439 and job<=64542)'; may be "
            "repeated.",
        ),
    ] = ()
    filters: Annotated[str | None, option(metavar="FILE", help="File of filters, one per line.")] = None
    filters_of: Annotated[
        str | None, option(metavar="LOG", help="Use the filters in the header of this cleaned log.")
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
            "users, random-weeks: a random --share of them, and the others.",
        ),
    ] = "week"
    into: Annotated[
        str | None, option(metavar="DIR", help="Directory to write the parts to (default: only list them).")
    ] = None
    share: Annotated[float, option(metavar="X", help="Share of the first part, above 0 and below 1.")] = 0.5
    warm_up: Annotated[
        str, option(metavar="TIME", help="With --by ends: length of the first part, such as 7d, 12h or 3600.")
    ] = "0"
    cool_down: Annotated[str, option(metavar="TIME", help="With --by ends: length of the last part.")] = "0"
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
        option(help="How to align different logs: by the dates in their headers, or all at second 0."),
    ] = "clock"
    processors: Annotated[
        int | None,
        option(
            "--processors",
            "--procs",
            metavar="N",
            help="Processors of the merged machine (default: the sum; the maximum if all name one machine).",
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
        float, option(metavar="X", help="Mean utilization to look for, above 0, at most 1.")
    ]
    length: Annotated[str, option(metavar="TIME", help="Length of a period, such as 7d, 12h or 3600.")] = "7d"
    tolerance: Annotated[
        float, option(metavar="X", help="Largest difference from the given utilization.")
    ] = 0.05
    count: Annotated[int, option(metavar="N", help="Number of periods to list, the closest first.")] = 5
    processors: Annotated[
        int | None,
        option(
            "--processors",
            "--procs",
            metavar="N",
            help="Processors of the machine, if the header does not give them.",
        ),
    ] = None
    output: Annotated[
        str | None, option("--output", "-o", metavar="FILE", help="Write the closest period (.swf, .swf.gz).")
    ] = None
    set: Setting = ()
    json: JsonFile = None
    input_format: InputFormat = None


@dataclass(frozen=True, kw_only=True)
class ScaleArguments:
    """``molokini workload scale``."""

    log: WholeLogArgument
    processors: Annotated[
        int, option("--processors", "--procs", metavar="N", help="Processors of the new machine.")
    ]
    output: Annotated[
        str, option("--output", "-o", metavar="FILE", help="Where to write the log (.swf, .swf.gz).")
    ]
    by: Annotated[
        Literal["widths", "copies"],
        option(
            help="widths: change job sizes, and arrival gaps to keep the load; copies: change the number of "
            "jobs."
        ),
    ] = "widths"
    narrow: Annotated[
        bool, option(help="With --by widths: allow fewer processors than the widest job has.")
    ] = False
    seed: Seed = 0
    set: Setting = ()
    json: JsonFile = None
    input_format: InputFormat = None


@dataclass(frozen=True, kw_only=True)
class CompareLogsArguments:
    """``molokini workload compare``."""

    first: Annotated[str, argument(metavar="A", help="A log, or a generated workload.")]
    second: Annotated[str, argument(metavar="B", help="Log or generated workload to compare with.")]
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
            help="Write the parameters (.toml), for use as --workload 'fitted:FILE'.",
        ),
    ] = None
    plot: PlotFile = None
    set: Setting = ()
    json: JsonFile = None
    keep_downtime: Annotated[bool, option(help="Include arrival gaps that may be downtime in the fit.")] = (
        False
    )
    seed: Seed = 0
    input_format: InputFormat = None
