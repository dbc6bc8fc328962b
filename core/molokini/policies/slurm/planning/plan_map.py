"""The map of backfill: stretches of time, and the nodes of each for which nothing is planned.

Jobs that run are not in it. Reference, section 3.3, i and m.
"""

from molokini.compiled.compilation import inner, kernel
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.tables.sizes import MOST_PLANNED
from molokini.tables.tables import View


@kernel
def begin_map(view: View, now: float) -> None:
    """One stretch, from now to the horizon, in which all nodes that are up are free."""
    resolution_s, words = parameters(view).bf_resolution_s, view.site.node_plans.numbers
    view.site.node_plans.count = 1
    view.site.node_plans.begin_s[0] = now // resolution_s * resolution_s
    view.site.node_plans.end_s[0] = (now + parameters(view).bf_window_s) // resolution_s * resolution_s
    for word in range(words):
        view.site.node_plans.free[word] = view.site.node_plans.up[word]
        view.site.node_plans.kept[word] = 0


@kernel
def most_stretches(view: View) -> int:
    """How many stretches the map may have."""
    asked = parameters(view).bf_node_space_size
    if asked == 0:
        asked = parameters(view).bf_max_job_test
    in_table = (view.site.node_plans.free.size - view.site.node_plans.numbers) // max(
        1, view.site.node_plans.numbers
    )
    return int(min(asked, in_table, MOST_PLANNED - 2))


@kernel
def begin_looking(view: View) -> None:
    """Nothing is known of the windows in which the job in question is looked for."""
    view.site.node_plans.window_first = view.site.node_plans.window_middle = 0
    view.site.node_plans.window_last = view.site.node_plans.window_closed = 0


@kernel
def look(view: View, from_s: float, end_s: float) -> float:
    """``usable`` is what of ``base`` is neither reserved nor planned from *from_s* to *end_s*; from when on a
    try may find another node, 0: there is none.

    Tries for one job ask for windows that move on (``begin_looking``): sets of free nodes that two
    windows share are joined once.
    """
    count, first = view.site.node_plans.count, view.site.node_plans.window_first
    if first > 0 and view.site.node_plans.end_s[first - 1] > from_s:
        begin_looking(view)
        first = 0
    while first < count and view.site.node_plans.end_s[first] <= from_s:
        first += 1
    later_s, last = _next_gain(view, first, end_s), max(first, view.site.node_plans.window_last)
    while last < count and view.site.node_plans.begin_s[last] <= end_s:
        last += 1
    _move_window(view, first, last)
    words, middle = view.site.node_plans.numbers, view.site.node_plans.window_middle
    if first < view.site.node_plans.window_closed:
        for word in range(words):
            view.site.node_plans.usable[word] = 0
        return later_s
    for word in range(words):
        view.site.node_plans.usable[word] = _open(view, word)
    if first < middle:
        for word in range(words):
            view.site.node_plans.usable[word] &= view.site.node_plans.joined[first * words + word]
    if middle < last:
        for word in range(words):
            view.site.node_plans.usable[word] &= view.site.node_plans.behind[word]
    return later_s


@kernel
def _next_gain(view: View, first: int, end_s: float) -> float:
    """The end of the first stretch, from *first* on, after which another node is free; 0: there is none.

    ``usable`` is what is free from *first* up to the stretch in question.
    """
    words, count = view.site.node_plans.numbers, view.site.node_plans.count
    for word in range(words):
        view.site.node_plans.usable[word] = _open(view, word)
    for k in range(first, count):
        if k + 1 < count and _gains(view, k):
            return float(view.site.node_plans.end_s[k])
        if view.site.node_plans.begin_s[k] > end_s:
            return float(view.site.node_plans.end_s[k + 1]) if k + 2 < count else 0.0
        for word in range(words):
            view.site.node_plans.usable[word] &= view.site.node_plans.free[k * words + word]
    return 0.0


@kernel
def _move_window(view: View, first: int, last: int) -> None:
    """The window is the stretches from *first* up to *last*, which both only grow.

    ``joined`` has, of each stretch before the window's middle, what is free from there to the middle;
    ``behind`` is what is free from the middle on. Before ``window_closed`` nothing is.
    """
    words, middle = view.site.node_plans.numbers, view.site.node_plans.window_middle
    if first < middle:
        for k in range(view.site.node_plans.window_last, last):
            new = k == middle
            for word in range(words):
                free = view.site.node_plans.free[k * words + word]
                view.site.node_plans.behind[word] = free if new else view.site.node_plans.behind[word] & free
    elif first < last:
        _join(view, first, last)
        view.site.node_plans.window_middle = last
    view.site.node_plans.window_first, view.site.node_plans.window_last = first, last


