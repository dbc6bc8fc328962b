"""DYN: a parallel task with a message goes to the top, every other to the bottom (Gine et al. 2001, section
5.1).

Nothing counts how often a task is overtaken, so that others may starve.
"""

from molokini.compiled.compilation import kernel
from molokini.process_sim.ready import enqueue
from molokini.process_sim.run_queue import READY_LIST, common_hook, enters, is_local, needs, pick_top, to_top
from molokini.process_sim.tables import World
from molokini.process_sim.words import Hook

NEEDS = needs()


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
    if not is_local(w, p) and w.procs.inbox[p] > 0:
        to_top(w, p)
    else:
        enqueue(w, p, READY_LIST, False)
