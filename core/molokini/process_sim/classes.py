"""Two classes on each node: real-time processes by deadline, best-effort ones in levels (section 2.4).

What 2dcs-tdm and 2dcs-ps share: placement, admission, the order within the classes.
"""

from molokini.compiled.compilation import inner, kernel
from molokini.process_sim.levels import (
    a_second,
    check_messages,
    place_where_fewest,
    prepare_levels,
    quantum_over_in_levels,
    ready_in_levels,
)
from molokini.process_sim.ready import dequeue, enqueue
from molokini.process_sim.tables import RT_LIST, World
from molokini.process_sim.verbs import admit, drop, gamma, head_of, keep, put, take_off
from molokini.process_sim.words import NEVER, Arrival, Hook, Kind, Wait, Why


@kernel
def prepare_classes(w: World) -> None:
    """Best effort by periodic boost and spin-block; real time by spin-block."""
    w.asked.wait = Wait.BLOCK.value
    w.asked.arrival = Arrival.BOOST.value
    for p in range(w.procs.state.size):
        prepare_levels(w, p)
        if w.procs.kind[p] == Kind.RT:
            w.procs.boosts[p] = 0
            w.procs.quantum[p] = rt_quantum(w)


@inner
def rt_quantum(w: World) -> int:
    """The quantum of real-time processes: none, unless asked for."""
    if w.asked.top_quantum > 0:
        return w.asked.top_quantum
    return NEVER


@kernel
def place_of_class(w: World, job: int, least_overhead: int) -> int:
    """Place a job at once if it may; 1 if so. *least_overhead*: ns a period that no class can use."""
    if w.jobs.kind[job] == Kind.BE:
        place_where_fewest(w, job)
        return 1
    if head_of(w, Kind.RT) < 0 and _place_rt(w, job, least_overhead):
        return 1
    keep(w, job)
    return 0


@kernel
def retry_queue(w: World, least_overhead: int) -> None:
    """Try the queue of real-time jobs again, first come, first served."""
    job = head_of(w, Kind.RT)
    while job >= 0 and _place_rt(w, job, least_overhead):
        drop(w, job)
        job = head_of(w, Kind.RT)


@kernel
def give_up(w: World, job: int) -> int:
    """A job has waited for too long."""
    drop(w, job)
    return 1


@kernel
def _place_rt(w: World, job: int, overhead: int) -> bool:
    """Each process, the one with most work first, to the CPU of most laxity; all or none."""
    first, count = w.jobs.first[job], w.jobs.count[job]
    if w.jobs.fixed[job]:
        return _place_where_told(w, job, overhead)
    for _ in range(count):
        p = _most_work(w, first, count)
        cpu = _laxest(w, gamma(w, job))
        if w.asked.admission and not _bearable(w, job, p, cpu, overhead):
            for other in range(first, first + count):
                if w.procs.cpu[other] >= 0:
                    take_off(w, other)
                    w.procs.cpu[other] = -1
            return False
        put(w, p, cpu)
    admit(w, job)
    return True


@kernel
def _place_where_told(w: World, job: int, overhead: int) -> bool:
    """The same where the scenario says on which CPUs."""
    first = w.jobs.first[job]
    for p in range(first, first + w.jobs.count[job]):
        cpu = w.procs.cpu[p]
        if w.asked.admission and not _bearable(w, job, p, cpu, overhead):
            for other in range(first, p):
                take_off(w, other)
            return False
        put(w, p, cpu)
    admit(w, job)
    return True


@kernel
def _most_work(w: World, first: int, count: int) -> int:
    """The process of most work that is not yet placed; of equal ones the first."""
    found = -1
    for p in range(first, first + count):
        if w.procs.cpu[p] < 0 and (found < 0 or w.procs.work[p] > w.procs.work[found]):
            found = p
    return found


@kernel
def _least_gamma(w: World, cpu: int, own: int) -> int:
    """Omega: the shortest period of the real-time processes on a CPU; *own* where there are none."""
    least = -1
    p = w.cpus.first[cpu]
    while p >= 0:
        if w.procs.kind[p] == Kind.RT:
            period = gamma(w, w.procs.job[p])
            if least < 0 or period < least:
                least = period
        p = w.procs.beside[p]
    if least < 0:
        return own
    return least


