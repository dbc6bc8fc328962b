"""GREEDY: the set of candidates that together make most of a window (reference, section 3.3).

Depth first over all sets, in order of priority, up to BACKFILLMAXSCHEDULES of them. The set at hand and
the best one are kept in the candidates' lines of memory, because kernels allocate nothing.
"""

from molokini.compiled.compilation import kernel, seldom
from molokini.policies.maui.configuration.parameters import parameters
from molokini.policies.maui.configuration.words import BackfillMetric
from molokini.policies.maui.knowledge.memory import mine
from molokini.policies.maui.starting.window_filling import backfill_now, gather
from molokini.tables.tables import View


@kernel
def fill_greedily(
    view: View, count: int, now: float, level: int, limits: int, width: int, until_s: float
) -> int:
    """Start the best set of candidates; how many started."""
    seldom()
    found = gather(view, count, now, level, width, until_s)
    chosen, started = best_set(view, found, width), 0
    for k in range(chosen):
        row = _candidate(view, int(mine(view).best_set[_candidate(view, k)]))
        if backfill_now(view, row, now, limits):
            started += 1
    return started


@kernel
def _candidate(view: View, k: int) -> int:
    return int(view.cycle.ranked[view.cycle.order[k]])


@kernel
def best_set(view: View, found: int, width: int) -> int:
    """Find the set of the greatest sum of metrics that takes at most *width* processors; its size.

    Its members, as places in ``order``, are the first so many ``BEST_SET`` of the candidates.
    """
    seldom()
    size, place, used, value = 0, 0, 0, 0.0
    best, best_value, looked = 0, 0.0, 0
    while True:
        if place < found:
            row = _candidate(view, place)
            if used + view.jobs.width[row] <= width:
                mine(view).present_set[_candidate(view, size)] = place
                size += 1
                used += view.jobs.width[row]
                value += view.cycle.order_key[row]
                looked += 1
                if value > best_value:
                    best, best_value = size, value
                    for k in range(size):
                        other = _candidate(view, k)
                        mine(view).best_set[other] = mine(view).present_set[other]
                full = parameters(view).backfill_metric == BackfillMetric.PROCESSORS and used == width
                if full or looked >= parameters(view).max_schedules:
                    return best
            place += 1
        elif size == 0:
            return best
        else:
            size -= 1
            place = int(mine(view).present_set[_candidate(view, size)])
            row = _candidate(view, place)
            used -= view.jobs.width[row]
            value -= view.cycle.order_key[row]
            place += 1
