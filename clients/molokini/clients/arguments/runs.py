"""What ``simulate``, ``compare``, ``capacity``, ``verify``, ``study`` and ``policies`` take."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from molokini.clients.arguments.shared import JsonFile, PlotFile, Setting, SlurmAccounts
from molokini.experiments.asked import (
    FROM,
    TO,
    Dask,
    Jobs,
    LoadFactor,
    MauiConfigFile,
    Measured,
    NodeEvents,
    Overestimate,
    Procs,
    RunOptions,
    RunTimeFactor,
    Saturation,
    Seed,
    Several,
    Simulation,
    SlurmConfFile,
    Workers,
    WorkloadName,
)
from molokini.model.declared import Behind, argument, option

PolicyDir = Annotated[
    Sequence[str],
    option(metavar="DIR", help="Directory of policy files; may be repeated (also: MOLOKINI_POLICY_PATH)."),
]
OptionalLog = Annotated[
    str | None,
    argument(
        metavar="LOG",
        help="A log (.swf, .csv, .parquet, .gz; accounting of PBS, LSF, Slurm) or "
        "a model, NAME?key=value; or use --workload.",
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
        option(metavar="FILE", help="Draw the distributions of waits and slowdowns (.png, .svg, .pdf)."),
        Behind("plot"),
    ] = None


@dataclass(frozen=True, kw_only=True)
class SimulateArguments(ReplayArguments, Simulation):
    """``molokini simulate``."""

    log: OptionalLog = None
    slurm_accounts: SlurmAccounts = ()
    schedule: Annotated[
        str | None,
        option(
            metavar="FILE", help="Write the schedule, one row per job (.csv, .swf, .parquet; .gz; .trace)."
        ),
        Behind("clone"),
    ] = None
    convergence: Annotated[
        str | None,
        option(metavar="FILE", help="Draw the convergence of means as jobs completed (.png, .svg, .pdf)."),
        Behind("schedule"),
    ] = None
    rows: Annotated[
        str | None,
        option(metavar="FILE", help="Draw the rows of gang scheduling over time (.png, .svg, .pdf)."),
        Behind("convergence"),
    ] = None
    html: Annotated[
        str | None,
        option(metavar="FILE", help="Write the run as one page that opens in a browser without a server."),
        Behind("rows"),
    ] = None
    serve: Annotated[
        bool,
        option(help="Serve the same page on this machine and play the run there, until Ctrl-C."),
        Behind("html"),
    ] = False
    stop_at: Annotated[
        str | None,
        option(metavar="WHEN", help="Stop at this time: a date, or seconds of the log."),
        Behind("reservations"),
    ] = None
    show: Annotated[
        Sequence[str],
        option(
            metavar="REPORT",
            help="Show at the end: queue, priorities, fairshare, nodes, blocked, reservations, windows, "
            "start:JOB, start:PROCS@SECONDS, statistics, statistics:user, limits:user, partitions, "
            "job:JOB, node:NODE, queue:user=NAME,by=active; may be repeated.",
        ),
        Behind("stop_at"),
    ] = ()


@dataclass(frozen=True, kw_only=True)
class CompareArguments(ReplayArguments, Several):
    """``molokini compare``."""

    logs: Annotated[
        Sequence[str], argument(metavar="LOG", help="Logs, as for simulate; or use --workload.")
    ] = ()
    policies: Annotated[
        Sequence[str],
        option(
            "--policy",
            metavar="NAME",
            help="Policy to compare; repeat for each one. The first is the baseline. Or use --maui-config.",
        ),
    ] = ()
    maui_config: Annotated[
        Sequence[str],
        option(metavar="FILE", help="Compare the policy maui with this configuration; may be repeated."),
    ] = ()
    slurm_conf: Annotated[
        Sequence[str],
        option(metavar="FILE", help="Compare the policy slurm with this slurm.conf; may be repeated."),
    ] = ()
    slurm_accounts: SlurmAccounts = ()
    load_factor: Annotated[
        str, option(metavar="F,F|A:B:STEP", help="Load factors: a list, or a range that includes its end.")
    ] = "1"
    run_time_factor: Annotated[
        str,
        option(
            metavar="F,F|A:B:STEP",
            help="Multiply run times and estimates, but not arrival gaps: a list, or a range.",
        ),
    ] = "1"
    executor: Annotated[str | None, Dask] = None
    log_axis: Annotated[
        bool,
        option(help="Use logarithmic axes in the picture."),
        Behind("executor"),
    ] = False
    difference: Annotated[
        str | None,
        option(
            metavar="FILE", help="Draw which jobs start earlier or later under the second of two policies."
        ),
        Behind("log_axis"),
    ] = None
    schedules: Annotated[
        str | None,
        option(metavar="DIR", help="Write each policy's schedule to this directory, as CSV."),
        Behind("difference"),
    ] = None
    html: Annotated[
        str | None,
        option(metavar="FILE", help="Write the runs as one page that opens in a browser without a server."),
        Behind("schedules"),
    ] = None
    serve: Annotated[
        bool,
        option(help="Serve the same page on this machine and play the runs there, until Ctrl-C."),
        Behind("html"),
    ] = False


@dataclass(frozen=True, kw_only=True)
class MatrixArguments(RunArguments):
    """``molokini matrix``."""

    log: OptionalLog = None
    policy: Annotated[
        str | None, option(metavar="NAME", help="Policy of the replay: gs, bgs, mgs, mbgs or buddy-gang.")
    ] = None
    workload: WorkloadName = None
    at: Annotated[
        str | None, option(metavar="WHEN", help="Time of the matrix: a date, or seconds of the log.")
    ] = None
    watch: Annotated[
        bool, option(help="Step from event to event: Enter for the next on a terminal, q to quit.")
    ] = False
    steps: Annotated[
        int | None,
        option(metavar="N", help="With --watch: number of steps (default without a terminal: 20)."),
    ] = None
    load_factor: LoadFactor = 1.0
    run_time_factor: RunTimeFactor = 1.0
    overestimate: Overestimate = None
    node_events: NodeEvents = None
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
        str, option(metavar="NAME", help="A name from 'molokini policies', FILE.py, or NAME?key=value.")
    ]
    workload: WorkloadName = None
    set: Setting = ()
    policy_dir: PolicyDir = ()
    jobs: Jobs = None
    procs: Procs = None
    maui_config: MauiConfigFile = None
    slurm_conf: SlurmConfFile = None
    slurm_accounts: SlurmAccounts = ()
    overrun: Annotated[
        str, option(metavar="kill", help="Only kill: the live server ends jobs at their estimates.")
    ] = "kill"
    ties: Annotated[
        str, option(metavar="batch", help="Only batch: the live server makes one pass per instant.")
    ] = "batch"
    seed: Seed = 0
    state: Annotated[
        str | None,
        option(
            metavar="DIR", help="Directory for the state of the live run; a killed run is resumed from it."
        ),
    ] = None
    json: JsonFile = None


@dataclass(frozen=True, kw_only=True)
class PoliciesArguments:
    """``molokini policies``."""

    name: Annotated[str | None, argument(metavar="NAME", help="Show only this policy, with all details.")] = (
        None
    )
    policy_dir: PolicyDir = ()
    json: JsonFile = None


@dataclass(frozen=True, kw_only=True)
class CompileArguments:
    """``molokini compile``."""

    policies: Annotated[
        Sequence[str],
        argument(metavar="POLICY", help="Names from 'molokini policies', or FILE.py (default: all shipped)."),
    ] = ()
    policy_dir: PolicyDir = ()


@dataclass(frozen=True, kw_only=True)
class SweepArguments:
    """``molokini sweep``."""

    file: Annotated[str, argument(metavar="FILE", help="Axes of the sweep (.toml), see docs/sweeps.md.")]
    output: Annotated[str, option(metavar="DIR", help="Directory of rows, table (Parquet) and report.")] = (
        "sweep-output"
    )
    workers: Workers = None
    executor: Annotated[str | None, Dask] = None
    seeds: Annotated[int | None, option(metavar="N", help="Seeds, instead of those of FILE.")] = None
    until: Annotated[
        str | None, option(metavar="certain", help="Go on with more seeds until each ranking is certain.")
    ] = None
    at_most: Annotated[
        int | None, option(metavar="N", help="Seeds that --until certain uses at most (100).")
    ] = None
    fresh: Annotated[
        bool,
        option(help="Discard the rows that are already in DIR, also those of another sweep."),
    ] = False
    json: JsonFile = None


@dataclass(frozen=True, kw_only=True)
class StudyArguments:
    """``molokini study``."""

    name: Annotated[str | None, argument(metavar="NAME", help="Study to run (default: list all).")] = None
    logs: Annotated[
        str | None, option(metavar="DIR", help="Directory of the logs (SWF) that the study replays, if any.")
    ] = None
    output: Annotated[str, option(metavar="DIR", help="Directory for the page, pictures, JSON and runs.")] = (
        "study-output"
    )
    workers: Workers = None
    executor: Annotated[str | None, Dask] = None
    seeds: Annotated[int | None, option(metavar="N", help="Number of runs per case, with seeds 1 to N.")] = (
        None
    )
    quick: Annotated[
        bool, option(help="Use short runs and few seeds: for a first look, not for results.")
    ] = False
    full: Annotated[
        bool, option(help="Use the length of the paper, where the study is shorter without: hours.")
    ] = False
    map: Annotated[
        bool, option(help="Show where each claim that is not met holds, parameter by parameter.")
    ] = False
    resume: Annotated[
        bool, option("--resume/--fresh", help="Use the runs that are already in DIR, or discard them.")
    ] = True
    bundle: Annotated[
        str | None,
        option(metavar="FILE", help="Write rows, claims, page and digests into one archive, to be cited."),
    ] = None
    check: Annotated[
        str | None,
        option(metavar="FILE", help="Verify such an archive: its files, and its verdicts from its rows."),
    ] = None
    json: JsonFile = None
