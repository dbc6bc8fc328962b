"""The rows of the tables behind the parameters in the vector: credentials, limits of pairs, nodes."""

from enum import IntEnum

from molokini.policies.maui.configuration.words import NodeTerm

KINDS = 7
"""Kinds of limits."""


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
