"""Whole cores: a job has all CPUs of each core of a node that it uses (reference, section 4.1).

What a job asks for are CPUs. Those of its last core on a node that it does not ask for are processors beside
its tasks: it holds them, and they count for limits and usage.
"""

from molokini.compiled.compilation import kernel, seldom
from molokini.cycle.verbs import start_placed
from molokini.model.resources import Resource
from molokini.policies.slurm.knowledge.kept_state import mine
from molokini.policies.slurm.nodes.demand import taken_of, wants_alone
from molokini.tables.tables import View


@kernel
def start_on_cores(view: View, row: int, part: int, count: int) -> bool:
    """Start a waiting job on the first *count* elements of ``placing``, a node each, with whole cores there.

    A job that is alone on its nodes holds what it asks for: nobody else gets there.
    """
    if not mine(view).in_cores or wants_alone(view, row, part):
        return start_placed(view, row, count)
    seldom()
    beside = 0
    for k in range(count):
        beside += int(_beside(view, k))
    if beside == 0:
        return start_placed(view, row, count)
    in_all = _add_beside(view, count)
    if start_placed(view, row, in_all, beside):
        return True
    _leave_out_beside(view, in_all)
    return False


@kernel
def _beside(view: View, k: int) -> float:
    """CPUs of the last core of element *k* of ``placing`` that its tasks do not take."""
    cpus = view.placing.tasks[k] * view.components.need[view.placing.component[k], Resource.PROCESSORS]
    return float(taken_of(view, view.placing.node[k], cpus) - cpus)


@kernel
def _add_beside(view: View, count: int) -> int:
    """Put what is beside its tasks behind each of the first *count* elements; how many there are then."""
    in_all = count
    for k in range(count):
        in_all += 1 if _beside(view, k) > 0.0 else 0
    at = in_all - 1
    for k in range(count - 1, -1, -1):
        node, tasks, component = view.placing.node[k], view.placing.tasks[k], view.placing.component[k]
        beside = int(_beside(view, k))
        if beside > 0:
            view.placing.node[at], view.placing.tasks[at], view.placing.component[at] = node, beside, 0
            at -= 1
        view.placing.node[at], view.placing.tasks[at], view.placing.component[at] = node, tasks, component
        at -= 1
    return in_all


@kernel
def _leave_out_beside(view: View, count: int) -> None:
    """Put one element a node back: what is beside its tasks stands behind them."""
    kept = 0
    for k in range(count):
        if k > 0 and view.placing.node[k] == view.placing.node[k - 1]:
            continue
        view.placing.node[kept], view.placing.tasks[kept] = view.placing.node[k], view.placing.tasks[k]
        view.placing.component[kept] = view.placing.component[k]
        kept += 1


@kernel
def cpus_of_cores(view: View, count: int) -> float:
    """The CPUs of all cores that the first *count* elements of ``placing`` take."""
    cpus = 0.0
    for k in range(count):
        need = view.components.need[view.placing.component[k], Resource.PROCESSORS]
        cpus += taken_of(view, view.placing.node[k], view.placing.tasks[k] * need)
    return cpus
