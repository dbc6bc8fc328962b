"""In which partition jobs are that have nodes already, where the policy does not know it: after a restart."""

from molokini.compiled.compilation import kernel, seldom
from molokini.policies.slurm.configuration.line_layout import Part
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.knowledge.active import active_count, active_row
from molokini.policies.slurm.knowledge.kept_state import mine
from molokini.policies.slurm.knowledge.who import part_row, places_of, queue_of_part
from molokini.policies.slurm.nodes.demand import wants_alone
from molokini.policies.slurm.nodes.sets import has
from molokini.tables.tables import View


@kernel
def find_places(view: View) -> None:
    """Such a job is in the partition that was noted at its start, else, of those that it asks for, in the one
    of the highest tier that has its nodes.
    """
    for k in range(active_count(view)):
        row = active_row(view, k)
        if mine(view).place[row] > 0:
            continue
        seldom()
        part = _place(view, row)
        mine(view).place[row] = part + 1
        if part >= 0 and wants_alone(view, row, part):
            mine(view).alone = 1


@kernel
def _place(view: View, row: int) -> int:
    """Where it says that it was started, else the one found."""
    chosen = view.credentials.chosen_queue[row]
    for part in range(parameters(view).partition_count):
        if chosen > 0 and queue_of_part(view, part) == chosen - 1:
            return part
    places, part, found = places_of(view, row), 0, -1
    while places > 0:
        if places & 1 and _has_all(view, row, part):
            tier = view.parameters[part_row(view, part) + Part.TIER]
            if found < 0 or tier > view.parameters[part_row(view, found) + Part.TIER]:
                found = part
        places >>= 1
        part += 1
    return found


@kernel
def _has_all(view: View, row: int, part: int) -> bool:
    """Whether a partition has all nodes of a job."""
    if view.nodes.count == 0:
        return True
    entry = view.jobs.entries[row]
    while entry >= 0:
        if not has(
            view.site.node_plans.places, part * view.site.node_plans.numbers, view.entries.node[entry]
        ):
            return False
        entry = view.entries.next[entry]
    return True
