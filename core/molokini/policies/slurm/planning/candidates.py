"""The running jobs that may give way, in the order in which they do: reference, section 6.1.

The lightest goes first: by tier, or the priority of its QOS, then by its nodes, then by its number.
"""

from molokini.compiled.compilation import inner, kernel
from molokini.model.decisions import VACATES
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.knowledge.outranking import weight_of
from molokini.policies.slurm.nodes.demand import nodes_held
from molokini.policies.slurm.nodes.sets import has
from molokini.tables.tables import NEVER, View

_MOST_WEIGHT, _NODES = 65_535.0, 65_536.0


@kernel
def key_of(view: View, row: int) -> float:
    """The key of a candidate: the lowest goes first."""
    if parameters(view).preempt_youngest_first:
        return float(-view.jobs.start_s[row])
    return float(min(_MOST_WEIGHT, weight_of(view, row)) * _NODES + nodes_held(view, row))


@kernel
def has_gone(view: View, row: int) -> bool:
    """Whether this pass has taken a running job off."""
    for k in range(view.cycle.decided):
        if view.cycle.decisions[k, 1] == row and VACATES >> view.cycle.decisions[k, 0] & 1:
            return True
    return False


@kernel
def next_candidate(view: View, after: int) -> int:
    """The candidate, of those with a key in ``cycle.order_key``, that goes after another (-1: the first); -1:
    there is none.
    """
    found = -1
    for k in range(view.queue.running_count):
        other = view.queue.running[k]
        if view.cycle.order_key[other] == NEVER or (after >= 0 and not goes_before(view, after, other)):
            continue
        if found < 0 or goes_before(view, other, found):
            found = other
    return int(found)


@inner
def goes_before(view: View, one: int, other: int) -> bool:
    """Whether a candidate stands before another."""
    if view.cycle.order_key[one] != view.cycle.order_key[other]:
        return bool(view.cycle.order_key[one] < view.cycle.order_key[other])
    if view.jobs.number[one] != view.jobs.number[other]:
        return bool(view.jobs.number[one] < view.jobs.number[other])
    return bool(view.jobs.index[one] < view.jobs.index[other])


@kernel
def chosen_nodes_of(view: View, row: int) -> int:
    """How many of the chosen nodes a job has."""
    found, entry = 0, view.jobs.entries[row]
    while entry >= 0:
        if has(view.site.node_plans.chosen, 0, view.entries.node[entry]):
            found += 1
        entry = view.entries.next[entry]
    return found