@kernel
def _laxest(w: World, own: int) -> int:
    """The CPU of most laxity, x / (x + y) Omega - Sigma; of equal ones the first."""
    whole = w.asked.x + w.asked.y
    best, most = 0, 0
    for cpu in range(w.cpus.key.size):
        laxity = w.asked.x * _least_gamma(w, cpu, own) - whole * w.cpus.real_time[cpu]
        if cpu == 0 or laxity > most:
            best, most = cpu, laxity
    return best


@kernel
def _bearable(w: World, job: int, p: int, cpu: int, overhead: int) -> bool:
    """Whether the CPU can do the work of *p* besides that of the processes it has."""
    whole = w.asked.x + w.asked.y
    own = gamma(w, job)
    period = min(_least_gamma(w, cpu, own), own)
    work = w.cpus.real_time[cpu] + w.procs.work[p]
    room = w.asked.x * period
    if overhead > 0:
        room -= whole * (-(-own // w.asked.cycle)) * overhead
    return bool(whole * work <= room)


@inner
def ready_of_class(w: World, p: int, why: int) -> None:
    """Put *p* where it belongs now."""
    if w.procs.kind[p] == Kind.RT:
        dequeue(w, p)
        enqueue(w, p, RT_LIST, why == Why.PREEMPTED)
        if why == Why.NEW:
            w.procs.quantum[p] = rt_quantum(w)
    else:
        ready_in_levels(w, p, why)


@inner
def quantum_over_of_class(w: World, cpu: int) -> None:
    """A new quantum."""
    if w.procs.kind[w.cpus.proc[cpu]] == Kind.RT:
        w.cpus.quantum[cpu] = rt_quantum(w)
    else:
        quantum_over_in_levels(w, cpu)


@kernel
def earliest(w: World, cpu: int, hungry: bool) -> int:
    """The real-time process of the earliest deadline that is ready or runs; -1 for none.

    *hungry*: only of jobs that have not yet finished the frames of their period.
    """
    best = -1
    present = w.cpus.proc[cpu]
    if present >= 0 and w.procs.kind[present] == Kind.RT and (not hungry or is_hungry(w, present)):
        best = present
    if w.cpus.mask[cpu] >> RT_LIST & 1:
        p = w.cpus.heads[cpu, RT_LIST]
        while p >= 0:
            if (not hungry or is_hungry(w, p)) and (best < 0 or _is_due_before(w, p, best)):
                best = p
            p = w.procs.behind[p]
    return best


@kernel
def earliest_of_all(w: World, cpu: int) -> int:
    """The same of all jobs: one that has the frames of its period comes behind those that have not.

    With ``sated_last`` off deadlines alone decide, as printed: then a job that has all its frames and more
    goes on to keep others from theirs, as frames are always there.
    """
    if w.asked.sated_last:
        found = earliest(w, cpu, True)
        if found >= 0:
            return found
    return earliest(w, cpu, False)


@inner
def is_hungry(w: World, p: int) -> bool:
    """Whether the job of *p* has frames to finish in this period."""
    job = w.procs.job[p]
    return bool(w.jobs.frames[job] < w.jobs.frames_a_period[job])


@inner
def _is_due_before(w: World, p: int, other: int) -> bool:
    deadline = w.jobs.deadline[w.procs.job[p]]
    later = w.jobs.deadline[w.procs.job[other]]
    # Processes are numbered job by job.
    return bool(deadline < later or (deadline == later and p < other))


@inner
def present_of(w: World, cpu: int, kind: int) -> int:
    """The CPU's process, if it is of this class, or -1."""
    present = w.cpus.proc[cpu]
    if present >= 0 and w.procs.kind[present] != kind:
        return -1
    return int(present)


@kernel
def common_hook(w: World, hook: int, subject: int) -> int:
    """What both schemes answer alike."""
    if hook == Hook.SPUN:
        return Wait.BLOCK.value
    if hook == Hook.TICK:
        return check_messages(w, subject)
    if hook == Hook.SECOND:
        a_second(w)
    elif hook == Hook.EVICT:
        return give_up(w, subject)
    return 0
