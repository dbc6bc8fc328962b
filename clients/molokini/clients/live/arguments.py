"""What the shell said to a live command, as values: one class a command, whose fields are its options."""

from dataclasses import dataclass

from molokini.clients.live import options
from molokini.clients.live.job_arguments import AlterArguments as AlterArguments
from molokini.clients.live.job_arguments import JobsArguments as JobsArguments
from molokini.clients.live.job_arguments import SubmitArguments as SubmitArguments
from molokini.clients.live.job_arguments import WishArguments as WishArguments


@dataclass(frozen=True, kw_only=True)
class OneJobArguments:
    """``molokini job``, ``explain`` and ``forecast``."""

    job: options.OneJob
    json: options.Json = False


@dataclass(frozen=True, kw_only=True)
class ChangeArguments:
    """``molokini cancel``, ``requeue``, ``suspend`` and ``resume``."""

    jobs: options.Jobs
    reason: options.Reason = ""


@dataclass(frozen=True, kw_only=True)
class HoldArguments(ChangeArguments):
    """``molokini hold``."""

    hold: options.HoldKind = "user"


@dataclass(frozen=True, kw_only=True)
class ReleaseArguments(HoldArguments):
    """``molokini release``."""

    all_holds: options.AllHolds = False


@dataclass(frozen=True, kw_only=True)
class SignalArguments:
    """``molokini signal``."""

    signal: options.Signal
    jobs: options.Jobs


@dataclass(frozen=True, kw_only=True)
class WaitArguments:
    """``molokini wait``."""

    jobs: options.Jobs
    timeout: options.Timeout = None
    json: options.Json = False


@dataclass(frozen=True, kw_only=True)
class WatchArguments:
    """``molokini watch``."""

    ids: options.SomeJobs = ()
    user: options.Users = ()
    after: options.AfterSequence = None
    count: options.Count = None
    json: options.Json = False


@dataclass(frozen=True, kw_only=True)
class NodesArguments:
    """``molokini nodes``."""

    names: options.NodeNames = ()
    state: options.States = ()
    drain: options.Drain = False
    resume: options.ResumeNodes = False
    down: options.Down = False
    reason: options.NodeReason = ""
    json: options.Json = False


@dataclass(frozen=True, kw_only=True)
class AgentsArguments:
    """``molokini agents``."""

    names: options.AgentNames = ()
    release: options.ReleaseAgent = False
    json: options.Json = False


@dataclass(frozen=True, kw_only=True)
class ClusterArguments:
    """``molokini cluster``."""

    json: options.Json = False


@dataclass(frozen=True, kw_only=True)
class QueuesArguments:
    """``molokini queues``."""

    names: options.QueueNames = ()
    set: options.QueueFields = ()
    remove: options.RemoveQueue = False
    json: options.Json = False


@dataclass(frozen=True, kw_only=True)
class PolicyArguments:
    """``molokini policy``."""

    name: options.NewPolicy = None
    set: options.Parameters = ()
    json: options.Json = False


@dataclass(frozen=True, kw_only=True)
class ChangeParamArguments:
    """``molokini maui changeparam``."""

    name: options.MauiParameter
    value: options.MauiValue
    json: options.Json = False


@dataclass(frozen=True, kw_only=True)
class ShowConfigArguments:
    """``molokini maui showconfig``."""

    file: options.ConfigToShow = ""
    verbose: options.WithDefaults = False
    json: options.Json = False


@dataclass(frozen=True, kw_only=True)
class DiagnoseArguments:
    """``molokini maui diagnose``: one of the reports."""

    priorities: options.DiagnosePriorities = False
    fairshare: options.DiagnoseFairshare = False
    nodes: options.DiagnoseNodes = False
    blocked: options.DiagnoseBlocked = False
    reservations: options.DiagnoseReservations = False
    user: options.DiagnoseUsers = False
    group: options.DiagnoseGroups = False
    account: options.DiagnoseAccounts = False
    queue: options.DiagnoseClasses = False
    qos: options.DiagnoseQos = False
    partitions: options.DiagnosePartitions = False
    jobs: options.DiagnoseJobs = False
    scheduler: options.DiagnoseScheduler = False
    agents: options.DiagnoseAgents = False
    name: options.DiagnosedName = ""
    json: options.Json = False


@dataclass(frozen=True, kw_only=True)
class ReportArguments:
    """``molokini maui showres``."""

    json: options.Json = False


@dataclass(frozen=True, kw_only=True)
class WhoseArguments:
    """For whom is asked."""

    user: options.ForUser = ""
    group: options.ForGroup = ""
    account: options.ForAccount = ""
    queue: options.ForQueue = ""
    qos: options.ForQos = ""
    json: options.Json = False


@dataclass(frozen=True, kw_only=True)
class ShowStartArguments(WhoseArguments):
    """``molokini maui showstart``."""

    what: options.JobOrSize


@dataclass(frozen=True, kw_only=True)
class ShowQueueArguments:
    """``molokini maui showq``."""

    partition: options.OfPartition = ""
    user: options.QueueOfUser = ""
    active: options.QueueActive = False
    idle: options.QueueIdle = False
    blocked: options.QueueBlocked = False
    wide: options.QueueWide = False
    json: options.Json = False


@dataclass(frozen=True, kw_only=True)
class ShowWindowsArguments(WhoseArguments):
    """``molokini maui showbf``."""

    partition: options.OfPartition = ""

    processors: options.AtLeastProcessors = 0
    nodes: options.AtLeastNodes = 0
    duration: options.AtLeastDuration = None
    feature: options.OnFeatures = ""
    memory: options.OnMemory = ""
    memory_each: options.MemoryEach = ""


