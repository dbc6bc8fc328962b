"""The availability of each row of the matrix: how many of its columns are planned to be free, from now on.

As ``room.profile`` for one lane, but with a window of steps for each row. Columns of a row are
interchangeable for a job that has not started, so counts are enough.
"""

from molokini.compiled.compilation import kernel
from molokini.tables.tables import NEVER, View


@kernel
def clear(view: View, r: int, now: float) -> None:
    """Nothing is planned in row *r*."""
    view.plans.step_s[r, 0] = now
    view.plans.step_free[r, 0] = view.machine.processors
    view.plans.first[r], view.plans.last[r] = 0, 1


@kernel
def forget_past(view: View, r: int, now: float) -> None:
    """Drop steps that have passed."""
    first, last = view.plans.first[r], view.plans.last[r]
    while first + 1 < last and view.plans.step_s[r, first + 1] <= now:
        first += 1
    view.plans.step_s[r, first] = max(view.plans.step_s[r, first], now)
    view.plans.first[r] = first


@kernel
def step_at(view: View, r: int, at_s: float) -> int:
    """The step of row *r* that holds *at_s* (the first where *at_s* lies before it)."""
    low, high = view.plans.first[r], view.plans.last[r]
    while high - low > 1:
        middle = (low + high) >> 1
        if view.plans.step_s[r, middle] <= at_s:
            low = middle
        else:
            high = middle
    return int(low)


@kernel
def _split(view: View, r: int, at_s: float) -> int:
    """Make *at_s* a boundary; the step that begins there."""
    k = step_at(view, r, at_s)
    if view.plans.step_s[r, k] >= at_s:
        return k
    last = view.plans.last[r]
    if last == view.plans.step_s.shape[1]:
        first = view.plans.first[r]
        for j in range(first, last):
            view.plans.step_s[r, j - first] = view.plans.step_s[r, j]
            view.plans.step_free[r, j - first] = view.plans.step_free[r, j]
        view.plans.first[r] = 0
        last -= first
        k -= first
    for j in range(last, k + 1, -1):
        view.plans.step_s[r, j] = view.plans.step_s[r, j - 1]
        view.plans.step_free[r, j] = view.plans.step_free[r, j - 1]
    view.plans.step_s[r, k + 1] = at_s
    view.plans.step_free[r, k + 1] = view.plans.step_free[r, k]
    view.plans.last[r] = last + 1
    return k + 1


@kernel
def _merge(view: View, r: int, k: int) -> None:
    """Join step *k* to the one before it where they are alike."""
    first, last = view.plans.first[r], view.plans.last[r]
    if k <= first or k >= last or view.plans.step_free[r, k] != view.plans.step_free[r, k - 1]:
        return
    for j in range(k, last - 1):
        view.plans.step_s[r, j] = view.plans.step_s[r, j + 1]
        view.plans.step_free[r, j] = view.plans.step_free[r, j + 1]
    view.plans.last[r] = last - 1


@kernel
def plan(view: View, r: int, from_s: float, until_s: float, width: int) -> None:
    """Take *width* columns out of row *r* in [from, until); a negative width gives back."""
    if until_s <= from_s or from_s == NEVER:
        return
    begin = _split(view, r, from_s)
    if until_s < NEVER:
        first = view.plans.first[r]
        stop = _split(view, r, until_s)
        begin -= first - view.plans.first[r]
    else:
        stop = int(view.plans.last[r])
    for k in range(begin, stop):
        view.plans.step_free[r, k] -= width
    _merge(view, r, stop)
    _merge(view, r, begin)


@kernel
def earliest(view: View, r: int, width: int, length_s: float, from_s: float, limit_s: float) -> float:
    """The first instant from *from_s* on at which *width* columns of row *r* stay free for *length_s*.

    *limit_s* where there is none before it.
    """
    k = step_at(view, r, from_s)
    last = view.plans.last[r]
    at_s = from_s
    while k < last:
        if view.plans.step_free[r, k] < width:
            if k + 1 == last:
                return limit_s
            at_s = view.plans.step_s[r, k + 1]
            if at_s >= limit_s:
                return limit_s
        elif k + 1 == last or view.plans.step_s[r, k + 1] >= at_s + length_s:
            return at_s
        k += 1
    return at_s


@kernel
def earlier(view: View, r: int, width: int, length_s: float, now: float, start_s: float) -> float:
    """An earlier start than *start_s* for a job that is planned in row *r* itself; *start_s* where none is.

    From *start_s* on its own room is enough, so only steps before that can block.
    """
    k = step_at(view, r, now)
    last = view.plans.last[r]
    at_s = now
    while k < last and view.plans.step_s[r, k] < start_s:
        if view.plans.step_free[r, k] < width:
            if k + 1 == last:
                return start_s
            at_s = view.plans.step_s[r, k + 1]
            if at_s >= start_s:
                return start_s
        elif k + 1 < last and view.plans.step_s[r, k + 1] >= at_s + length_s:
            return at_s
        k += 1
    return min(at_s, start_s)


@kernel
def most_free(view: View, r: int, from_s: float, until_s: float) -> int:
    """The largest number of free columns in [from, until)."""
    k = step_at(view, r, from_s)
    most = view.plans.step_free[r, k]
    k += 1
    while k < view.plans.last[r] and view.plans.step_s[r, k] < until_s:
        most = max(most, view.plans.step_free[r, k])
        k += 1
    return int(most)


@kernel
def fits(view: View, r: int, width: int, from_s: float, until_s: float) -> bool:
    """Whether *width* columns of row *r* stay free in [from, until), and are free at its begin."""
    k = step_at(view, r, from_s)
    while True:
        if view.plans.step_free[r, k] < width:
            return False
        k += 1
        if k >= view.plans.last[r] or view.plans.step_s[r, k] >= until_s:
            return True


@kernel
def note_left(view: View, r: int, from_s: float, until_s: float) -> None:
    """Room has become free in row *r*: jobs in the queue may find an earlier start in it."""
    if until_s <= from_s:
        return
    if view.plans.left_until_s[r] <= view.plans.left_from_s[r]:
        view.plans.left_from_s[r], view.plans.left_until_s[r] = from_s, until_s
    view.plans.left_from_s[r] = min(view.plans.left_from_s[r], from_s)
    view.plans.left_until_s[r] = max(view.plans.left_until_s[r], until_s)


@kernel
def note_later(view: View, r: int, from_s: float, until_s: float) -> None:
    """The same of room that the next look at the queue offers to all."""
    if until_s <= from_s:
        return
    if view.plans.later_until_s[r] <= view.plans.later_from_s[r]:
        view.plans.later_from_s[r], view.plans.later_until_s[r] = from_s, until_s
    view.plans.later_from_s[r] = min(view.plans.later_from_s[r], from_s)
    view.plans.later_until_s[r] = max(view.plans.later_until_s[r], until_s)


@kernel
def turn_to_later(view: View) -> None:
    """A look at the queue is over: what it has offered is forgotten, what it has left is to be offered."""
    for r in range(view.matrix.count):
        view.plans.left_from_s[r] = view.plans.later_from_s[r]
        view.plans.left_until_s[r] = view.plans.later_until_s[r]
        view.plans.later_from_s[r] = view.plans.later_until_s[r] = 0.0
