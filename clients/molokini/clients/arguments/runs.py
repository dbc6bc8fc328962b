"""What ``simulate``, ``compare``, ``capacity``, ``verify``, ``study`` and ``policies`` take."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from molokini.clients.arguments.shared import JsonFile, PlotFile, Setting
from molokini.experiments.asked import (
    FROM,
    TO,
    Jobs,
    LoadFactor,
    MauiConfigFile,
    Measured,
    Overestimate,
    Procs,
    RunOptions,
    RunTimeFactor,
    Saturation,
    Seed,
    Several,
    Simulation,
    Workers,
    WorkloadName,
)
from molokini.model.declared import Behind, argument, option

PolicyDir = Annotated[
    Sequence[str],
    option(metavar="DIR", help="A folder of policy files; may be repeated. Also MOLOKINI_POLICY_PATH."),
]
OptionalLog = Annotated[
    str | None,
    argument(
        metavar="LOG",
        help="A log (.swf, .csv, .parquet, .gz; accounting of PBS, LSF, Slurm) or "
        "a model, NAME?key=value; or --workload.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class RunArguments(RunOptions):
    """What every command has that replays."""

    set: Setting = ()
    policy_dir: PolicyDir = ()
    json: Annotated[JsonFile, Behind("jobs")] = None


@dataclass(frozen=True, kw_only=True)
class ReplayArguments(RunArguments, Measured):
    """What ``simulate`` and ``compare`` have in common."""

    from_s: Annotated[str | None, FROM] = None
    to_s: Annotated[str | None, TO] = None
    plot: Annotated[PlotFile, Behind("strict")] = None
    ecdf: Annotated[
        str | None,
        option(metavar="FILE", help="Draw how waits and slowdowns are distributed (.png, .svg, .pdf)."),
        Behind("plot"),
    ] = None


@dataclass(frozen=True, kw_only=True)
class SimulateArguments(ReplayArguments, Simulation):
    """``molokini simulate``."""

    log: OptionalLog = None
    schedule: Annotated[
        str | None,
        option(metavar="FILE", help="One row a job (.csv, .swf, .parquet; .gz; .trace)."),
        Behind("clone"),
    ] = None
    convergence: Annotated[
        str | None,
        option(metavar="FILE", help="Draw how means settled as jobs completed (.png, .svg, .pdf)."),
        Behind("schedule"),
    ] = None
    rows: Annotated[
        str | None,
        option(metavar="FILE", help="Draw the rows of gang scheduling over time (.png, .svg, .pdf)."),
        Behind("convergence"),
    ] = None
    stop_at: Annotated[
        str | None,
        option(metavar="WHEN", help="Stop at this instant: a date, or seconds of the log."),
        Behind("reservations"),
    ] = None
    show: Annotated[
        Sequence[str],
        option(
            metavar="REPORT",
            help="Then show: queue, priorities, fairshare, nodes, blocked, reservations, windows, "
            "start:JOB, start:PROCS@SECONDS, statistics, statistics:user, limits:user, partitions, "
            "job:JOB, node:NODE, queue:user=NAME,by=active; may be repeated.",
        ),
        Behind("stop_at"),
    ] = ()


@dataclass(frozen=True, kw_only=True)
class CompareArguments(ReplayArguments, Several):
    """``molokini compare``."""

    logs: Annotated[Sequence[str], argument(metavar="LOG", help="Logs, as for simulate; or --workload.")] = ()
    policies: Annotated[
        Sequence[str],
        option(
            "--policy",
            metavar="NAME",
            help="One for each policy to compare; the first is the baseline. Or --maui-config.",
        ),
    ] = ()
    maui_config: Annotated[
        Sequence[str], option(metavar="FILE", help="The policy maui as this file says; one entry for each.")
    ] = ()
    load_factor: Annotated[
        str, option(metavar="F,F|A:B:STEP", help="Several factors, or a range that includes its end.")
    ] = "1"
    run_time_factor: Annotated[
        str,
        option(
            metavar="F,F|A:B:STEP",
            help="Run times and estimates so many times as long: several, or a range; gaps stay.",
        ),
    ] = "1"
    log_axis: Annotated[
        bool,
        option(help="Logarithmic axes in the picture, so that one policy flattens none."),
        Behind("workers"),
    ] = False
    difference: Annotated[
        str | None,
        option(metavar="FILE", help="Of two policies: draw which jobs start earlier or later."),
        Behind("log_axis"),
    ] = None
    schedules: Annotated[
        str | None,
        option(metavar="DIR", help="Write each policy's schedule there, as CSV."),
        Behind("difference"),
    ] = None


@dataclass(frozen=True, kw_only=True)
class MatrixArguments(RunArguments):
    """``molokini matrix``."""

    log: OptionalLog = None
    policy: Annotated[
        str | None, option(metavar="NAME", help="gs, bgs, mgs, mbgs or buddy-gang; of a replay.")
    ] = None
    workload: WorkloadName = None
    at: Annotated[str | None, option(metavar="WHEN", help="The instant: a date, or seconds of the log.")] = (
        None
    )
    watch: Annotated[bool, option(help="Go on event by event: at each Enter on a terminal, q to end.")] = (
        False
    )
    steps: Annotated[
        int | None, option(metavar="N", help="With --watch: so many instants; without a terminal 20.")
    ] = None
    load_factor: LoadFactor = 1.0
    run_time_factor: RunTimeFactor = 1.0
    overestimate: Overestimate = None
    plot: Annotated[PlotFile, Behind("strict")] = None


@dataclass(frozen=True, kw_only=True)
class CapacityArguments(RunArguments, Saturation):
    """``molokini capacity``."""

    log: OptionalLog = None


@dataclass(frozen=True, kw_only=True)
class VerifyArguments:
    """``molokini verify``."""

    log: OptionalLog = None
    policy: Annotated[
        str, option(metavar="NAME", help="A name of 'molokini policies', or FILE.py; or NAME?key=value.")
    ]
    workload: WorkloadName = None
    set: Setting = ()
    policy_dir: PolicyDir = ()
    jobs: Jobs = None
    procs: Procs = None
    maui_config: MauiConfigFile = None
    overrun: Annotated[
        str, option(metavar="kill", help="The live server ends jobs at their estimates: kill.")
    ] = "kill"
    ties: Annotated[str, option(metavar="batch", help="The live server has one pass an instant: batch.")] = (
        "batch"
    )
    seed: Seed = 0
    state: Annotated[
        str | None, option(metavar="DIR", help="Keep the live run here; a run that was killed goes on.")
    ] = None
    json: JsonFile = None


@dataclass(frozen=True, kw_only=True)
class PoliciesArguments:
    """``molokini policies``."""

    name: Annotated[str | None, argument(metavar="NAME", help="Only this policy, with all details.")] = None
    policy_dir: PolicyDir = ()
    json: JsonFile = None


@dataclass(frozen=True, kw_only=True)
class CompileArguments:
    """``molokini compile``."""

    policies: Annotated[
        Sequence[str],
        argument(metavar="POLICY", help="Names of 'molokini policies', or FILE.py; without, all shipped."),
    ] = ()
    policy_dir: PolicyDir = ()


@dataclass(frozen=True, kw_only=True)
class StudyArguments:
    """``molokini study``."""

    name: Annotated[
        str | None, argument(metavar="NAME", help="The study to run; without, all are listed.")
    ] = None
    logs: Annotated[
        str | None, option(metavar="DIR", help="The logs (SWF) that the study replays, if it replays any.")
    ] = None
    output: Annotated[
        str, option(metavar="DIR", help="Where the page, pictures, JSON and runs are kept.")
    ] = "study-output"
    workers: Workers = None
    seeds: Annotated[int | None, option(metavar="N", help="Runs of each case, with seeds 1 to N.")] = None
    quick: Annotated[bool, option(help="Short runs and few seeds: a look, no result.")] = False
    resume: Annotated[
        bool, option("--resume/--fresh", help="Use the runs that are in DIR, or throw them away.")
    ] = True
    json: JsonFile = None
