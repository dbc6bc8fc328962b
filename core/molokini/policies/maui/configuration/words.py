"""The words of Maui's settings: components and factors of a priority, kinds of limits, policies and flags.

Members are numbered as kernels index arrays; ``str`` of a ``Word`` is how a maui.cfg has it. Facts: Jackson,
Snell and Clement, JSSPP 2001 (tables 1 to 3), and the Maui Administrator's Guide.
"""

from enum import Enum, IntEnum
from typing import Self


class Word(IntEnum):
    """A word out of a few: in a maui.cfg its name without underscores, or what stands beside its number."""

    _written: str | None

    def __new__(cls, number: int, written: str | None = None) -> Self:
        """The word *number*."""
        word = int.__new__(cls, number)
        word._value_, word._written = number, written
        return word

    def __str__(self) -> str:
        return self.name.replace("_", "") if self._written is None else self._written

    __format__ = Enum.__format__


def word(member: IntEnum) -> str:
    """A member as reports and ``--set`` write it."""
    return member.name.lower().replace("_", "-")


class AccountOf(IntEnum):
    """Which credential's name is the account of a job that has none, and no ADEF."""

    NOBODY = 0
    USER = 1
    GROUP = 2
    QUEUE = 3


class Component(IntEnum):
    """The components of a priority (paper, section 5.1), each with a weight and a cap."""

    SERVICE = 0
    TARGET = 1
    CREDENTIAL = 2
    """The paper's direct priority specification: DIRECTSPECWEIGHT, in the guide CREDWEIGHT."""
    FAIRSHARE = 3
    RESOURCE = 4
    BYPASS = 5
    """A component of its own (paper, table 2); the guide puts it below service."""


class Factor(IntEnum):
    """The subcomponents, each with a weight and a cap, in the order of their components."""

    QUEUE_TIME = 0
    EXPANSION_FACTOR = 1
    SOFT_VIOLATION = 2
    TARGET_QUEUE_TIME = 3
    TARGET_EXPANSION_FACTOR = 4
    USER = 5
    GROUP = 6
    ACCOUNT = 7
    QUEUE = 8
    QOS = 9
    FAIRSHARE_USER = 10
    FAIRSHARE_GROUP = 11
    FAIRSHARE_ACCOUNT = 12
    FAIRSHARE_QUEUE = 13
    FAIRSHARE_QOS = 14
    NODES = 15
    PROCESSORS = 16
    MEMORY = 17
    """Megabytes."""
    SWAP = 18
    DISK = 19
    PROCESSOR_SECONDS = 20
    PROCESSOR_EQUIVALENTS = 21
    WALL_TIME = 22
    USER_PROCESSORS = 23
    """UPROCWEIGHT: processors that the user's active jobs have."""
    USER_JOBS = 24
    """UJOBWEIGHT."""


COMPONENT_OF: dict[Factor, Component] = {
    factor: component
    for component, factors in {
        Component.SERVICE: range(3),
        Component.TARGET: range(3, 5),
        Component.CREDENTIAL: range(5, 10),
        Component.FAIRSHARE: range(10, 15),
        Component.RESOURCE: range(15, 25),
    }.items()
    for factor in map(Factor, factors)
}
"""BYPASS has no factors but its count: its weight is the component's."""


class LimitKind(Word):
    """What a throttling limit counts (reference, section 6)."""

    JOBS = 0, "JOB"
    PROCESSORS = 1, "PROC"
    NODES = 2, "NODE"
    PROCESSOR_EQUIVALENTS = 3, "PE"
    """The integer part for each job."""
    PROCESSOR_SECONDS = 4, "PS"
    """Processors times the remaining wall clock limit."""
    WALL_TIME = 5, "WC"
    MEMORY = 6, "MEM"
    """Megabytes."""


class BackfillPolicy(Word):
    """BACKFILLPOLICY."""

    FIRSTFIT = 0
    BESTFIT = 1
    GREEDY = 2
    PREEMPT = 3
    NONE = 4


