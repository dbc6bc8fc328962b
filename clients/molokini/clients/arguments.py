"""What the shell said, as values: one class a command, whose fields are the command's options.

The types of the fields carry what ``--help`` says. Typer alone is imported, because ``molokini --help``
imports this.
"""

from dataclasses import dataclass

from molokini.clients import options

MOST_COPIES = 1000
"""Of each job, with ``--clone``."""

COPY_SHIFT_S = 600
"""A copy is submitted from 1 to so many seconds after its job."""


@dataclass(frozen=True, kw_only=True)
class RunArguments:
    """What every command has that replays."""

    procs: options.Procs = None
    nodes: options.Nodes = None
    procs_per_node: options.ProcsPerNode = None
    placement: options.Placement = None
    set: options.Setting = ()
    policy_dir: options.PolicyDir = ()
    overrun: options.OverrunOption = "kill"
    ties: options.TiesOption = "batch"
    jobs: options.Jobs = None
    json: options.JsonFile = None
    seed: options.Seed = 0
    strict: options.Strict = False


@dataclass(frozen=True, kw_only=True)
class ReplayArguments(RunArguments):
    """What ``simulate`` and ``compare`` have in common."""

    plot: options.PlotFile = None
    ecdf: options.EcdfFile = None
    from_s: options.CountFrom = None
    to_s: options.CountTo = None
    warm_up: options.WarmUp = None
    cool_down: options.CoolDown = None
    tau: options.Tau = 10.0
    batch_size: options.BatchSize = None


@dataclass(frozen=True, kw_only=True)
class SimulateArguments(ReplayArguments):
    """``molokini simulate``."""

    log: options.OptionalLog = None
    workload: options.WorkloadName = None
    policy: options.OnePolicy
    maui_config: options.MauiConfigFile = None
    load_factor: options.LoadFactor = 1.0
    clone: options.Clone = 1
    schedule: options.ScheduleFile = None
    convergence: options.ConvergenceFile = None
    by: options.By = None
    reservations: options.ReservationsFile = None
    stop_at: options.StopAt = None
    show: options.Shown = ()


@dataclass(frozen=True, kw_only=True)
class CompareArguments(ReplayArguments):
    """``molokini compare``."""

    logs: options.Logs = ()
    workload: options.WorkloadName = None
    policy: options.ManyPolicies = ()
    maui_config: options.MauiConfigFiles = ()
    by: options.By = None
    load_factor: options.LoadFactors = "1"
    seeds: options.Seeds = 0
    """How many workloads, resampled from a log or made by a model: 0 replays the one that was given."""
    workers: options.Workers = None
    log_axis: options.LogAxis = False
    difference: options.DifferenceFile = None
    schedules: options.SchedulesFolder = None


@dataclass(frozen=True, kw_only=True)
class CapacityArguments(RunArguments):
    """``molokini capacity``."""

    log: options.OptionalLog = None
    workload: options.WorkloadName = None
    policy: options.OnePolicy
    full_queue: options.FullQueue = False
    tolerance: options.Tolerance = 0.002
    seeds: options.Seeds = 0
    """As for ``compare``."""
    workers: options.Workers = None


@dataclass(frozen=True, kw_only=True)
class PoliciesArguments:
    """``molokini policies``."""

    name: options.PolicyName = None
    policy_dir: options.PolicyDir = ()
    json: options.JsonFile = None


@dataclass(frozen=True, kw_only=True)
class InfoArguments:
    """``molokini workload info``."""

    log: options.Log
    jobs: options.Jobs = None
    sita: options.Sita = None
    json: options.JsonFile = None
    plot: options.PlotFile = None
    seed: options.Seed = 0
    strict: options.Strict = False


@dataclass(frozen=True, kw_only=True)
class ProfileArguments:
    """``molokini workload profile``."""

    file: options.Profiled
    by: options.ProfiledBy = None
    log: options.ProfiledLog = None
    rows: options.ProfiledRows = None
    json: options.JsonFile = None
    strict: options.Strict = False


@dataclass(frozen=True, kw_only=True)
class ConvertArguments:
    """``molokini workload convert``."""

    source: options.Source
    target: options.Target
    from_s: options.FromS = None
    until_s: options.UntilS = None
    users: options.Users = None
    least: options.Least = None
    most: options.Most = None
    jobs: options.Jobs = None
    load_factor: options.LoadFactor = 1.0
    seed: options.Seed = 0
    strict: options.Strict = False


