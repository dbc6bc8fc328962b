"""What local policies share: the nine combinations of waiting and arrival over the 60 levels (section 1)."""

from molokini.compiled.compilation import inner, kernel
from molokini.process_sim.agenda import touch
from molokini.process_sim.ready import (
    HIGHEST,
    LOWEST,
    START_LEVEL,
    after_quantum,
    after_sleep,
    after_starving,
    best_level,
    dequeue,
    enqueue,
    is_useful,
    patience_of,
    quantum_of,
)
from molokini.process_sim.tables import World
from molokini.process_sim.verbs import admit, put
from molokini.process_sim.words import NEVER, Arrival, Kind, State, Wait, Why


@inner
def fresh_quantum(w: World, p: int) -> int:
    """A whole quantum of *p*."""
    if w.asked.quantum > 0:
        return w.asked.quantum
    return quantum_of(w.procs.level[p])


@kernel
def prepare_levels(w: World, p: int) -> None:
    """How *p* waits, and where it begins."""
    w.procs.level[p] = START_LEVEL
    w.procs.quantum[p] = fresh_quantum(w, p)
    w.procs.spin[p] = NEVER
    if w.asked.wait != Wait.SPIN:
        w.procs.spin[p] = w.asked.spin
    if w.asked.arrival == Arrival.BOOST:
        w.procs.boosts[p] = 1


@kernel
def place_where_fewest(w: World, job: int) -> None:
    """Put the processes of *job* on the CPUs with the fewest best-effort ones, each on another, and begin."""
    first, count = w.jobs.first[job], w.jobs.count[job]
    for p in range(first, first + count):
        if w.jobs.fixed[job]:
            put(w, p, w.procs.cpu[p])
        else:
            put(w, p, _emptiest(w, first, p))
    admit(w, job)


@kernel
def _emptiest(w: World, first: int, p: int) -> int:
    best, fewest = 0, 1 << 40
    for cpu in range(w.cpus.key.size):
        load = w.cpus.best_effort[cpu]
        for other in range(first, p):
            if w.procs.cpu[other] == cpu:
                # Another process of this job: only when each CPU has one.
                load += 1 << 20
        if load < fewest:
            best, fewest = cpu, load
    return best


@kernel
def ready_in_levels(w: World, p: int, why: int) -> None:
    """Put *p* where it belongs now."""
    cpu = w.procs.cpu[p]
    if why == Why.PREEMPTED:
        enqueue(w, p, w.procs.level[p], True)
        return
    if why == Why.EXPIRED:
        enqueue(w, p, w.procs.level[p], False)
        return
    at_head = False
    if why != Why.NEW:
        dequeue(w, p)
        if why != Why.RESUMED and w.asked.arrival == Arrival.DEMAND:
            w.procs.level[p] = HIGHEST
            w.procs.home[p] = -1
            at_head = True
        elif w.asked.quantum == 0:
            w.procs.level[p] = after_sleep(w.procs.level[p])
        favoured = w.cpus.favoured[cpu]
        if favoured >= 0 and w.procs.level[p] > w.procs.level[favoured]:
            w.cpus.favoured[cpu] = p
    if why != Why.DEMAND:
        w.procs.quantum[p] = fresh_quantum(w, p)
        w.procs.waited[p] = 0
    enqueue(w, p, w.procs.level[p], at_head)


@inner
def pick_in_levels(w: World, cpu: int, present: int) -> int:
    """The process of highest priority; *present* is the CPU's own, or -1."""
    favoured = w.cpus.favoured[cpu]
    if favoured >= 0 and (favoured == present or w.procs.state[favoured] == State.READY):
        return int(favoured)
    level = best_level(w, cpu)
    if present >= 0:
        own = w.procs.level[present]
        if level < own or (level == own and w.cpus.expired[cpu] == 0):
            return present
    if level < 0:
        return -1
    return int(w.cpus.heads[cpu, level])


@kernel
def quantum_over_in_levels(w: World, cpu: int) -> None:
    """A new quantum, at another level, behind the others of it."""
    p = w.cpus.proc[cpu]
    if w.asked.quantum == 0:
        w.procs.level[p] = after_quantum(w.procs.level[p])
    elif w.procs.home[p] < 0:
        w.procs.level[p] = START_LEVEL
    w.procs.waited[p] = 0
    w.cpus.quantum[cpu] = fresh_quantum(w, p)
    w.cpus.expired[cpu] = 1
    if w.cpus.favoured[cpu] == p:
        w.cpus.favoured[cpu] = -1


@kernel
def has_spun(w: World, p: int) -> int:
    """What a process does that has spun for long enough; one that yields goes behind all others."""
    if w.asked.wait == Wait.YIELD:
        if w.procs.home[p] < 0:
            w.procs.home[p] = w.procs.level[p]
        w.procs.level[p] = LOWEST
        cpu = w.procs.cpu[p]
        w.cpus.expired[cpu] = 1
        if w.cpus.favoured[cpu] == p:
            w.cpus.favoured[cpu] = -1
    return w.asked.wait


@kernel
def check_messages(w: World, cpu: int) -> int:
    """Look for a useful process, the present one first, then the ready ones behind it; how many looks."""
    present = w.cpus.proc[cpu]
    checks = 1
    if is_useful(w, present):
        return checks
    p = present
    while True:
        p = w.procs.beside[p]
        if p < 0:
            p = w.cpus.first[cpu]
        if p == present:
            return checks
        if w.procs.state[p] != State.READY or w.procs.boosts[p] == 0:
            continue
        checks += 1
        if is_useful(w, p):
            w.cpus.favoured[cpu] = p
            return checks


@kernel
def a_second(w: World) -> None:
    """Raise the processes that have been ready for too long."""
    if w.asked.quantum > 0:
        return
    for cpu in range(w.cpus.key.size):
        p = w.cpus.first[cpu]
        while p >= 0:
            if w.procs.state[p] == State.READY and w.procs.kind[p] == Kind.BE:
                _wait_longer(w, cpu, p)
            p = w.procs.beside[p]


@kernel
def _wait_longer(w: World, cpu: int, p: int) -> None:
    w.procs.waited[p] += 1
    if w.procs.waited[p] > patience_of(w.procs.level[p]):
        raise_starved(w, cpu, p)


@kernel
def raise_starved(w: World, cpu: int, p: int) -> None:
    """*p* has been ready for too long."""
    level = w.procs.level[p]
    w.procs.waited[p] = 0
    w.procs.level[p] = after_starving(level)
    w.procs.quantum[p] = fresh_quantum(w, p)
    dequeue(w, p)
    enqueue(w, p, w.procs.level[p], False)
    touch(w, cpu)
