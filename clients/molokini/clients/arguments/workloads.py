"""What ``molokini workload`` takes."""

from dataclasses import dataclass
from typing import Annotated

from molokini.clients.arguments.shared import JsonFile, PlotFile, Setting
from molokini.experiments.asked import InputFormat, Jobs, LoadFactor, Procs, ProcsPerNode, Seed, Strict
from molokini.model.declared import argument, option


@dataclass(frozen=True, kw_only=True)
class InfoArguments:
    """``molokini workload info``."""

    log: Annotated[
        str,
        argument(
            metavar="LOG",
            help="A log (.swf, .csv, .parquet, .gz; accounting of PBS, LSF, Slurm) or "
            "a model, NAME?key=value.",
        ),
    ]
    processors: Procs = None
    jobs: Jobs = None
    set: Setting = ()
    sita: Annotated[
        int | None, option(metavar="H", help="Also show cutoffs that give H partitions equal work.")
    ] = None
    json: JsonFile = None
    plot: PlotFile = None
    seed: Seed = 0
    strict: Strict = False
    input_format: InputFormat = None
    processors_per_node: ProcsPerNode = None


@dataclass(frozen=True, kw_only=True)
class ProfileArguments:
    """``molokini workload profile``."""

    file: Annotated[
        str,
        argument(
            metavar="FILE",
            help="A log, accounting, a .trace or statistics file of Maui, or a schedule of 'simulate "
            "--schedule'.",
        ),
    ]
    by: Annotated[
        str | None,
        option(
            metavar="WHAT,...", help="user, group, account, class, qos, day (default: all that the file has)."
        ),
    ] = None
    log: Annotated[
        str | None,
        option(
            metavar="LOG",
            help="For a schedule in CSV or Parquet: the log that it was made from, which names the users.",
        ),
    ] = None
    rows: Annotated[
        int | None, option(metavar="N", help="Print at most N lines of each table; JSON has all lines.")
    ] = None
    json: JsonFile = None
    strict: Strict = False
    input_format: InputFormat = None
    processors_per_node: ProcsPerNode = None


@dataclass(frozen=True, kw_only=True)
class ConvertArguments:
    """``molokini workload convert``."""

    source: Annotated[str, argument(metavar="IN", help="A log, as for simulate.")]
    target: Annotated[
        str, argument(metavar="OUT", help="File to write: .swf, .csv or .parquet; .gz compresses.")
    ]
    from_s: Annotated[
        str | None,
        option(
            metavar="WHEN", help="Only jobs submitted at this time or later: a date, or seconds of the log."
        ),
    ] = None
    until_s: Annotated[str | None, option(metavar="WHEN", help="Only jobs submitted before this time.")] = (
        None
    )
    users: Annotated[str | None, option(metavar="ID,...", help="Only jobs of these users.")] = None
    least: Annotated[int | None, option(metavar="N", help="Only jobs of N processors or more.")] = None
    most: Annotated[int | None, option(metavar="N", help="Only jobs of N processors or fewer.")] = None
    set: Setting = ()
    jobs: Jobs = None
    load_factor: LoadFactor = 1.0
    seed: Seed = 0
    strict: Strict = False
    input_format: InputFormat = None
    processors_per_node: ProcsPerNode = None


@dataclass(frozen=True, kw_only=True)
class ModelsArguments:
    """``molokini workload models``."""

    name: Annotated[str | None, argument(metavar="NAME", help="Show only this model, with all details.")] = (
        None
    )
    json: JsonFile = None
