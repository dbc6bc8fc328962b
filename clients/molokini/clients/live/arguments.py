"""What the shell said to a live command, as values: one class a command, whose fields are its options."""

from dataclasses import dataclass

from molokini.clients.live import options


@dataclass(frozen=True, kw_only=True)
class WishArguments:
    """What ``submit`` and ``alter`` have in common."""

    processors: options.Processors = None
    nodes: options.Nodes = None
    processors_per_node: options.ProcessorsPerNode = None
    components: options.Components = None
    request: options.Request = None
    memory: options.Memory = None
    gpus: options.Gpus = None
    feature: options.Features = ()
    estimate: options.Estimate = None
    queue: options.Queue = None
    account: options.Account = None
    group: options.Group = None
    qos: options.Qos = None
    priority: options.Priority = None
    begin: options.Begin = None
    deadline: options.Deadline = None
    name: options.Name = None
    requeue: options.Requeue = None
    comment: options.Comment = None
    json: options.Json = False


@dataclass(frozen=True, kw_only=True)
class SubmitArguments(WishArguments):
    """``molokini submit``."""

    script: options.Script = ()
    argv: options.Argv = ()
    """What stands behind ``--``."""
    after: options.After = ()
    array: options.Array = None
    divisible: options.Divisible = None
    cms: options.Cms = None
    cps: options.Cps = None
    st: options.St = None
    sc: options.Sc = None
    communication: options.CommunicationPattern = None
    message: options.Message = None
    hold: options.Held = False
    key: options.Key = None
    emulate: options.Emulate = None
    directory: options.Directory = None
    input: options.Input = None
    output: options.Output = None
    error: options.Error = None
    env: options.Environment = ()
    mail_on: options.MailEvents = ()
    mail_to: options.MailTo = ()
    notify: options.Notify = None


@dataclass(frozen=True, kw_only=True)
class AlterArguments(WishArguments):
    """``molokini alter``."""

    job: options.OneJob


@dataclass(frozen=True, kw_only=True)
class JobsArguments:
    """``molokini jobs``."""

    ids: options.SomeJobs = ()
    user: options.Users = ()
    queue: options.Queues = ()
    state: options.States = ()
    name: options.OnlyName = None
    all: options.All = False
    deadline_met: options.DeadlineMet = None
    elements: options.Elements = False
    json: options.Json = False


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
class DiagnoseArguments:
    """``molokini maui diagnose``: one of the reports."""

    priorities: options.DiagnosePriorities = False
    fairshare: options.DiagnoseFairshare = False
    nodes: options.DiagnoseNodes = False
    blocked: options.DiagnoseBlocked = False
    reservations: options.DiagnoseReservations = False
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
    json: options.Json = False


@dataclass(frozen=True, kw_only=True)
class ShowWindowsArguments(WhoseArguments):
    """``molokini maui showbf``."""

    partition: options.OfPartition = ""

    processors: options.AtLeastProcessors = 0
    duration: options.AtLeastDuration = None


@dataclass(frozen=True, kw_only=True)
class ShowStatisticsArguments:
    """``molokini maui showstats``."""

    by: options.ByCredential = ""
    json: options.Json = False


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
