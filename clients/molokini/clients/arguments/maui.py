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
_REFUSED = "Maui's; refused here, with what to do instead."


@dataclass(frozen=True, kw_only=True)
class ChangeParamArguments(JsonArguments):
    """``molokini maui changeparam``."""

    name: Annotated[str, argument(metavar="NAME", help="As in maui.cfg: RESERVATIONDEPTH, USERCFG[ann].")]
    value: Annotated[Sequence[str], argument(metavar="VALUE", help="What stands behind it.")]


@dataclass(frozen=True, kw_only=True)
class ShowConfigArguments(JsonArguments):
    """``molokini maui showconfig``."""

    file: Annotated[
        str, argument(metavar="[FILE]", help="A maui.cfg (or .toml); without, the one in force.")
    ] = ""
    verbose: Annotated[bool, option("--verbose", "-v", help="Parameters that were not given, too.")] = False


@dataclass(frozen=True, kw_only=True)
class DiagnoseArguments(JsonArguments):
    """``molokini maui diagnose``: one of the reports."""

    priorities: Annotated[bool, option("--priorities", "-p", help="Priorities by components.")] = False
    fairshare: Annotated[bool, option("--fairshare", "-f", help="Usage beside targets.")] = False
    nodes: Annotated[bool, option("--nodes", "-n", help="Nodes, and what is odd about them.")] = False
    blocked: Annotated[bool, option("--queue", "-q", help="Jobs that are blocked, and why.")] = False
    reservations: Annotated[bool, option("--reservations", "-r", help="All reservations.")] = False
    user: Annotated[bool, option("-u", help="Limits of users, and what they use of them.")] = False
    group: Annotated[bool, option("-g", help="Likewise of groups.")] = False
    account: Annotated[bool, option("-a", help="Likewise of accounts.")] = False
    queue: Annotated[bool, option("-c", help="Likewise of classes (queues).")] = False
    qos: Annotated[bool, option("-Q", help="Likewise of qualities of service.")] = False
    partitions: Annotated[bool, option("-t", help="Partitions of nodes.")] = False
    jobs: Annotated[bool, option("--jobs", "-j", help="All open jobs, and what is odd about them.")] = False
    scheduler: Annotated[
        bool, option("--scheduler", "-S", help="The scheduler: iterations, clock, policy.")
    ] = False
    agents: Annotated[
        bool, option("--agents", "-R", help="The resource manager: agents, when heard of, leases.")
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

    what: Annotated[str, argument(metavar="JOB|PROCS@DURATION", help="A job, or such a one: 8@1:00:00.")]


@dataclass(frozen=True, kw_only=True)
class ShowQueueArguments(JsonArguments):
    """``molokini maui showq``."""

    partition: OfPartition = ""
    user: Annotated[str, option("--user", "-u", metavar="NAME", help="Only jobs of this user.")] = ""
    active: Annotated[bool, option("--active", "-r", help="Only jobs that run, with all columns.")] = False
    idle: Annotated[bool, option("--idle", "-i", help="Only jobs that may start, with all columns.")] = False
    blocked: Annotated[bool, option("--blocked", "-b", help="Only blocked jobs, with all columns.")] = False
    wide: Annotated[bool, option("--wide", "-w", help="Group, account, class and QOS of each job, too.")] = (
        False
    )


@dataclass(frozen=True, kw_only=True)
class ShowWindowsArguments(WhoseArguments):
    """``molokini maui showbf``."""

    partition: OfPartition = ""
    processors: Annotated[
        int, option("--processors", "--procs", "-r", metavar="N", help="Windows of so many at least.")
    ] = 0
    nodes: Annotated[int, option("--nodes", "-n", metavar="N", help="Windows on so many nodes at least.")] = 0
    duration: Annotated[
        str | None, option("--duration", "-d", metavar="TIME", help="Windows of this length at least.")
    ] = None
    feature: Annotated[
        str,
        option("--feature", "-f", metavar="NAME[:NAME]...", help="On nodes that have all of these features."),
    ] = ""
    memory: Annotated[
        str,
        option(
            "--memory",
            "-m",
            metavar="[CMP]MEMORY",
            help="On nodes of so much: 2048 (MB), 4G, '<4G'; CMP is >= without.",
        ),
    ] = ""
    memory_each: Annotated[
        str,
        option(
            "--memory-each",
            "-M",
            metavar="MEMORY",
            help="So much of it free beside each processor: 512 (MB), 2G.",
        ),
    ] = ""


@dataclass(frozen=True, kw_only=True)
class ShowStatisticsArguments(JsonArguments):
    """``molokini maui showstats``."""

    by: Annotated[str, option(metavar="KIND", help="Also by user, group, account, class (queue) or qos.")] = (
        ""
    )
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
            help="AVGXFACTOR (without), MAXXFACTOR, AVGQTIME (hours), JOBCOUNT, PHREQUEST, PHRUN or "
            "WCACCURACY.",
        ),
    ] = ""


