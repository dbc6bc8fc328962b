"""Columns of what reservations keep, as far as a pass has found out."""

from molokini.compiled.structs import Floats, FloatTable, Ints, IntTable
from molokini.model.resources import WIDTH
from molokini.tables.declared import Axis, Declared, Nature, per
from molokini.tables.sizes import (
    LEAST_STEPS,
    LISTS_OF_ALL,
    MOST_LEASTS,
    MOST_LISTS,
    MOST_STEPS,
    MOST_STRETCHES,
)


class KeptSteps(Declared, nature=Nature.PASS):
    """What reservations on nodes keep, as steps over stretches of time (``room.kept_steps``)."""

    epoch: int
    """``cycle.start_epoch`` in which what reservations keep was counted last."""
    stretches: int
    steps: int
    begin_s: Floats = per(MOST_STRETCHES)
    mask: Ints = per(MOST_STRETCHES)
    """Bits of the reservations that the jobs in question may not use."""
    first: Ints = per(MOST_STRETCHES)
    last: Ints = per(MOST_STRETCHES)
    from_s: Floats = per(MOST_STEPS)
    """When each step begins."""
    processors: Ints = per(MOST_STEPS)


class KeptLists(Declared, nature=Nature.PASS):
    """Which nodes reservations keep at an instant (``room.kept_lists``): each list and its place."""

    epoch: int
    """``cycle.start_epoch`` in which the nodes that reservations keep were listed last."""
    count: int
    listed: int
    """Elements of ``lists.node`` that are in use."""
    at_s: Floats = per(MOST_LISTS)
    mask: Ints = per(MOST_LISTS)
    """Bits of the reservations that the jobs in question may not use."""
    first: Ints = per(MOST_LISTS)
    last: Ints = per(MOST_LISTS)
    node: Ints = per(Axis.HOST, times=LISTS_OF_ALL)
    kept: Ints = per(Axis.HOST, times=LISTS_OF_ALL)
    """Processors of the node that are kept: at least one."""
    free: Ints = per(Axis.HOST, times=LISTS_OF_ALL)
    """Processors of the node that are idle at that instant."""


class LeastRoom(Declared, nature=Nature.PASS):
    """The least room that reservations leave from an instant on (``room.least_room``).

    For each set of reservations that jobs may not use: how far it is known, and when it becomes less.
    """

    start_epoch: int
    """``cycle.start_epoch`` in which ``least.free`` was found (``room.least_room``)."""
    profile_epoch: int
    """The same of ``profile.epoch``."""
    at_s: float
    """The instant from which on it holds."""
    count: int
    mask: Ints = per(MOST_LEASTS)
    steps: Ints = per(MOST_LEASTS)
    reached_s: Floats = per(MOST_LEASTS)
    segment: Ints = per(MOST_LEASTS)
    """The segment of the profile at that instant."""
    from_s: FloatTable = per(MOST_LEASTS, LEAST_STEPS)
    free: IntTable = per(MOST_LEASTS, LEAST_STEPS)


class LaterRoom(Declared, nature=Nature.PASS):
    """The room of each node later, if every job runs as long as its estimate (``maui.holding``)."""

    epoch: int
    """``cycle.start_epoch`` in which ``later.room`` was found."""
    at_s: float
    room: FloatTable = per(Axis.NODE, WIDTH)
    """The room of each node at ``later.at_s``."""
