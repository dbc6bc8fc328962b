"""Dynamic coscheduling with a fairness test: a message raises its receiver, if that is fair (survey, section
4.6).

The receiver of a message that does not run gets the highest priority at once, if the CPU time that it had
lately is not above its fair share by more than ``slack``. Receivers spin for a fixed time, then block.
"""

from math import log, pow

from molokini.compiled.compilation import kernel
from molokini.process_sim.levels import (
    a_second,
    pick_in_levels,
    place_where_fewest,
    prepare_levels,
    quantum_over_in_levels,
    ready_in_levels,
)
from molokini.process_sim.needs import Needs, flag, time
from molokini.process_sim.ready import HIGHEST, dequeue, enqueue
from molokini.process_sim.scenario import MS, US, S
from molokini.process_sim.tables import World
from molokini.process_sim.words import Hook, Segment, Wait, Why

NEEDS = Needs(
    parameters=(
        time("spin", 1600 * US, "A receiver spins so long, then it blocks.", low=0),
        flag("fair", True, "Whether to raise receivers only where that is fair."),
        time("slack", 100 * MS, "CPU time above the fair share of the window.", low=0),
        time("half_life", S, "Of the average of CPU time; also the window.", low=MS),
    ),
    process=3,
)
SPIN, FAIR, SLACK, HALF_LIFE = range(4)
AVERAGE, AT, USED = range(3)


def policy(w: World, hook: int, subject: int, value: int) -> int:
    """Decide for one CPU, from what its node knows."""
    if hook == Hook.PICK:
        return pick_in_levels(w, subject, w.cpus.proc[subject])
    if hook == Hook.READY:
        _ready(w, subject, value)
    elif hook == Hook.QUANTUM_END:
        quantum_over_in_levels(w, subject)
    elif hook == Hook.SPUN:
        return Wait.BLOCK.value
    elif hook == Hook.ARRIVAL:
        return int(_is_fair(w, subject))
    elif hook == Hook.PLACE:
        place_where_fewest(w, subject)
        return 1
    elif hook == Hook.SECOND:
        a_second(w)
    elif hook == Hook.START:
        for p in range(w.procs.state.size):
            prepare_levels(w, p)
            w.procs.spin[p] = w.own.given[SPIN]
    return 0


@kernel
def _ready(w: World, p: int, why: int) -> None:
    if why == Why.DEMAND or (why == Why.MESSAGE and _is_fair(w, p)):
        _raise(w, p, why)
    else:
        ready_in_levels(w, p, why)


@kernel
def _raise(w: World, p: int, why: int) -> None:
    """To the head of the highest level, before all that is ready."""
    if why == Why.MESSAGE:
        ready_in_levels(w, p, why)
    cpu = w.procs.cpu[p]
    dequeue(w, p)
    w.procs.level[p] = HIGHEST
    enqueue(w, p, HIGHEST, True)
    favoured = w.cpus.favoured[cpu]
    if favoured >= 0 and w.procs.level[favoured] < HIGHEST:
        w.cpus.favoured[cpu] = p


@kernel
def _is_fair(w: World, p: int) -> bool:
    """Whether *p*, which does not run, has had no more than its fair share of the window and the slack."""
    if not w.own.given[FAIR]:
        return True
    window = w.own.given[HALF_LIFE]
    present = max(1, w.cpus.present[w.procs.cpu[p]])
    return bool(_lately(w, p, window) <= window / present + w.own.given[SLACK])


@kernel
def _lately(w: World, p: int, window: int) -> float:
    """CPU time of *p* in a window of this length, by an exponential average."""
    used = 0
    for segment in range(Segment.SWITCH.value):
        used += w.procs.spent[p, segment]
    elapsed = w.now - w.own.procs[p, AT]
    if elapsed > 0:
        # As if it had used the time evenly since the last look.
        decay = pow(0.5, elapsed / window)
        gained = (used - w.own.procs[p, USED]) * (1.0 - decay) * window / (elapsed * log(2.0))
        w.own.procs[p, AVERAGE] = int(w.own.procs[p, AVERAGE] * decay + gained)
        w.own.procs[p, AT] = w.now
        w.own.procs[p, USED] = used
    return float(w.own.procs[p, AVERAGE] * log(2.0))
