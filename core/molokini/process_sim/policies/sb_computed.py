"""Implicit coscheduling: spin for a time that is computed from the costs, then block (survey, sections 4.5
and 6.3).

A message does nothing for a process that does not run; the priority after a sleep does the rest. With
``starving = quanta`` a process is raised after S, somewhat more than a quantum of each process of its CPU,
instead of once a second.
"""

from molokini.compiled.compilation import kernel
from molokini.process_sim.implicit import computed_spin, pair_window, spun
from molokini.process_sim.levels import (
    a_second,
    pick_in_levels,
    place_where_fewest,
    prepare_levels,
    quantum_over_in_levels,
    raise_starved,
    ready_in_levels,
)
from molokini.process_sim.needs import Needs, choice, flag, share, time
from molokini.process_sim.scenario import MS
from molokini.process_sim.tables import World
from molokini.process_sim.verbs import timer
from molokini.process_sim.words import Hook, State

NEEDS = Needs(
    parameters=(
        time("base", 0, "Spin so long at first; 0ns: computed, baseline and local part.", low=0),
        flag("pairwise", True, "Go on spinning while messages come in."),
        time("pair", 0, "By so much for each window with a message; 0ns: computed.", low=0),
        choice("starving", ("second", "quanta"), "Raise a process that starves: each second, or after S."),
        share("starve_factor", 1.1, "S as a multiple of quantum times processes.", 0.1, 100.0),
        time("starve_quantum", 100 * MS, "The quantum in S."),
    ),
)
BASE, PAIRWISE, PAIR, STARVING, FACTOR, QUANTUM = range(6)


def policy(w: World, hook: int, subject: int, value: int) -> int:
    """Decide for one CPU, from what its node knows."""
    if hook == Hook.PICK:
        return pick_in_levels(w, subject, w.cpus.proc[subject])
    if hook == Hook.READY:
        ready_in_levels(w, subject, value)
    elif hook == Hook.QUANTUM_END:
        quantum_over_in_levels(w, subject)
    elif hook == Hook.SPUN:
        return spun(w, subject, w.own.given[PAIR] * w.own.given[PAIRWISE])
    elif hook == Hook.PLACE:
        place_where_fewest(w, subject)
        return 1
    elif hook == Hook.SECOND:
        if not w.own.given[STARVING]:
            a_second(w)
    elif hook == Hook.TIMER:
        _raise_all(w)
    elif hook == Hook.START:
        _prepare(w)
    return 0


@kernel
def _prepare(w: World) -> None:
    spin = w.own.given[BASE]
    if spin == 0:
        spin = computed_spin(w)
    if w.own.given[PAIR] == 0:
        w.own.given[PAIR] = pair_window(w)
    for p in range(w.procs.state.size):
        prepare_levels(w, p)
        w.procs.spin[p] = spin
    if w.own.given[STARVING]:
        timer(w, w.own.given[QUANTUM], 0)


@kernel
def _raise_all(w: World) -> None:
    """Each quantum: raise what has been ready for longer than S."""
    timer(w, w.now + w.own.given[QUANTUM], 0)
    for cpu in range(w.cpus.key.size):
        most = w.own.given[FACTOR] * w.own.given[QUANTUM] // 1_000_000 * w.cpus.present[cpu]
        p = w.cpus.first[cpu]
        while p >= 0:
            if w.procs.state[p] == State.READY and w.now - w.procs.since[p] > most:
                raise_starved(w, cpu, p)
            p = w.procs.beside[p]
