"""What a job asks for: tasks, nodes, resources, and its processor equivalents.

Processor equivalents as in Jackson, Snell and Clement, JSSPP 2001, section 6.1: the largest of a job's shares
of the machine's processors, memory, disk and swap, times the machine's processors.
"""

from molokini.compiled.compilation import kernel, seldom
from molokini.model.resources import Resource
from molokini.tables.tables import Tables


@kernel
def tasks_of(t: Tables, row: int, component: int) -> int:
    """Tasks of one component of *row*; plain jobs share component 0, one task a processor."""
    if t.placing.molding > 0:
        return int(t.placing.molding)
    if component == 0:
        return int(t.jobs.width[row])
    return int(t.components.tasks[component])


@kernel
def processor_equivalents(t: Tables, row: int) -> float:
    """Processor equivalents of *row*; a resource that the machine does not have does not count."""
    if t.jobs.needs_placement[row] == 0:
        return float(t.jobs.width[row])
    return _of_components(t, row)


@kernel
def _of_components(t: Tables, row: int) -> float:
    seldom()
    total = 0.0
    component = t.jobs.components[row]
    for _ in range(t.jobs.component_count[row]):
        share = _share(t.components.need[component, Resource.PROCESSORS], t.machine.processors_in_all)
        share = max(
            share, _share(t.components.need[component, Resource.MEMORY_KB], t.machine.memory_in_all_kb)
        )
        share = max(share, _share(t.components.need[component, Resource.SWAP_KB], t.machine.swap_in_all_kb))
        share = max(share, _share(t.components.need[component, Resource.DISK_KB], t.machine.disk_in_all_kb))
        total += tasks_of(t, row, component) * share * t.machine.processors_in_all
        component = t.components.next[component]
    return total


@kernel
def _share(need: float, in_all: float) -> float:
    return need / in_all if in_all > 0.0 else 0.0


@kernel
def resource_of(t: Tables, row: int, resource: int) -> float:
    """What all tasks of *row* need of one resource (kilobytes of memory, swap and disk)."""
    if t.jobs.needs_placement[row] == 0:
        return float(t.jobs.width[row]) if resource == Resource.PROCESSORS else 0.0
    return _of_resource(t, row, resource)


@kernel
def _of_resource(t: Tables, row: int, resource: int) -> float:
    seldom()
    total = 0.0
    component = t.jobs.components[row]
    for _ in range(t.jobs.component_count[row]):
        total += tasks_of(t, row, component) * t.components.need[component, resource]
        component = t.components.next[component]
    return total


@kernel
def nodes_of(t: Tables, row: int) -> int:
    """Nodes that *row* asks for; 0 where it gave no such count."""
    if t.jobs.needs_placement[row] == 0:
        return 0
    return _of_nodes(t, row)


@kernel
def _of_nodes(t: Tables, row: int) -> int:
    seldom()
    nodes = 0
    component = t.jobs.components[row]
    for _ in range(t.jobs.component_count[row]):
        per_node = t.components.per_node[component]
        if per_node > 0:
            nodes += (tasks_of(t, row, component) + per_node - 1) // per_node
        component = t.components.next[component]
    return nodes
