"""Columns of a policy that plans on nodes by name: its queue of attempts, its plan, the ends that it awaits,
and what it counts.

A set of nodes is bits, ``NODES_A_WORD`` in a number, as many numbers as ``node_plans.numbers`` says.
"""

from molokini.compiled.structs import Floats, FloatTable, Ints
from molokini.model.resources import WIDTH
from molokini.tables.declared import UNREAD, Axis, Declared, Nature, per
from molokini.tables.sizes import MOST_PLANNED


class Attempts(Declared, nature=Nature.WORK):
    """Waiting jobs in each place where they may run: one element for each job and place."""

    count: int
    """So many elements, in order, are in use."""
    what: Ints = per(Axis.JOB, times=4, plus=64, used="count", blank=UNREAD)
    """The row of the job, and its place, in one number."""
    key: Floats = per(Axis.JOB, times=4, plus=64, used="count", blank=UNREAD)
    """The priority of each."""
    other_what: Ints = per(Axis.JOB, times=4, plus=64, nature=Nature.PASS, blank=UNREAD)
    """Room for sorting."""
    other_key: Floats = per(Axis.JOB, times=4, plus=64, nature=Nature.PASS, blank=UNREAD)


class NodePlans(Declared, nature=Nature.PASS):
    """The plan of a pass: stretches of time, and the nodes in each for which nothing is planned."""

    numbers: int
    """Numbers that the bits of all nodes take."""
    count: int
    """Stretches."""
    begin_s: Floats = per(MOST_PLANNED, plus=2)
    end_s: Floats = per(MOST_PLANNED, plus=2)
    free: Ints = per(Axis.NODE, times=34, plus=2 * MOST_PLANNED, blank=UNREAD)
    """The set of each stretch, one behind the other."""
    window_first: int
    """Of the stretches that the job in question is looked for in: the first, ..."""
    window_middle: int
    """... the one behind those of ``joined``, ..."""
    window_last: int
    """... the one behind the last, ..."""
    window_closed: int
    """... and the one before which no set of ``joined`` has a node; 0: all that are known have one."""
    joined: Ints = per(Axis.NODE, times=34, plus=2 * MOST_PLANNED, blank=UNREAD)
    """What is free of ``base`` from each of these stretches to the middle, one set behind the other."""
    behind: Ints = per(Axis.NODE, plus=1)
    """What is free from the middle on."""
    open: Ints = per(Axis.NODE, plus=1)
    """The set of nodes that this pass may still use."""
    up: Ints = per(Axis.NODE, plus=1)
    base: Ints = per(Axis.NODE, plus=1)
    """The set of nodes that the job in question may use at all."""
    kept: Ints = per(Axis.NODE, plus=1)
    """Those of them that reservations keep from it."""
    usable: Ints = per(Axis.NODE, plus=1)
    """Those of the others that are free of plans as long as it would run."""
    chosen: Ints = per(Axis.NODE, plus=1)
    known: int
    """Of how many jobs, the first of ``releases``, it is known what nodes take once these are gone."""
    stride: int
    """After each so many of them there is a set of ``then``."""
    top: int
    """No node takes more tasks, before any of these jobs is gone or after."""
    fitting: Ints = per(Axis.NODE, plus=1)
    """The set of nodes that take a task of the job in question once all of these are gone."""
    then: Ints = per(Axis.NODE, times=17, plus=256, blank=UNREAD)
    """The same once none is gone, ``stride`` of them, twice as many, and so on, one set behind the other."""
    fits_from: Ints = per(Axis.NODE)
    """How many jobs are gone when each node takes a task for the first time."""
    first_off: Ints = per(Axis.NODE)
    """The first element of ``releases`` of each node that is of one of these jobs; -1: there is none."""
    last_off: Ints = per(Axis.NODE)
    """The last one, ..."""
    given_back: Ints = per(Axis.NODE)
    """... and the last one that the room of the node in ``scratch`` has; -1: it has none."""
    fits: Ints = per(Axis.NODE)
    """How many tasks each node takes in that room."""
    run_first: Ints = per(Axis.NODE)
    """Runs of neighbours of one weight that take tasks of a job: the place of the first in the order, ..."""
    run_last: Ints = per(Axis.NODE)
    """... that behind the last, ..."""
    run_tasks: Ints = per(Axis.NODE)
    """... and the tasks that it takes; 0 once it is used up."""
    alone_now: Ints = per(Axis.NODE)
    """How many jobs are on each node that admit no other."""
    alone: Ints = per(Axis.NODE)
    """The same, of the later time in question."""
    follows: Ints = per(Axis.NODE, nature=Nature.WORK, plus=1)
    """The set of nodes that are the neighbour of the node before, of the same weight."""
    places: Ints = per(Axis.NODE, nature=Nature.WORK, times=1, plus=64)
    """The sets of nodes of each place where jobs may run."""
    together: Ints = per(Axis.NODE, nature=Nature.WORK)
    """So many processors of each node are given out together."""
    completing_s: Floats = per(Axis.NODE, nature=Nature.WORK)
    """Until when each node cleans up after a job that has ended."""
    before: FloatTable = per(Axis.NODE, WIDTH, nature=Nature.WORK)
    """What was free of each node after the last pass."""


class Releases(Declared, nature=Nature.PASS):
    """What running jobs give back, in the order of their ends."""

    count: int
    """Jobs."""
    row: Ints = per(Axis.JOB, blank=UNREAD)
    end_s: Floats = per(Axis.JOB, blank=UNREAD)
    first: Ints = per(Axis.JOB, blank=UNREAD)
    """Where the elements of each begin below."""
    last: Ints = per(Axis.JOB, blank=UNREAD)
    """The first element behind them."""
    node: Ints = per(Axis.ENTRY, blank=UNREAD)
    tasks: Ints = per(Axis.ENTRY, blank=UNREAD)
    component: Ints = per(Axis.ENTRY, blank=UNREAD)
    job: Ints = per(Axis.ENTRY, blank=UNREAD)
    """The place of the element's job in this order, once the job has been taken off."""
    next: Ints = per(Axis.ENTRY, blank=UNREAD)
    """Then: the next element of the same node; -1: there is none yet."""


class LicensePlans(Declared, nature=Nature.PASS):
    """Which jobs hold licences in the plan, and for how long: those that run, and those that are planned."""

    count: int
    row: Ints = per(Axis.JOB, blank=UNREAD)
    begin_s: Floats = per(Axis.JOB, blank=UNREAD)
    end_s: Floats = per(Axis.JOB, blank=UNREAD)


class Site(Declared, nature=Nature.WORK):
    """What a policy that plans on the nodes of a site by name, and counts against its limits, works with."""

    attempts: Attempts
    node_plans: NodePlans
    releases: Releases
    license_plans: LicensePlans
    tallies: Floats = per(Axis.PARAMETER)
    """What a policy counts, beside each of its parameters."""
