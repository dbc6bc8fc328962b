"""The words of the configuration, as numbers that kernels compare."""

from enum import IntEnum, IntFlag


class PriorityType(IntEnum):
    """PriorityType."""

    BASIC = 0
    MULTIFACTOR = 1


class Reset(IntEnum):
    """PriorityUsageResetPeriod."""

    NONE = 0
    NOW = 1
    DAILY = 2
    WEEKLY = 3
    MONTHLY = 4
    QUARTERLY = 5
    YEARLY = 6


class Select(IntEnum):
    """SelectType."""

    CONS_TRES = 0
    LINEAR = 1


class PreemptType(IntEnum):
    """PreemptType."""

    NONE = 0
    QOS = 1
    PARTITION_PRIO = 2


class PreemptMode(IntEnum):
    """PreemptMode of the cluster, a partition or a QOS; CLUSTER: as the cluster's."""

    CLUSTER = -1
    OFF = 0
    CANCEL = 1
    REQUEUE = 2
    SUSPEND = 3


class PartitionState(IntEnum):
    """State of a partition."""

    UP = 0
    DOWN = 1
    """Jobs queue and do not start."""
    DRAIN = 2
    """Jobs start and do not queue."""
    INACTIVE = 3


class Sharing(IntEnum):
    """OverSubscribe of a partition."""

    NO = 0
    EXCLUSIVE = 1
    YES = 2
    FORCE = 3


class QosFlag(IntFlag):
    """Flags of a QOS."""

    DENY_ON_LIMIT = 1
    ENFORCE_USAGE_THRESHOLD = 2
    NO_DECAY = 4
    NO_RESERVE = 8
    OVER_PART_QOS = 16
    PARTITION_MAX_NODES = 32
    PARTITION_MIN_NODES = 64
    PARTITION_TIME_LIMIT = 128
    REQUIRES_RESERVATION = 256
    USAGE_FACTOR_SAFE = 512


class Tres(IntEnum):
    """Trackable resources in the order in which limits are looked at; memory in MB."""

    CPU = 0
    MEM = 1
    NODE = 2
    BILLING = 3
    GENERIC_0 = 4
    GENERIC_1 = 5
    GENERIC_2 = 6
    GENERIC_3 = 7


def word(one: IntEnum) -> str:
    """How a parameter spells a member."""
    return one.name.lower()
