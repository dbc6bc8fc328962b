"""The rows of the tables behind the parameters in the vector, and what kernels keep beside them.

An association and a QOS have rows of one shape, ``Line``: limits are checked by one kernel. Beside each row,
in ``site.tallies``, stands what has been counted of it (``Count``), at the same places.
"""

from enum import IntEnum

from molokini.policies.slurm.configuration.words import Tres

TRES = len(Tres)


class Line(IntEnum):
    """A row of the table of associations, or of QOSes; infinity: the limit is not set."""

    ACCOUNT = 0
    """The number of the account; of a QOS its place."""
    USER = 1
    """The number of the user; -1: the row is an account."""
    PARTITION = 2
    """-1: any; of a QOS the number by which jobs name it."""
    PARENT = 3
    """The place of the row above; -1: there is none."""
    SHARES = 4
    """-1: as the parent."""
    PRIORITY = 5
    USAGE_S = 6
    """At the beginning."""
    DEFAULT_QOS = 7
    """The place of a QOS; -1: none."""
    QOS_BITS = 8
    """The QOSes that its jobs may have; -1: any. Of a QOS those that it preempts."""
    FLAGS = 9
    PREEMPT_MODE = 10
    GRACE_S = 11
    EXEMPT_S = 12
    USAGE_FACTOR = 13
    LIMIT_FACTOR = 14
    USAGE_THRESHOLD = 15
    MIN_PRIORITY = 16
    GRP_JOBS = 17
    GRP_SUBMIT = 18
    GRP_WALL_S = 19
    MAX_WALL_S = 20
    MAX_JOBS = 21
    MAX_SUBMIT = 22
    MAX_JOBS_ACCOUNT = 23
    MAX_SUBMIT_ACCOUNT = 24
    GRP_ACCRUE = 25
    """Waiting jobs that gain age; MAX_ACCRUE of a QOS is each user's."""
    MAX_ACCRUE = 26
    MAX_ACCRUE_ACCOUNT = 27
    FIRST_TRES = 28
    GRP_TRES = FIRST_TRES
    """From here on tables of a number for each ``Tres``."""
    GRP_TRES_MINS = GRP_TRES + TRES
    GRP_TRES_RUN_MINS = GRP_TRES_MINS + TRES
    MAX_TRES = GRP_TRES_RUN_MINS + TRES
    MAX_TRES_PER_NODE = MAX_TRES + TRES
    MAX_TRES_MINS = MAX_TRES_PER_NODE + TRES
    MAX_TRES_USER = MAX_TRES_MINS + TRES
    MAX_TRES_ACCOUNT = MAX_TRES_USER + TRES
    MAX_RUN_MINS_USER = MAX_TRES_ACCOUNT + TRES
    MAX_RUN_MINS_ACCOUNT = MAX_RUN_MINS_USER + TRES
    MIN_TRES = MAX_RUN_MINS_ACCOUNT + TRES


LINE = int(Line.MIN_TRES) + TRES
"""Length of such a row."""


class Count(IntEnum):
    """What is counted of an association or a QOS."""

    USAGE_S = 0
    """Billed TRES times seconds, decayed, at the last calculation, and of jobs that have ended since."""
    WALL_S = 1
    TRES_S = 2
    """The same for each ``Tres``."""
    RUN_USAGE_S = TRES_S + TRES
    """What all jobs have used since the last calculation, as the three before."""
    RUN_WALL_S = RUN_USAGE_S + 1
    RUN_TRES_S = RUN_USAGE_S + 2
    USAGE_RATE = RUN_TRES_S + TRES
    """What running jobs add a second, as the three before."""
    WALL_RATE = USAGE_RATE + 1
    TRES_RATE = USAGE_RATE + 2
    JOBS = TRES_RATE + TRES
    TRES_NOW = JOBS + 1
    RUN_MINS_S = TRES_NOW + TRES
    """TRES times seconds that are left of limits of running jobs, as of the last calculation."""
    FACTOR = RUN_MINS_S + TRES
    """The fair-share factor."""
    LEVEL = FACTOR + 1
    """Fair Tree: shares over usage among siblings. Classic: the effective usage."""
    NORMAL = FACTOR + 2
    """Classic: normalized shares."""
    DONE = FACTOR + 3
    """A mark of the walk."""
    USERS = FACTOR + 4
    PLANS = FACTOR + 5
    """Entries of this backfill pass."""


USED = int(Count.RUN_USAGE_S)
"""Length of the part that decays."""
assert int(Count.PLANS) < LINE


class Part(IntEnum):
    """A row of the table of partitions."""

    NUMBER = 0
    """The number of the queue of its name; -1: no job has it."""
    ALL_NODES = 1
    FIRST_NODE = 2
    """Where the list of its nodes begins in the vector."""
    NODE_COUNT = 3
    MAX_TIME_S = 4
    DEFAULT_TIME_S = 5
    MIN_NODES = 6
    MAX_NODES = 7
    STATE = 8
    TIER = 9
    JOB_FACTOR = 10
    PREEMPT_MODE = 11
    GRACE_S = 12
    QOS = 13
    """The place of its QOS; -1: none."""
    SHARING = 14
    LEAST_LOADED = 15
    REQUIRES_RESERVATION = 16
    MAX_CPUS_PER_NODE = 17
    ALLOW_ACCOUNTS = 18
    """Where a list begins in the vector: its length, then numbers; -1: all are allowed."""
    DENY_ACCOUNTS = 19
    ALLOW_QOS = 20
    DENY_QOS = 21
    ALLOW_GROUPS = 22
    BILLED = 23
    """1: it has weights."""
    BILLING = 24


PART = int(Part.BILLING) + TRES
"""Length of such a row."""


class PartCount(IntEnum):
    """What is kept beside a row of a partition, in ``site.tallies``."""

    CLOSED = 0
    LOOKED = 1
    """Entries of this pass."""
    PLANS = 2
    ARRAY = 3
    """The array whose element this backfill pass has looked at last; 0: it was none."""
    ARRAY_LIMIT_S = 4
    """The limit of that element."""
    ARRAY_PLANS = 5
    """Plans of such elements."""
    TRES_ALL = 6
    """What its nodes have of each ``Tres``."""


assert PartCount.TRES_ALL + TRES <= PART


NODE_ROW = 4
"""A row of the table of nodes: number, weight, index, CPUs that are allocated together (0: not said)."""
LICENSE_ROW = 2
"""A row of the table of licences: the number of the kind, and how many there are."""
NAME_ROW = 2
"""The number of a queue, and bits of the partitions that it stands for."""
