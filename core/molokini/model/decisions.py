"""Decisions: what a policy wants done. Imperative, in the order in which it asked."""

from enum import IntEnum


class Decision(IntEnum):
    """The kinds that a verb can write to the buffer."""

    START = 1
    RESERVE = 2
    SUSPEND = 3
    RESUME = 4
    MIGRATE = 5
    SET_SHARE = 6
    REFUSE = 7
    MOLD = 8
    REQUEUE = 9
    CANCEL = 10
    GIVE_BACK = 11
    BYPASS = 12
    """Others were backfilled past a waiting job, so many times."""
    ACCRUE = 13
    """The queue time of a waiting job counts from another instant on, or not at all for now."""
    LIEN = 14
    """An account sets aside what a waiting job, which is about to start, may cost."""
    DEFER = 15
    """A waiting job is not looked at until an instant, for a ``Rule`` that it cannot keep."""
    HOLD = 16
    """A waiting job waits for an administrator: it was deferred too often, the last time for a ``Rule``."""


class Refusal(IntEnum):
    """Why a job can never run. Every refusal is counted under its name."""

    NONE = 0
    WIDER_THAN_MACHINE = 1
    WIDER_THAN_PARTITION = 2
    NEVER_PLACEABLE = 3
    NEEDS_NODES = 4
    DEADLINE_TOO_TIGHT = 5
    """No number of nodes, all of them free, would do."""
    DEADLINE_NOT_GUARANTEED = 6
    """Its deadline, or that of a job admitted before, might be missed: it fails the schedulability test."""
    OVER_CEILING = 7
    """It asks for more than any job may (a system-wide ceiling, or its queue's or user's)."""
    NOT_AT_ONCE = 8
    """It was to start when it was submitted, or not at all, and there was no room."""
    TOO_NARROW = 9
    """It asks for fewer processors than a job of its queue must."""


class Rule(IntEnum):
    """The first rule that keeps a job waiting; written only when the view asks for reasons."""

    NONE = 0
    NOT_ENOUGH_FREE = 1
    BEHIND_THE_HEAD = 2
    WOULD_DELAY_THE_HEAD = 3
    RESERVED_LATER = 4
    PARTITION_FULL = 5
    OUTRANKED = 6
    NEGATIVE_PRIORITY = 7
    OVER_SOFT_LIMIT = 8
    OVER_HARD_LIMIT = 9
    OVER_IDLE_LIMIT = 10
    OVER_FAIRSHARE_CAP = 11
    ENOUGH_STARTED = 12
    """So many jobs as one iteration starts have been started."""
    RESERVED_FOR_OTHERS = 13
    """It would reach into processors that an administrator has reserved, and not for it."""
    WIDER_THAN_PARTITIONS = 14
    """No partition that it may use has so many processors in service."""
    NO_PARTITION_FREE = 15
    """No partition that it may use has so many processors free."""
    CANNOT_DEBIT_ACCOUNT = 16
    """No account can set aside what the job would cost."""
    DEFERRED = 17
    """It is not looked at until an instant; the value is the rule for which it was deferred."""
