"""What the commands with Maui's names take."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from molokini.clients.arguments.jobs import OneJobArguments
from molokini.clients.arguments.shared import JsonArguments
from molokini.model.declared import argument, option

OfPartition = Annotated[
    str, option("--partition", "-p", metavar="NAME", help="Only what concerns this partition of nodes.")
]

# What Maui's setres knows and nothing here follows: it is refused by its name.
_REFUSED = "Option of Maui that is not supported; the error says what to use instead."


@dataclass(frozen=True, kw_only=True)
class ChangeParamArguments(JsonArguments):
    """``molokini maui changeparam``."""

    name: Annotated[
        str,
        argument(metavar="NAME", help="Parameter as in maui.cfg, such as RESERVATIONDEPTH or USERCFG[ann]."),
    ]
    value: Annotated[Sequence[str], argument(metavar="VALUE", help="Value, as in maui.cfg.")]


@dataclass(frozen=True, kw_only=True)
class ShowConfigArguments(JsonArguments):
    """``molokini maui showconfig``."""

    file: Annotated[
        str, argument(metavar="[FILE]", help="A maui.cfg or .toml (default: the one in use).")
    ] = ""
    verbose: Annotated[
        bool, option("--verbose", "-v", help="Include parameters that have their defaults.")
    ] = False


@dataclass(frozen=True, kw_only=True)
class DiagnoseArguments(JsonArguments):
    """``molokini maui diagnose``: one of the reports."""

    priorities: Annotated[bool, option("--priorities", "-p", help="Job priorities, by component.")] = False
    fairshare: Annotated[bool, option("--fairshare", "-f", help="Fairshare usage and targets.")] = False
    nodes: Annotated[bool, option("--nodes", "-n", help="Nodes, with any problems.")] = False
    blocked: Annotated[bool, option("--queue", "-q", help="Blocked jobs, and why they are blocked.")] = False
    reservations: Annotated[bool, option("--reservations", "-r", help="All reservations.")] = False
    user: Annotated[bool, option("-u", help="Limits of users, and current use.")] = False
    group: Annotated[bool, option("-g", help="Limits of groups, and current use.")] = False
    account: Annotated[bool, option("-a", help="Limits of accounts, and current use.")] = False
    queue: Annotated[bool, option("-c", help="Limits of classes (queues), and current use.")] = False
    qos: Annotated[bool, option("-Q", help="Limits of QOS, and current use.")] = False
    partitions: Annotated[bool, option("-t", help="Partitions of nodes.")] = False
    jobs: Annotated[bool, option("--jobs", "-j", help="All queued and running jobs, with any problems.")] = (
        False
    )
    scheduler: Annotated[
        bool, option("--scheduler", "-S", help="The scheduler: iterations, clock, policy.")
    ] = False
    agents: Annotated[
        bool, option("--agents", "-R", help="The resource manager: agents, their last contact, leases.")
    ] = False
    name: Annotated[
        str, argument(metavar="[NAME]", help="With -u, -g, -a, -c, -Q, -t and -j: only this one.")
    ] = ""


@dataclass(frozen=True, kw_only=True)
class WhoseArguments(JsonArguments):
    """The credentials that a question is about."""

    user: Annotated[str, option("--user", "-u", metavar="NAME", help="For this user.")] = ""
    group: Annotated[str, option("--group", "-g", metavar="NAME", help="For this group.")] = ""
    account: Annotated[str, option("--account", "-a", metavar="NAME", help="For this account.")] = ""
    queue: Annotated[str, option("--queue", "-c", metavar="NAME", help="For this class.")] = ""
    qos: Annotated[str, option("--qos", "-q", metavar="NAME", help="For this quality of service.")] = ""


@dataclass(frozen=True, kw_only=True)
class ShowStartArguments(WhoseArguments):
    """``molokini maui showstart``."""

    what: Annotated[
        str,
        argument(metavar="JOB|PROCS@DURATION", help="A job id, or a size and duration such as 8@1:00:00."),
    ]


@dataclass(frozen=True, kw_only=True)
class ShowQueueArguments(JsonArguments):
    """``molokini maui showq``."""

    partition: OfPartition = ""
    user: Annotated[str, option("--user", "-u", metavar="NAME", help="Only jobs of this user.")] = ""
    active: Annotated[bool, option("--active", "-r", help="Only running jobs, with all columns.")] = False
    idle: Annotated[
        bool, option("--idle", "-i", help="Only idle jobs, which may start, with all columns.")
    ] = False
    blocked: Annotated[bool, option("--blocked", "-b", help="Only blocked jobs, with all columns.")] = False
    wide: Annotated[bool, option("--wide", "-w", help="All columns in all lists, and names in full.")] = False


@dataclass(frozen=True, kw_only=True)
class ShowWindowsArguments(WhoseArguments):
    """``molokini maui showbf``."""

    partition: OfPartition = ""
    processors: Annotated[
        int,
        option("--processors", "--procs", "-r", metavar="N", help="Only windows of at least N processors."),
    ] = 0
    nodes: Annotated[int, option("--nodes", "-n", metavar="N", help="Only windows on at least N nodes.")] = 0
    duration: Annotated[
        str | None, option("--duration", "-d", metavar="TIME", help="Only windows of at least this duration.")
    ] = None
    feature: Annotated[
        str,
        option(
            "--feature", "-f", metavar="NAME[:NAME]...", help="Only nodes that have all of these features."
        ),
    ] = ""
    memory: Annotated[
        str,
        option(
            "--memory",
            "-m",
            metavar="[CMP]MEMORY",
            help="Only nodes with this memory: 2048 (MB), 4G, '<4G' (default CMP: >=).",
        ),
    ] = ""
    memory_each: Annotated[
        str,
        option(
            "--memory-each",
            "-M",
            metavar="MEMORY",
            help="Free memory per processor, such as 512 (MB) or 2G.",
        ),
    ] = ""


@dataclass(frozen=True, kw_only=True)
class ShowStatisticsArguments(JsonArguments):
    """``molokini maui showstats``."""

    by: Annotated[
        str,
        option(metavar="KIND", help="Also show statistics by user, group, account, class (queue) or qos."),
    ] = ""
    user: Annotated[bool, option("-u", help="As --by user.")] = False
    group: Annotated[bool, option("-g", help="As --by group.")] = False
    account: Annotated[bool, option("-a", help="As --by account.")] = False
    queue: Annotated[bool, option("-c", help="As --by class.")] = False
    qos: Annotated[bool, option("-q", help="As --by qos.")] = False


@dataclass(frozen=True, kw_only=True)
class ShowGridArguments(JsonArguments):
    """``molokini maui showgrid``."""

    statistic: Annotated[
        str,
        argument(
            metavar="[STATISTIC]",
            help="AVGXFACTOR (default), MAXXFACTOR, AVGQTIME (hours), JOBCOUNT, PHREQUEST, PHRUN or "
            "WCACCURACY.",
        ),
    ] = ""


@dataclass(frozen=True, kw_only=True)
class CheckJobArguments(OneJobArguments):
    """``molokini maui checkjob``."""

    verbose: Annotated[
        bool, option("--verbose", "-v", help="Also show why no task fits, with a line per class of nodes.")
    ] = False


@dataclass(frozen=True, kw_only=True)
class CheckNodeArguments(JsonArguments):
    """``molokini maui checknode``."""

    node: Annotated[str, argument(metavar="NODE", help="Name of the node.")]


@dataclass(frozen=True, kw_only=True)
class SetResArguments(JsonArguments):
    """``molokini maui setres``."""

    what: Annotated[
        str,
        argument(
            metavar="ALL|TASKS==N|NODES",
            help="All processors; N processors on any nodes; or nodes: names, patterns or expressions, "
            "separated by commas.",
        ),
    ]
    name: Annotated[
        str | None,
        option(
            "--name",
            "-n",
            metavar="NAME",
            help="Name of the reservation (default: the first name that has access, or SYSTEM).",
        ),
    ] = None
    start: Annotated[
        str | None,
        option(
            "--start",
            "-s",
            metavar="WHEN",
            help="Start: 18:00:00_12/04, a date, +TIME from now, or seconds of the clock (default: now).",
        ),
    ] = None
    duration: Annotated[
        str | None, option("--duration", "-d", metavar="TIME", help="Duration (default: no end).")
    ] = None
    end: Annotated[str | None, option("--end", "-e", metavar="WHEN", help="End, written as --start.")] = None
    user: Annotated[str, option("--user", "-u", metavar="NAME[:NAME]...", help="Users that have access.")] = (
        ""
    )
    group: Annotated[
        str, option("--group", "-g", metavar="NAME[:NAME]...", help="Groups that have access.")
    ] = ""
    account: Annotated[
        str, option("--account", "-a", metavar="NAME[:NAME]...", help="Accounts that have access.")
    ] = ""
    queue: Annotated[
        str, option("--queue", "-c", metavar="NAME[:NAME]...", help="Classes that have access.")
    ] = ""
    resources: Annotated[
        str, option("--resources", "-r", metavar="PROCS=N", help="Number of processors per node or task.")
    ] = ""
    charge_account: Annotated[str, option("-A", metavar="ACCOUNT", help=_REFUSED)] = ""
    features: Annotated[str, option("-f", metavar="FEATURES", help=_REFUSED)] = ""
    initial: Annotated[bool, option("-i", help=_REFUSED)] = False
    job_features: Annotated[str, option("-j", metavar="FEATURES", help=_REFUSED)] = ""
    node_set: Annotated[str, option("-N", metavar="SET", help=_REFUSED)] = ""
    partition: Annotated[str, option("-p", metavar="PARTITION", help=_REFUSED)] = ""
    qos: Annotated[str, option("-q", metavar="QOS", help=_REFUSED)] = ""
    flags: Annotated[str, option("-x", metavar="FLAGS", help=_REFUSED)] = ""
