"""What a job asks of nodes: its bounds, and what one node can give it."""

from molokini.availability.node_capacity import tasks_that_fit
from molokini.compiled.compilation import inner, kernel, seldom
from molokini.compiled.structs import FloatTable, Ints
from molokini.model.resources import Resource
from molokini.policies.slurm.configuration.line_layout import Part
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.configuration.words import Select, Sharing
from molokini.policies.slurm.knowledge.kept_state import mine
from molokini.policies.slurm.knowledge.who import part_row
from molokini.tables.allocations import processors_of
from molokini.tables.requests import tasks_of
from molokini.tables.tables import View

ANY = 1 << 40


@inner
def component_of(view: View, row: int) -> int:
    """The component of a job; jobs of several are placed as a whole by the common placement."""
    return int(view.jobs.components[row])


@inner
def is_single(view: View, row: int) -> bool:
    """Whether a job is one component, on nodes that this policy chooses."""
    component = view.jobs.components[row]
    return bool(
        view.jobs.component_count[row] == 1
        and view.components.spread[component] == 0
        and view.components.one_of[component] == 0
    )


@kernel
def wants_alone(view: View, row: int, part: int) -> bool:
    """Whether nodes of a job take no other: it says so, or its partition, or nodes are never shared."""
    if view.components.alone[component_of(view, row)] or parameters(view).select_type == Select.LINEAR:
        return True
    return bool(view.parameters[part_row(view, part) + Part.SHARING] == Sharing.EXCLUSIVE)


@kernel
def least_nodes(view: View, row: int, part: int) -> int:
    """The fewest nodes of a job: its own, those of its tasks, the partition's."""
    component = component_of(view, row)
    least = max(1, int(view.components.least_nodes[component]))
    each = int(view.components.per_node[component])
    if each > 0:
        tasks = tasks_of(view, row, component)
        least = max(least, (tasks + each - 1) // each)
    return max(least, int(view.parameters[part_row(view, part) + Part.MIN_NODES]))


@kernel
def most_nodes(view: View, row: int, part: int) -> int:
    """The most nodes of a job; ``ANY``: no maximum."""
    most = int(view.components.most_nodes[component_of(view, row)])
    bound = view.parameters[part_row(view, part) + Part.MAX_NODES]
    of_part = int(bound) if bound < ANY else ANY
    return min(most if most > 0 else ANY, of_part)


@inner
def cpus_a_task(view: View, row: int) -> int:
    """CPUs of one task of a job; 0 where tasks take none."""
    return int(view.components.need[component_of(view, row), Resource.PROCESSORS])


@inner
def whole_cores(view: View, node: int, free: float) -> float:
    """So many of *free* CPUs of a node are those of whole cores."""
    together = view.site.node_plans.together[node]
    return float(free // together * together)


@inner
def taken_of(view: View, node: int, cpus: float) -> float:
    """The CPUs of all cores of a node that so many CPUs take."""
    together = view.site.node_plans.together[node]
    return float(-(-cpus // together) * together)


@kernel
def in_cores(view: View, room: FloatTable, node: int, row: int, tasks: int) -> int:
    """How many of so many *tasks*, which the room of a node takes, whole cores take."""
    seldom()
    need, free = view.components.need[component_of(view, row), Resource.PROCESSORS], room[node, 0]
    if need <= 0.0:
        return tasks
    if view.hosts.count > 0:
        free = max(0.0, free - view.barred.processors[node])
    return min(tasks, int(whole_cores(view, node, free) / need))


@inner
def tasks_on(view: View, room: FloatTable, lone: Ints, node: int, row: int, alone: bool) -> int:
    """How many tasks of a job a node takes, of which so much is free, and *lone* jobs are there."""
    if lone[node] > 0:
        return 0
    if alone and room[node, Resource.PROCESSORS] < view.nodes.total[node, Resource.PROCESSORS]:
        return 0
    # Who is alone there has all of the node, whole cores or not.
    by_cores = mine(view).in_cores > 0 and not alone
    if view.jobs.components[row] == 0 and view.hosts.count == 0:
        free = room[node, Resource.PROCESSORS]
        return int(whole_cores(view, node, free) if by_cores else free)
    tasks = tasks_that_fit(view, room, node, component_of(view, row))
    return in_cores(view, room, node, row, tasks) if by_cores else tasks


@kernel
def note_alone(view: View) -> None:
    """Which nodes have jobs that admit no other."""
    if view.site.node_plans.alone_now.size == 0 or not mine(view).alone:
        return
    for node in range(view.nodes.count):
        view.site.node_plans.alone_now[node] = 0
    for k in range(view.queue.running_count):
        row = view.queue.running[k]
        part = mine(view).place[row] - 1
        if part >= 0 and wants_alone(view, row, part):
            mark_alone(view, row, 1)


@kernel
def mark_alone(view: View, row: int, by: int) -> None:
    """Count a job that admits no other on its nodes."""
    entry = view.jobs.entries[row]
    while entry >= 0:
        view.site.node_plans.alone_now[view.entries.node[entry]] += by
        entry = view.entries.next[entry]


@kernel
def cpus_held(view: View, row: int, part: int) -> int:
    """The CPUs that a placed job has: all of its nodes where it is alone there, else those of its cores."""
    if view.nodes.count == 0 or view.jobs.entries[row] < 0:
        return int(view.jobs.width[row])
    if not wants_alone(view, row, part):
        return processors_of(view, row) if mine(view).in_cores else int(view.jobs.width[row])
    cpus, entry, last = 0.0, view.jobs.entries[row], -1
    while entry >= 0:
        node = view.entries.node[entry]
        if node != last:
            cpus += view.nodes.total[node, Resource.PROCESSORS]
        last = node
        entry = view.entries.next[entry]
    return int(cpus)


@kernel
def nodes_held(view: View, row: int) -> int:
    """The nodes that a placed job has; on counted processors as many as CPUs."""
    if view.nodes.count == 0:
        return int(view.jobs.width[row])
    count, entry, last = 0, view.jobs.entries[row], -1
    while entry >= 0:
        if view.entries.node[entry] != last:
            count += 1
        last = view.entries.node[entry]
        entry = view.entries.next[entry]
    return count
