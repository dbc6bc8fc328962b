"""Every option and argument of the live commands: its type, how it is written, what ``--help`` says of it."""

from collections.abc import Sequence
from typing import Annotated

import typer

OneJob = Annotated[str, typer.Argument(metavar="ID", help="A job, or an element of an array: ID[INDEX].")]
Jobs = Annotated[Sequence[str], typer.Argument(metavar="ID", help="Jobs, or elements of arrays: ID[INDEX].")]
SomeJobs = Annotated[Sequence[str], typer.Argument(metavar="ID", help="Only these jobs.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Reason = Annotated[
    str, typer.Option("--reason", metavar="TEXT", help="Kept with the job and in the audit log.")
]

# What a job asks for.
Script = Annotated[
    Sequence[str],
    typer.Argument(metavar="SCRIPT | -- WORD", help="A job script (- reads it), or words to run."),
]
Argv = Annotated[Sequence[str], typer.Option("--argv", hidden=True)]
Processors = Annotated[int | None, typer.Option("--processors", metavar="N", help="Processors in all.")]
Nodes = Annotated[int | None, typer.Option("--nodes", metavar="N", help="So many nodes.")]
ProcessorsPerNode = Annotated[
    int | None, typer.Option("--processors-per-node", metavar="M", help="Processors of each node.")
]
Components = Annotated[
    str | None,
    typer.Option(
        "--components", metavar="N,N,...", help="Processors of each component, in clusters as --request says."
    ),
]
Request = Annotated[
    str | None,
    typer.Option(
        "--request",
        metavar="KIND",
        help="ordered: component i in cluster i. unordered (default): each in a cluster of its own. "
        "flexible: over the fewest clusters. total: all in one cluster.",
    ),
]
CommunicationPattern = Annotated[
    str | None,
    typer.Option(
        "--communication",
        metavar="PATTERN",
        help="Messages that make emulated nodes take longer by where the job lies: all-to-all, borders or "
        "all-to-all-each-second.",
    ),
]
Message = Annotated[
    str | None,
    typer.Option(
        "--message",
        metavar="INSIDE,BETWEEN",
        help="Seconds of a message inside a cluster and between two; default: the cluster's.",
    ),
]
Memory = Annotated[
    str | None, typer.Option("--memory", metavar="SIZE", help="Memory a processor, with its unit: 512M, 4G.")
]
Gpus = Annotated[
    int | None, typer.Option("--gpus", metavar="N", help="GPUs a node, or a processor without --nodes.")
]
Features = Annotated[
    Sequence[str],
    typer.Option("--feature", metavar="NAME", help="What every node must have; may be repeated."),
]
Estimate = Annotated[
    str | None, typer.Option("--estimate", metavar="TIME", help="Longest run time: seconds, or H:MM:SS.")
]
Queue = Annotated[str | None, typer.Option("--queue", metavar="NAME", help="The queue.")]
Account = Annotated[str | None, typer.Option("--account", metavar="NAME", help="The account.")]
Group = Annotated[str | None, typer.Option("--group", metavar="NAME", help="The group it runs for.")]
Qos = Annotated[str | None, typer.Option("--qos", metavar="NAME", help="The quality of service.")]
Priority = Annotated[
    int | None, typer.Option("--priority", metavar="N", help="From -1024 (later) to 1023 (sooner).")
]
Begin = Annotated[
    str | None,
    typer.Option(
        "--begin", metavar="TIME", help="Not before this second of the cluster's clock; +TIME: from now."
    ),
]
Deadline = Annotated[
    str | None,
    typer.Option(
        "--deadline",
        metavar="TIME",
        help="To have ended by then; written as --begin, or @TIME. With submit --divisible a plain TIME "
        "counts from the submission, and @TIME alone is a second of the cluster's clock.",
    ),
]
Divisible = Annotated[
    float | None,
    typer.Option(
        "--divisible",
        metavar="SIZE",
        help="A load of so many units that can be cut anywhere; admitted or refused by its --deadline.",
    ),
]
Cms = Annotated[
    float | None,
    typer.Option("--cms", metavar="SECONDS", help="To send a unit of load (send_s); default: the cluster's."),
]
Cps = Annotated[
    float | None,
    typer.Option(
        "--cps", metavar="SECONDS", help="To compute a unit of load (compute_s); default: the cluster's."
    ),
]
St = Annotated[
    float | None,
    typer.Option(
        "--st", metavar="SECONDS", help="Before each transmission (setup_send_s); default: the cluster's."
    ),
]
Sc = Annotated[
    float | None,
    typer.Option(
        "--sc", metavar="SECONDS", help="Before each computation (setup_compute_s); default: the cluster's."
    ),
]
After = Annotated[
    Sequence[str],
    typer.Option(
        "--after",
        metavar="KIND:ID",
        help="afterok, afternotok, afterany or after, a colon, a job; or singleton. May be repeated.",
    ),
]
Array = Annotated[
    str | None,
    typer.Option("--array", metavar="RANGE", help="FIRST-LAST[:STEP][%RUNNING], such as 1-100:2%10."),
]
Name = Annotated[str | None, typer.Option("--name", metavar="TEXT", help="The name in listings.")]
Held = Annotated[bool, typer.Option("--hold", help="Hold it from the start.")]
Requeue = Annotated[
    bool | None, typer.Option("--requeue/--no-requeue", help="Whether it may run again if its node is lost.")
]
Comment = Annotated[str | None, typer.Option("--comment", metavar="TEXT", help="Kept and shown.")]
Key = Annotated[
    str | None,
    typer.Option("--key", metavar="TEXT", help="Submission key: with the same one there is one job only."),
]
Emulate = Annotated[
    str | None,
    typer.Option(
        "--emulate",
        metavar="WHAT,...",
        help="What emulated nodes pretend: run=TIME, exit=N, signal=N, memory=SIZE, node-dies=TIME, "
        "never-starts.",
    ),
]
Directory = Annotated[
    str | None, typer.Option("--directory", metavar="DIR", help="Where it starts; default: here.")
]
Input = Annotated[str | None, typer.Option("--input", metavar="FILE", help="Its standard input.")]
Output = Annotated[
    str | None,
    typer.Option("--output", metavar="FILE", help="Its standard output; %j job, %a index, %u, %x, %N."),
]
Error = Annotated[str | None, typer.Option("--error", metavar="FILE", help="Its standard error.")]
Environment = Annotated[
    Sequence[str],
    typer.Option(
        "--env", metavar="NAME[=VALUE]", help="A variable of its environment, or ours; may be repeated."
    ),
]
MailEvents = Annotated[
    Sequence[str],
    typer.Option(
        "--mail-on", metavar="EVENT", help="begin, end or fail: kept for who sends mail; may be repeated."
    ),
]
MailTo = Annotated[
    Sequence[str],
    typer.Option("--mail-to", metavar="ADDRESS", help="Kept for who sends mail; may be repeated."),
]
Notify = Annotated[
    str | None, typer.Option("--notify", metavar="TEXT", help="Whom or what else to notify: kept and shown.")
]

# Which jobs to list, and how to follow them.
Users = Annotated[
    Sequence[str], typer.Option("--user", metavar="NAME", help="Of this user; may be repeated.")
]
Queues = Annotated[
    Sequence[str], typer.Option("--queue", metavar="NAME", help="In this queue; may be repeated.")
]
States = Annotated[
    Sequence[str], typer.Option("--state", metavar="STATE", help="In this state; may be repeated.")
]
OnlyName = Annotated[str | None, typer.Option("--name", metavar="TEXT", help="With exactly this name.")]
All = Annotated[bool, typer.Option("--all", help="Ended ones, too.")]
DeadlineMet = Annotated[
    bool | None,
    typer.Option(
        "--deadline-met/--deadline-missed", help="Only those that have met, or missed, their deadlines."
    ),
]
Elements = Annotated[bool, typer.Option("--elements", help="A line for each element of an array.")]
Timeout = Annotated[
    float | None,
    typer.Option("--timeout", metavar="SECONDS", help="Give up after so long, with exit code 124."),
]
AfterSequence = Annotated[
    int | None, typer.Option("--after", metavar="N", help="Changes after this number; 0: all that are kept.")
]
Count = Annotated[int | None, typer.Option("--count", metavar="N", help="Stop after N changes.")]

# Changes of jobs.
HoldKind = Annotated[str, typer.Option("--hold", metavar="WHOSE", help="user, operator or system.")]
AllHolds = Annotated[bool, typer.Option("--all-holds", help="All of them, as an administrator.")]
Signal = Annotated[
    str, typer.Argument(metavar="SIGNAL", help="A number from 1 to 64, or a name such as TERM.")
]

# The cluster.
NodeNames = Annotated[
    Sequence[str], typer.Argument(metavar="NODE", help='Names, or patterns: "node[001-064]".')
]
Drain = Annotated[bool, typer.Option("--drain", help="Let no new jobs start on these nodes.")]
ResumeNodes = Annotated[bool, typer.Option("--resume", help="Let these nodes take work again.")]
Down = Annotated[bool, typer.Option("--down", help="Give these nodes up, with what runs there.")]
NodeReason = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Shown with the nodes.")]
QueueNames = Annotated[Sequence[str], typer.Argument(metavar="QUEUE", help="Only these queues.")]
QueueFields = Annotated[
    Sequence[str],
    typer.Option("--set", metavar="FIELD=VALUE", help="Change (or make) the named queue; may be repeated."),
]
RemoveQueue = Annotated[bool, typer.Option("--remove", help="Take the named queue away; it must be empty.")]
NewPolicy = Annotated[str | None, typer.Argument(metavar="NAME", help="Let this policy decide from now on.")]
Parameters = Annotated[
    Sequence[str],
    typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the policy; may be repeated."),
]
AdvanceSeconds = Annotated[str, typer.Argument(metavar="SECONDS", help="Seconds, or H:MM:SS.")]
Rate = Annotated[float, typer.Argument(metavar="N", help="Seconds of the clock a second of real time.")]

# Reservations.
ReservationName = Annotated[str, typer.Argument(metavar="NAME", help="A name of its own.")]
ReservationNames = Annotated[list[str], typer.Argument(metavar="NAME", help="Those to be given up.")]
ReservedProcessors = Annotated[
    int, typer.Option("--processors", metavar="N", help="So many processors are kept.")
]
ReservedFrom = Annotated[
    str | None,
    typer.Option("--start", metavar="WHEN", help="Instant of the clock, or +SECONDS from now; now without."),
]
ReservedFor = Annotated[
    str | None, typer.Option("--length", metavar="TIME", help="Seconds, or H:MM:SS; for ever without.")
]
Access = Annotated[
    Sequence[str],
    typer.Option(
        "--access", metavar="KIND:NAME", help="Admits a user, group, account or queue; may be repeated."
    ),
]
Period = Annotated[
    str | None, typer.Option("--period", metavar="PERIOD", help="It comes back: each DAY or WEEK.")
]
Days = Annotated[str | None, typer.Option("--days", metavar="DAYS", help="Mon,Tue,...: on these days alone.")]
DayStart = Annotated[
    str | None,
    typer.Option("--from", metavar="TIME", help="Of one that comes back: H:MM:SS after midnight."),
]
DayEnd = Annotated[
    str | None, typer.Option("--until", metavar="TIME", help="Likewise its end; that of the period without.")
]
Depth = Annotated[
    int, typer.Option("--depth", metavar="N", help="So many of its next times are kept; 2 without.")
]

# What the policy maui is told, and asked.
MauiParameter = Annotated[
    str, typer.Argument(metavar="NAME", help="As in maui.cfg: RESERVATIONDEPTH, USERCFG[ann].")
]
MauiValue = Annotated[Sequence[str], typer.Argument(metavar="VALUE", help="What stands behind it.")]
Once = Annotated[bool, typer.Option("--once", help="One iteration now, told step by step.")]
ShadowPolicy = Annotated[
    str | None,
    typer.Option("--policy", metavar="NAME", help="The policy that looks on; else the running one."),
]
ShadowConfig = Annotated[
    str | None,
    typer.Option("--maui-config", metavar="FILE", help="The policy maui as this maui.cfg (or .toml) says."),
]
Every = Annotated[
    str, typer.Option("--every", metavar="TIME", help="From report to report, on the scheduling clock.")
]
Reports = Annotated[int | None, typer.Option("--count", metavar="N", help="Stop after N reports.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only tell what would be decided.")]

# What Maui's commands are told.
DiagnosePriorities = Annotated[bool, typer.Option("--priorities", "-p", help="Priorities by components.")]
DiagnoseFairshare = Annotated[bool, typer.Option("--fairshare", "-f", help="Usage beside targets.")]
DiagnoseNodes = Annotated[bool, typer.Option("--nodes", "-n", help="Nodes, and what is odd about them.")]
DiagnoseBlocked = Annotated[bool, typer.Option("--queue", "-q", help="Jobs that are blocked, and why.")]
DiagnoseReservations = Annotated[bool, typer.Option("--reservations", "-r", help="All reservations.")]
ForUser = Annotated[str, typer.Option("--user", "-u", metavar="NAME", help="For this user.")]
ForGroup = Annotated[str, typer.Option("--group", "-g", metavar="NAME", help="For this group.")]
ForAccount = Annotated[str, typer.Option("--account", "-a", metavar="NAME", help="For this account.")]
ForQueue = Annotated[str, typer.Option("--queue", "-c", metavar="NAME", help="For this class.")]
ForQos = Annotated[str, typer.Option("--qos", "-q", metavar="NAME", help="For this quality of service.")]
OfPartition = Annotated[
    str, typer.Option("--partition", "-p", metavar="NAME", help="Only what concerns this partition of nodes.")
]
JobOrSize = Annotated[
    str, typer.Argument(metavar="JOB|PROCS@DURATION", help="A job, or such a one: 8@1:00:00.")
]
AtLeastProcessors = Annotated[
    int, typer.Option("--processors", "-r", metavar="N", help="Windows of so many at least.")
]
AtLeastDuration = Annotated[
    str | None, typer.Option("--duration", "-d", metavar="TIME", help="Windows of this length at least.")
]
ByCredential = Annotated[
    str, typer.Option("--by", metavar="KIND", help="Also by user, group, account, queue or qos.")
]
OneNode = Annotated[str, typer.Argument(metavar="NODE", help="The node.")]
ReservedWhat = Annotated[
    str, typer.Argument(metavar="ALL|TASKS==N", help="All processors, or so many, anywhere.")
]
ReservedName = Annotated[
    str | None,
    typer.Option("--name", "-n", metavar="NAME", help="Whom it admits first, or SYSTEM, without."),
]
ReservedStart = Annotated[
    str | None,
    typer.Option("--start", "-s", metavar="WHEN", help="Instant of the clock, or +SECONDS; now without."),
]
ReservedDuration = Annotated[
    str | None, typer.Option("--duration", "-d", metavar="TIME", help="For ever without.")
]
ReservedEnd = Annotated[
    str | None,
    typer.Option("--end", "-e", metavar="WHEN", help="Instant of the clock, or +SECONDS."),
]
AdmittedUsers = Annotated[str, typer.Option("--user", "-u", metavar="NAME[:NAME]...", help="Admitted users.")]
AdmittedGroups = Annotated[str, typer.Option("--group", "-g", metavar="NAME[:NAME]...", help="Groups.")]
AdmittedAccounts = Annotated[str, typer.Option("--account", "-a", metavar="NAME[:NAME]...", help="Accounts.")]
AdmittedQueues = Annotated[str, typer.Option("--queue", "-c", metavar="NAME[:NAME]...", help="Classes.")]

# The bank.
AccountName = Annotated[str, typer.Argument(metavar="ACCOUNT", help="An account.")]
AccountOrAll = Annotated[str, typer.Argument(metavar="[ACCOUNT]", help="One account; all without.")]
Amount = Annotated[int, typer.Argument(metavar="AMOUNT", help="Whole processor-seconds.")]
BookingReason = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; it stands in statements.")]
NewAccount = Annotated[bool, typer.Option("--new", help="The account may be one that there is not yet.")]
RefundedJob = Annotated[int, typer.Option("--job", metavar="JOB", help="Of which job the refund is.")]
MostEntries = Annotated[
    int, typer.Option("--limit", metavar="N", help="So many entries at most, the latest; 1,000 without.")
]
AsConfiguration = Annotated[
    bool, typer.Option("--config", help="As lines of a maui.cfg that give simulations these balances.")
]
