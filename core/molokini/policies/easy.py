"""EASY backfilling: the head of the queue has a promise, every other job may fill holes.

Lifka 1995; Mu'alem and Feitelson 2001. Promises that the head starts no later than its shadow time,
computed from estimates at the last pass, as long as jobs are killed at their estimates. Promises
nothing to the second in the queue.

On several clusters the shadow time is the earliest instant at which the head can be *placed* on them;
placement is that of Bucur and Epema, JSSPP 2001, a study of FCFS alone.
"""

from dataclasses import replace

from molokini.availability.shadow import shadow_of
from molokini.policy import Choice, Policy, View, blocked, kernel, parameter, start_in_order
from molokini.shared.backfilling import AS_QUEUED, backfill_beside, order_candidates, try_behind
from molokini.shared.cluster_choice import ClusterChoice, among_others, take_choice
from molokini.shared.order import take_first


class EasyParameters(ClusterChoice):
    """What the user chooses."""

    order: Choice = parameter(
        "queue",
        "how candidates for backfilling are ordered: as they queue, by estimate, or widest first",
        choices=("queue", "shortest", "best-fit"),
        source="queue: Lifka 1995; shortest: Tsafrir et al. 2007 (SJBF)",
    )


parameters = EasyParameters.of

POLICY = Policy(
    name="easy",
    family="backfilling",
    summary="aggressive backfilling: one reservation, for the head of the queue",
    promise="the head starts no later than its shadow time (jobs killed at their estimates)",
    source="Lifka, JSSPP 1995; Mu'alem and Feitelson, IEEE TPDS 12(6), 2001",
    parameters=among_others(EasyParameters.declared()),
)

OVER_CLUSTERS = replace(
    POLICY,
    name="easy-worstfit",
    family="over several clusters",
    summary="EASY over clusters: components by Worst Fit, flexible requests on the fewest clusters",
    source="Lifka, JSSPP 1995; placement: Bucur and Epema, JSSPP 2001",
    parameters=ClusterChoice.declared(),
    # The place of ``order``.
    fixed_last=(float(AS_QUEUED),),
)
POLICIES = (POLICY, OVER_CLUSTERS)


def schedule(view: View, now: float) -> None:
    """Start in queue order; then let other jobs pass a blocked head if they spare its shadow time."""
    if view.nodes.count > 0:
        take_choice(view)
    first = start_in_order(view)
    if first >= view.queue.tail:
        return
    head = view.queue.waiting[first]
    if view.cycle.explain:
        blocked(view, head, -1)
    elif view.machine.idle == 0 or first + 1 == view.queue.tail:
        return
    if view.reservations.count > 0:
        backfill_beside(view, first, now, parameters(view).order)
        return
    shadow_s, extra = shadow_of(view, head, now)
    if parameters(view).order == AS_QUEUED:
        for k in range(first + 1, view.queue.tail):
            if view.machine.idle == 0 and not view.cycle.explain:
                return
            row = view.queue.waiting[k]
            # Most candidates of a long queue are too wide, so that check comes first.
            if view.jobs.width[row] <= view.machine.idle or view.cycle.explain:
                extra -= try_behind(view, row, head, now, shadow_s, extra)
    else:
        _in_other_order(view, first + 1, head, now, shadow_s, extra)


@kernel
def _in_other_order(view: View, first: int, head: int, now: float, shadow_s: float, extra: int) -> None:
    count = order_candidates(view, first, parameters(view).order)
    while count > 0 and (view.machine.idle > 0 or view.cycle.explain):
        row = take_first(view, count)
        count -= 1
        extra -= try_behind(view, row, head, now, shadow_s, extra)
