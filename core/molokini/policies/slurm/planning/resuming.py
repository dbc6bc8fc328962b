"""Suspended jobs go on when the CPUs of their nodes are free again: reference, section 6.7.

Those of the highest tier first, then those that started first; for one of them others of lower tiers may be
suspended again, which went on while it could not.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.cycle.verbs import resume_in_place
from molokini.model.decisions import VACATES, Decision
from molokini.policies.slurm.knowledge.kept_state import mine
from molokini.policies.slurm.knowledge.outranking import weight_of
from molokini.policies.slurm.nodes.demand import mark_alone, note_alone
from molokini.policies.slurm.planning.claims import is_lone
from molokini.policies.slurm.planning.suspending import ask_for_own, stop_in_the_way
from molokini.policies.slurm.planning.timers import note_change
from molokini.tables.tables import NEVER, View


@kernel
def resume_suspended(view: View, now: float) -> None:
    """Let all go on that can, after the passes of this instant."""
    if view.queue.suspended_count == 0 or view.nodes.count == 0:
        return
    seldom()
    _note_alone(view)
    row = _next(view, -1)
    while row >= 0:
        _resume(view, row, now)
        row = _next(view, row)


@kernel
def _note_alone(view: View) -> None:
    """Which nodes have jobs that admit no other, by what this pass has decided so far."""
    if not mine(view).alone:
        return
    note_alone(view)
    for k in range(view.cycle.decided):
        kind, row = view.cycle.decisions[k, 0], view.cycle.decisions[k, 1]
        if is_lone(view, row) and (kind == Decision.START or VACATES >> kind & 1):
            mark_alone(view, row, 1 if kind == Decision.START else -1)


@kernel
def _next(view: View, after: int) -> int:
    """The suspended job with nodes that goes on after another (-1: the first); -1: there is none."""
    found = -1
    for k in range(view.queue.suspended_count):
        row = view.queue.suspended[k]
        if view.jobs.entries[row] < 0 or (after >= 0 and not _goes_before(view, after, row)):
            # What a command has suspended goes on by a command.
            continue
        if found < 0 or _goes_before(view, row, found):
            found = row
    return int(found)


@inner
def _rank(view: View, row: int) -> float:
    return weight_of(view, row) if mine(view).place[row] > 0 else 0.0


@kernel
def _goes_before(view: View, one: int, other: int) -> bool:
    if _rank(view, one) != _rank(view, other):
        return bool(_rank(view, one) > _rank(view, other))
    if view.jobs.start_s[one] != view.jobs.start_s[other]:
        return bool(view.jobs.start_s[one] < view.jobs.start_s[other])
    if view.jobs.number[one] != view.jobs.number[other]:
        return bool(view.jobs.number[one] < view.jobs.number[other])
    return bool(view.jobs.index[one] < view.jobs.index[other])


@kernel
def _resume(view: View, row: int, now: float) -> None:
    """Let one job go on if its nodes have the CPUs, or jobs of lower tiers there."""
    ask_for_own(view, row)
    if not stop_in_the_way(view, row, mine(view).place[row] - 1) or not resume_in_place(view, row):
        return
    if is_lone(view, row):
        mark_alone(view, row, 1)
    mine(view).resumed += 1
    mine(view).expected_s[row] = now
    note_change(view, now)
    if mine(view).queued_s == NEVER:
        mine(view).queued_s = now