@dataclass(frozen=True, kw_only=True)
class ShowStatisticsArguments:
    """``molokini maui showstats``."""

    by: options.ByCredential = ""
    user: options.StatisticsByUser = False
    group: options.StatisticsByGroup = False
    account: options.StatisticsByAccount = False
    queue: options.StatisticsByQueue = False
    qos: options.StatisticsByQos = False
    json: options.Json = False


@dataclass(frozen=True, kw_only=True)
class ShowGridArguments:
    """``molokini maui showgrid``."""

    statistic: options.GridStatistic = ""
    json: options.Json = False


@dataclass(frozen=True, kw_only=True)
class CheckJobArguments(OneJobArguments):
    """``molokini maui checkjob``."""

    verbose: options.ByNodeClass = False


@dataclass(frozen=True, kw_only=True)
class CheckNodeArguments:
    """``molokini maui checknode``."""

    node: options.OneNode
    json: options.Json = False


@dataclass(frozen=True, kw_only=True)
class SetResArguments:
    """``molokini maui setres``."""

    what: options.ReservedWhat
    name: options.ReservedName = None
    start: options.ReservedStart = None
    duration: options.ReservedDuration = None
    end: options.ReservedEnd = None
    user: options.AdmittedUsers = ""
    group: options.AdmittedGroups = ""
    account: options.AdmittedAccounts = ""
    queue: options.AdmittedQueues = ""
    resources: options.ReservedResources = ""
    charge_account: options.UnknownCharge = ""
    features: options.UnknownFeatures = ""
    initial: options.UnknownInitial = False
    job_features: options.UnknownJobFeatures = ""
    node_set: options.UnknownNodeSet = ""
    partition: options.UnknownPartition = ""
    qos: options.UnknownQos = ""
    flags: options.UnknownFlags = ""
    json: options.Json = False


@dataclass(frozen=True, kw_only=True)
class ScheduleArguments:
    """``molokini schedule``."""

    once: options.Once = False
    dry_run: options.DryRun = False
    json: options.Json = False


@dataclass(frozen=True, kw_only=True)
class ShadowArguments:
    """``molokini shadow``."""

    policy: options.ShadowPolicy = None
    maui_config: options.ShadowConfig = None
    set: options.Parameters = ()
    every: options.Every = "24:00:00"
    count: options.Reports = None
    json: options.Json = False


@dataclass(frozen=True, kw_only=True)
class ClockArguments:
    """``molokini clock status``, ``pause`` and ``resume``."""

    json: options.Json = False


@dataclass(frozen=True, kw_only=True)
class AdvanceArguments(ClockArguments):
    """``molokini clock advance``."""

    seconds: options.AdvanceSeconds


@dataclass(frozen=True, kw_only=True)
class RateArguments(ClockArguments):
    """``molokini clock rate``."""

    rate: options.Rate


@dataclass(frozen=True, kw_only=True)
class ReservationsArguments:
    """``molokini reservations list``."""

    json: options.Json = False


@dataclass(frozen=True, kw_only=True)
class ReserveArguments(ReservationsArguments):
    """``molokini reservations create``."""

    name: options.ReservationName
    processors: options.ReservedProcessors
    start: options.ReservedFrom = None
    length: options.ReservedFor = None
    access: options.Access = ()
    period: options.Period = None
    days: options.Days = None
    day_start: options.DayStart = None
    day_end: options.DayEnd = None
    depth: options.Depth = 0


@dataclass(frozen=True, kw_only=True)
class DeleteReservationArguments:
    """``molokini reservations delete``."""

    names: options.ReservationNames


@dataclass(frozen=True, kw_only=True)
class IssueArguments:
    """``molokini token issue``."""

    user: options.TokenUser
    role: options.TokenRole = "user"
    lifetime: options.TokenLifetime = None
    file: options.TokenOutput = None
    json: options.Json = False


@dataclass(frozen=True, kw_only=True)
class TokensArguments:
    """``molokini token list``."""

    user: options.TokensOf = ""
    all: options.AllTokens = False
    json: options.Json = False


@dataclass(frozen=True, kw_only=True)
class RevokeArguments:
    """``molokini token revoke``."""

    ids: options.TokenIds = ()
    user: options.RevokedUser = ""
    json: options.Json = False


@dataclass(frozen=True, kw_only=True)
class RotateArguments:
    """``molokini token rotate``."""

    json: options.Json = False


@dataclass(frozen=True, kw_only=True)
class BalanceArguments:
    """``molokini bank balance``."""

    account: options.AccountOrAll = ""
    config: options.AsConfiguration = False
    json: options.Json = False


@dataclass(frozen=True, kw_only=True)
class BookArguments:
    """``molokini bank withdraw``."""

    account: options.AccountName
    amount: options.Amount
    reason: options.BookingReason = ""
    json: options.Json = False


@dataclass(frozen=True, kw_only=True)
class DepositArguments(BookArguments):
    """``molokini bank deposit``."""

    new: options.NewAccount = False


@dataclass(frozen=True, kw_only=True)
class RefundArguments(BookArguments):
    """``molokini bank refund``."""

    job: options.RefundedJob = 0


@dataclass(frozen=True, kw_only=True)
class StatementArguments:
    """``molokini bank statement``."""

    account: options.AccountOrAll = ""
    limit: options.MostEntries = 0
    json: options.Json = False
