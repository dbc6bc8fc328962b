"""The priority of a job in a partition: reference, section 1. A whole number, 1 at least."""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.policies.slurm.configuration.line_layout import TRES, Count, Line, Part, PartCount
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.configuration.words import PriorityType, Tres
from molokini.policies.slurm.knowledge.kept_state import mine
from molokini.policies.slurm.knowledge.tres import tres_of
from molokini.policies.slurm.knowledge.who import association_of, line, part_row, qos_of
from molokini.policies.slurm.nodes.demand import component_of
from molokini.tables.tables import NEVER, View

MOST = 4294967295.0
BY_HAND = 1e9
"""From here on a number that an administrator has set stands in place of the priority."""


@kernel
def priority(view: View, row: int, part: int, now: float) -> float:
    """The priority, truncated; terms are not."""
    boost = view.jobs.boost[row]
    if boost >= BY_HAND:
        return float(int(boost - BY_HAND))
    if parameters(view).priority_type == PriorityType.BASIC:
        return 1.0
    total = parameters(view).priority_weight_age * age_factor(view, row, now)
    total += _of_credentials(view, row) + _of_partition(view, row, part)
    if parameters(view).priority_weight_job_size > 0.0:
        total += parameters(view).priority_weight_job_size * size_factor(view, row, part)
    total += boost + view.jobs.user_priority[row]
    return min(MOST, max(1.0, float(int(total))))


@inner
def age_factor(view: View, row: int, now: float) -> float:
    """How long a job has waited, as a part of the age that counts most."""
    waited_s = max(0.0, now - mine(view).accrue_s[row])
    return float(min(1.0, waited_s / parameters(view).priority_max_age_s))


@kernel
def _of_credentials(view: View, row: int) -> float:
    total = parameters(view).priority_weight_fairshare * fairshare_factor(view, row)
    total += parameters(view).priority_weight_assoc * association_factor(view, row)
    return float(total + parameters(view).priority_weight_qos * qos_factor(view, row))


@inner
def fairshare_factor(view: View, row: int) -> float:
    """The fair-share factor of a job's association; 0: it has none."""
    association = association_of(view, row)
    return float(view.site.tallies[association + Count.FACTOR]) if association >= 0 else 0.0


@inner
def association_factor(view: View, row: int) -> float:
    """The priority of a job's association, as a part of the largest."""
    association = association_of(view, row)
    most = 1.0 if parameters(view).no_normal_assoc else parameters(view).most_association_priority
    if association < 0 or most <= 0.0:
        return 0.0
    return float(line(view, association, Line.PRIORITY) / most)


@inner
def qos_factor(view: View, row: int) -> float:
    """The priority of a job's QOS, as a part of the largest."""
    qos = qos_of(view, row)
    most = 1.0 if parameters(view).no_normal_qos else parameters(view).most_qos_priority
    return float(line(view, qos, Line.PRIORITY) / most) if qos >= 0 and most > 0.0 else 0.0


@kernel
def _of_partition(view: View, row: int, part: int) -> float:
    total = parameters(view).priority_weight_partition * partition_factor(view, part)
    for tres in range(TRES):
        weight = parameters(view).tres_weight[tres]
        if weight != 0.0:
            total += weight * tres_factor(view, row, part, tres)
    return float(total)


@inner
def partition_factor(view: View, part: int) -> float:
    """The PriorityJobFactor of a partition, as a part of the largest."""
    most = 1.0 if parameters(view).no_normal_part else parameters(view).most_partition_factor
    return float(view.parameters[part_row(view, part) + Part.JOB_FACTOR] / most)


@kernel
def tres_factor(view: View, row: int, part: int, tres: int) -> float:
    """What a job asks for of a TRES, as a part of what its partition has."""
    seldom()
    nodes = max(1, int(view.components.least_nodes[component_of(view, row)]))
    asked = tres_of(view, row, part, tres, int(view.jobs.width[row]), nodes)
    if parameters(view).no_normal_tres:
        return asked
    in_all = view.site.tallies[part_row(view, part) + PartCount.TRES_ALL + tres]
    return asked / in_all if in_all > 0.0 else 0.0


@kernel
def size_factor(view: View, row: int, part: int) -> float:
    """The factor of the size, from 0 to 1: reference, section 1.1."""
    seldom()
    in_all = float(view.machine.processors_in_all)
    nodes = float(max(1, int(view.components.least_nodes[component_of(view, row)])))
    node_count = float(view.nodes.count)
    if view.nodes.count == 0:
        nodes, node_count = float(view.jobs.width[row]), in_all
    cpus = float(mine(view).tested[row] if mine(view).tested[row] > 0 else view.jobs.width[row])
    small = parameters(view).priority_favor_small > 0
    if parameters(view).small_relative_to_time:
        limit_s = view.jobs.estimate_s[row]
        if not limit_s < NEVER:
            limit_s = view.parameters[part_row(view, part) + Part.MAX_TIME_S]
        minutes = max(1.0, (limit_s + 59.0) // 60.0)
        factor = max(nodes * in_all / node_count, cpus) / minutes / in_all
        return float(min(1.0, max(0.0, 1.0 - factor if small else factor)))
    if small:
        of_nodes = (node_count - nodes) / node_count if nodes < node_count else 0.0
        return min(1.0, max(0.0, (of_nodes + (in_all - cpus) / in_all) / 2.0))
    return float(min(1.0, (nodes / node_count + cpus / in_all) / 2.0))


@kernel
def add_up_partitions(view: View) -> None:
    """What the nodes of each partition have of each TRES."""
    seldom()
    for part in range(parameters(view).partition_count):
        at = part_row(view, part)
        for tres in range(TRES):
            view.site.tallies[at + PartCount.TRES_ALL + tres] = 0.0
        if view.nodes.count == 0:
            view.site.tallies[at + PartCount.TRES_ALL + Tres.CPU] = view.machine.processors_in_all
            view.site.tallies[at + PartCount.TRES_ALL + Tres.NODE] = view.machine.processors_in_all
        for node in range(view.nodes.count):
            words = view.site.node_plans.numbers
            from_word = part * words
            if not view.site.node_plans.places[from_word + node // 62] >> (node % 62) & 1:
                continue
            view.site.tallies[at + PartCount.TRES_ALL + Tres.CPU] += view.nodes.total[node, 0]
            view.site.tallies[at + PartCount.TRES_ALL + Tres.MEM] += view.nodes.total[node, 1] / 1024.0
            view.site.tallies[at + PartCount.TRES_ALL + Tres.NODE] += 1.0
            for k in range(4):
                view.site.tallies[at + PartCount.TRES_ALL + Tres.GENERIC_0 + k] += view.nodes.total[
                    node, 4 + k
                ]
