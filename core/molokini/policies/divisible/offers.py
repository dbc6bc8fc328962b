"""At which deadlines the schedulability test may answer otherwise: what the search for an offer visits.

The deadline of an arrival decides three things in the test: its place in the order, the entry of the list of
available nodes at which it starts, and how many nodes it then needs. Between the deadlines at which one of
these changes the plan is the same, for the arrival and for all others; a change takes effect at its deadline.
"""

from molokini.compiled.compilation import kernel
from molokini.policies.divisible.decisions import (
    deadline_of,
    given_nodes,
    length_of,
    needed_nodes,
    order_of,
    rule_of,
)
from molokini.shared.dividing import best_nodes_of
from molokini.tables.tables import NEVER, View

_LEAST_TRIALS, _MOST_TRIALS, _MOST_STEPS = 16, 2000, 20_000_000
"""A refusal takes some hundredth of a second at most, however many jobs wait: a server answers no other
request meanwhile."""

_EDF, _MWF = 1, 2


@kernel
def _best_nodes(view: View, row: int, most: int) -> int:
    """On how many of *most* nodes *row* takes least time; 0 where it wants more."""
    given = given_nodes(view, row)
    if given > 0:
        return given if given <= most else 0
    return best_nodes_of(view, row, rule_of(view), most)


@kernel
def most_trials(view: View) -> int:
    """How many deadlines are tried among those of admitted jobs; then only behind all of them."""
    waiting = view.queue.tail - view.queue.head
    steps = waiting * (waiting + view.queue.running_count)
    return int(max(_LEAST_TRIALS, min(_MOST_TRIALS, _MOST_STEPS // steps)))


@kernel
def shortest_end(view: View, row: int, now: float) -> float:
    """When *row* would end on an empty machine: no deadline before that can be met."""
    return now + length_of(view, row, _best_nodes(view, row, view.machine.processors))


@kernel
def latest_deadline(view: View) -> float:
    """The last deadline of waiting jobs."""
    latest_s = 0.0
    for k in range(view.queue.head, view.queue.tail):
        deadline_s = deadline_of(view, view.queue.waiting[k])
        if deadline_s < NEVER:
            latest_s = max(latest_s, deadline_s)
    return latest_s


@kernel
def next_place(view: View, row: int, now: float) -> float:
    """The first deadline after the one that is tried at which *row* has another place in the order."""
    tried_s, next_s = deadline_of(view, row), NEVER
    if order_of(view) == _EDF:
        for k in range(view.queue.head, view.queue.tail):
            deadline_s = deadline_of(view, view.queue.waiting[k])
            if tried_s < deadline_s < next_s:
                next_s = deadline_s
    elif order_of(view) == _MWF and view.jobs.load[row] > 0.0:
        n = needed_nodes(view, row, now)
        if n > 1:
            next_s = now + length_of(view, row, n - 1)
    return next_s


@kernel
def next_choice(view: View, row: int, entries: int, entry: int, nodes: int, port_s: float) -> float:
    """The first deadline after the one that is tried at which *row* starts at an entry before *entry* (-1: at
    any of all *entries*), or there on fewer nodes than *nodes*.
    """
    tried_s, next_s, available = deadline_of(view, row), NEVER, 0
    for k in range(entries):
        available += view.profile.free[k]
        start_s = max(view.profile.time_s[k], port_s)
        if k == entry:
            fewer = nodes - 1 if given_nodes(view, row) == 0 else nodes
            end_s = start_s + length_of(view, row, fewer) if fewer > 0 else NEVER
            return min(next_s, end_s) if end_s > tried_s else next_s
        best = _best_nodes(view, row, available)
        if best > 0:
            end_s = start_s + length_of(view, row, best)
            if end_s > tried_s:
                next_s = min(next_s, end_s)
    return next_s
