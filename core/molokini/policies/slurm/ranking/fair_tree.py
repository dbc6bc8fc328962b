"""Fair Tree: reference, section 1.3. Ranks of users by a walk over the tree, best shares over usage first."""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.policies.slurm.configuration.line_layout import LINE, Count, Line
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.counting.counting import line_at, parent_of
from molokini.tables.tables import NEVER, View

_NEXT = int(Count.NORMAL)
_FIRST = int(Count.DONE)
_SHARES = int(Count.USERS)
"""Beside each row: the next child of its parent, its first child, the shares of its children. Plus 1."""


@inner
def _row(view: View, number: float) -> int:
    """A row by its number plus 1, as links have it; -1: none."""
    return int(parameters(view).associations) + (int(number) - 1) * LINE if number > 0.0 else -1


@inner
def _link(view: View, at: int) -> float:
    return float((at - int(parameters(view).associations)) // LINE + 1) if at >= 0 else 0.0


@inner
def _is_user(view: View, at: int) -> bool:
    return bool(view.parameters[at + Line.USER] >= 0.0)


@kernel
def hangs_under(view: View, at: int) -> int:
    """The row above in the walk: accounts whose shares are those of the parent take no part."""
    above = parent_of(view, at)
    while above >= 0 and view.parameters[above + Line.SHARES] < 0.0 and parent_of(view, above) >= 0:
        above = parent_of(view, above)
    return above


@kernel
def fair_tree(view: View) -> None:
    """Give each user its factor: the rank over the number of users."""
    seldom()
    count = int(parameters(view).association_count)
    for k in range(count):
        at = line_at(view, k)
        for column in range(Count.LEVEL, Count.PLANS):
            view.site.tallies[at + column] = 0.0
    for k in range(count - 1, -1, -1):
        at = line_at(view, k)
        above = hangs_under(view, at)
        if above < 0 or (not _is_user(view, at) and view.parameters[at + Line.SHARES] < 0.0):
            continue
        view.site.tallies[above + _SHARES] += max(0.0, view.parameters[at + Line.SHARES])
        view.site.tallies[at + _NEXT] = view.site.tallies[above + _FIRST]
        view.site.tallies[above + _FIRST] = _link(view, at)
    for k in range(count):
        at = line_at(view, k)
        above = hangs_under(view, at)
        if above >= 0:
            view.site.tallies[at + Count.LEVEL] = _level(view, at, above)
    for k in range(count):
        at = line_at(view, k)
        view.site.tallies[at + _FIRST] = _sorted(view, view.site.tallies[at + _FIRST])
    if count > 0:
        _walk(view)


@kernel
def _level(view: View, at: int, above: int) -> float:
    own = view.parameters[at + Line.SHARES]
    if own < 0.0:
        return NEVER
    level = view.site.tallies[above + _SHARES]
    shares = own / level if level > 0.0 else 0.0
    total = view.site.tallies[above + Count.USAGE_S]
    used = view.site.tallies[at + Count.USAGE_S] / total if total > 0.0 else 0.0
    if shares == 0.0:
        return 0.0
    return NEVER if used <= 0.0 else shares / used


@kernel
def _goes_first(view: View, one: int, other: int) -> bool:
    """Whether a child is walked before another that stands behind it."""
    level, other_level = view.site.tallies[one + Count.LEVEL], view.site.tallies[other + Count.LEVEL]
    if level != other_level:
        return bool(level > other_level)
    return _is_user(view, one) or not _is_user(view, other)


@kernel
def _sorted(view: View, first: float) -> float:
    """Sort a list of children, kept as links: merge runs of 1, 2, 4, ... until one is left."""
    width = 1
    while True:
        rest, head, tail, merges = first, 0.0, 0.0, 0
        while rest > 0.0:
            merges += 1
            left, right, steps = rest, rest, 0
            while right > 0.0 and steps < width:
                right = view.site.tallies[_row(view, right) + _NEXT]
                steps += 1
            left_count, right_count = steps, width
            while left_count > 0 or (right_count > 0 and right > 0.0):
                take_left = left_count > 0 and (
                    right_count == 0 or right == 0.0 or _goes_first(view, _row(view, left), _row(view, right))
                )
                if take_left:
                    taken = left
                    left = view.site.tallies[_row(view, left) + _NEXT]
                    left_count -= 1
                else:
                    taken = right
                    right = view.site.tallies[_row(view, right) + _NEXT]
                    right_count -= 1
                if tail > 0.0:
                    view.site.tallies[_row(view, tail) + _NEXT] = taken
                else:
                    head = taken
                tail = taken
            rest = right
        if tail > 0.0:
            view.site.tallies[_row(view, tail) + _NEXT] = 0.0
        first = head
        if merges <= 1:
            return first
        width *= 2


@kernel
def _walk(view: View) -> None:
    """Depth first, from the root; the first child of a tied account takes the present rank."""
    users = int(parameters(view).user_count)
    rank, left = users, users
    root = line_at(view, 0)
    link = view.site.tallies[root + _FIRST]
    tied_walk, first, before = False, True, 0.0
    while link > 0.0:
        at = _row(view, link)
        level = view.site.tallies[at + Count.LEVEL]
        tied = tied_walk if first else level == before
        if _is_user(view, at):
            if not tied:
                rank = left
            view.site.tallies[at + Count.FACTOR] = rank / users
            left -= 1
        elif view.site.tallies[at + _FIRST] > 0.0:
            link = view.site.tallies[at + _FIRST]
            tied_walk, first = tied, True
            continue
        # The next sibling, or that of the nearest row above that has one.
        while at >= 0 and view.site.tallies[at + _NEXT] == 0.0:
            at = hangs_under(view, at)
            if at == root:
                return
        if at < 0:
            return
        before, first = view.site.tallies[at + Count.LEVEL], False
        link = view.site.tallies[at + _NEXT]
