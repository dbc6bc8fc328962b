"""What local policies do to the world: verbs. Their hooks call these; an agent's event loop may, too.

A compiled hook reads and writes memory without checks, so the verbs check their arguments. What cannot
be is not done, but noted, and the run ends with it at the end of the instant.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.process_sim.agenda import push, touch
from molokini.process_sim.ready import dequeue
from molokini.process_sim.tables import NOT_QUEUED, World
from molokini.process_sim.words import Event, IllegalDecision, Kind, Rank, Segment, State, Why


@kernel
def _misuse(w: World, illegal_decision: int, subject: int, cpu: int) -> None:
    """Note what cannot be done, if it is the first such thing, and have the engine return."""
    seldom()
    if w.illegal_decision == IllegalDecision.NONE:
        w.illegal_decision = illegal_decision
        w.misused = subject
        w.misused_cpu = cpu
    w.budget = 0


@kernel
def _is_on_a_cpu(w: World, p: int) -> bool:
    """Whether *p* was put where its row says."""
    cpu = w.procs.cpu[p]
    if cpu < 0 or cpu >= w.cpus.key.size:
        return False
    other = w.cpus.first[cpu]
    while other >= 0 and other < p:
        other = w.procs.beside[other]
    return bool(other == p)


@inner
def note(w: World, p: int, why: int) -> None:
    """Have the CPU of *p* see to it as soon as it can be interrupted."""
    cpu = w.procs.cpu[p]
    if w.procs.notes[p] == 0:
        w.procs.next_note[p] = -1
        if w.cpus.first_note[cpu] < 0:
            w.cpus.first_note[cpu] = p
        else:
            w.procs.next_note[w.cpus.last_note[cpu]] = p
        w.cpus.last_note[cpu] = p
    w.procs.notes[p] |= why
    touch(w, cpu)


@kernel
def put(w: World, p: int, cpu: int) -> None:
    """Place *p* on a CPU, for good. ``admit`` lets it begin."""
    if p < 0 or p >= w.procs.state.size:
        _misuse(w, IllegalDecision.PUT_PROCESS, p, cpu)
        return
    if cpu < 0 or cpu >= w.cpus.key.size:
        _misuse(w, IllegalDecision.PUT_CPU, p, cpu)
        return
    if _is_on_a_cpu(w, p):
        _misuse(w, IllegalDecision.PUT_TWICE, p, cpu)
        return
    w.procs.cpu[p] = cpu
    if w.procs.kind[p] == Kind.RT:
        w.cpus.real_time[cpu] += w.procs.work[p]
    else:
        w.cpus.best_effort[cpu] += 1
    other = w.cpus.first[cpu]
    if other < 0 or other > p:
        w.procs.beside[p] = other
        w.cpus.first[cpu] = p
        return
    while w.procs.beside[other] >= 0 and w.procs.beside[other] < p:
        other = w.procs.beside[other]
    w.procs.beside[p] = w.procs.beside[other]
    w.procs.beside[other] = p


@kernel
def take_off(w: World, p: int) -> None:
    """Take *p* off its CPU: the contrary of ``put``."""
    cpu = w.procs.cpu[p]
    if w.procs.kind[p] == Kind.RT:
        w.cpus.real_time[cpu] -= w.procs.work[p]
    else:
        w.cpus.best_effort[cpu] -= 1
    if w.cpus.first[cpu] == p:
        w.cpus.first[cpu] = w.procs.beside[p]
        return
    other = w.cpus.first[cpu]
    while w.procs.beside[other] != p:
        other = w.procs.beside[other]
    w.procs.beside[other] = w.procs.beside[p]


@kernel
def migrate(w: World, p: int, cpu: int) -> None:
    """Put *p*, which does not run, on another CPU; it is in no queue then: the policy puts it into one."""
    before = w.procs.cpu[p]
    if cpu == before or w.procs.state[p] == State.RUNNING:
        return
    dequeue(w, p)
    if w.procs.state[p] == State.READY:
        w.cpus.present[before] -= 1
        w.cpus.present[cpu] += 1
    if w.cpus.favoured[before] == p:
        w.cpus.favoured[before] = -1
    take_off(w, p)
    put(w, p, cpu)
    for segment in range(Segment.SWITCH.value):
        w.cpus.moved[before, segment] += w.procs.spent[p, segment]
        w.cpus.moved[cpu, segment] -= w.procs.spent[p, segment]
    touch(w, before)
    touch(w, cpu)


@kernel
def admit(w: World, job: int) -> None:
    """Let the processes of *job* begin, where they were put."""
    if job < 0 or job >= w.jobs.count.size:
        _misuse(w, IllegalDecision.ADMIT_JOB, job, -1)
        return
    if w.jobs.placed[job] >= 0:
        _misuse(w, IllegalDecision.ADMIT_TWICE, job, -1)
        return
    first = w.jobs.first[job]
    for p in range(first, first + w.jobs.count[job]):
        if not _is_on_a_cpu(w, p):
            _misuse(w, IllegalDecision.ADMIT_UNPLACED, p, w.procs.cpu[p])
            return
    w.jobs.placed[job] = w.now
    w.jobs.deadline[job] = w.now + gamma(w, job)
    if w.jobs.duration[job] >= 0:
        push(w, w.now + w.jobs.duration[job], Rank.JOB, job, Event.LEAVE, job)
    for p in range(first, first + w.jobs.count[job]):
        note(w, p, Why.NEW)


@inner
def gamma(w: World, job: int) -> int:
    """The length of a period of *job*, ns; 0 where it has none."""
    return int(w.jobs.period_num[job] // w.jobs.period_den[job])


@kernel
def timer(w: World, instant: int, value: int) -> None:
    """Have the hook TIMER called then, with *value*."""
    if instant < w.now:
        _misuse(w, IllegalDecision.TIMER_PAST, instant, -1)
        return
    push(w, instant, Rank.TIMER, 0, Event.TIMER, value)


@kernel
def synchronize(w: World, until: int) -> None:
    """All CPUs synchronize until then."""
    for cpu in range(w.cpus.key.size):
        w.cpus.synced[cpu] = until
        touch(w, cpu)


@kernel
def touch_job(w: World, job: int) -> None:
    """Have the policy choose again what the CPUs of *job* run."""
    if job < 0 or job >= w.jobs.count.size:
        _misuse(w, IllegalDecision.TOUCH_JOB, job, -1)
        return
    first = w.jobs.first[job]
    for p in range(first, first + w.jobs.count[job]):
        if w.procs.cpu[p] >= 0:
            touch(w, w.procs.cpu[p])


@kernel
def keep(w: World, job: int) -> None:
    """Put *job* behind the queue of its class."""
    if job < 0 or job >= w.jobs.count.size:
        _misuse(w, IllegalDecision.KEEP_JOB, job, -1)
        return
    if w.jobs.next[job] != NOT_QUEUED:
        _misuse(w, IllegalDecision.KEEP_TWICE, job, -1)
        return
    w.jobs.next[job] = -1
    if w.jobs.kind[job] == Kind.RT:
        if w.queues.rt_first < 0:
            w.queues.rt_first = job
        else:
            w.jobs.next[w.queues.rt_last] = job
        w.queues.rt_last = job
        return
    if w.queues.be_first < 0:
        w.queues.be_first = job
    else:
        w.jobs.next[w.queues.be_last] = job
    w.queues.be_last = job


@kernel
def head_of(w: World, kind: int) -> int:
    """The first job of a queue, or -1."""
    if kind == Kind.RT:
        return w.queues.rt_first
    return w.queues.be_first


@kernel
def drop(w: World, job: int) -> None:
    """Take *job* out of the queue of its class."""
    if job < 0 or job >= w.jobs.count.size or w.jobs.next[job] == NOT_QUEUED:
        _misuse(w, IllegalDecision.DROP_JOB, job, -1)
        return
    kind = w.jobs.kind[job]
    before = -1
    other = head_of(w, kind)
    while other != job:
        before = other
        other = w.jobs.next[other]
    behind = w.jobs.next[job]
    w.jobs.next[job] = NOT_QUEUED
    if before >= 0:
        w.jobs.next[before] = behind
    elif kind == Kind.RT:
        w.queues.rt_first = behind
    else:
        w.queues.be_first = behind
    if behind < 0:
        if kind == Kind.RT:
            w.queues.rt_last = before
        else:
            w.queues.be_last = before
