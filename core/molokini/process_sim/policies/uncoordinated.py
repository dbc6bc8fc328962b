"""Time sharing without coordination: what message-driven coscheduling is measured against.

Yoo and Jette 2001, section 3: several jobs at once, scheduled by the operating systems of their nodes alone.
Levels as in the time-sharing class of Solaris; a receiver spins for a while, as over sockets, then blocks.
"""

from enum import IntEnum

from molokini.compiled.compilation import kernel
from molokini.process_sim.levels import (
    a_second,
    has_spun,
    pick_in_levels,
    prepare_levels,
    quantum_over_in_levels,
    ready_in_levels,
)
from molokini.process_sim.needs import Needs, choice, time, whole
from molokini.process_sim.placing import Placing, place_or_keep, place_waiting, prepare_placing
from molokini.process_sim.scenario import MS
from molokini.process_sim.tables import World
from molokini.process_sim.words import NEVER, Arrival, Hook, Wait


class Given(IntEnum):
    """The parameters by their places."""

    MOST = 0
    SPIN = 1
    WAIT = 2
    SPREAD = 3


def needs(most: int) -> Needs:
    """What the policy needs, with this limit of processes on a CPU."""
    return Needs(
        (
            whole("most", most, "Processes on a CPU; jobs that find no room wait; 0: no limit.", 0, 10_000),
            time("spin", MS, "How long a receiver spins before it blocks.", low=0),
            choice("wait", ("block", "spin"), "What a receiver does after it has spun."),
            choice("placement", ("fill", "spread"), "The CPUs of a node first, or one on each node."),
        ),
        cpu=Placing.END,
    )


NEEDS = needs(0)


def policy(w: World, hook: int, subject: int, value: int) -> int:
    """Decide for one CPU, from what its operating system knows."""
    if hook == Hook.PICK:
        return pick_in_levels(w, subject, w.cpus.proc[subject])
    if hook == Hook.READY:
        ready_in_levels(w, subject, value)
    elif hook == Hook.QUANTUM_END:
        quantum_over_in_levels(w, subject)
    elif hook == Hook.SPUN:
        return has_spun(w, subject)
    elif hook == Hook.PLACE:
        return place_or_keep(w, subject, w.own.given[Given.MOST], w.own.given[Given.SPREAD])
    elif hook == Hook.DEPART:
        place_waiting(w, w.own.given[Given.MOST], w.own.given[Given.SPREAD])
    elif hook == Hook.SECOND:
        a_second(w)
    elif hook == Hook.START:
        _start(w)
    return 0


@kernel
def _start(w: World) -> None:
    w.asked.arrival = Arrival.NONE.value
    w.asked.wait = Wait.BLOCK.value
    w.asked.spin = w.own.given[Given.SPIN]
    if w.own.given[Given.WAIT] == 1:
        w.asked.wait = Wait.SPIN.value
        w.asked.spin = NEVER
    for p in range(w.procs.state.size):
        prepare_levels(w, p)
    prepare_placing(w)
