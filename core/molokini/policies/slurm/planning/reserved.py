"""Advance reservations in the plan: the nodes that they keep from a job, and until when.

Reference, section 3.3, i. A node counts where all of its processors are reserved; where only some are, the
start itself keeps clear of them.
"""

from molokini.compiled.compilation import kernel, seldom
from molokini.model.resources import Resource
from molokini.policies.slurm.nodes.sets import has, put
from molokini.tables.access import has_access
from molokini.tables.tables import View


@kernel
def keep_reserved(view: View, row: int, from_s: float, end_s: float) -> float:
    """``kept`` is the nodes that are reserved for other jobs at some time between the two; the first end of
    such a reservation, 0: there is none.
    """
    seldom()
    for word in range(view.site.node_plans.numbers):
        view.site.node_plans.kept[word] = 0
    first_s = 0.0
    for r in range(view.reservations.count):
        until_s = view.reservations.until_s[r]
        if not view.reservations.hosted[r] or until_s <= from_s or view.reservations.from_s[r] >= end_s:
            continue
        if not has_access(view, row, r) and _keep(view, r) and (first_s == 0.0 or until_s < first_s):
            first_s = until_s
    return float(first_s)


@kernel
def _keep(view: View, r: int) -> bool:
    """Put the nodes of a reservation into ``kept``; whether the job could use one of them otherwise."""
    found, h = False, view.reservations.host[r]
    while h >= 0:
        node = view.hosts.node[h]
        if view.hosts.processors[h] >= view.nodes.total[node, Resource.PROCESSORS]:
            put(view.site.node_plans.kept, 0, node)
            found = found or has(view.site.node_plans.base, 0, node)
        h = view.hosts.next[h]
    return found


@kernel
def is_in_the_way(view: View, row: int, from_s: float, end_s: float) -> bool:
    """Whether one of the ``chosen`` nodes is reserved for other jobs at some time between the two."""
    if view.hosts.count == 0 or keep_reserved(view, row, from_s, end_s) == 0.0:
        return False
    for word in range(view.site.node_plans.numbers):
        if view.site.node_plans.chosen[word] & view.site.node_plans.kept[word]:
            return True
    return False
