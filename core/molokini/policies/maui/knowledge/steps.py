"""The steps of an iteration whose jobs are counted."""

from enum import IntEnum


class Step(IntEnum):
    """What is counted, in the order of the steps (paper, section 3)."""

    RESERVATIONS_KEPT = 0
    """3: reservations of earlier iterations."""
    RESERVED_STARTED = 1
    """3: jobs that started because their reservation had come."""
    ELIGIBLE_SOFT = 2
    """4: jobs within all soft limits."""
    ELIGIBLE_HARD = 3
    """4: jobs within all hard limits but not all soft ones."""
    INELIGIBLE = 4
    PRIORITIZED = 5
    """5: jobs in the list."""
    PRIORITY_STARTED = 6
    """6: jobs started in order of priority."""
    RESERVED = 7
    """6: reservations made."""
    SOFT_WINDOWS = 8
    """7: backfill windows that the iteration has tried to fill."""
    SOFT_BACKFILLED = 9
    HARD_WINDOWS = 10
    HARD_BACKFILLED = 11
