"""What can be asked of a run: one class a kind, whose fields are the options of the command of that name.

How a field is written on the command line stands with it. A field of which the command line takes less than
Python does, such as a log, is declared there (``molokini.clients.arguments.runs``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, Annotated, TypeAlias, Union

from molokini.model.declared import option

if TYPE_CHECKING:
    from pandas import DataFrame

    from molokini.parallel.executors import Executor as AnyExecutor
    from molokini.workloads.workload import Workload

MOST_COPIES = 1000
"""Of each job, by ``clone``."""

COPY_SHIFT_S = 600
"""A copy is submitted from 1 to so many seconds after its job."""

Log: TypeAlias = Union[str, PathLike[str], "Workload", "DataFrame"]
"""A file, a model (``NAME?key=value``), or the jobs themselves, also as a table of pandas."""
Texts: TypeAlias = str | Sequence[str]
"""One, or several."""
Settings: TypeAlias = Mapping[str, object] | Sequence[str]
"""Values of parameters by name, or ``NAME=VALUE`` each."""

# Options of several kinds of runs, or of other commands, too.
Procs = Annotated[
    int | None,
    option("--processors", "--procs", metavar="N", help="Processors, instead of the log's MaxProcs."),
]
WorkloadName = Annotated[
    str | None,
    option(metavar="NAME?key=value", help="A workload from a model, instead of LOG."),
]
OnePolicy = Annotated[str, option(metavar="NAME", help="A name from 'molokini policies', or FILE.py.")]
By = Annotated[
    str | None,
    option(
        metavar="WHAT,...", help="Break the metrics down by size, user, group, queue, account, qos, run_time."
    ),
]
Seeds = Annotated[
    int, option(metavar="N", help="Repeat with N seeds: arrivals resampled, or a model's other jobs.")
]
SeveralSeeds = Annotated[
    int,
    option(
        metavar="N",
        help="Repeat with N seeds: arrivals resampled, a model's other jobs, or phases of timers (slurm).",
    ),
]
Workers = Annotated[int | None, option(metavar="N", help="Processes; default: all cores.")]
Dask = option(
    "--dask",
    metavar="WHERE",
    help="Run on Dask: local, an address (tcp://HOST:PORT), or on jobs of slurm, pbs or lsf.",
)
"""Of the field ``executor``, which in Python is an executor or the same words."""
ProcsPerNode = Annotated[
    int | None,
    option("--processors-per-node", "--procs-per-node", metavar="M", help="Processors of each node."),
]
Jobs = Annotated[int | None, option(metavar="N", help="Only the first N jobs of the log.")]
Seed = Annotated[int, option(metavar="N", help="Seed of all random draws.")]
Strict = Annotated[bool, option(help="Stop at the first bad record instead of counting it.")]
InputFormat = Annotated[
    str | None,
    option(
        metavar="NAME",
        help="Format of the logs: swf, csv, parquet, trace, pbs, lsf, sacct; by default detected.",
    ),
]
MauiConfigFile = Annotated[
    str | None, option(metavar="FILE", help="A maui.cfg (or .toml) for the policy maui.")
]
SlurmConfFile = Annotated[
    str | None,
    option(metavar="FILE", help="A slurm.conf: the machine, and the policy slurm as it configures it."),
]
SlurmAccounts = Annotated[
    Texts,
    option(metavar="FILE", help="Beside it, output of sacctmgr dump, show assoc, show qos, or sshare."),
]
LoadFactor = Annotated[float, option(metavar="F", help="Divide the gaps between arrivals by F.")]

NodeEvents = Annotated[
    str | None,
    option(metavar="FILE", help="Outages of nodes: CSV, or of 'sacctmgr show event -P'; see docs."),
]

RunTimeFactor = Annotated[
    float, option(metavar="F", help="Run times and estimates are F times as long; gaps stay.")
]
Overestimate = Annotated[
    float | None,
    option(
        metavar="PHI",
        help="Estimates are exact for this share of jobs (0 to 1), too long for others; drawn by --seed.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """What every run has: a machine, rules, values of parameters."""

    processors: Procs = None
    nodes: Annotated[int | None, option(metavar="N", help="Equal nodes, with --procs-per-node.")] = None
    processors_per_node: ProcsPerNode = None
    placement: Annotated[
        str | None,
        option(metavar="HOW", help="On nodes: first-fit (default), best-fit, worst-fit, contiguous."),
    ] = None
    set: Settings = ()
    policy_dir: Texts = ()
    overrun: Annotated[
        str, option(metavar="kill|extend", help="At its estimate a job is killed (kill) or runs on (extend).")
    ] = "kill"
    ties: Annotated[
        str, option(metavar="batch|each", help="One pass per instant (batch), or one per event (each).")
    ] = "batch"
    jobs: Jobs = None
    seed: Seed = 0
    strict: Strict = False
    input_format: InputFormat = None


FROM = option(
    "--from",
    metavar="WHEN",
    help="Count only jobs submitted from here on (a date, or seconds of the log); all are replayed.",
)
TO = option("--to", metavar="WHEN", help="Count only jobs submitted before.")


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What can be asked of a schedule that is measured."""

    from_s: Annotated[float | str | None, FROM] = None
    to_s: Annotated[float | str | None, TO] = None
    warm_up: Annotated[
        str | None, option(metavar="N|P%", help="Do not count the first N jobs, or P% of them.")
    ] = None
    cool_down: Annotated[
        str | None, option(metavar="N|P%", help="Do not count the last N jobs, or P% of them.")
    ] = None
    tau: Annotated[float, option(metavar="S", help="Threshold of bounded slowdowns, in seconds.")] = 10.0
    batch_size: Annotated[
        int | None, option(metavar="N", help="Jobs in a batch, for confidence intervals.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class Constrained:
    """What takes processors from jobs for a time."""

    reservations: Annotated[
        str | None,
        option(
            metavar="FILE", help="Reservations: TOML or JSON, see docs; or what sacctmgr or scontrol prints."
        ),
    ] = None
    node_events: NodeEvents = None


@dataclass(frozen=True, kw_only=True)
class Simulation(RunOptions, Measured, Constrained):
    """One workload under one policy."""

    log: Log | None = field(default=None, kw_only=False)
    workload: WorkloadName = None
    policy: OnePolicy
    maui_config: MauiConfigFile = None
    slurm_conf: SlurmConfFile = None
    slurm_accounts: SlurmAccounts = ()
    load_factor: LoadFactor = 1.0
    run_time_factor: RunTimeFactor = 1.0
    overestimate: Overestimate = None
    clone: Annotated[
        int,
        option(
            metavar="N",
            help="Replay each job N times (1 to 1,000); copies come up to 600 s later, drawn by --seed.",
        ),
    ] = 1
    by: By = None
    fidelity: Annotated[
        str | None,
        option(metavar="FILE", help="Write how near starts come to the recorded ones, as JSON (of sacct)."),
    ] = None
    seeds: Annotated[
        int,
        option(
            metavar="N",
            help="Replay N times more with other phases of the policy's timers, and show the band (slurm).",
        ),
    ] = 0
    precision: Annotated[
        float | None,
        option(
            metavar="X",
            help="Report when the interval of each mean first and again falls below this share of it, such "
            "as 0.05.",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Several(RunOptions, Measured, Constrained):
    """Workloads under policies, at each load factor, with each seed."""

    logs: Log | Sequence[Log] = field(default=(), kw_only=False)
    workload: WorkloadName = None
    policies: Texts = ()
    maui_config: Texts = ()
    slurm_conf: Texts = ()
    slurm_accounts: SlurmAccounts = ()
    by: By = None
    load_factor: str | float | Sequence[float] = 1.0
    run_time_factor: str | float | Sequence[float] = 1.0
    overestimate: Overestimate = None
    seeds: SeveralSeeds = 0
    """How many workloads, resampled from a log or made by a model: 0 replays the one that was given.

    Of a log under a policy whose timers have phases: how many draws of these. A sweep draws none.
    """
    free_baseline: Annotated[
        bool,
        option(
            help="The first policy once more, as the baseline, without --reservations and --node-events: so "
            "that one sees what these cost."
        ),
    ] = False
    workers: Workers = None
    executor: Annotated[Union[str, "AnyExecutor", None], Dask] = None


@dataclass(frozen=True, kw_only=True)
class Grid(Several):
    """The same as a sweep: on several machines, each policy under each combination or sample of values."""

    parameters: Mapping[str, object] = field(default_factory=dict)
    machines: object = ()
    samples: int = 0
    sample: Mapping[str, object] = field(default_factory=dict)
    objectives: Sequence[str] = ("mean_bounded_slowdown", "utilization")
    until: Annotated[
        str | None, option(metavar="certain", help="Go on with more seeds until each ranking is certain.")
    ] = None
    at_most: Annotated[int, option(metavar="N", help="Seeds that --until certain uses at most.")] = 100
    output: Annotated[
        str | PathLike[str] | None,
        option(metavar="DIR", help="Directory of the rows, the table (Parquet) and the report (HTML)."),
    ] = None
    fresh: Annotated[
        bool,
        option(help="Discard the rows that are already in DIR, also those of another sweep."),
    ] = False


@dataclass(frozen=True, kw_only=True)
class Saturation(RunOptions):
    """How much of a machine a policy can use at most."""

    log: Log | None = field(default=None, kw_only=False)
    workload: WorkloadName = None
    policy: OnePolicy
    full_queue: Annotated[
        bool, option(help="All jobs wait from the start: exact and quick where no job overtakes (fcfs).")
    ] = False
    tolerance: Annotated[float, option(metavar="SHARE", help="How exactly the arrival rate is searched.")] = (
        0.002
    )
    node_events: NodeEvents = None
    seeds: Seeds = 0
    workers: Workers = None


def texts(given: Texts) -> tuple[str, ...]:
    """One or several, as several."""
    return (given,) if isinstance(given, str) else tuple(given)
