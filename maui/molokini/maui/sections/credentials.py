"""Credentials (USERCFG, GROUPCFG, ..., SYSCFG): priorities, fairshare targets, access and limits."""

from typing import Annotated

from molokini.maui.access import FOLLOWED_JOB_FLAGS, JOB_FLAGS, QOS_FLAGS, Flags, MemberList, Members
from molokini.maui.fields import (
    Cap,
    Count,
    Label,
    Labels,
    Line,
    Real,
    Seconds,
    SecondsOrNone,
    Section,
    group,
    parameter,
)
from molokini.maui.kinds import Amount, Choice, Duration, HardLimit, Limits, Number, Whole, written
from molokini.maui.limits import Limit, Target
from molokini.maui.sections.reasons import ACCOUNTS, CLASS_DEFAULTS, MOAB, NODE_SETS
from molokini.maui.values import FairshareTarget
from molokini.model.credentials import CredentialType
from molokini.policies.maui.configuration.words import LimitKind

_Many = Annotated[Limit, Limits(Whole(), "(whole numbers)")]
_Amount = Annotated[Limit, Limits(Number(0), "(numbers)")]
_Time = Annotated[Limit, Limits(Duration(), "(times)")]
_HardMany = Annotated[Limit, HardLimit(Whole(), "(whole numbers)")]
_HardAmount = Annotated[Limit, HardLimit(Number(0), "(numbers)")]
_HardTime = Annotated[Limit, HardLimit(Duration(), "(times)")]


class Throttle(Section):
    """Limits of what a credential may have at a time."""

    jobs: _Many | None = parameter("JOB", None, "number")
    processors: _Many | None = parameter("PROC", None, "processors")
    nodes: _Many | None = parameter("NODE", None, "nodes")
    processor_equivalents: _Amount | None = parameter("PE", None, "processor equivalents")
    processor_seconds: _Amount | None = parameter("PS", None, "processor-seconds still to run")
    wall_time_s: _Time | None = parameter("WC", None, "wall time still to run")
    memory_mb: _Amount | None = parameter("MEM", None, "memory (MB)")


class HardThrottle(Section):
    """Limits of which only the hard one counts."""

    jobs: _HardMany | None = parameter("JOB", None, "number")
    processors: _HardMany | None = parameter("PROC", None, "processors")
    nodes: _HardMany | None = parameter("NODE", None, "nodes")
    processor_equivalents: _HardAmount | None = parameter("PE", None, "processor equivalents")
    processor_seconds: _HardAmount | None = parameter("PS", None, "processor-seconds")
    wall_time_s: _HardTime | None = parameter("WC", None, "wall time")
    memory_mb: _HardAmount | None = parameter("MEM", None, "memory (MB)")


_OVERRIDE = "Replaces the limits on the {} of user, group, account and class."
_ONLY = "of one job, only processors and nodes have ceilings"


class JobThrottle(Section):
    """Limits of one job."""

    processors: _HardMany | None = parameter("PROC", None, "processors")
    nodes: _HardMany | None = parameter("NODE", None, "nodes")
    processor_equivalents: _HardAmount | None = parameter("PE", None, "processor equivalents", without=_ONLY)
    processor_seconds: _HardAmount | None = parameter("PS", None, "processor-seconds", without=_ONLY)
    wall_time_s: _HardTime | None = parameter("WC", None, "wall time", without=_ONLY)
    memory_mb: _HardAmount | None = parameter("MEM", None, "memory (MB)", without=_ONLY)


COUNTED = Choice(LimitKind)
"""What a limit counts, by the word that stands behind ``MAX``."""
WHOSE = Choice(CredentialType)
"""The kind of credential whose share a limit bounds."""


class PairLimit(Section):
    """``MAXPROC[USER:steve]=3``: a limit for each user (or the one named) inside this credential."""

    counted: Annotated[LimitKind, COUNTED]
    whose: Annotated[CredentialType, WHOSE]
    name: str = ""
    limit: _Amount

    @property
    def key(self) -> tuple[str, str, str]:
        """What there is one limit for."""
        return (str(self.counted), written(self.whose), self.name)


