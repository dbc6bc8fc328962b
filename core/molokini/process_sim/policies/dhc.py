"""Distributed hierarchical control: a tree of controllers over the processors (survey, section 4.1).

A controller of level l has 2**l processors. A job belongs to a controller of the lowest level that is wide
enough, the one with least load. Levels take turns; within one, each controller runs one of its jobs, in turn.
A processor that this leaves idle runs an alternate: a process of another job, of the nearest controller. With
``shares = classes`` a level has time by how many jobs there are on it and how wide they are: the gang
scheduler built upon it.
"""

from molokini.compiled.compilation import inner, kernel
from molokini.process_sim.agenda import touch
from molokini.process_sim.needs import Needs, choice, time
from molokini.process_sim.scenario import MS
from molokini.process_sim.stride import is_present
from molokini.process_sim.tables import World
from molokini.process_sim.verbs import admit, put, synchronize, timer
from molokini.process_sim.words import NEVER, Hook, Wait

MOST_LEVELS = 16
NEEDS = Needs(
    parameters=(
        time("slot", 500 * MS, "A level runs so long."),
        time("cross", MS, "Synchronization of all processors for each level that is crossed.", low=0),
        choice(
            "shares",
            ("even", "classes"),
            "Levels run equally long, or by the width and number of their jobs.",
        ),
        choice("receive", ("spin", "block"), "What a receiver does."),
    ),
    cpu=1 + MOST_LEVELS,
    job=2,
    cluster=3,
)
SLOT, CROSS, SHARES, RECEIVE = range(4)
CHOSEN, LAST = 0, 1
"""Columns of a CPU: 1 and the process that its controller has chosen; from ``LAST`` on, one for each level of
which it
is the first CPU: 1 and the job that its controller has run last."""
LEVEL, FIRST = range(2)
"""Columns of a job: its level, and the first CPU of its controller."""
NOW, SERIAL, RUNS = range(3)
"""Cells of the cluster: the level whose slot it is, a number of that slot, and 1 if slots have begun."""


def policy(w: World, hook: int, subject: int, value: int) -> int:
    """Decide for all CPUs: controllers choose at the beginning of a slot."""
    if hook == Hook.PICK:
        return _pick(w, subject)
    if hook == Hook.TIMER:
        if value == w.own.cluster[SERIAL]:
            _next_slot(w)
    elif hook == Hook.PLACE:
        _place(w, subject)
        return 1
    elif hook == Hook.SPUN:
        return Wait.BLOCK.value
    elif hook == Hook.QUANTUM_END:
        w.cpus.quantum[subject] = NEVER
    elif hook == Hook.DEPART:
        _forget(w, subject)
    elif hook == Hook.START:
        # No process is in a queue: a change of slots costs synchronization and the switch.
        w.costs.move = 0
        for p in range(w.procs.state.size):
            w.procs.quantum[p] = NEVER
            w.procs.spin[p] = NEVER
            if w.own.given[RECEIVE]:
                w.procs.spin[p] = w.asked.spin
    return 0


@kernel
def top_level(w: World) -> int:
    """The level of the root."""
    level = 0
    while 1 << level < w.cpus.key.size:
        level += 1
    return level


@kernel
def _is_there(w: World, job: int) -> bool:
    return bool(w.jobs.placed[job] >= 0 and w.jobs.end[job] < 0)


@kernel
def load_of(w: World, level: int, first: int) -> int:
    """Processes of jobs on the controller of these CPUs and below it."""
    found = 0
    for job in range(w.arrived):
        inside = first <= w.own.jobs[job, FIRST] < first + (1 << level)
        if _is_there(w, job) and w.own.jobs[job, LEVEL] <= level and inside:
            found += w.jobs.count[job]
    return found


@kernel
def _place(w: World, job: int) -> None:
    level, top = 0, top_level(w)
    while 1 << level < w.jobs.count[job] and level < top:
        level += 1
    best, least = 0, NEVER
    for controller in range(1 << (top - level)):
        load = load_of(w, level, controller << level)
        if load < least:
            best, least = controller << level, load
    w.own.jobs[job, LEVEL] = level
    w.own.jobs[job, FIRST] = best
    first = w.jobs.first[job]
    for p in range(first, first + w.jobs.count[job]):
        put(w, p, best + (p - first) % (1 << level))
    admit(w, job)
    if w.own.cluster[RUNS] == 0:
        w.own.cluster[RUNS] = 1
        w.own.cluster[NOW] = top + 1
        # What else arrives at this instant is to be there.
        w.own.cluster[SERIAL] += 1
        timer(w, w.now, w.own.cluster[SERIAL])


