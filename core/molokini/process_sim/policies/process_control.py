"""Process control: applications suspend and resume processes until as many run as they are granted (survey,
4.2).

A server divides the processors, less one for each process of an application that cannot be controlled,
equally among the controllable ones: bags of tasks, whose processes stop between two tasks. What one does not
want goes to the others; each has one at least. Beneath that, processes share their CPUs by 60 levels.
"""

from molokini.compiled.compilation import kernel
from molokini.process_sim.levels import (
    a_second,
    has_spun,
    pick_in_levels,
    place_where_fewest,
    prepare_levels,
    quantum_over_in_levels,
    ready_in_levels,
)
from molokini.process_sim.needs import Needs, time
from molokini.process_sim.scenario import S
from molokini.process_sim.tables import World
from molokini.process_sim.verbs import migrate, note, timer
from molokini.process_sim.words import NEVER, Hook, State, Why

NEEDS = Needs(
    parameters=(time("poll", 6 * S, "Applications ask so often how many processors they have."),),
    cpu=1,
    job=3,
)
POLL = 0
GRANTED, WANTS, CONTROLLABLE = range(3)
"""Columns of a job."""


def policy(w: World, hook: int, subject: int, value: int) -> int:
    """Decide for one CPU, and as the server of the machine."""
    if hook == Hook.PICK:
        return pick_in_levels(w, subject, w.cpus.proc[subject])
    if hook == Hook.READY:
        ready_in_levels(w, subject, value)
    elif hook == Hook.QUANTUM_END:
        quantum_over_in_levels(w, subject)
    elif hook == Hook.SPUN:
        return has_spun(w, subject)
    elif hook == Hook.BLOCK:
        if w.procs.state[subject] == State.DONE:
            _one_less(w, w.procs.job[subject])
    elif hook == Hook.PLACE:
        _place(w, subject)
        return 1
    elif hook == Hook.DEPART:
        serve(w)
    elif hook == Hook.TIMER:
        timer(w, w.now + w.own.given[POLL], 0)
        serve(w)
    elif hook == Hook.SECOND:
        a_second(w)
    elif hook == Hook.START:
        for p in range(w.procs.state.size):
            prepare_levels(w, p)
        timer(w, w.own.given[POLL], 0)
    return 0


@kernel
def _place(w: World, job: int) -> None:
    w.own.jobs[job, CONTROLLABLE] = int(w.jobs.bag[job] > 0)
    place_where_fewest(w, job)
    serve(w)


@kernel
def _is_there(w: World, job: int) -> bool:
    return bool(w.jobs.placed[job] >= 0 and w.jobs.end[job] < 0)


@kernel
def grant(w: World) -> None:
    """How many processors each controllable application has: one each in turn, as long as any are left."""
    available = w.cpus.key.size
    for job in range(w.arrived):
        if _is_there(w, job):
            w.own.jobs[job, GRANTED] = 0
            w.own.jobs[job, WANTS] = w.jobs.live[job]
            if not w.own.jobs[job, CONTROLLABLE]:
                available -= w.jobs.live[job]
    given = True
    while given:
        given = False
        for job in range(w.arrived):
            if _is_there(w, job) and w.own.jobs[job, CONTROLLABLE]:
                has = w.own.jobs[job, GRANTED]
                if has < w.own.jobs[job, WANTS] and (available > 0 or has == 0):
                    w.own.jobs[job, GRANTED] = has + 1
                    available -= 1
                    given = True


@kernel
def serve(w: World) -> None:
    """Grant, then choose for each application which of its processes run: those on the emptiest CPUs."""
    grant(w)
    for cpu in range(w.cpus.key.size):
        w.own.cpus[cpu, 0] = 0
    for job in range(w.arrived):
        if _is_there(w, job) and not w.own.jobs[job, CONTROLLABLE]:
            for p in range(w.jobs.first[job], w.jobs.first[job] + w.jobs.count[job]):
                if w.procs.state[p] != State.DONE:
                    w.own.cpus[w.procs.cpu[p], 0] += 1
    # Those with few processes first: the others have more CPUs to choose from.
    most = 0
    for job in range(w.arrived):
        most = max(most, w.own.jobs[job, WANTS])
    for want in range(1, most + 1):
        for job in range(w.arrived):
            there = _is_there(w, job) and w.own.jobs[job, CONTROLLABLE] == 1
            if there and w.own.jobs[job, WANTS] == want:
                _choose(w, job)


@kernel
def _choose(w: World, job: int) -> None:
    first, count = w.jobs.first[job], w.jobs.count[job]
    for p in range(first, first + count):
        if w.procs.parked[p] == 0:
            w.procs.parked[p] = 1
    chosen = 0
    while chosen < w.own.jobs[job, GRANTED]:
        best, fewest = -1, NEVER
        for p in range(first, first + count):
            if w.procs.parked[p] > 0 and w.procs.state[p] != State.DONE:
                load = w.own.cpus[w.procs.cpu[p], 0]
                if load < fewest:
                    best, fewest = p, load
        if best < 0:
            return
        if fewest > 0:
            _move_to_an_empty_cpu(w, best)
        w.own.cpus[w.procs.cpu[best], 0] += 1
        _let_run(w, best)
        chosen += 1


@kernel
def _move_to_an_empty_cpu(w: World, p: int) -> None:
    """Of the same node, if there is one; a process that runs stays."""
    node = w.cpus.node[w.procs.cpu[p]]
    for cpu in range(node * w.cpus_a_node, (node + 1) * w.cpus_a_node):
        if w.own.cpus[cpu, 0] == 0 and w.procs.state[p] != State.RUNNING:
            migrate(w, p, cpu)
            if w.procs.state[p] == State.READY:
                ready_in_levels(w, p, Why.PREEMPTED)
            return


@kernel
def _let_run(w: World, p: int) -> None:
    if w.procs.parked[p] == 2:
        note(w, p, Why.RESUMED)
    w.procs.parked[p] = 0


@kernel
def _one_less(w: World, job: int) -> None:
    """A process has ended: its bag is empty, and those that are suspended are to end, too."""
    if w.own.jobs[job, CONTROLLABLE] and w.jobs.bag[job] == 0:
        for p in range(w.jobs.first[job], w.jobs.first[job] + w.jobs.count[job]):
            _let_run(w, p)