@dataclass(frozen=True, kw_only=True)
class StudyArguments:
    """``molokini study``."""

    name: options.StudyName = None
    logs: options.StudyLogs = None
    output: options.StudyFolder = "study-output"
    workers: options.Workers = None
    seeds: options.StudySeeds = None
    quick: options.Quick = False
    resume: options.Resume = True
    json: options.JsonFile = None


@dataclass(frozen=True, kw_only=True)
class CheckConfigArguments:
    """``molokini config check``."""

    file: options.MauiFile
    nodes: options.KnownNodes = None
    json: options.JsonFile = None


@dataclass(frozen=True, kw_only=True)
class ConvertConfigArguments:
    """``molokini config convert``."""

    source: options.MauiSource
    target: options.MauiTarget
    nodes: options.KnownNodes = None


@dataclass(frozen=True, kw_only=True)
class ParametersArguments:
    """``molokini config parameters``."""

    name: options.ParameterName = None
    json: options.JsonFile = None


@dataclass(frozen=True, kw_only=True)
class UpArguments:
    """``molokini up``."""

    nodes: options.EmulatedNodes = None
    procs_per_node: options.ProcsPerNode = None
    clusters: options.Clusters = None
    clock: options.ClockKind = None
    policy: options.LivePolicy = None
    maui_config: options.MauiConfigFile = None
    set: options.Setting = ()
    state: options.StateFolder = None
    listen: options.Listen = None
    config: options.ConfigFile = None


@dataclass(frozen=True, kw_only=True)
class ServeArguments:
    """``molokini serve``."""

    config: options.ConfigFile = None
    new: options.NewState = False
    clock: options.ClockKind = None
    policy: options.LivePolicy = None
    maui_config: options.MauiConfigFile = None
    set: options.Setting = ()
    state: options.StateFolder = None
    listen: options.Listen = None


@dataclass(frozen=True, kw_only=True)
class AgentArguments:
    """``molokini agent``."""

    server: options.ServerAddress
    mode: options.AgentMode = "emulate"
    nodes: options.EmulatedNodes = None
    procs_per_node: options.ProcsPerNode = None
    name: options.AgentName = None
    memory: options.NodeMemory = None
    gpus: options.NodeGpus = None
    feature: options.NodeFeatures = ()
    cluster: options.ClusterName = None
    token_file: options.TokenFile = None
    seed: options.FailureSeed = None
    mtbf: options.Mtbf = None
    repair: options.Repair = None
    follow_clock: options.FollowClock = False


@dataclass(frozen=True, kw_only=True)
class VerifyArguments:
    """``molokini verify``."""

    log: options.OptionalLog = None
    policy: options.PolicyWithParameters
    workload: options.WorkloadName = None
    set: options.Setting = ()
    policy_dir: options.PolicyDir = ()
    jobs: options.Jobs = None
    procs: options.Procs = None
    maui_config: options.MauiConfigFile = None
    overrun: options.LiveOverrun = "kill"
    ties: options.LiveTies = "batch"
    seed: options.Seed = 0
    state: options.VerifyState = None
    json: options.JsonFile = None


@dataclass(frozen=True, kw_only=True)
class CertsArguments:
    """``molokini certs``."""

    folder: options.CertsFolder
    nodes: options.CertNodes = ()
    users: options.CertUsers = ()
    hosts: options.CertHosts = ()
    lifetime_s: options.CertLifetime = 90 * 86_400.0


@dataclass(frozen=True, kw_only=True)
class CostArguments:
    """What divisible loads cost."""

    nodes: options.LoadNodes = 16
    cms: options.Cms = 1.0
    cps: options.Cps = 100.0
    st: options.SetupSend = 0.0
    sc: options.SetupCompute = 0.0
    sigma: options.Sigma = 200.0
    json: options.JsonFile = None


@dataclass(frozen=True, kw_only=True)
class RangeArguments(CostArguments):
    """``molokini divisible range``."""

    k: options.NodeCounts = None


@dataclass(frozen=True, kw_only=True)
class SplitArguments(CostArguments):
    """``molokini divisible split``."""

    rule: options.PartitionRule = "opr"
    node: options.UnlikeNodes = ()


@dataclass(frozen=True, kw_only=True)
class ModelsArguments:
    """``molokini workload models``."""

    name: options.ModelName = None
    json: options.JsonFile = None
