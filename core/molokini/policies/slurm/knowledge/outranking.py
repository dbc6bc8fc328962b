"""Who gives way to whom, and how: reference, section 6.1.

By partition a job of a lower tier gives way, by QOS one of a QOS that the other's lists. Its own partition or
QOS says how it does, else the cluster.
"""

from molokini.compiled.compilation import inner, kernel
from molokini.policies.slurm.configuration.line_layout import LINE, Line, Part
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.configuration.words import PreemptMode, PreemptType
from molokini.policies.slurm.knowledge.kept_state import mine
from molokini.policies.slurm.knowledge.who import part_row, qos_of
from molokini.tables.tables import View


@kernel
def mode_of(view: View, row: int, part: int) -> int:
    """How a running job gives way: as its partition or its QOS says, else as the cluster does."""
    mode, qos = int(PreemptMode.CLUSTER), qos_of(view, row)
    if parameters(view).preempt_type == PreemptType.PARTITION_PRIO:
        mode = int(view.parameters[part_row(view, part) + Part.PREEMPT_MODE])
    elif qos >= 0:
        mode = int(view.parameters[qos + Line.PREEMPT_MODE])
    return mode if mode >= 0 else int(parameters(view).preempt_mode)


@kernel
def outranks(view: View, row: int, part: int, other: int) -> bool:
    """Whether a placed job gives way to *row*, which would run in *part*."""
    place = mine(view).place[other] - 1
    if parameters(view).preempt_type == PreemptType.PARTITION_PRIO:
        tier = view.parameters[part_row(view, part) + Part.TIER]
        return bool(view.parameters[part_row(view, place) + Part.TIER] < tier)
    own, others = qos_of(view, row), qos_of(view, other)
    if own < 0 or others < 0:
        return False
    return bool(int(view.parameters[own + Line.QOS_BITS]) >> int(view.parameters[others + Line.ACCOUNT]) & 1)


@kernel
def is_suspended_for(view: View, other: int, row: int, part: int) -> bool:
    """Whether a placed job is suspended where *row*, in *part*, needs its CPUs.

    Jobs of two QOSes in one partition would take turns on them, which no job does here.
    """
    if mine(view).place[other] == 0 or parameters(view).preempt_type == PreemptType.NONE:
        return False
    place = mine(view).place[other] - 1
    if mode_of(view, other, place) != PreemptMode.SUSPEND:
        return False
    if parameters(view).preempt_type == PreemptType.QOS and place == part:
        return False
    return outranks(view, row, part, other)


@inner
def weight_of(view: View, row: int) -> float:
    """The rank of a placed job among those that give way: its tier, or the priority of its QOS."""
    if parameters(view).preempt_type == PreemptType.QOS:
        qos = qos_of(view, row)
        return float(view.parameters[qos + Line.PRIORITY]) if qos >= 0 else 0.0
    return float(view.parameters[part_row(view, mine(view).place[row] - 1) + Part.TIER])


@kernel
def suspends_any(view: View) -> bool:
    """Whether the configuration may have a job suspended."""
    kind, suspend = parameters(view).preempt_type, int(PreemptMode.SUSPEND)
    if kind == PreemptType.NONE:
        return False
    if parameters(view).preempt_mode == suspend:
        return True
    if kind == PreemptType.PARTITION_PRIO:
        for part in range(parameters(view).partition_count):
            if view.parameters[part_row(view, part) + Part.PREEMPT_MODE] == suspend:
                return True
        return False
    for k in range(parameters(view).qos_count):
        if view.parameters[int(parameters(view).qos) + k * LINE + Line.PREEMPT_MODE] == suspend:
            return True
    return False
