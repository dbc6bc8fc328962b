"""Columns of one pass: what a policy decides, what it is given, and the profile that it plans with."""

from molokini.compiled.structs import Floats, Ints, IntTable
from molokini.tables.declared import UNREAD, Axis, Declared, Nature, per
from molokini.tables.sizes import DECISION_COLUMNS


class Pass(Declared):
    """One pass: what a policy decides, and what it is given beside the contents of the tables."""

    planning: int
    """1: the policy plans ahead (it has a ``begin``), so its memory and the holes in its plan are kept."""
    decided: int
    """Decisions in the buffer."""
    replan: int
    """1 when something happened that a policy's own plan cannot take account of: ``begin`` runs again."""
    wake_s: float
    """The instant at which the policy wants a pass although nothing happens."""
    pass_s: float
    """The instant of this pass, where there are reservations."""
    room_epoch: int
    """Changes when room may have grown: with every pass, and when a pass suspends a job."""
    start_epoch: int
    """Changes with every pass, every start in it, and every new head of the shadow."""
    complaint: int
    """What the policy did wrong, one of ``verbs.COMPLAINTS``; 0: nothing."""
    complaint_row: int
    complaint_idle: int
    explain: int
    """1: write reasons."""
    together: int
    """1: ``share_all`` is one decision, about all running jobs; 0: a decision for each of them."""
    offering: int
    """1: where a job is refused for its deadline, say which deadline would have admitted it."""
    limiting: int
    """1 once a job has accepted a shorter limit, or was tried with one: freed rows need more cleaning."""
    ranked: Ints = per(Axis.JOB, nature=Nature.WORK, blank=UNREAD)
    """Waiting rows by priority, kept from pass to pass by the policy."""
    starts_in: Ints = per(Axis.JOB, nature=Nature.WORK, blank=UNREAD)
    """The number of the queue in which the policy has started a job, where it chooses among queues."""
    rank_key: Floats = per(Axis.JOB, nature=Nature.WORK, blank=UNREAD)
    """The priorities of waiting jobs, by row."""
    order: Ints = per(Axis.JOB, nature=Nature.PASS, blank=UNREAD)
    """Room for a policy to sort rows in; its contents last for one pass only."""
    tried_s: Floats = per(Axis.JOB, nature=Nature.PASS)
    """The limit with which this pass tries to start a job, or has started it; 0: its estimate."""
    order_key: Floats = per(Axis.JOB, nature=Nature.PASS, blank=UNREAD)
    decisions: IntTable = per(Axis.JOB, DECISION_COLUMNS, nature=Nature.PASS, times=3, plus=8, blank=UNREAD)
    decision_time_s: Floats = per(Axis.JOB, nature=Nature.PASS, times=3, plus=8, blank=UNREAD)
    """Argument of a decision that is a time or a share."""


class Holes(Declared):
    """Intervals that were planned as busy and became free since the last pass."""

    count: int
    """How many of them there are."""
    from_s: Floats = per(Axis.JOB, times=2, plus=8, used="count", blank=UNREAD)
    until_s: Floats = per(Axis.JOB, times=2, plus=8, used="count", blank=UNREAD)
    width: Ints = per(Axis.JOB, times=2, plus=8, used="count", blank=UNREAD)
    row: Ints = per(Axis.JOB, times=2, plus=8, used="count", blank=UNREAD)
    """The row of the matrix in which it was planned, where there is one."""


class Reasons(Declared, nature=Nature.PASS):
    """Why each job waits, where the policy was to give reasons."""

    counted_epoch: int
    """``cycle.room_epoch`` in which the processors of nodes were counted."""
    accepting: int
    """Processors of nodes that take work, whether jobs use them or not."""
    unusable: int
    """Processors that are free on nodes that take no work."""
    rule: Ints = per(Axis.JOB)
    limit: Floats = per(Axis.JOB)
    value: Floats = per(Axis.JOB)
    front: Ints = per(Axis.JOB)
    narrower: Ints = per(Axis.JOB)
    """If it asked for at most so many processors it could start now; 0: it could not, or it is not known."""
    reservation: Ints = per(Axis.JOB)
    """The reservation for others that it would run into first, counted from 1; 0: none."""


class Profile(Declared, nature=Nature.PASS):
    """Free processors over time, as steps (``room.profile``)."""

    epoch: int
    """Changes with every change of the profile of processors (``room.profile``)."""
    first: int
    """The window of the steps that hold something begins here, ..."""
    last: int
    """... and ends before this."""
    time_s: Floats = per(Axis.STEP, nature=Nature.WORK, used=("first", "last"), blank=UNREAD)
    free: Ints = per(Axis.STEP, nature=Nature.WORK, used=("first", "last"), blank=UNREAD)
    lane_count: int
    """Lanes that are counted each by itself, one a cluster; 0: the machine is one lane."""
    lanes: IntTable = per(Axis.STEP, Axis.CLUSTER, nature=Nature.WORK, used=("first", "last"), blank=UNREAD)
    """As ``profile.free``, a column a lane."""