@kernel
def _has_jobs(w: World, level: int) -> bool:
    for job in range(w.arrived):
        if _is_there(w, job) and w.own.jobs[job, LEVEL] == level:
            return True
    return False


@kernel
def _next_slot(w: World) -> None:
    """The next level down that has jobs, from the root again behind the leaves; its controllers choose."""
    levels = top_level(w) + 1
    before = w.own.cluster[NOW]
    level = -1
    for step in range(1, levels + 1):
        candidate = (before - step + 2 * levels) % levels
        if _has_jobs(w, candidate):
            level = candidate
            break
    if level < 0:
        w.own.cluster[RUNS] = 0
        return
    begin = w.now
    if before < levels and level != before:
        begin += w.own.given[CROSS] * abs(level - before)
    if begin > w.now:
        synchronize(w, begin)
    w.own.cluster[NOW] = level
    for cpu in range(w.cpus.key.size):
        w.own.cpus[cpu, CHOSEN] = 0
        touch(w, cpu)
    for first in range(0, w.cpus.key.size, 1 << level):
        job = next_job(w, level, first)
        if job >= 0:
            w.own.cpus[first, LAST + level] = job + 1
            for p in range(w.jobs.first[job], w.jobs.first[job] + w.jobs.count[job]):
                w.own.cpus[w.procs.cpu[p], CHOSEN] = p + 1
    w.own.cluster[SERIAL] += 1
    timer(w, begin + _lasts(w, level, levels), w.own.cluster[SERIAL])


@kernel
def next_job(w: World, level: int, first: int) -> int:
    """A job has ended: its CPUs run alternates for the rest of the slot."""
    last = w.own.cpus[first, LAST + level]
    found = -1
    for job in range(w.arrived):
        if _is_there(w, job) and w.own.jobs[job, LEVEL] == level and w.own.jobs[job, FIRST] == first:
            if job >= last:
                return job
            if found < 0:
                found = job
    return found


@kernel
def _lasts(w: World, level: int, levels: int) -> int:
    """How long the slot of a level is."""
    if not w.own.given[SHARES]:
        return int(w.own.given[SLOT])
    total, own, used = 0, 0, 0
    for one in range(levels):
        most = 0
        for first in range(0, w.cpus.key.size, 1 << one):
            jobs = 0
            for job in range(w.arrived):
                if _is_there(w, job) and w.own.jobs[job, LEVEL] == one and w.own.jobs[job, FIRST] == first:
                    jobs += 1
            most = max(most, jobs)
        if most > 0:
            used += 1
        weight = most << one
        total += weight
        if one == level:
            own = weight
    return int(max(1, w.own.given[SLOT] * used * own // max(1, total)))


@inner
def _pick(w: World, cpu: int) -> int:
    chosen = w.own.cpus[cpu, CHOSEN] - 1
    if chosen >= 0 and is_present(w, chosen):
        return int(chosen)
    return _alternate(w, cpu)


@kernel
def _alternate(w: World, cpu: int) -> int:
    """A process of another job that can run here: of the nearest controller, in its turn; -1: none."""
    now, levels = w.own.cluster[NOW], top_level(w) + 1
    for distance in range(levels):
        for level in (now - distance, now + distance):
            if 0 <= level < levels:
                p = _in_turn(w, cpu, level)
                if p >= 0:
                    return p
    return -1


@kernel
def _in_turn(w: World, cpu: int, level: int) -> int:
    """The process on *cpu* of the next job of its controller of this level that can run here."""
    first = cpu >> level << level
    last = w.own.cpus[first, LAST + level]
    best, behind = -1, False
    p = w.cpus.first[cpu]
    while p >= 0:
        job = w.procs.job[p]
        if is_present(w, p) and w.own.jobs[job, LEVEL] == level:
            later = job >= last
            if best < 0 or (later and not behind):
                best, behind = p, later
        p = w.procs.beside[p]
    return int(best)


@kernel
def _forget(w: World, job: int) -> None:
    """A job has ended: its CPUs run alternates until the slot is over."""
    for cpu in range(w.cpus.key.size):
        chosen = w.own.cpus[cpu, CHOSEN] - 1
        if chosen >= 0 and w.procs.job[chosen] == job:
            w.own.cpus[cpu, CHOSEN] = 0
            touch(w, cpu)
