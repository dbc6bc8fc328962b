"""Columns of the queue: which jobs wait, run or are suspended."""

from molokini.compiled.structs import Ints
from molokini.tables.declared import UNREAD, Axis, Declared, Nature, per


class Queue(Declared):
    """The lists of jobs: the first so many elements of their array.

    ``waiting[head:tail]`` in queue order; ``running[:running_count]``, by expected end once
    ``sort_running`` was called;  ``suspended[:suspended_count]``.
    """

    wishing: int
    """Jobs in the tables that wish for nodes, memory or features, so that counting is not enough."""
    head: int
    tail: int
    latest_submit_s: float
    """No job in ``queue.waiting`` was submitted after this."""
    leaving: int
    """Jobs in ``queue.waiting`` that no longer wait; taken out after the decisions of a pass."""
    arrived: int
    """Jobs that joined the queue since the last pass."""
    running_count: int
    running_sorted: int
    """How many of ``queue.running``, from the first on, are sorted; ``sort_running`` sorts the rest."""
    suspended_count: int
    waiting: Ints = per(Axis.JOB, times=2, plus=2, used=("head", "tail"), blank=UNREAD)
    running: Ints = per(Axis.JOB, nature=Nature.TENTATIVE, used="running_count", blank=UNREAD)
    suspended: Ints = per(Axis.JOB, used="suspended_count", blank=UNREAD)
    array: Ints = per(Axis.JOB)
    """No list, but of each row the number of the array of which its job is an element; 0: of none, or in a
    replay whose policy does not go by it.
    """
