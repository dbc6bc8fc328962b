"""Columns of placement: what holds while a job is placed."""

from molokini.compiled.structs import Floats, Ints
from molokini.tables.declared import UNREAD, Axis, Declared, Nature, per
from molokini.tables.sizes import FEW_KEYS


class FewKeys(Declared, nature=Nature.PASS):
    """Room for putting nodes in order where they have few keys."""

    key: Floats = per(FEW_KEYS)
    """The keys that nodes have, while they are put in order."""
    nodes: Ints = per(FEW_KEYS)
    """How many nodes have each key."""
    place: Ints = per(FEW_KEYS)
    """Where the next node of each key goes."""


class Placing(Declared):
    """How a job is placed: what holds for all passes, for this pass, and while one job is placed."""

    molding: int
    """While a job is placed whose width this pass has decided: that width, else 0."""
    all_up: int
    """1 while placement asks what the machine could hold if no node were down."""
    way: int
    """How tasks are put on nodes, one of ``molokini.availability.placement``."""
    choice: int
    """The way of this pass, plus 1, where the policy chooses it; 0: as ``placing.way`` says."""
    rules: int
    """1: this pass has rules about which jobs' tasks may go to which node (``room.node_rules``)."""
    mask: int
    """While a set of nodes is tried: the bit of that set; else 0."""
    set_policy: int
    """How a job's nodes are chosen out of sets, one of ``node_rules.SetPolicy``."""
    set_order: int
    """Which of several sets is taken, one of ``node_rules.SetOrder``."""
    set_count: int
    set_insisted: int
    """1: a job waits rather than run outside a set."""
    holder: int
    """The user of the job that is being placed, plus 1, where there are rules."""
    rule: int
    """The rule that the job itself brings along."""
    most: int
    """The most processors that it may have on one node; 0: any number."""
    features: int
    """Bits of ``nodes.bits`` that its nodes must have."""
    shared_feature: int
    """While one of ``components.one_of`` is tried: its bit; else 0."""
    earlier: int
    """While a job is placed: so many elements of ``placing.node`` are of its earlier components."""
    partition: int
    """While a job is placed: the partition that is tried, from 1; 0: any node will do."""
    node: Ints = per(Axis.ENTRY, nature=Nature.PASS, blank=UNREAD)
    tasks: Ints = per(Axis.ENTRY, nature=Nature.PASS, blank=UNREAD)
    component: Ints = per(Axis.ENTRY, nature=Nature.PASS, blank=UNREAD)
    few: FewKeys


class Rounds(Declared, nature=Nature.PASS):
    """While a job is placed: nodes of lower numbers are tried before others."""

    on: int
    """1: ``rounds.of_node`` says which nodes the job that is being placed tries first; else 0."""
    count: int
    """Elements of ``rounds.nodes`` that are in use."""
    of_node: Ints = per(Axis.NODE)
    """The number of each node; it counts where ``rounds.on`` says so."""
    nodes: Ints = per(Axis.NODE)
    """The nodes for which ``rounds.of_node`` says something."""


class Barred(Declared, nature=Nature.PASS):
    """Processors of nodes that are kept from the job in question."""

    count: int
    """Elements of ``barred.nodes`` that are in use."""
    processors: Ints = per(Axis.NODE)
    """Processors of each node that are kept from the job in question; 0 between questions."""
    nodes: Ints = per(Axis.NODE)
    """The nodes that have such processors."""
