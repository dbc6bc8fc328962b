"""Nodes: how jobs are placed on them, node sets, and what is said of single nodes (``NODECFG``)."""

from typing import Annotated

from molokini.availability.node_rules import NodeRule, SetOrder, SetPolicy
from molokini.maui.fields import Count, Label, Labels, Real, Seconds, Section, Yes, parameter
from molokini.maui.kinds import Choice, Number, Word
from molokini.maui.sections.reasons import NODES
from molokini.maui.values import Availabilities, Availability, NodePriority, Resource
from molokini.policies.maui.configuration.words import NodeTerm, SetAttribute


class Allocation(Word):
    """In which order nodes are tried."""

    FIRSTAVAILABLE = "FIRSTAVAILABLE"
    LASTAVAILABLE = "LASTAVAILABLE"
    MINRESOURCE = "MINRESOURCE"
    CPULOAD = "CPULOAD"
    FASTEST = "FASTEST"
    MAXBALANCE = "MAXBALANCE"
    PRIORITY = "PRIORITY"
    CONTIGUOUS = "CONTIGUOUS"
    LOCAL = "LOCAL"
    MINLOCAL = "MINLOCAL"
    MINGLOBAL = "MINGLOBAL"
    FIRSTSET = "FIRSTSET"


class LoadPolicy(Word):
    """What a node's largest load changes."""

    ADJUSTSTATE = "ADJUSTSTATE"
    ADJUSTPROCS = "ADJUSTPROCS"


class MatchPolicy(Word):
    """How exactly nodes must match a request."""

    NONE = "NONE"
    EXACTNODE = "EXACTNODE"
    EXACTPROC = "EXACTPROC"


class Distribution(Word):
    """How tasks are spread over nodes."""

    DEFAULT = "DEFAULT"
    LOCAL = "LOCAL"


_RULES = (NodeRule.SHARED, NodeRule.SHARED_ONLY, NodeRule.SINGLE_USER, NodeRule.SINGLE_JOB)
_ACCESS = Choice((*_RULES, NodeRule.SINGLE_TASK, NodeRule.UNIQUE_USER))
_ATTRIBUTE = Choice(sorted(SetAttribute, key=lambda one: one is not SetAttribute.NONE))
_Access = Annotated[NodeRule, _ACCESS]


class Nodes(Section):
    """Which nodes a job gets."""

    allocation: Allocation = parameter(
        "NODEALLOCATIONPOLICY", Allocation.LASTAVAILABLE, "The order in which nodes are tried."
    )
    access: _Access = parameter("NODEACCESSPOLICY", NodeRule.SHARED, "Which jobs may share a node.")
    availability: Annotated[tuple[tuple[Availability, Resource], ...], Availabilities()] = parameter(
        "NODEAVAILABILITYPOLICY",
        ((Availability.COMBINED, Resource.ALL),),
        "Whether a node loses what jobs asked for or what they use.",
        without="what jobs asked for is taken",
    )
    match: MatchPolicy = parameter(
        "JOBNODEMATCHPOLICY", MatchPolicy.NONE, "How exactly nodes must match a request.", without=NODES
    )
    distribution: Distribution = parameter(
        "TASKDISTRIBUTIONPOLICY", Distribution.DEFAULT, "How tasks are spread over nodes.", without=NODES
    )
    most_load: Annotated[float, Number(0)] = parameter(
        "NODEMAXLOAD",
        0.0,
        "The load from which on a node is full; 0 is never.",
        without="loads are ignored",
    )
    load_policy: LoadPolicy = parameter(
        "NODELOADPOLICY",
        LoadPolicy.ADJUSTSTATE,
        "What the largest load of a node changes.",
        without="loads are ignored",
    )
    down_delay_s: Seconds = parameter(
        "NODEDOWNSTATEDELAYTIME", 0, "How long nodes that went down count as unavailable.", without=NODES
    )
    poll_frequency: Count = parameter(
        "NODEPOLLFREQUENCY",
        0,
        "Iterations between two looks at the nodes.",
        without="nodes report by themselves",
    )
    machine_speed: Yes = parameter(
        "USEMACHINESPEED",
        False,
        "Scale wall times by the speed of nodes.",
        without="all nodes are equally fast",
    )
    partition_header: Label | None = parameter(
        "FEATUREPARTITIONHEADER", None, "Features with this beginning name a node's partition.", without=NODES
    )
    type_header: Label | None = parameter(
        "FEATURENODETYPEHEADER", None, "Features with this beginning name a node's type.", without=NODES
    )
    speed_header: Label | None = parameter(
        "FEATUREPROCSPEEDHEADER",
        None,
        "Features with this beginning name a node's processor speed.",
        without=NODES,
    )
    qos_features: dict[Label, Labels] = parameter(
        "QOSFEATURES", {}, "Features that nodes must have for jobs of the QOS.", array=True
    )


class NodeSets(Section):
    """Nodes that belong together."""

    policy: Annotated[SetPolicy, Choice(SetPolicy)] = parameter(
        "NODESETPOLICY", SetPolicy.NONE, "How a job's nodes are chosen out of sets."
    )
    attribute: Annotated[SetAttribute, _ATTRIBUTE] = parameter(
        "NODESETATTRIBUTE", SetAttribute.NONE, "What the nodes of a set have in common."
    )
    values: Labels = parameter("NODESETLIST", (), "The sets, by the value of the attribute.")
    delay_s: Seconds = parameter(
        "NODESETDELAY", 0, "0: a job rather runs outside a set than waits; otherwise it waits."
    )
    tolerance: Annotated[float, Number(0)] = parameter(
        "NODESETTOLERANCE", 0.0, "How far speeds of one set may differ, as a share."
    )
    order: Annotated[SetOrder, Choice(SetOrder)] = parameter(
        "NODESETPRIORITYTYPE", SetOrder.MIN_LOSS, "Which of several sets is taken."
    )


class Node(Section):
    """One node, or ``DEFAULT``."""

    access: _Access | None = parameter("ACCESS", None, "Which jobs may share the node.")
    most_jobs: Count | None = parameter("MAXJOB", None, "The most jobs on the node.")
    most_jobs_per_user: Count | None = parameter(
        "MAXJOBPERUSER", None, "The most jobs of one user on the node."
    )
    most_load: Annotated[float, Number(0)] | None = parameter(
        "MAXLOAD", None, "The load from which on the node is full.", without=NODES
    )
    frame: Count | None = parameter("FRAME", None, "The frame that the node is in.", without=NODES)
    slot: Count | None = parameter("SLOT", None, "The slot of the frame.", without=NODES)
    speed: Annotated[float, Number(0.01, 100)] | None = parameter(
        "SPEED", None, "How fast the node is, compared with others."
    )
    processor_speed: Count | None = parameter("PROCSPEED", None, "Speed of its processors in MHz.")
    partition: Label | None = parameter("PARTITION", None, "Its partition, which no job spans.")
    type: Label | None = parameter("NODETYPE", None, "Its type.", without=NODES)
    features: Labels = parameter("FEATURES", (), "Its features.")
    network: Labels = parameter("NETWORK", (), "Its networks.")
    priority: Real | None = parameter("PRIORITY", None, "Its priority under NODEALLOCATIONPOLICY PRIORITY.")
    priority_function: Annotated[tuple[tuple[float, NodeTerm], ...], NodePriority()] | None = parameter(
        "PRIORITYF", None, "Its priority as a sum of what it is and has."
    )
