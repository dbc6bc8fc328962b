"""States of jobs and nodes, and the moves that are legal."""

from enum import IntEnum


class JobState(IntEnum):
    """The state of a job's row. A row in state FREE belongs to no job."""

    FREE = 0
    HELD = 1
    WAITING = 2
    RUNNING = 3
    SUSPENDED = 4


class NodeState(IntEnum):
    """Whether a node takes work."""

    UP = 0
    DRAINING = 1
    DOWN = 2


LEGAL_MOVES: dict[JobState, frozenset[JobState]] = {
    JobState.FREE: frozenset({JobState.WAITING, JobState.HELD}),
    JobState.HELD: frozenset({JobState.WAITING, JobState.FREE}),
    JobState.WAITING: frozenset({JobState.RUNNING, JobState.HELD, JobState.FREE}),
    JobState.RUNNING: frozenset({JobState.SUSPENDED, JobState.WAITING, JobState.FREE}),
    JobState.SUSPENDED: frozenset({JobState.RUNNING, JobState.WAITING, JobState.FREE}),
}
"""A move to FREE is the end of the job's stay: ended, cancelled or refused."""