_JOB_FLAGS = f"What its jobs may do or must: {', '.join(FOLLOWED_JOB_FLAGS)}."


class Credential(Section):
    """What is said of one user, group, account, class or QOS, or by ``DEFAULT`` of all others."""

    priority: Annotated[int, Whole(-(10**9), 10**9)] | None = parameter(
        "PRIORITY", None, "Its priority, which CREDWEIGHT and the weight of its type multiply."
    )
    target: Annotated[Target, FairshareTarget()] | None = parameter(
        "FSTARGET", None, "Its fairshare target in percent of delivered usage; + floor, - ceiling, ~ cap."
    )
    qos: Annotated[Members, MemberList()] | None = parameter("QLIST", None, "QOSes that its jobs may use.")
    default_qos: Label | None = parameter("QDEF", None, "The QOS of its jobs that ask for none.")
    partitions: Annotated[Members, MemberList(empty=True)] | None = parameter(
        "PLIST", None, "Partitions that its jobs may use; PLIST= with nothing behind it: none."
    )
    default_partition: Label | None = parameter(
        "PDEF", None, "The partition that its jobs try before others that they may use."
    )
    accounts: Annotated[Members, MemberList()] | None = parameter(
        "ALIST", None, "Accounts that its jobs may use."
    )
    default_account: Label | None = parameter("ADEF", None, "The account of its jobs that name none.")
    flags: Annotated[tuple[str, ...], Flags(JOB_FLAGS, ("ADVRES",))] = parameter(
        "FLAGS", (), _JOB_FLAGS, aliases=("JOBFLAGS",)
    )
    running: Throttle = group("MAX", Throttle, "Bounds the {} of its active jobs at a time, soft and hard.")
    idle: HardThrottle = group("MAXI", HardThrottle, "Bounds the {} of its eligible idle jobs at a time.")
    pairs: tuple[PairLimit, ...] = ()
    least_processors: _HardMany | None = parameter(
        "MINPROC", None, "The fewest processors that its active jobs may have together."
    )
    jobs_per_user: _Many | None = parameter(
        "MAXJOBPERUSER", None, "Limit of active jobs of each user inside it."
    )
    nodes_per_user: _Many | None = parameter("MAXNODEPERUSER", None, "Limit of nodes of each user inside it.")
    processors_per_user: _Many | None = parameter(
        "MAXPROCPERUSER", None, "Limit of processors of each user inside it."
    )
    nodes_per_job: Count | None = parameter(
        "MAXNODEPERJOB", None, "The most nodes of one of its jobs; 0 is no bound."
    )
    processors_per_job: Count | None = parameter(
        "MAXPROCPERJOB", None, "The most processors of one of its jobs; 0 is no bound."
    )
    processors_per_node: Count | None = parameter(
        "MAXPROCPERNODE",
        None,
        "The most processors of one of its jobs on one node; 0 is no bound.",
    )


class GroupCredential(Credential):
    """A group, which may weigh the classes of its jobs by itself."""

    class_weight: Real | None = parameter(
        "CLASSWEIGHT", None, "In place of CLASSWEIGHT for the jobs of this group."
    )


class AccountCredential(Credential):
    """An account, which a bank may keep."""

    accounts: Annotated[Members, MemberList()] | None = parameter(
        "ALIST", None, "Accounts that its jobs may use.", without=ACCOUNTS
    )
    default_account: Label | None = parameter(
        "ADEF", None, "The account of its jobs that name none.", without=ACCOUNTS
    )
    allocation: Annotated[int, Amount()] | None = parameter(
        "ALLOCATION",
        None,
        "Ours: its first balance in processor-seconds under AMCFG TYPE=FILE.",
    )


