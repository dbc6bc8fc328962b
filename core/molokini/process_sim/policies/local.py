"""The nine local policies: how a process waits for a message, and what a message does (section 1).

Each node decides for itself. Zhang and Sivasubramaniam 2001, section 2.1: spin, spin-block or spin-yield;
no action, demand (reschedule at once) or periodic boost. The ready queue has 60 levels, as the time-sharing
class of Solaris; or it is first in, first out, with one quantum for all.
"""

from molokini.process_sim.levels import (
    a_second,
    check_messages,
    has_spun,
    pick_in_levels,
    place_where_fewest,
    prepare_levels,
    quantum_over_in_levels,
    ready_in_levels,
)
from molokini.process_sim.tables import World
from molokini.process_sim.words import Arrival, Hook


def policy(w: World, hook: int, subject: int, value: int) -> int:
    """Decide for one CPU, from what its node knows."""
    if hook == Hook.PICK:
        return pick_in_levels(w, subject, w.cpus.proc[subject])
    if hook == Hook.READY:
        ready_in_levels(w, subject, value)
    elif hook == Hook.QUANTUM_END:
        quantum_over_in_levels(w, subject)
    elif hook == Hook.SPUN:
        return has_spun(w, subject)
    elif hook == Hook.ARRIVAL:
        return int(w.asked.arrival == Arrival.DEMAND)
    elif hook == Hook.TICK:
        return check_messages(w, subject)
    elif hook == Hook.PLACE:
        place_where_fewest(w, subject)
        return 1
    elif hook == Hook.SECOND:
        a_second(w)
    elif hook == Hook.START:
        for p in range(w.procs.state.size):
            prepare_levels(w, p)
    return 0