class BackfillMetric(Word):
    """BACKFILLMETRIC (the paper's SCHEDULINGCRITERIA)."""

    PROCESSORS = 0, "PROCS"
    PROCESSOR_SECONDS = 1, "PROCSECONDS"
    SECONDS = 2
    PROCESSOR_EQUIVALENTS = 3, "PE"
    PROCESSOR_EQUIVALENT_SECONDS = 4, "PESECONDS"
    NODES = 5


class BackfillOrder(Word):
    """BFPRIORITYPOLICY: in which order PREEMPT backfills."""

    RANDOM = 0
    DURATION = 1
    ACCURATE_DURATION = 2, "HWDURATION"
    """HWDURATION: the wall clock limit times the user's historical accuracy."""


class PreemptPolicy(Word):
    """PREEMPTPOLICY: what happens to a preempted job."""

    REQUEUE = 0
    """It starts again from its beginning."""
    SUSPEND = 1
    """It goes on where it stopped."""
    CHECKPOINT = 2
    """Back into the queue, its work kept."""
    CANCEL = 3


class ReservationPolicy(Word):
    """RESERVATIONPOLICY."""

    CURRENT_HIGHEST = 0
    HIGHEST = 1
    NEVER = 2


class Threshold(Word):
    """RESERVATIONTHRESHOLDTYPE."""

    NONE = 0
    BYPASS = 1
    QUEUE_TIME = 2
    """Seconds."""
    EXPANSION_FACTOR = 3, "XFACTOR"


class Accrual(Word):
    """JOBPRIOACCRUALPOLICY: which jobs gather queue time."""

    ALWAYS = 0
    QUEUE_POLICY = 1
    """Not while a hard limit blocks the job."""
    FULL_POLICY = 2
    """Nor while a hold, its queue or a negative priority does."""


class Charge(Word):
    """FSPOLICY: what fairshare charges a second."""

    NONE = 0
    DEDICATED_PROCESSOR_SECONDS = 1, "DEDICATEDPS"
    DEDICATED_EQUIVALENT_SECONDS = 2, "DEDICATEDPES"
    UTILIZED_PROCESSOR_SECONDS = 3, "UTILIZEDPS"


class TargetKind(Word):
    """What a fairshare target is (paper, table 3)."""

    TARGET = 0, ""
    FLOOR = 1, "+"
    """Written ``+``: it only raises."""
    CEILING = 2, "-"
    """Written ``-``: it only lowers."""
    CAP = 3, "~"
    """Written ``~`` (paper) or ``%``: no job starts that would exceed this percentage."""
    ABSOLUTE_CAP = 4, "^"
    """Written ``^``: in units of usage."""


class ListRule(Word):
    """How a credential's list of QoSes or partitions counts."""

    ADD = 0, ""
    """Joined with the lists of the other credentials."""
    ALL = 1, "&"
    """Written ``&``: only what this list has, too."""
    ALONE = 2, "^"
    """Written ``^``: only this list counts."""


