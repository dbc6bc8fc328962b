"""EASY backfilling on several clusters; Worst Fit chooses the cluster of each component.

The policy of ``easy``, whose shadow time is the earliest instant at which the head can be *placed* on the
clusters; placement is that of Bucur and Epema, JSSPP 2001, a study of FCFS alone. Promises that the head
starts no later than its shadow time, as long as jobs are killed at their estimates, communication
included.
"""

from molokini.cycle.verbs import because
from molokini.model.decisions import Rule
from molokini.model.policy import Policy
from molokini.room.shadow import shadow_of
from molokini.shared.backfilling import AS_QUEUED, backfill_beside, try_behind
from molokini.shared.cluster_choice import ClusterChoice, take_choice
from molokini.shared.queues import start_in_order
from molokini.tables.tables import View

POLICY = Policy(
    name="easy-worstfit",
    family="over several clusters",
    summary="EASY over clusters: components by Worst Fit, flexible requests on the fewest clusters",
    promise="the head starts no later than its shadow time (jobs killed at their estimates)",
    source="Lifka, JSSPP 1995; placement: Bucur and Epema, JSSPP 2001",
    parameters=ClusterChoice.declared(),
)

_NOT_ENOUGH_FREE = int(Rule.NOT_ENOUGH_FREE)


def schedule(view: View, now: float) -> None:
    """Start in queue order; then let other jobs pass a blocked head if they spare its shadow time."""
    take_choice(view)
    first = start_in_order(view)
    if first >= view.queue.tail:
        return
    head = view.queue.waiting[first]
    if view.cycle.explain:
        because(view, head, _NOT_ENOUGH_FREE, view.machine.idle, view.jobs.width[head], -1)
    elif view.machine.idle == 0 or first + 1 == view.queue.tail:
        return
    if view.reservations.count > 0:
        backfill_beside(view, first, now, AS_QUEUED)
        return
    shadow_s, extra = shadow_of(view, head, now)
    for k in range(first + 1, view.queue.tail):
        if view.machine.idle == 0 and not view.cycle.explain:
            return
        extra -= try_behind(view, view.queue.waiting[k], head, now, shadow_s, extra)
