"""What suspended jobs keep for themselves: the CPUs on which they are to go on.

A job that was suspended in place keeps its nodes, and all it has there but CPUs. Those are free for the jobs
for which it is suspended, and for no other: they would keep it from going on.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.model.decisions import Decision
from molokini.model.states import JobState
from molokini.policies.slurm.knowledge.kept_state import mine
from molokini.policies.slurm.knowledge.outranking import is_suspended_for
from molokini.policies.slurm.nodes.demand import mark_alone, wants_alone
from molokini.tables.allocations import change_processor_room, processors_of
from molokini.tables.tables import View

HIDE, SHOW = -1.0, 1.0


@inner
def has_claims(view: View) -> bool:
    """Whether a suspended job may keep CPUs from others."""
    return bool(view.nodes.count > 0 and (view.queue.suspended_count > 0 or mine(view).stopped > 0))


@kernel
def change_claimed(view: View, row: int, part: int, sign: float) -> None:
    """Hide the CPUs that suspended jobs keep from *row*, which would run in *part*, or show them again.

    In between ``nodes.free`` may be below 0, and nothing is to be decided.
    """
    seldom()
    for k in range(view.queue.suspended_count):
        _change(view, view.queue.suspended[k], row, part, sign)
    if mine(view).stopped > 0:
        for k in range(view.cycle.decided):
            if view.cycle.decisions[k, 0] == Decision.SUSPEND:
                _change(view, view.cycle.decisions[k, 1], row, part, sign)
    # What is known of the room for a shape, or of like nodes, is about other room.
    view.cycle.room_epoch += 1
    view.cycle.start_epoch += 1


@kernel
def _change(view: View, other: int, row: int, part: int, sign: float) -> None:
    if view.jobs.entries[other] < 0 or is_suspended_for(view, other, row, part):
        return
    change_processor_room(view, other, sign)
    if is_lone(view, other):
        mark_alone(view, other, 1 if sign == HIDE else -1)


@kernel
def claimed(view: View, row: int, part: int) -> int:
    """How many CPUs suspended jobs keep from *row*, which would run in *part*."""
    seldom()
    found = 0
    for k in range(view.queue.suspended_count):
        other = view.queue.suspended[k]
        if view.jobs.entries[other] >= 0 and not is_suspended_for(view, other, row, part):
            found += processors_of(view, other)
    return int(found)


@inner
def is_lone(view: View, row: int) -> bool:
    """Whether a placed job admits no other on its nodes."""
    return bool(mine(view).place[row] > 0 and wants_alone(view, row, mine(view).place[row] - 1))


@kernel
def is_stopped(view: View, row: int) -> bool:
    """Whether a placed job is suspended, or this pass has suspended it."""
    if view.jobs.state[row] == JobState.SUSPENDED:
        return True
    if mine(view).stopped > 0:
        for k in range(view.cycle.decided):
            if view.cycle.decisions[k, 1] == row and view.cycle.decisions[k, 0] == Decision.SUSPEND:
                return True
    return False
