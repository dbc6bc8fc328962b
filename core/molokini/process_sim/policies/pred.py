"""PRED: a parallel task passes those with fewer messages (Gine et al. 2001, sections 4.1 and 5.1).

What counts is messages received and sent, those of the past included; memory is no matter.
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
    needs,
    pick_top,
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
    else:
        behind_those_that_stay(w, p, False, w.own.given[_MNOL], w.own.given[_MNOD])
