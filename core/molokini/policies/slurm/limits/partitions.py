"""What partitions ask of jobs: reference, section 5.4."""

from molokini.compiled.compilation import kernel
from molokini.policies.slurm.configuration.line_layout import Line, Part
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.configuration.words import PartitionState, QosFlag
from molokini.policies.slurm.knowledge.time_limits import limit_of
from molokini.policies.slurm.knowledge.waiting_reasons import Reason
from molokini.policies.slurm.knowledge.who import (
    association_of,
    part_row,
    qos_of,
    why_kept_out,
)
from molokini.policies.slurm.nodes.demand import least_nodes, most_nodes
from molokini.policies.slurm.nodes.sets import has
from molokini.tables.tables import View


@kernel
def kept_out(view: View, row: int, part: int) -> int:
    """Why a job cannot run in a partition as it is; 0: it can."""
    at = part_row(view, part)
    state = int(view.parameters[at + Part.STATE])
    if state == PartitionState.DOWN:
        return Reason.PARTITION_DOWN
    if state == PartitionState.INACTIVE:
        return Reason.PARTITION_INACTIVE
    if limit_of(view, row) > view.parameters[at + Part.MAX_TIME_S] and not is_exempt(view, row):
        return Reason.PARTITION_TIME_LIMIT
    if view.nodes.count > 0 and least_nodes(view, row, part) > most_nodes(view, row, part):
        return Reason.PARTITION_NODE_LIMIT
    why = why_kept_out(view, row, part)
    if why > 0:
        return Reason.ACCOUNT_NOT_ALLOWED if why == 1 else Reason.QOS_NOT_ALLOWED
    return _of_association(view, row)


@kernel
def is_exempt(view: View, row: int) -> bool:
    """Whether the QOS of a job spares it the MaxTime of partitions."""
    qos = qos_of(view, row)
    return qos >= 0 and bool(int(view.parameters[qos + Line.FLAGS]) & QosFlag.PARTITION_TIME_LIMIT)


@kernel
def _of_association(view: View, row: int) -> int:
    """Whether the job has an association where it must, and a QOS that this one has."""
    if not parameters(view).enforce_associations or parameters(view).association_count == 0:
        return 0
    association, qos = association_of(view, row), qos_of(view, row)
    if association < 0:
        return Reason.INVALID_ACCOUNT
    allowed = int(view.parameters[association + Line.QOS_BITS])
    checks = parameters(view).enforce_qos and qos >= 0 and allowed >= 0
    if checks and not allowed >> int(view.parameters[qos + Line.ACCOUNT]) & 1:
        return Reason.INVALID_QOS
    return 0


@kernel
def could_hold(view: View, part: int, row: int) -> bool:
    """Whether the nodes of a partition, all empty and up, have as many CPUs as a job asks for."""
    if view.nodes.count == 0:
        return bool(view.jobs.width[row] <= view.machine.processors_in_all)
    cpus, words = 0.0, view.site.node_plans.numbers
    for node in range(view.nodes.count):
        if has(view.site.node_plans.places, part * words, node):
            cpus += view.nodes.total[node, 0]
    return bool(view.jobs.width[row] <= cpus)
