"""Every option and argument of the command: its type, how it is written, what ``--help`` says of it.

Each stands here once; ``arguments.py`` says which command takes which, and the defaults.
"""

from collections.abc import Sequence
from typing import Annotated

import typer

Log = Annotated[
    str, typer.Argument(metavar="LOG", help="A log (.swf, .csv, .parquet, .gz) or synthetic:NAME?key=value.")
]
OptionalLog = Annotated[
    str | None,
    typer.Argument(
        metavar="LOG", help="A log (.swf, .csv, .parquet, .gz) or synthetic:NAME?key=value; or --workload."
    ),
]
WorkloadName = Annotated[
    str | None,
    typer.Option("--workload", metavar="NAME", help="A workload that a model makes, instead of LOG."),
]
Logs = Annotated[Sequence[str], typer.Argument(metavar="LOG", help="Logs, as for simulate; or --workload.")]
OnePolicy = Annotated[
    str, typer.Option("--policy", metavar="NAME", help="A name of 'molokini policies', or FILE.py.")
]
PolicyWithParameters = Annotated[
    str,
    typer.Option(
        "--policy", metavar="NAME", help="A name of 'molokini policies', or FILE.py; or NAME?key=value."
    ),
]
ManyPolicies = Annotated[
    Sequence[str],
    typer.Option(
        "--policy",
        metavar="NAME",
        help="One for each policy to compare; the first is the baseline. Or --maui-config.",
    ),
]
MauiConfigFile = Annotated[
    str | None,
    typer.Option("--maui-config", metavar="FILE", help="A maui.cfg (or .toml) for the policy maui."),
]
MauiConfigFiles = Annotated[
    Sequence[str],
    typer.Option(
        "--maui-config", metavar="FILE", help="The policy maui as this file says; one entry for each."
    ),
]
PolicyDir = Annotated[
    Sequence[str],
    typer.Option(
        "--policy-dir",
        metavar="DIR",
        help="A folder of policy files; may be repeated. Also MOLOKINI_POLICY_PATH.",
    ),
]
Procs = Annotated[
    int | None, typer.Option("--procs", metavar="N", help="Processors, instead of the log's MaxProcs.")
]
Nodes = Annotated[
    int | None, typer.Option("--nodes", metavar="N", help="Equal nodes, with --procs-per-node.")
]
ProcsPerNode = Annotated[
    int | None, typer.Option("--procs-per-node", metavar="M", help="Processors of each node.")
]
Placement = Annotated[
    str | None,
    typer.Option(
        "--placement",
        metavar="HOW",
        help="On nodes: first-fit (default), best-fit, worst-fit, contiguous.",
    ),
]
Setting = Annotated[
    Sequence[str],
    typer.Option("--set", metavar="NAME=VALUE", help="A parameter of policy or workload; may be repeated."),
]
OverrunOption = Annotated[
    str,
    typer.Option(
        "--overrun",
        metavar="kill|extend",
        help="At its estimate a job is killed (kill) or runs on (extend).",
    ),
]
TiesOption = Annotated[
    str,
    typer.Option(
        "--ties", metavar="batch|each", help="One pass an instant (batch), or one per event (each)."
    ),
]
StopAt = Annotated[
    float | None,
    typer.Option("--stop-at", metavar="SECONDS", help="Stop at this instant of the log's clock."),
]
Shown = Annotated[
    Sequence[str],
    typer.Option(
        "--show",
        metavar="REPORT",
        help="Then show: queue, priorities, fairshare, nodes, blocked, reservations, windows, start:JOB, "
        "start:PROCS@SECONDS, statistics, statistics:user, limits:user, partitions, job:JOB, node:NODE, "
        "queue:user=NAME,by=active; may be repeated.",
    ),
]
ReservationsFile = Annotated[
    str | None,
    typer.Option("--reservations", metavar="FILE", help="Processors kept for some: TOML or JSON, see docs."),
]
Jobs = Annotated[int | None, typer.Option("--jobs", metavar="N", help="Only the first N jobs of the log.")]
LoadFactor = Annotated[
    float, typer.Option("--load-factor", metavar="F", help="Divide the gaps between arrivals by F.")
]
LoadFactors = Annotated[
    str,
    typer.Option(
        "--load-factor", metavar="F,F|A:B:STEP", help="Several factors, or a range that includes its end."
    ),
]
Clone = Annotated[
    int,
    typer.Option(
        "--clone",
        metavar="N",
        help="Replay each job N times (1 to 1,000); copies come up to 600 s later, by --seed.",
    ),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Stop at the first bad record instead of counting it.")
]
Tau = Annotated[float, typer.Option("--tau", metavar="S", help="Threshold of bounded slowdowns, in seconds.")]
BatchSize = Annotated[
    int | None, typer.Option("--batch-size", metavar="N", help="Jobs in a batch, for confidence intervals.")
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="Seed of whatever is drawn.")]
JsonFile = Annotated[str | None, typer.Option("--json", metavar="FILE|-", help="Write the results as JSON.")]
PlotFile = Annotated[
    str | None, typer.Option("--plot", metavar="FILE", help="Draw a picture (.png, .svg, .pdf).")
]
CountFrom = Annotated[
    float | None,
    typer.Option(
        "--from", metavar="SECONDS", help="Count only jobs submitted from here on; all are replayed."
    ),
]
CountTo = Annotated[
    float | None, typer.Option("--to", metavar="SECONDS", help="Count only jobs submitted before.")
]
WarmUp = Annotated[
    str | None,
    typer.Option("--warm-up", metavar="N|P%", help="Do not count the first N jobs, or P% of them."),
]
CoolDown = Annotated[
    str | None,
    typer.Option("--cool-down", metavar="N|P%", help="Do not count the last N jobs, or P% of them."),
]
EcdfFile = Annotated[
    str | None,
    typer.Option(
        "--ecdf", metavar="FILE", help="Draw how waits and slowdowns are distributed (.png, .svg, .pdf)."
    ),
]
DifferenceFile = Annotated[
    str | None,
    typer.Option(
        "--difference", metavar="FILE", help="Of two policies: draw which jobs start earlier or later."
    ),
]
SchedulesFolder = Annotated[
    str | None, typer.Option("--schedules", metavar="DIR", help="Write each policy's schedule there, as CSV.")
]
LogAxis = Annotated[
    bool,
    typer.Option("--log-axis", help="Logarithmic axes in the picture, so that one policy flattens none."),
]
ConvergenceFile = Annotated[
    str | None,
    typer.Option(
        "--convergence", metavar="FILE", help="Draw how means settled as jobs completed (.png, .svg, .pdf)."
    ),
]
ScheduleFile = Annotated[
    str | None,
    typer.Option("--schedule", metavar="FILE", help="One row a job (.csv, .swf, .parquet; .gz; .trace)."),
]
Profiled = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="A log, a .trace or statistics file of Maui, or a schedule of 'simulate --schedule'.",
    ),
]
ProfiledBy = Annotated[
    str | None,
    typer.Option(
        "--by", metavar="WHAT,...", help="user, group, account, class, qos, day; without: all that are known."
    ),
]
ProfiledLog = Annotated[
    str | None,
    typer.Option(
        "--log", metavar="LOG", help="Of a schedule in CSV or Parquet: the log, which knows whose jobs."
    ),
]
ProfiledRows = Annotated[
    int | None,
    typer.Option("--rows", metavar="N", help="So many lines of each table at most; all in the JSON."),
]
By = Annotated[
    str | None,
    typer.Option(
        "--by", metavar="WHAT,...", help="Break the metrics down by size, user, group, queue, run_time."
    ),
]
Seeds = Annotated[
    int,
    typer.Option(
        "--seeds", metavar="N", help="Repeat with N seeds: arrivals resampled, or a model's other jobs."
    ),
]
Workers = Annotated[int | None, typer.Option("--workers", metavar="N", help="Processes; default: all cores.")]
FullQueue = Annotated[
    bool,
    typer.Option(
        "--full-queue", help="All jobs wait from the start: exact, and quick, where nobody overtakes (fcfs)."
    ),
]
Tolerance = Annotated[
    float,
    typer.Option("--tolerance", metavar="SHARE", help="How exactly the arrival rate is searched."),
]
StudyName = Annotated[
    str | None, typer.Argument(metavar="NAME", help="The study to run; without, all are listed.")
]
StudyFolder = Annotated[
    str, typer.Option("--output", metavar="DIR", help="Where the page, pictures, JSON and runs are kept.")
]
StudyLogs = Annotated[
    str | None,
    typer.Option("--logs", metavar="DIR", help="The logs (SWF) that the study replays, if it replays any."),
]
StudySeeds = Annotated[
    int | None, typer.Option("--seeds", metavar="N", help="Runs of each case, with seeds 1 to N.")
]
Quick = Annotated[bool, typer.Option("--quick", help="Short runs and few seeds: a look, no result.")]
Resume = Annotated[
    bool, typer.Option("--resume/--fresh", help="Use the runs that are in DIR, or throw them away.")
]
PolicyName = Annotated[str | None, typer.Argument(metavar="NAME", help="Only this policy, with all details.")]
Sita = Annotated[
    int | None, typer.Option("--sita", metavar="H", help="Also cutoffs that give H partitions equal work.")
]
Source = Annotated[str, typer.Argument(metavar="IN", help="A log, as for simulate.")]
Target = Annotated[
    str, typer.Argument(metavar="OUT", help="Format by the ending: .swf, .csv, .parquet; .gz.")
]
FromS = Annotated[float | None, typer.Option("--from-s", metavar="S", help="Submitted at S or later.")]
UntilS = Annotated[float | None, typer.Option("--until-s", metavar="S", help="Submitted before S.")]
Users = Annotated[str | None, typer.Option("--users", metavar="ID,...", help="Only jobs of these users.")]
Least = Annotated[int | None, typer.Option("--least", metavar="N", help="Only jobs of N processors or more.")]
Most = Annotated[int | None, typer.Option("--most", metavar="N", help="Only jobs of N processors or fewer.")]

