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
        int | None, option(metavar="H", help="Also cutoffs that give H partitions equal work.")
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
            metavar="WHAT,...", help="user, group, account, class, qos, day; without: all that are known."
        ),
    ] = None
    log: Annotated[
        str | None,
        option(metavar="LOG", help="Of a schedule in CSV or Parquet: the log, which knows whose jobs."),
    ] = None
    rows: Annotated[
        int | None, option(metavar="N", help="So many lines of each table at most; all in the JSON.")
    ] = None
    json: JsonFile = None
    strict: Strict = False
    input_format: InputFormat = None
    processors_per_node: ProcsPerNode = None


@dataclass(frozen=True, kw_only=True)
class ConvertArguments:
    """``molokini workload convert``."""

    source: Annotated[str, argument(metavar="IN", help="A log, as for simulate.")]
    target: Annotated[str, argument(metavar="OUT", help="Format by the ending: .swf, .csv, .parquet; .gz.")]
    from_s: Annotated[
        str | None,
        option(metavar="WHEN", help="Submitted then or later: a date, or seconds of the log."),
    ] = None
    until_s: Annotated[str | None, option(metavar="WHEN", help="Submitted before then.")] = None
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

    name: Annotated[str | None, argument(metavar="NAME", help="One model, in full.")] = None
    json: JsonFile = None
