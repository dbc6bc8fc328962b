"""A local policy of one's own: on each CPU a process of an earlier job goes before all of later ones.

    molokini coschedule run neighbours.toml --local first_job_first.py

It has no quantum. A process that waits for a message spins for as long as the scenario says (``wait``,
``spin``), and blocks then.
"""

from molokini.compiled.compilation import kernel
from molokini.process_sim.levels import place_where_fewest, prepare_levels
from molokini.process_sim.tables import World
from molokini.process_sim.words import NEVER, Hook, State, Wait


def policy(w: World, hook: int, subject: int, value: int) -> int:
    """What is asked in ``molokini.process_sim.words.Hook``; 0 where there is nothing to say."""
    if hook == Hook.PICK:
        return _of_the_first_job(w, subject)
    if hook == Hook.SPUN:
        return Wait.BLOCK.value
    if hook == Hook.QUANTUM_END:
        w.cpus.quantum[subject] = NEVER
    elif hook == Hook.PLACE:
        place_where_fewest(w, subject)
        return 1
    elif hook == Hook.START:
        for p in range(w.procs.state.size):
            prepare_levels(w, p)
            w.procs.quantum[p] = NEVER
    return 0


@kernel
def _of_the_first_job(w: World, cpu: int) -> int:
    # The processes of a CPU are chained by number, and numbered job by job.
    p = w.cpus.first[cpu]
    while p >= 0:
        if w.procs.state[p] == State.READY or w.procs.state[p] == State.RUNNING:
            return int(p)
        p = w.procs.beside[p]
    return -1