@kernel
def _join(view: View, first: int, last: int) -> None:
    """Fill ``joined`` from the back, until nothing of ``base`` is left."""
    words = view.site.node_plans.numbers
    for k in range(last - 1, first - 1, -1):
        left = 0
        for word in range(words):
            free = view.site.node_plans.free[k * words + word]
            if k + 1 < last:
                free &= view.site.node_plans.joined[(k + 1) * words + word]
            else:
                free &= view.site.node_plans.base[word]
            view.site.node_plans.joined[k * words + word] = free
            left |= free
        if left == 0:
            view.site.node_plans.window_closed = k + 1
            return


@inner
def _open(view: View, word: int) -> int:
    """A number of the set of nodes that the job in question may use, reservations considered."""
    return int(view.site.node_plans.base[word] & ~view.site.node_plans.kept[word])


@inner
def _gains(view: View, k: int) -> bool:
    """Whether the stretch after *k* has a node that is open but not usable, or not free in *k*."""
    words = view.site.node_plans.numbers
    for word in range(words):
        after = _open(view, word) & view.site.node_plans.free[(k + 1) * words + word]
        if after & ~(view.site.node_plans.usable[word] & view.site.node_plans.free[k * words + word]):
            return True
    return False


@kernel
def overlaps(view: View, from_s: float, until_s: float) -> bool:
    """Whether a stretch between the two lacks one of the ``chosen`` nodes."""
    words = view.site.node_plans.numbers
    for k in range(view.site.node_plans.count):
        if view.site.node_plans.begin_s[k] >= until_s:
            return False
        if view.site.node_plans.end_s[k] > from_s:
            for word in range(words):
                if view.site.node_plans.chosen[word] & ~view.site.node_plans.free[k * words + word]:
                    return True
    return False


@kernel
def plan_end_s(view: View, start_s: float, length_s: float) -> float:
    """Where a plan ends on the grid: rounded up since release 24.11, down before."""
    resolution_s = parameters(view).bf_resolution_s
    end_s = start_s + length_s
    if parameters(view).plan_end == 0:
        end_s += resolution_s - 1.0
    return float(end_s // resolution_s * resolution_s)


@kernel
def add_plan(view: View, start_s: float, end_s: float) -> None:
    """Take the ``chosen`` nodes out of all stretches between the two, which are on the grid."""
    first = split(view, start_s)
    last = split(view, end_s)
    words = view.site.node_plans.numbers
    for k in range(first, last):
        for word in range(words):
            view.site.node_plans.free[k * words + word] &= ~view.site.node_plans.chosen[word]
    for k in range(1, view.site.node_plans.count):
        if _alike(view, k):
            _drop(view, k)
            return


@kernel
def split(view: View, at_s: float) -> int:
    """Make an instant a boundary; the stretch that begins there, or one after the last."""
    words, count = view.site.node_plans.numbers, view.site.node_plans.count
    if at_s <= view.site.node_plans.begin_s[0]:
        return 0
    k = 0
    while k < count and view.site.node_plans.end_s[k] <= at_s:
        k += 1
    if k == count or view.site.node_plans.begin_s[k] == at_s:
        return k
    for j in range(count, k, -1):
        view.site.node_plans.begin_s[j] = view.site.node_plans.begin_s[j - 1]
        view.site.node_plans.end_s[j] = view.site.node_plans.end_s[j - 1]
        for word in range(words):
            view.site.node_plans.free[j * words + word] = view.site.node_plans.free[(j - 1) * words + word]
    view.site.node_plans.end_s[k] = view.site.node_plans.begin_s[k + 1] = at_s
    view.site.node_plans.count = count + 1
    return k + 1


@inner
def _alike(view: View, k: int) -> bool:
    """Whether stretch *k* has the same nodes as the one before it, and the same jobs hold licences."""
    words = view.site.node_plans.numbers
    for h in range(view.site.license_plans.count):
        if view.site.node_plans.begin_s[k] in (
            view.site.license_plans.begin_s[h],
            view.site.license_plans.end_s[h],
        ):
            return False
    for word in range(words):
        if view.site.node_plans.free[k * words + word] != view.site.node_plans.free[(k - 1) * words + word]:
            return False
    return True


@kernel
def _drop(view: View, k: int) -> None:
    """Join stretch *k* to the one before it."""
    words = view.site.node_plans.numbers
    view.site.node_plans.end_s[k - 1] = view.site.node_plans.end_s[k]
    for j in range(k, view.site.node_plans.count - 1):
        view.site.node_plans.begin_s[j] = view.site.node_plans.begin_s[j + 1]
        view.site.node_plans.end_s[j] = view.site.node_plans.end_s[j + 1]
        for word in range(words):
            view.site.node_plans.free[j * words + word] = view.site.node_plans.free[(j + 1) * words + word]
    view.site.node_plans.count -= 1
