"""Every option and argument of the live commands: its type, how it is written, what ``--help`` says of it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from molokini.clients.declared import argument, option

OneJob = Annotated[str, argument(metavar="ID", help="A job, or an element of an array: ID[INDEX].")]
Jobs = Annotated[Sequence[str], argument(metavar="ID", help="Jobs, or elements of arrays: ID[INDEX].")]
SomeJobs = Annotated[Sequence[str], argument(metavar="ID", help="Only these jobs.")]
Json = Annotated[bool, option("--json", help="Print JSON.")]
Reason = Annotated[str, option("--reason", metavar="TEXT", help="Kept with the job and in the audit log.")]

# What a job asks for.
Script = Annotated[
    Sequence[str],
    argument(metavar="SCRIPT | -- WORD", help="A job script (- reads it), or words to run."),
]
Argv = Annotated[Sequence[str], option("--argv", hidden=True)]
Processors = Annotated[int | None, option("--processors", metavar="N", help="Processors in all.")]
Nodes = Annotated[int | None, option("--nodes", metavar="N", help="So many nodes.")]
ProcessorsPerNode = Annotated[
    int | None, option("--processors-per-node", metavar="M", help="Processors of each node.")
]
Components = Annotated[
    str | None,
    option(
        "--components", metavar="N,N,...", help="Processors of each component, in clusters as --request says."
    ),
]
Request = Annotated[
    str | None,
    option(
        "--request",
        metavar="KIND",
        help="ordered: component i in cluster i. unordered (default): each in a cluster of its own. "
        "flexible: over the fewest clusters. total: all in one cluster.",
    ),
]
CommunicationPattern = Annotated[
    str | None,
    option(
        "--communication",
        metavar="PATTERN",
        help="Messages that make emulated nodes take longer by where the job lies: all-to-all, borders or "
        "all-to-all-each-second.",
    ),
]
Message = Annotated[
    str | None,
    option(
        "--message",
        metavar="INSIDE,BETWEEN",
        help="Seconds of a message inside a cluster and between two; default: the cluster's.",
    ),
]
Memory = Annotated[
    str | None, option("--memory", metavar="SIZE", help="Memory a processor, with its unit: 512M, 4G.")
]
Gpus = Annotated[
    int | None, option("--gpus", metavar="N", help="GPUs a node, or a processor without --nodes.")
]
Features = Annotated[
    Sequence[str],
    option("--feature", metavar="NAME", help="What every node must have; may be repeated."),
]
Estimate = Annotated[
    str | None, option("--estimate", metavar="TIME", help="Longest run time: seconds, or H:MM:SS.")
]
Queue = Annotated[str | None, option("--queue", metavar="NAME", help="The queue.")]
Account = Annotated[str | None, option("--account", metavar="NAME", help="The account.")]
Group = Annotated[str | None, option("--group", metavar="NAME", help="The group it runs for.")]
Qos = Annotated[str | None, option("--qos", metavar="NAME", help="The quality of service.")]
Priority = Annotated[
    int | None, option("--priority", metavar="N", help="From -1024 (later) to 1023 (sooner).")
]
Begin = Annotated[
    str | None,
    option("--begin", metavar="TIME", help="Not before this second of the cluster's clock; +TIME: from now."),
]
Deadline = Annotated[
    str | None,
    option(
        "--deadline",
        metavar="TIME",
        help="To have ended by then; written as --begin, or @TIME. With submit --divisible a plain TIME "
        "counts from the submission, and @TIME alone is a second of the cluster's clock.",
    ),
]
Divisible = Annotated[
    float | None,
    option(
        "--divisible",
        metavar="SIZE",
        help="A load of so many units that can be cut anywhere; admitted or refused by its --deadline.",
    ),
]
Cms = Annotated[
    float | None,
    option("--cms", metavar="SECONDS", help="To send a unit of load (send_s); default: the cluster's."),
]
Cps = Annotated[
    float | None,
    option("--cps", metavar="SECONDS", help="To compute a unit of load (compute_s); default: the cluster's."),
]
St = Annotated[
    float | None,
    option(
        "--st", metavar="SECONDS", help="Before each transmission (setup_send_s); default: the cluster's."
    ),
]
Sc = Annotated[
    float | None,
    option(
        "--sc", metavar="SECONDS", help="Before each computation (setup_compute_s); default: the cluster's."
    ),
]
After = Annotated[
    Sequence[str],
    option(
        "--after",
        metavar="KIND:ID",
        help="afterok, afternotok, afterany or after, a colon, a job; or singleton. May be repeated.",
    ),
]
Array = Annotated[
    str | None,
    option("--array", metavar="RANGE", help="FIRST-LAST[:STEP][%RUNNING], such as 1-100:2%10."),
]
Name = Annotated[str | None, option("--name", metavar="TEXT", help="The name in listings.")]
Held = Annotated[bool, option("--hold", help="Hold it from the start.")]
Requeue = Annotated[
    bool | None, option("--requeue/--no-requeue", help="Whether it may run again if its node is lost.")
]
Comment = Annotated[str | None, option("--comment", metavar="TEXT", help="Kept and shown.")]
Key = Annotated[
    str | None,
    option("--key", metavar="TEXT", help="Submission key: with the same one there is one job only."),
]
Emulate = Annotated[
    str | None,
    option(
        "--emulate",
        metavar="WHAT,...",
        help="What emulated nodes pretend: run=TIME, exit=N, signal=N, memory=SIZE, node-dies=TIME, "
        "never-starts.",
    ),
]
Directory = Annotated[
    str | None, option("--directory", metavar="DIR", help="Where it starts; default: here.")
]
Input = Annotated[str | None, option("--input", metavar="FILE", help="Its standard input.")]
Output = Annotated[
    str | None,
    option("--output", metavar="FILE", help="Its standard output; %j job, %a index, %u, %x, %N."),
]
Error = Annotated[str | None, option("--error", metavar="FILE", help="Its standard error.")]
Environment = Annotated[
    Sequence[str],
    option("--env", metavar="NAME[=VALUE]", help="A variable of its environment, or ours; may be repeated."),
]
MailEvents = Annotated[
    Sequence[str],
    option(
        "--mail-on", metavar="EVENT", help="begin, end or fail: kept for who sends mail; may be repeated."
    ),
]
MailTo = Annotated[
    Sequence[str],
    option("--mail-to", metavar="ADDRESS", help="Kept for who sends mail; may be repeated."),
]
Notify = Annotated[
    str | None, option("--notify", metavar="TEXT", help="Whom or what else to notify: kept and shown.")
]

# Which jobs to list, and how to follow them.
Users = Annotated[Sequence[str], option("--user", metavar="NAME", help="Of this user; may be repeated.")]
Queues = Annotated[Sequence[str], option("--queue", metavar="NAME", help="In this queue; may be repeated.")]
States = Annotated[Sequence[str], option("--state", metavar="STATE", help="In this state; may be repeated.")]
OnlyName = Annotated[str | None, option("--name", metavar="TEXT", help="With exactly this name.")]
All = Annotated[bool, option("--all", help="Ended ones, too.")]
DeadlineMet = Annotated[
    bool | None,
    option("--deadline-met/--deadline-missed", help="Only those that have met, or missed, their deadlines."),
]
Elements = Annotated[bool, option("--elements", help="A line for each element of an array.")]
Timeout = Annotated[
    float | None,
    option("--timeout", metavar="SECONDS", help="Give up after so long, with exit code 124."),
]
AfterSequence = Annotated[
    int | None, option("--after", metavar="N", help="Changes after this number; 0: all that are kept.")
]
Count = Annotated[int | None, option("--count", metavar="N", help="Stop after N changes.")]

# Changes of jobs.
HoldKind = Annotated[str, option("--hold", metavar="WHOSE", help="user, operator or system.")]
AllHolds = Annotated[bool, option("--all-holds", help="All of them, as an administrator.")]
Signal = Annotated[str, argument(metavar="SIGNAL", help="A number from 1 to 64, or a name such as TERM.")]

# The cluster.
NodeNames = Annotated[Sequence[str], argument(metavar="NODE", help='Names, or patterns: "node[001-064]".')]
Drain = Annotated[bool, option("--drain", help="Let no new jobs start on these nodes.")]
ResumeNodes = Annotated[bool, option("--resume", help="Let these nodes take work again.")]
Down = Annotated[bool, option("--down", help="Give these nodes up, with what runs there.")]
NodeReason = Annotated[str, option("--reason", metavar="TEXT", help="Shown with the nodes.")]
AgentNames = Annotated[Sequence[str], argument(metavar="AGENT", help="Only these agents.")]
ReleaseAgent = Annotated[
    bool,
    option(
        "--release",
        help="Let another agent take these names at once; an agent that is connected is sent away. "
        "Make sure that nothing runs there any more.",
    ),
]
QueueNames = Annotated[Sequence[str], argument(metavar="QUEUE", help="Only these queues.")]
QueueFields = Annotated[
    Sequence[str],
    option("--set", metavar="FIELD=VALUE", help="Change (or make) the named queue; may be repeated."),
]
RemoveQueue = Annotated[bool, option("--remove", help="Take the named queue away; it must be empty.")]
NewPolicy = Annotated[str | None, argument(metavar="NAME", help="Let this policy decide from now on.")]
Parameters = Annotated[
    Sequence[str],
    option("--set", metavar="NAME=VALUE", help="A parameter of the policy; may be repeated."),
]
AdvanceSeconds = Annotated[str, argument(metavar="SECONDS", help="Seconds, or H:MM:SS.")]
Rate = Annotated[float, argument(metavar="N", help="Seconds of the clock a second of real time.")]

# Reservations.
ReservationName = Annotated[str, argument(metavar="NAME", help="A name of its own.")]
ReservationNames = Annotated[list[str], argument(metavar="NAME", help="Those to be given up.")]
ReservedProcessors = Annotated[int, option("--processors", metavar="N", help="So many processors are kept.")]
ReservedFrom = Annotated[
    str | None,
    option("--start", metavar="WHEN", help="Instant of the clock, or +SECONDS from now; now without."),
]
ReservedFor = Annotated[
    str | None, option("--length", metavar="TIME", help="Seconds, or H:MM:SS; for ever without.")
]
Access = Annotated[
    Sequence[str],
    option("--access", metavar="KIND:NAME", help="Admits a user, group, account or queue; may be repeated."),
]
Period = Annotated[str | None, option("--period", metavar="PERIOD", help="It comes back: each DAY or WEEK.")]
Days = Annotated[str | None, option("--days", metavar="DAYS", help="Mon,Tue,...: on these days alone.")]
DayStart = Annotated[
    str | None,
    option("--from", metavar="TIME", help="Of one that comes back: H:MM:SS after midnight."),
]
DayEnd = Annotated[
    str | None, option("--until", metavar="TIME", help="Likewise its end; that of the period without.")
]
Depth = Annotated[int, option("--depth", metavar="N", help="So many of its next times are kept; 2 without.")]

# What the policy maui is told, and asked.
MauiParameter = Annotated[
    str, argument(metavar="NAME", help="As in maui.cfg: RESERVATIONDEPTH, USERCFG[ann].")
]
MauiValue = Annotated[Sequence[str], argument(metavar="VALUE", help="What stands behind it.")]
Once = Annotated[bool, option("--once", help="One iteration now, told step by step.")]
ShadowPolicy = Annotated[
    str | None,
    option("--policy", metavar="NAME", help="The policy that looks on; else the running one."),
]
ShadowConfig = Annotated[
    str | None,
    option("--maui-config", metavar="FILE", help="The policy maui as this maui.cfg (or .toml) says."),
]
Every = Annotated[
    str, option("--every", metavar="TIME", help="From report to report, on the scheduling clock.")
]
Reports = Annotated[int | None, option("--count", metavar="N", help="Stop after N reports.")]
DryRun = Annotated[bool, option("--dry-run", help="Only tell what would be decided.")]

# What Maui's commands are told.
DiagnosePriorities = Annotated[bool, option("--priorities", "-p", help="Priorities by components.")]
DiagnoseFairshare = Annotated[bool, option("--fairshare", "-f", help="Usage beside targets.")]
DiagnoseNodes = Annotated[bool, option("--nodes", "-n", help="Nodes, and what is odd about them.")]
DiagnoseBlocked = Annotated[bool, option("--queue", "-q", help="Jobs that are blocked, and why.")]
DiagnoseReservations = Annotated[bool, option("--reservations", "-r", help="All reservations.")]
DiagnoseUsers = Annotated[bool, option("-u", help="Limits of users, and what they use of them.")]
DiagnoseGroups = Annotated[bool, option("-g", help="Likewise of groups.")]
DiagnoseAccounts = Annotated[bool, option("-a", help="Likewise of accounts.")]
DiagnoseClasses = Annotated[bool, option("-c", help="Likewise of classes (queues).")]
DiagnoseQos = Annotated[bool, option("-Q", help="Likewise of qualities of service.")]
DiagnosePartitions = Annotated[bool, option("-t", help="Partitions of nodes.")]
DiagnoseJobs = Annotated[bool, option("--jobs", "-j", help="All open jobs, and what is odd about them.")]
DiagnoseScheduler = Annotated[
    bool, option("--scheduler", "-S", help="The scheduler: iterations, clock, policy.")
]
DiagnoseAgents = Annotated[
    bool, option("--agents", "-R", help="The resource manager: agents, when heard of, leases.")
]
DiagnosedName = Annotated[
    str, argument(metavar="[NAME]", help="With -u, -g, -a, -c, -Q, -t and -j: only this one.")
]
GridStatistic = Annotated[
    str,
    argument(
        metavar="[STATISTIC]",
        help="AVGXFACTOR (without), MAXXFACTOR, AVGQTIME (hours), JOBCOUNT, PHREQUEST, PHRUN or WCACCURACY.",
    ),
]
ByNodeClass = Annotated[
    bool, option("--verbose", "-v", help="Also why no task fits, a line for each class of nodes.")
]
ConfigToShow = Annotated[
    str, argument(metavar="[FILE]", help="A maui.cfg (or .toml); without, the one in force.")
]
WithDefaults = Annotated[bool, option("--verbose", "-v", help="Parameters that were not given, too.")]
QueueOfUser = Annotated[str, option("--user", "-u", metavar="NAME", help="Only jobs of this user.")]
QueueActive = Annotated[bool, option("--active", "-r", help="Only jobs that run, with all columns.")]
QueueIdle = Annotated[bool, option("--idle", "-i", help="Only jobs that may start, with all columns.")]
QueueBlocked = Annotated[bool, option("--blocked", "-b", help="Only blocked jobs, with all columns.")]
QueueWide = Annotated[bool, option("--wide", "-w", help="Group, account, class and QOS of each job, too.")]
ForUser = Annotated[str, option("--user", "-u", metavar="NAME", help="For this user.")]
ForGroup = Annotated[str, option("--group", "-g", metavar="NAME", help="For this group.")]
ForAccount = Annotated[str, option("--account", "-a", metavar="NAME", help="For this account.")]
ForQueue = Annotated[str, option("--queue", "-c", metavar="NAME", help="For this class.")]
ForQos = Annotated[str, option("--qos", "-q", metavar="NAME", help="For this quality of service.")]
OfPartition = Annotated[
    str, option("--partition", "-p", metavar="NAME", help="Only what concerns this partition of nodes.")
]
JobOrSize = Annotated[str, argument(metavar="JOB|PROCS@DURATION", help="A job, or such a one: 8@1:00:00.")]
AtLeastProcessors = Annotated[
    int, option("--processors", "-r", metavar="N", help="Windows of so many at least.")
]
AtLeastNodes = Annotated[int, option("--nodes", "-n", metavar="N", help="Windows on so many nodes at least.")]
OnFeatures = Annotated[
    str, option("--feature", "-f", metavar="NAME[:NAME]...", help="On nodes that have all of these features.")
]
OnMemory = Annotated[
    str,
    option(
        "--memory",
        "-m",
        metavar="[CMP]MEMORY",
        help="On nodes of so much: 2048 (MB), 4G, '<4G'; CMP is >= without.",
    ),
]
MemoryEach = Annotated[
    str,
    option(
        "--memory-each",
        "-M",
        metavar="MEMORY",
        help="So much of it free beside each processor: 512 (MB), 2G.",
    ),
]
AtLeastDuration = Annotated[
    str | None, option("--duration", "-d", metavar="TIME", help="Windows of this length at least.")
]
ByCredential = Annotated[
    str, option("--by", metavar="KIND", help="Also by user, group, account, class (queue) or qos.")
]
StatisticsByUser = Annotated[bool, option("-u", help="As --by user.")]
StatisticsByGroup = Annotated[bool, option("-g", help="As --by group.")]
StatisticsByAccount = Annotated[bool, option("-a", help="As --by account.")]
StatisticsByQueue = Annotated[bool, option("-c", help="As --by class.")]
StatisticsByQos = Annotated[bool, option("-q", help="As --by qos.")]
OneNode = Annotated[str, argument(metavar="NODE", help="The node.")]
ReservedWhat = Annotated[
    str,
    argument(
        metavar="ALL|TASKS==N|NODES",
        help="All processors; so many, anywhere; or nodes: names, patterns or expressions, between commas.",
    ),
]
ReservedResources = Annotated[
    str, option("--resources", "-r", metavar="PROCS=N", help="So many processors of each node or task.")
]
ReservedName = Annotated[
    str | None,
    option("--name", "-n", metavar="NAME", help="Whom it admits first, or SYSTEM, without."),
]
ReservedStart = Annotated[
    str | None,
    option("--start", "-s", metavar="WHEN", help="Instant of the clock, or +SECONDS; now without."),
]
ReservedDuration = Annotated[str | None, option("--duration", "-d", metavar="TIME", help="For ever without.")]
ReservedEnd = Annotated[
    str | None,
    option("--end", "-e", metavar="WHEN", help="Instant of the clock, or +SECONDS."),
]
AdmittedUsers = Annotated[str, option("--user", "-u", metavar="NAME[:NAME]...", help="Admitted users.")]
AdmittedGroups = Annotated[str, option("--group", "-g", metavar="NAME[:NAME]...", help="Groups.")]
AdmittedAccounts = Annotated[str, option("--account", "-a", metavar="NAME[:NAME]...", help="Accounts.")]
AdmittedQueues = Annotated[str, option("--queue", "-c", metavar="NAME[:NAME]...", help="Classes.")]

# What Maui's setres knows and nothing here follows: it is refused by its name.
_REFUSED = "Maui's; refused here, with what to do instead."
UnknownCharge = Annotated[str, option("-A", metavar="ACCOUNT", help=_REFUSED)]
UnknownFeatures = Annotated[str, option("-f", metavar="FEATURES", help=_REFUSED)]
UnknownInitial = Annotated[bool, option("-i", help=_REFUSED)]
UnknownJobFeatures = Annotated[str, option("-j", metavar="FEATURES", help=_REFUSED)]
UnknownNodeSet = Annotated[str, option("-N", metavar="SET", help=_REFUSED)]
UnknownPartition = Annotated[str, option("-p", metavar="PARTITION", help=_REFUSED)]
UnknownQos = Annotated[str, option("-q", metavar="QOS", help=_REFUSED)]
UnknownFlags = Annotated[str, option("-x", metavar="FLAGS", help=_REFUSED)]

# The bank.
AccountName = Annotated[str, argument(metavar="ACCOUNT", help="An account.")]
AccountOrAll = Annotated[str, argument(metavar="[ACCOUNT]", help="One account; all without.")]
Amount = Annotated[int, argument(metavar="AMOUNT", help="Whole processor-seconds.")]
BookingReason = Annotated[str, option("--reason", metavar="TEXT", help="Why; it stands in statements.")]
NewAccount = Annotated[bool, option("--new", help="The account may be one that there is not yet.")]
RefundedJob = Annotated[int, option("--job", metavar="JOB", help="Of which job the refund is.")]
MostEntries = Annotated[
    int, option("--limit", metavar="N", help="So many entries at most, the latest; 1,000 without.")
]
AsConfiguration = Annotated[
    bool, option("--config", help="As lines of a maui.cfg that give simulations these balances.")
]

# Tokens.
TokenUser = Annotated[str, argument(metavar="NAME", help="The user, or the node agent.")]
TokenRole = Annotated[
    str, option("--role", metavar="ROLE", help="user (default), operator, administrator or node.")
]
TokenLifetime = Annotated[
    str | None,
    option(
        "--lifetime",
        metavar="TIME",
        help="Seconds or H:MM:SS; default: the longest that security.token_lifetime_s allows.",
    ),
]
TokenOutput = Annotated[
    Path | None,
    option("--file", metavar="FILE", help="A new file for the token, for your eyes alone (mode 0600)."),
]
TokensOf = Annotated[str, option("--user", metavar="NAME", help="Only those of this user.")]
AllTokens = Annotated[bool, option("--all", help="Those that ended within the last day, too.")]
TokenIds = Annotated[
    Sequence[str], argument(metavar="ID", help="Tokens, by their ids in 'molokini token list'.")
]
RevokedUser = Annotated[
    str, option("--user", metavar="NAME", help="Instead of ids: all tokens of this user.")
]
