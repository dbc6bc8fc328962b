"""RR: each task goes to the bottom of the ready queue (Gine et al. 2001, section 5.1)."""

from molokini.compiled.compilation import kernel
from molokini.process_sim.ready import enqueue
from molokini.process_sim.run_queue import READY_LIST, common_hook, enters, needs, pick_top
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
    enqueue(w, p, READY_LIST, False)