@dataclass(frozen=True, kw_only=True)
class CheckJobArguments(OneJobArguments):
    """``molokini maui checkjob``."""

    verbose: Annotated[
        bool, option("--verbose", "-v", help="Also why no task fits, a line for each class of nodes.")
    ] = False


@dataclass(frozen=True, kw_only=True)
class CheckNodeArguments(JsonArguments):
    """``molokini maui checknode``."""

    node: Annotated[str, argument(metavar="NODE", help="The node.")]


@dataclass(frozen=True, kw_only=True)
class SetResArguments(JsonArguments):
    """``molokini maui setres``."""

    what: Annotated[
        str,
        argument(
            metavar="ALL|TASKS==N|NODES",
            help="All processors; so many, anywhere; or nodes: names, patterns or expressions, between "
            "commas.",
        ),
    ]
    name: Annotated[
        str | None,
        option("--name", "-n", metavar="NAME", help="The first name it admits, or SYSTEM, without."),
    ] = None
    start: Annotated[
        str | None,
        option(
            "--start",
            "-s",
            metavar="WHEN",
            help="18:00:00_12/04, a date, +TIME from now, or seconds of the clock; now without.",
        ),
    ] = None
    duration: Annotated[str | None, option("--duration", "-d", metavar="TIME", help="For ever without.")] = (
        None
    )
    end: Annotated[str | None, option("--end", "-e", metavar="WHEN", help="Likewise its end.")] = None
    user: Annotated[str, option("--user", "-u", metavar="NAME[:NAME]...", help="Admitted users.")] = ""
    group: Annotated[str, option("--group", "-g", metavar="NAME[:NAME]...", help="Groups.")] = ""
    account: Annotated[str, option("--account", "-a", metavar="NAME[:NAME]...", help="Accounts.")] = ""
    queue: Annotated[str, option("--queue", "-c", metavar="NAME[:NAME]...", help="Classes.")] = ""
    resources: Annotated[
        str, option("--resources", "-r", metavar="PROCS=N", help="So many processors of each node or task.")
    ] = ""
    charge_account: Annotated[str, option("-A", metavar="ACCOUNT", help=_REFUSED)] = ""
    features: Annotated[str, option("-f", metavar="FEATURES", help=_REFUSED)] = ""
    initial: Annotated[bool, option("-i", help=_REFUSED)] = False
    job_features: Annotated[str, option("-j", metavar="FEATURES", help=_REFUSED)] = ""
    node_set: Annotated[str, option("-N", metavar="SET", help=_REFUSED)] = ""
    partition: Annotated[str, option("-p", metavar="PARTITION", help=_REFUSED)] = ""
    qos: Annotated[str, option("-q", metavar="QOS", help=_REFUSED)] = ""
    flags: Annotated[str, option("-x", metavar="FLAGS", help=_REFUSED)] = ""
