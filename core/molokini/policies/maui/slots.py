"""Where each setting stands in the policy's vector of floats.

First the header: one number for each declared parameter, in the order of ``Slot``, then weights and caps.
Where credentials have settings of their own a directory follows it, and tables of one row for each
credential.
"""

from enum import IntEnum, unique

from molokini.policies.maui.words import Component, Factor, NodeTerm

KINDS = 7
"""Kinds of limits."""


@unique
class Slot(IntEnum):
    """The header; each name is the declared parameter's in capitals."""

    BACKFILL = 0
    BACKFILL_METRIC = 1
    BACKFILL_ORDER = 2
    BACKFILL_DEPTH = 3
    MAX_SCHEDULES = 4
    CHUNK_DURATION_S = 5
    CHUNK_PROCESSORS = 6
    RESERVATION = 7
    RESERVATION_DEPTH = 8
    THRESHOLD = 9
    THRESHOLD_VALUE = 10
    FAIRSHARE = 11
    FAIRSHARE_DELTA = 12
    FAIRSHARE_INTERVAL_S = 13
    FAIRSHARE_DEPTH = 14
    FAIRSHARE_DECAY = 15
    MAX_PROCESSORS = 16
    MAX_PROCESSOR_SECONDS = 17
    MAX_WALL_TIME_S = 18
    DEFER_S = 19
    DEFER_COUNT = 20
    MIN_WALL_TIME_S = 21
    ACCRUAL = 22
    SYSTEM_QUEUE_TIME = 23
    NEGATIVE_PRIORITY = 24
    REJECT_NEGATIVE = 25
    MAX_STARTS = 26
    POLL_S = 27
    WINDOWS = 28
    NODE_ALLOCATION = 29
    PREEMPT = 30
    NODE_ACCESS = 31
    ACCOUNT_OF = 32
    """Kernels do not read it: the server at a submission, or the preparation of a replay, gives accounts."""
    NEXT_ITERATION_S = 33


COMPONENT_WEIGHT = len(Slot)
COMPONENT_CAP = COMPONENT_WEIGHT + len(Component)
FACTOR_WEIGHT = COMPONENT_CAP + len(Component)
FACTOR_CAP = FACTOR_WEIGHT + len(Factor)
HEADER = FACTOR_CAP + len(Factor)
"""Length of the header."""


class Directory(IntEnum):
    """What stands right behind the header: where the tables begin, and their rows."""

    BUCKETS = 0
    BUCKET_COUNT = 1
    SYSTEM = 2
    """One row."""
    PAIRS = 3
    PAIR_COUNT = 4
    NODES = 5
    NODE_COUNT = 6
    NODE_RULES = 7
    """Bits of ``Tables.node_rules`` that the lines ask for."""
    SETS = 8
    """One number a set."""
    SET_COUNT = 9
    """0: every value that a node has is a set."""
    SET_POLICY = 10
    SET_ATTRIBUTE = 11
    SET_INSISTED = 12
    SET_TOLERANCE = 13
    SET_ORDER = 14
    FEATURE_COUNT = 15
    PARTITIONS_AWAITED = 16
    """Bits of the partitions in which lines put nodes that have not registered yet."""
    CREDENTIALS = 17
    """Then, for each type, where its rows begin and how many; DEFAULT's first, the others by number."""


DIRECTORY = int(Directory.CREDENTIALS) + 10


class Column(IntEnum):
    """A row of a table of credentials; DEFAULT's values are in it where the credential has none."""

    NUMBER = 0
    """The credential's in the tables of the run; of DEFAULT's row -1."""
    PRIORITY = 1
    TARGET = 2
    TARGET_KIND = 3
    MIN_PROCESSORS = 4
    JOB_PROCESSORS = 5
    JOB_NODES = 6
    WALL_TIME_S = 7
    QOS_DEFAULT = 8
    """Row in the table of QoSes; -1: none."""
    QOS_RULE = 9
    QUEUE_WEIGHT = 10
    HAS_QUEUE_WEIGHT = 11
    QOS_LIST = 12
    """Four words of 32 bits, one bit a row of the table of QoSes."""
    SOFT = 16
    HARD = SOFT + KINDS
    IDLE = HARD + KINDS
    LIMITED = IDLE + KINDS
    """1: an active limit; 2: an idle limit; 4, 8: in place of those of other credentials;
    16: a ceiling of each job; 32: always a reservation; 64: may preempt; 128: next to run;
    256: refused where it cannot start at once."""
    FLAGS = LIMITED + 1
    QUEUE_TIME_TARGET = FLAGS + 1
    """Minutes."""
    EXPANSION_TARGET = FLAGS + 2
    QUEUE_TIME_WEIGHT = FLAGS + 3
    EXPANSION_WEIGHT = FLAGS + 4
    SOFT_OVERRIDE = FLAGS + 5
    HARD_OVERRIDE = SOFT_OVERRIDE + KINDS
    IDLE_OVERRIDE = HARD_OVERRIDE + KINDS
    JOB_PROCESSORS_OVERRIDE = IDLE_OVERRIDE + KINDS
    JOB_NODES_OVERRIDE = JOB_PROCESSORS_OVERRIDE + 1
    NODE_FEATURES = JOB_NODES_OVERRIDE + 1
    """Bits of features that nodes of the jobs of a QoS or a queue must have."""
    PARTITION_LIST = NODE_FEATURES + 1
    """Bits of the partitions that its list names; -1: it has no list."""
    PARTITION_RULE = NODE_FEATURES + 2
    PARTITION_DEFAULT = NODE_FEATURES + 3
    """The partition that its jobs try first; -1: none."""
    JOB_FLAGS = NODE_FEATURES + 4
    """Bits of ``QosFlag`` that its jobs have whatever their QoS."""
    PER_NODE = NODE_FEATURES + 5
    """The most processors of one of its jobs on one node."""
    JOB_LEAST = NODE_FEATURES + 6
    """The fewest processors of one of its jobs."""


ROW = int(Column.JOB_LEAST) + 1
"""Length of such a row."""
QOS_WORDS = 4
QOS_BITS = 32
BUCKET_ROW = 1 + QOS_WORDS
"""A bucket: its depth, and the bits of its QoSes."""


class NodeColumn(IntEnum):
    """A row of the table of nodes; DEFAULT's comes first and its values are in those of the others."""

    NUMBER = 0
    """-1: DEFAULT's."""
    PRIORITY = 1
    SPEED = 2
    HAS_FUNCTION = 3
    PROCESSOR_SPEED = 4
    ACCESS = 5
    """-1: as for all."""
    MOST_JOBS = 6
    MOST_JOBS_PER_USER = 7
    FEATURES = 8
    """Bits."""
    PARTITION = 9
    TERMS = 10
    """Then the weight of each ``NodeTerm``."""


NODE_ROW = int(NodeColumn.TERMS) + len(NodeTerm)
"""Length of such a row."""


class Pair(IntEnum):
    """A row of the table of limits of pairs, the most particular first."""

    TYPE = 0
    NUMBER = 1
    """Of the credential that has the limit; -1: each of the type."""
    OTHER_TYPE = 2
    OTHER_NUMBER = 3
    """-1: each."""
    KIND = 4
    SOFT = 5
    HARD = 6


PAIR_ROW = len(Pair)
