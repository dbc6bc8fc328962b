"""Columns of administrative reservations: what they keep, from when to when, and for which jobs."""

from molokini.compiled.structs import Floats, Ints, IntTable
from molokini.model.requests import MOST_LICENSES
from molokini.tables.declared import Axis, Declared, Nature, per


class Reservations(Declared):
    """Administrative reservations."""

    count: int
    """Administrative reservations that have not ended."""
    counted_epoch: int
    """``cycle.start_epoch`` in which the use of reservations was counted last (``reserved.count_use``)."""
    counted_s: float
    """The instant that it was counted for."""
    roll_s: float
    """When standing reservations are rolled next; NEVER without any."""
    from_s: Floats = per(Axis.RESERVATION)
    until_s: Floats = per(Axis.RESERVATION)
    processors: Ints = per(Axis.RESERVATION)
    used: Ints = per(Axis.RESERVATION, nature=Nature.PASS)
    """How many of them jobs with access use; holds for one question only."""
    shared: Ints = per(Axis.RESERVATION)
    """1: it may overlap with other reservations, and only the larger of what overlaps is kept."""
    hosted: Ints = per(Axis.RESERVATION)
    """1: it is on particular nodes."""
    host: Ints = per(Axis.RESERVATION)
    """Its first element of ``hosts.node``; -1: it has none."""
    licenses: IntTable = per(Axis.RESERVATION, MOST_LICENSES)
    """Kinds of licences that it keeps, each with its count in one number; 0 ends them."""


class Access(Declared):
    """Which credentials each reservation admits: one element for each of them."""

    by_job: int
    """1: access depends on the job's length, not on its credentials alone."""
    affinities: int
    """1: some element has an affinity other than POSITIVE."""
    reservation: Ints = per(Axis.ADMISSION)
    kind: Ints = per(Axis.ADMISSION)
    """One of ``model.reservations.Credential``."""
    number: Ints = per(Axis.ADMISSION)
    rule: Ints = per(Axis.ADMISSION)
    """One of ``access.ADMITS``, ``DENIES``, ``REQUIRES``."""
    affinity: Ints = per(Axis.ADMISSION)
    """One of ``model.reservations.Affinity``."""


class Hosts(Declared):
    """Where reservations are on particular nodes: one element for each reservation and node."""

    count: int
    """How many elements there are."""
    present: int
    """Bits of the reservations on nodes that are there at that instant; -1: there are too many for bits."""
    several: int
    """1: at that instant a node has a job that may be counted in more than one of its reservations."""
    reservation: Ints = per(Axis.HOST)
    node: Ints = per(Axis.HOST)
    processors: Ints = per(Axis.HOST)
    """How many processors of the node are kept."""
    used: Ints = per(Axis.HOST, nature=Nature.PASS)
    """How many of them jobs with access use; holds for one question only."""
    free: Ints = per(Axis.HOST, nature=Nature.PASS)
    """Processors of the node that are idle, at its first element; holds for one question only."""
    next: Ints = per(Axis.HOST)
    """The next element of the same reservation; -1: it is the last."""
    first: Ints = per(Axis.HOST)
    """The first element of the same node."""