class ClassCredential(Credential):
    """A class, which is our queue."""

    default_wall_time_s: Seconds | None = parameter(
        "DEFAULT.WCLIMIT",
        None,
        "The wall time of its jobs that ask for none; 0 sets none.",
        aliases=("DEFAULT_WCLIMIT",),
    )
    default_features: Labels = parameter(
        "DEFAULT.FEATURES",
        (),
        "Features that nodes must have for its jobs.",
        aliases=("DEFAULT_FEATURES",),
    )
    default_processors: Count | None = parameter(
        "DEFAULT.PROC", None, "The processors of its jobs that ask for none.", without=CLASS_DEFAULTS
    )
    default_nodes: Count | None = parameter(
        "DEFAULT.NODE", None, "The nodes of its jobs that ask for none.", without=CLASS_DEFAULTS
    )
    default_memory: Line | None = parameter(
        "DEFAULT.MEM", None, "The memory of its jobs that ask for none.", without=CLASS_DEFAULTS
    )
    default_disk: Line | None = parameter(
        "DEFAULT.DISK", None, "The disk of its jobs that ask for none.", without=MOAB
    )
    default_node_set: Line | None = parameter(
        "DEFAULT.NODESET", None, "The node set of its jobs that ask for none.", without=NODE_SETS
    )
    default_extension: Line | None = parameter(
        "DEFAULT.EXT", None, "The extension string of its jobs that have none.", without=MOAB
    )
    default_attributes: Line | None = parameter(
        "DEFAULT.ATTR", None, "The attributes of its jobs that have none.", without=MOAB
    )
    default_generic: Line | None = parameter(
        "DEFAULT.GRES", None, "The generic resources of its jobs that ask for none.", without=MOAB
    )
    default_system: Line | None = parameter(
        "DEFAULT.OS", None, "The operating system of its jobs that ask for none.", without=MOAB
    )
    least_processors_per_job: Count | None = parameter(
        "MIN.PROC", None, "The fewest processors that its jobs may ask for; 0 is no bound."
    )
    longest_wall_time_s: Seconds | None = parameter(
        "MAX.WCLIMIT", None, "The longest wall time that its jobs may ask for.", aliases=("MAX_WCLIMIT",)
    )
    overrun_s: SecondsOrNone | None = parameter(
        "OVERRUN", None, "In place of JOBMAXOVERRUN for its jobs; -1 is without limit."
    )


class Qos(Credential):
    """A quality of service."""

    accounts: Annotated[Members, MemberList()] | None = parameter(
        "ALIST", None, "Accounts that its jobs may use.", without=ACCOUNTS
    )
    default_account: Label | None = parameter(
        "ADEF", None, "The account of its jobs that name none.", without=ACCOUNTS
    )
    queue_time_target_s: Seconds | None = parameter(
        "QTTARGET", None, "The queue time that its jobs should not exceed."
    )
    expansion_target: Cap | None = parameter(
        "XFTARGET", None, "The expansion factor that its jobs should not exceed."
    )
    queue_time_weight: Real | None = parameter("QTWEIGHT", None, "Added to QUEUETIMEWEIGHT for its jobs.")
    expansion_weight: Real | None = parameter("XFWEIGHT", None, "Added to XFACTORWEIGHT for its jobs.")
    qos_flags: Annotated[tuple[str, ...], Flags(QOS_FLAGS, ("USERESERVED",))] = parameter(
        "QFLAGS", (), "What its jobs may do, and from which limits they are exempt.", aliases=("FLAGS",)
    )
    flags: Annotated[tuple[str, ...], Flags(JOB_FLAGS, ("ADVRES",))] = parameter("JOBFLAGS", (), _JOB_FLAGS)
    override: Throttle = group(
        "OMAX",
        Throttle,
        _OVERRIDE.format("{} of active jobs"),
    )
    idle_override: HardThrottle = group(
        "OMAXI",
        HardThrottle,
        _OVERRIDE.format("{} of idle jobs"),
    )
    job_override: JobThrottle = group(
        "OMAXJ",
        JobThrottle,
        _OVERRIDE.format("{} of one job"),
    )
