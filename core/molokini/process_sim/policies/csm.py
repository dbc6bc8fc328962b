"""CSM: coscheduling under memory constraints (Gine et al. 2001, section 4).

Where the tasks of a node need more than its memory, a parallel task with a message goes to the top, and
others pass those that are more likely to fault; elsewhere they pass those with fewer messages. No task is
passed too often.
"""

from molokini.compiled.compilation import kernel
from molokini.process_sim.ready import enqueue
from molokini.process_sim.run_queue import (
    COMMON,
    MNOD,
    MNOL,
    READY_LIST,
    behind_those_that_stay,
    common_hook,
    enters,
    is_local,
    is_overloaded,
    needs,
    pick_top,
    to_top,
)
from molokini.process_sim.tables import World
from molokini.process_sim.words import Hook

NEEDS = needs(MNOL, MNOD)
_MNOL, _MNOD = len(COMMON), len(COMMON) + 1


def policy(w: World, hook: int, subject: int, value: int) -> int:
    """Decide for one CPU, from what its node knows."""
    if hook == Hook.PICK:
        return pick_top(w, subject)
    if hook == Hook.READY:
        _insert(w, subject, value)
        return 0
    return common_hook(w, hook, subject)


@kernel
def _insert(w: World, p: int, why: int) -> None:
    if not enters(w, p, why):
        return
    if is_local(w, p):
        enqueue(w, p, READY_LIST, False)
        return
    short = is_overloaded(w, p)
    if short and w.procs.inbox[p] > 0:
        to_top(w, p)
    else:
        behind_those_that_stay(w, p, short, w.own.given[_MNOL], w.own.given[_MNOD])