class QosFlag(Word):
    """QFLAGS, as bits by number."""

    DEDICATED = 0
    NO_BACKFILL = 1, "NOBF"
    NO_RESERVATION = 2
    RESERVE_ALWAYS = 3
    USE_RESERVED = 4
    PREEMPTOR = 5
    PREEMPTEE = 6
    RESTART_PREEMPT = 7
    PREEMPT_SOFT_VIOLATION = 8, "PREEMPTSPV"
    RUN_NOW = 9
    NEXT_TO_RUN = 10, "NTR"
    IGNORE_JOBS_PER_USER = 11, "IGNJOBPERUSER"
    IGNORE_PROCESSORS_PER_USER = 12, "IGNPROCPERUSER"
    IGNORE_NODES_PER_USER = 13, "IGNNODEPERUSER"
    IGNORE_PROCESSOR_SECONDS_PER_USER = 14, "IGNPSPERUSER"
    IGNORE_QUEUED_PER_USER = 15, "IGNJOBQUEUEDPERUSER"
    IGNORE_JOBS_PER_GROUP = 16, "IGNJOBPERGROUP"
    IGNORE_PROCESSORS_PER_GROUP = 17, "IGNPROCPERGROUP"
    IGNORE_NODES_PER_GROUP = 18, "IGNNODEPERGROUP"
    IGNORE_PROCESSOR_SECONDS_PER_GROUP = 19, "IGNPSPERGROUP"
    IGNORE_QUEUED_PER_GROUP = 20, "IGNJOBQUEUEDPERGROUP"
    IGNORE_JOBS_PER_ACCOUNT = 21, "IGNJOBPERACCOUNT"
    IGNORE_PROCESSORS_PER_ACCOUNT = 22, "IGNPROCPERACCOUNT"
    IGNORE_NODES_PER_ACCOUNT = 23, "IGNNODEPERACCOUNT"
    IGNORE_PROCESSOR_SECONDS_PER_ACCOUNT = 24, "IGNPSPERACCOUNT"
    IGNORE_QUEUED_PER_ACCOUNT = 25, "IGNJOBQUEUEDPERACCOUNT"
    IGNORE_SYSTEM_PROCESSORS = 26, "IGNSYSMAXPROC"
    IGNORE_SYSTEM_TIME = 27, "IGNSYSMAXTIME"
    IGNORE_SYSTEM_PROCESSOR_SECONDS = 28, "IGNSYSMAXPS"
    IGNORE_RESERVATION_TIME = 29, "IGNSRMAXTIME"
    IGNORE_USER = 30, "IGNUSER"
    IGNORE_GROUP = 31, "IGNGROUP"
    IGNORE_ACCOUNT = 32, "IGNACCOUNT"
    IGNORE_SYSTEM = 33, "IGNSYSTEM"
    IGNORE_ALL = 34, "IGNALL"
    IGNORE_HOST_LIST = 35, "IGNHOSTLIST"
    NO_QUEUE = 36
    """A flag of jobs alone: a job that cannot start at once is refused."""
    RESTARTABLE = 37
    """A flag of jobs alone: a job with RESTARTPREEMPT may have it requeued."""


class Allocation(Word):
    """NODEALLOCATIONPOLICY: in which order nodes are tried."""

    LOCAL = 0
    """The site's own way: as the machine's placement says."""
    FIRSTAVAILABLE = 1
    LASTAVAILABLE = 2
    """Best fit in time: the smallest gap between the job's end and the next reservation of the node."""
    MINRESOURCE = 3
    """The least memory, then processors, swap and disk that still do."""
    CPULOAD = 4
    """The most idle processors."""
    FASTEST = 5
    CONTIGUOUS = 6
    PRIORITY = 7
    MAXBALANCE = 8
    """The smallest difference between the speeds of a job's nodes."""


class NodeTerm(Word):
    """What PRIORITYF may weigh; memory, swap and disk in megabytes."""

    ADISK = 0
    AMEM = 1
    APROCS = 2
    ASWAP = 3
    CDISK = 4
    CMEM = 5
    CPROCS = 6
    CSWAP = 7
    JOBCOUNT = 8
    LOAD = 9
    """Processors that jobs hold, whatever these processors really do."""
    PREF = 10
    """0: jobs say no preferences."""
    PRIORITY = 11
    RESAFFINITY = 12
    """0: reservations are necessary, not preferred."""
    SPEED = 13
    USAGE = 14
    """0: not counted."""


class SetAttribute(Word):
    """NODESETATTRIBUTE: what the nodes of a set have in common."""

    FEATURE = 0
    MEMORY = 1
    """Megabytes."""
    PROCESSOR_SPEED = 2, "PROCSPEED"
    NONE = 3
    """There are no sets."""
    NETWORK = 4
    """As FEATURE."""
