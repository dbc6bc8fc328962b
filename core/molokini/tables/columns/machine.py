"""Columns of the machine: its nodes, what is allocated on them, and how they are grouped."""

from molokini.compiled.structs import Floats, FloatTable, Ints, IntTable
from molokini.model.resources import WIDTH
from molokini.tables.declared import Axis, Declared, Nature, per
from molokini.tables.sizes import MOST_CLASSES, MOST_HELD, MOST_PARTITIONS


class MachineCounts(Declared):
    """The machine as a whole. Without nodes its processors are interchangeable and only counted."""

    processors: int
    """Processors in service."""
    processors_in_all: int
    """Processors of the machine with every node up; a wider job is refused."""
    free: int
    idle: int
    """Processors still free in this pass, after the decisions so far."""
    memory_in_all_kb: float
    swap_in_all_kb: float
    disk_in_all_kb: float
    """Of all nodes, up or not; 0 where processors are only counted."""
    overrun: int
    """0: a job is killed at its estimate. 1: it may run on."""


class Nodes(Declared):
    """Nodes, one row each."""

    count: int
    state: Ints = per(Axis.NODE)
    group: Ints = per(Axis.NODE)
    features: Ints = per(Axis.NODE)
    total: FloatTable = per(Axis.NODE, WIDTH)
    free: FloatTable = per(Axis.NODE, WIDTH, nature=Nature.TENTATIVE)
    """Free of each resource, less what this pass has already decided."""
    order: Ints = per(Axis.NODE, nature=Nature.WORK)
    """All nodes in the order in which they are tried, under the placement RANKED."""
    key: Floats = per(Axis.NODE, nature=Nature.WORK)
    """The keys by which they are in this order: the highest first."""
    row: Ints = per(Axis.NODE, nature=Nature.WORK)
    """Where the node's row in the policy's parameters begins; -1: it has none."""
    next_s: Floats = per(Axis.NODE, nature=Nature.WORK)
    """Start of the next reservation that needs the node; NEVER: none. As far as the policy has found out."""
    sets: Ints = per(Axis.NODE, nature=Nature.WORK)
    """Bits of the sets that it is in, by the policy's parameters."""
    bits: Ints = per(Axis.NODE, nature=Nature.WORK)
    """Bits of the features that it has, by the policy's parameters."""
    rule: Ints = per(Axis.NODE, nature=Nature.WORK)
    """Which jobs' tasks may go there, one of ``molokini.availability.node_rules``."""
    holder: Ints = per(Axis.NODE, nature=Nature.WORK)
    """The user whose jobs are there, plus 1; 0: no jobs, or see ``molokini.availability.node_rules``."""
    jobs: Ints = per(Axis.NODE, nature=Nature.WORK)
    """How many jobs are there, those started in this pass included."""
    own_jobs: Ints = per(Axis.NODE, nature=Nature.WORK)
    """How many of them belong to the user whose job is being placed."""
    most: Ints = per(Axis.NODE, nature=Nature.WORK)
    """How many there may be; 0: any number."""
    most_of_one: Ints = per(Axis.NODE, nature=Nature.WORK)
    """How many of one user there may be; 0: any number."""
    speed: Floats = per(Axis.NODE, nature=Nature.WORK)
    """Compared with others, where sets ask."""
    seen: Ints = per(Axis.NODE, nature=Nature.PASS)
    """Room for marks."""
    scratch: FloatTable = per(Axis.NODE, WIDTH, nature=Nature.PASS)
    hold: FloatTable = per(Axis.NODE, MOST_HELD * WIDTH, nature=Nature.PASS)
    """What each of several reservations holds of a node; a vector of resources for each of them."""
    spare: FloatTable = per(Axis.NODE, MOST_HELD * WIDTH, nature=Nature.PASS)
    """What is left of a node when each of them begins; a vector of resources for each of them."""
    beside: Floats = per(Axis.NODE, nature=Nature.PASS)
    """Processors of a node that are left beside the reservations that were counted so far."""
    partition: Ints = per(Axis.NODE, nature=Nature.WORK)
    """The partition of each node, from 0, by the policy's parameters."""
    hosted: Ints = per(Axis.NODE)
    """The first of the node's elements of ``hosts.node``, plus 1; 0: nothing is reserved on it."""


class Entries(Declared):
    """Allocations: chains of entries, each so many tasks of a component on a node."""

    free: int
    node: Ints = per(Axis.ENTRY, nature=Nature.TENTATIVE)
    tasks: Ints = per(Axis.ENTRY, nature=Nature.TENTATIVE)
    component: Ints = per(Axis.ENTRY, nature=Nature.TENTATIVE)
    next: Ints = per(Axis.ENTRY, nature=Nature.TENTATIVE)


class Clusters(Declared):
    """Groups of nodes, numbered from 0."""

    count: int
    """Groups of nodes, numbered from 0; 0 on a machine of counted processors."""
    fit: int
    """Which cluster a component gets, one of ``molokini.availability.clusters``."""
    filling: int
    """1: tasks that spread fill clusters one by one. 0: they balance what stays idle."""
    room: Ints = per(Axis.CLUSTER, nature=Nature.PASS)
    """How many tasks of a component each cluster has room for; holds for one question only."""
    tasks: Ints = per(Axis.CLUSTER, nature=Nature.PASS)
    """How many each is to take, or takes; holds for one question only."""
    order: Ints = per(Axis.CLUSTER, nature=Nature.PASS)
    least: Ints = per(Axis.CLUSTER, nature=Nature.PASS)
    """How many processors of each stay free in an interval; holds for one question only."""
    kept: Ints = per(Axis.CLUSTER, nature=Nature.PASS)


class Partitions(Declared):
    """Partitions of nodes, which no job spans, by the policy's parameters."""

    count: int
    """How many partitions have nodes, where this pass has partitions."""
    counted: int
    """``cycle.start_epoch`` for which their free processors were counted."""
    awaited: int
    """Bits of the partitions of which some nodes are known by name, but have not registered yet."""
    order: Ints = per(MOST_PARTITIONS, nature=Nature.PASS)
    """The partitions that have nodes, in the order of their first nodes."""
    processors: Ints = per(MOST_PARTITIONS, nature=Nature.PASS)
    """Processors of each that are in service."""
    free: Ints = per(MOST_PARTITIONS, nature=Nature.PASS)
    """Idle processors of each, as ``partitions.counted`` says."""
    beside: IntTable = per(MOST_PARTITIONS, MOST_HELD + 1, nature=Nature.PASS)
    """Processors that are left beside so many of the reservations that hold nodes."""
    later: Ints = per(MOST_PARTITIONS, nature=Nature.PASS)
    """Processors of each that are free in ``nodes.scratch``."""


class NodeClasses(Declared, nature=Nature.PASS):
    """Classes of nodes that are alike (``room.node_classes``)."""

    room_epoch: int
    """``cycle.room_epoch`` in which nodes were put into classes, or wishes looked for, last."""
    start_epoch: int
    """The same of ``cycle.start_epoch``."""
    scans: int
    """Wishes for which all nodes were tried in vain since."""
    count: int
    """Classes of nodes that are alike; 0: not counted yet; -1: too many."""
    node: Ints = per(MOST_CLASSES)
    """A node of each class."""
    size: Ints = per(MOST_CLASSES)
    """Nodes of each class."""