# Maui's configuration.
MauiFile = Annotated[
    str, typer.Argument(metavar="FILE", help="A maui.cfg, or the same in TOML (its name ends in .toml).")
]
MauiSource = Annotated[str, typer.Argument(metavar="IN", help="A maui.cfg, or TOML (.toml).")]
MauiTarget = Annotated[str, typer.Argument(metavar="OUT", help="TOML where it ends in .toml, else maui.cfg.")]
KnownNodes = Annotated[
    str | None,
    typer.Option(
        "--nodes", metavar="NAMES", help="The nodes that exist, as in node[001-064],io1; others are refused."
    ),
]
ParameterName = Annotated[
    str | None, typer.Argument(metavar="NAME", help="Only this parameter, or this object's attributes.")
]

# What starts a live cluster, or a part of it.
EmulatedNodes = Annotated[int | None, typer.Option("--nodes", metavar="N", help="Emulated nodes.")]
Clusters = Annotated[
    str | None,
    typer.Option(
        "--clusters",
        metavar="CxN",
        help="C clusters of N emulated nodes each, or N,N,...; of 1 processor unless --procs-per-node says.",
    ),
]
ClusterName = Annotated[
    str | None, typer.Option("--cluster", metavar="NAME", help="The cluster to which the nodes belong.")
]
ClockKind = Annotated[
    str | None, typer.Option("--clock", metavar="KIND", help="real, scaled:N, stepped or virtual.")
]
LivePolicy = Annotated[
    str | None, typer.Option("--policy", metavar="NAME", help="The policy that decides at first.")
]
ConfigFile = Annotated[str | None, typer.Option("--config", metavar="FILE", help="Settings, in TOML.")]
StateFolder = Annotated[
    str | None,
    typer.Option("--state", metavar="DIR", help="Where the state is kept; ./molokini-state unless said."),
]
Listen = Annotated[
    str | None, typer.Option("--listen", metavar="HOST:PORT", help="Address of the service; port 0 is any.")
]
NewState = Annotated[bool, typer.Option("--new", help="Begin a new state where there is none.")]
AgentName = Annotated[
    str | None, typer.Option("--name", metavar="NAME", help="The agent's name, and its nodes' prefix.")
]
NodeMemory = Annotated[
    str | None,
    typer.Option("--memory", metavar="SIZE", help="Memory of each node: 512M, 4G; uncounted without."),
]
NodeGpus = Annotated[int | None, typer.Option("--gpus", metavar="N", help="GPUs of each node.")]
NodeFeatures = Annotated[
    Sequence[str], typer.Option("--feature", metavar="NAME", help="What each node has; may be repeated.")
]
TokenFile = Annotated[
    str | None,
    typer.Option("--token-file", metavar="FILE", help="The agent's token; the state's unless said."),
]
FailureSeed = Annotated[
    int | None, typer.Option("--seed", metavar="N", help="Where the nodes' random failures begin.")
]
Mtbf = Annotated[
    float | None, typer.Option("--mtbf", metavar="SECONDS", help="Mean time between failures of a node.")
]
Repair = Annotated[
    float | None, typer.Option("--repair", metavar="SECONDS", help="Mean time until a lost node returns.")
]
FollowClock = Annotated[
    bool, typer.Option("--follow-clock", help="Act at the server's instants; for clocks that are not real.")
]
LiveOverrun = Annotated[
    str, typer.Option("--overrun", metavar="kill", help="The live server ends jobs at their estimates: kill.")
]
LiveTies = Annotated[
    str, typer.Option("--ties", metavar="batch", help="The live server has one pass an instant: batch.")
]
VerifyState = Annotated[
    str | None,
    typer.Option("--state", metavar="DIR", help="Keep the live run here; a run that was killed goes on."),
]
CertsFolder = Annotated[str, typer.Argument(metavar="DIR", help="Where the files are written.")]
CertNodes = Annotated[
    Sequence[str], typer.Option("--node", metavar="NAME", help="A node agent's certificate; may be repeated.")
]
CertUsers = Annotated[
    Sequence[str], typer.Option("--user", metavar="NAME", help="A user's certificate; may be repeated.")
]
CertHosts = Annotated[
    Sequence[str],
    typer.Option("--host", metavar="HOST", help="A name or address of the server; may be repeated."),
]
CertLifetime = Annotated[
    float, typer.Option("--lifetime", metavar="SECONDS", help="How long the certificates are good.")
]
ServerAddress = Annotated[str, typer.Option("--server", metavar="HOST:PORT", help="Where the server is.")]
AgentMode = Annotated[str, typer.Option("--mode", metavar="MODE", help="How jobs are run: emulate.")]
LoadNodes = Annotated[int, typer.Option("--nodes", metavar="N", help="Nodes of the cluster.")]
Cms = Annotated[float, typer.Option("--cms", metavar="S", help="Seconds to send a unit of load.")]
Cps = Annotated[float, typer.Option("--cps", metavar="S", help="Seconds to compute a unit on one node.")]
SetupSend = Annotated[float, typer.Option("--st", metavar="S", help="Set-up of each transmission.")]
SetupCompute = Annotated[float, typer.Option("--sc", metavar="S", help="Set-up of each computation.")]
Sigma = Annotated[float, typer.Option("--sigma", metavar="UNITS", help="Size of the load.")]
NodeCounts = Annotated[
    str | None, typer.Option("--k", metavar="K,K|A:B", help="Numbers of nodes a job; all that divide N.")
]
PartitionRule = Annotated[str, typer.Option("--rule", help="opr: all nodes end together; epr: equal chunks.")]
UnlikeNodes = Annotated[
    Sequence[str],
    typer.Option(
        "--node",
        metavar="CMS,CPS[,ST[,SC]]",
        help="A node with costs of its own, instead of --nodes; may be repeated (beyond the paper).",
    ),
]
ModelName = Annotated[str | None, typer.Argument(metavar="NAME", help="One model, in full.")]
