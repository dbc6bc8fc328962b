"""The waiting jobs by priority: one list, kept from pass to pass, sorted again at each.

Priorities change slowly, so the list is nearly in order already: a merge of its rising runs costs a walk or
two. Equal priorities stand in queue order, so the order is a function of the priorities alone.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.model.states import JobState
from molokini.policies.maui.knowledge.memory import mine
from molokini.tables.tables import View
from molokini.tables.waiting import comes_before


@kernel
def forget_ranks(view: View) -> None:
    """Nothing is known of the list: the next pass fills it again."""
    for k in range(view.queue.head, view.queue.tail):
        mine(view).listed[view.queue.waiting[k]] = 0
    mine(view).count = 0


@kernel
def refresh_ranks(view: View) -> int:
    """Drop the jobs that no longer wait, take in those that came; how many there are."""
    seldom()
    count = 0
    for k in range(mine(view).count):
        row = view.cycle.ranked[k]
        # A row that another job has by now is not marked: that job comes in by the queue.
        if view.jobs.state[row] == JobState.WAITING and mine(view).listed[row] != 0:
            view.cycle.ranked[count] = row
            count += 1
    wanted = view.queue.tail - view.queue.head - count
    # The jobs that came last stand last, but for jobs that were released or requeued.
    k = view.queue.tail
    while wanted > 0:
        k -= 1
        if mine(view).listed[view.queue.waiting[k]] == 0:
            wanted -= 1
    while k < view.queue.tail:
        row = view.queue.waiting[k]
        if mine(view).listed[row] == 0:
            mine(view).listed[row] = 1
            view.cycle.ranked[count] = row
            count += 1
        k += 1
    mine(view).count = count
    return count


@inner
def ranks_before(view: View, one: int, other: int) -> bool:
    """Whether row *one* goes before row *other*: by priority, then in queue order."""
    if view.cycle.rank_key[one] != view.cycle.rank_key[other]:
        return bool(view.cycle.rank_key[one] > view.cycle.rank_key[other])
    return comes_before(view, one, other)


@kernel
def sort_ranks(view: View, count: int) -> None:
    """Sort ``ranked[:count]`` by ``cycle.rank_key``: merge neighbouring runs until one is left."""
    seldom()
    in_ranked = True
    while True:
        runs = _merge_runs(view, count, in_ranked)
        if runs <= 1:
            break
        in_ranked = not in_ranked
        if runs == 2:
            break
    if not in_ranked:
        for k in range(count):
            view.cycle.ranked[k] = view.cycle.order[k]


@inner
def _at(view: View, k: int, in_ranked: bool) -> int:
    return int(view.cycle.ranked[k] if in_ranked else view.cycle.order[k])


@kernel
def _run_end(view: View, first: int, count: int, in_ranked: bool) -> int:
    k = first + 1
    while k < count and not ranks_before(view, _at(view, k, in_ranked), _at(view, k - 1, in_ranked)):
        k += 1
    return k


@kernel
def _merge_runs(view: View, count: int, in_ranked: bool) -> int:
    """Merge each two neighbouring runs into the other array; how many runs there were.

    Nothing is moved where there is but one.
    """
    first, runs = 0, 0
    while first < count:
        middle = _run_end(view, first, count, in_ranked)
        runs += 1
        if first == 0 and middle >= count:
            return runs
        last = middle
        if middle < count:
            last = _run_end(view, middle, count, in_ranked)
            runs += 1
        _merge(view, first, middle, last, in_ranked)
        first = last
    return runs


@kernel
def _merge(view: View, first: int, middle: int, last: int, in_ranked: bool) -> None:
    seldom()
    left, right = first, middle
    for k in range(first, last):
        if right >= last:
            take_left = True
        elif left >= middle:
            take_left = False
        else:
            take_left = not ranks_before(view, _at(view, right, in_ranked), _at(view, left, in_ranked))
        if take_left:
            row = _at(view, left, in_ranked)
            left += 1
        else:
            row = _at(view, right, in_ranked)
            right += 1
        if in_ranked:
            view.cycle.order[k] = row
        else:
            view.cycle.ranked[k] = row
