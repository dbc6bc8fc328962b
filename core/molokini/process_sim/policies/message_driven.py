"""Message-driven coscheduling for clusters of SMPs (Yoo and Jette 2001).

All processes of a job on a node are scheduled together. A message that comes from where its sender's job is
scheduled asks the receiver's node to schedule that job, too. What is scheduled keeps the node for a
guaranteed minimum (GMET); a timer schedules the job with the least CPU time. Caps are strict: what a class
does not use of its share is lost. The unscheduled share lets the others notice messages.
"""

from molokini.compiled.compilation import inner, kernel
from molokini.process_sim.agenda import touch
from molokini.process_sim.needs import Needs, choice, flag, time, whole
from molokini.process_sim.placing import place_or_keep, place_waiting, prepare_placing
from molokini.process_sim.randomness import number
from molokini.process_sim.scenario import MS, US, S
from molokini.process_sim.scheduler_daemon import (
    PERCENT,
    Answer,
    Count,
    Daemon,
    Given,
    OfJob,
    OfProcess,
    Request,
    answer,
    cpu_time,
    is_scheduled,
    prepare_domains,
    refuse_classes,
    share_of,
)
from molokini.process_sim.segments import stop_segment
from molokini.process_sim.tables import World
from molokini.process_sim.verbs import head_of, timer
from molokini.process_sim.words import NEVER, Hook, Kind, Segment, State, Wait

TURN = 100 * MS
"""Processes of one class on one CPU take turns of this length."""
NEEDS = Needs(
    (
        time("gmet", 5 * S, "What is scheduled stays so for this long, whatever messages arrive."),
        time("slice", 15 * S, "The timer of a node asks for the job with the least CPU time so often."),
        time("class_interval", S, "Shares are of each interval of this length.", low=10 * MS),
        whole("unscheduled", 1, "Per cent of a CPU for each job that is not scheduled.", 1, 50),
        time("request", 10 * US, "What a request to the daemon costs the CPU of its process.", low=0),
        flag("status_byte", True, "Messages of senders that are not scheduled ask for nothing."),
        choice("unit", ("node", "cpu"), "What is scheduled as one: the CPUs of a node, or each CPU."),
        choice("phases", ("alike", "drawn"), "When timers begin: all at once, or drawn for each node."),
        whole("most", 0, "Processes on a CPU; jobs that find no room wait; 0: no limit.", 0, 100),
        time("spin", MS, "How long a receiver spins before it blocks.", low=0),
        choice("wait", ("block", "spin"), "What a receiver does after it has spun."),
        choice(
            "reaction", ("messages", "timer"), "What asks a daemon: messages and timers, or timers alone."
        ),
        choice("placement", ("fill", "spread"), "The CPUs of a node first, or one on each node."),
        choice("beyond", ("stop", "lowest"), "Who has used a share stops, or runs while nothing else can."),
    ),
    process=OfProcess.END,
    cpu=Daemon.END,
    job=OfJob.END,
    cluster=Count.END,
    stamps=True,
)

_INTERVAL, _SLICE = 0, 1
"""Kinds of timers: the value of one is the domain times 2, and its kind."""


def policy(w: World, hook: int, subject: int, value: int) -> int:
    """Decide for one CPU or node, from what its daemon knows."""
    if hook == Hook.PICK:
        return _pick(w, subject)
    if hook == Hook.RECEIVED:
        _trap(w, subject, value)
    elif hook == Hook.REQUEST:
        return answer(w, subject, value)
    elif hook == Hook.QUANTUM_END:
        w.cpus.quantum[subject] = TURN
        w.cpus.expired[subject] = 1
    elif hook == Hook.SPUN:
        return w.asked.wait
    elif hook == Hook.BLOCK:
        if w.procs.state[subject] == State.DONE:
            answer(w, subject, Request.LEAVE)
    elif hook == Hook.TIMER:
        _ring(w, subject, value)
    elif hook == Hook.PLACE:
        return _place(w, subject)
    elif hook == Hook.DEPART:
        _depart(w, subject)
    elif hook == Hook.START:
        _start(w)
    return 0


@kernel
def _start(w: World) -> None:
    w.asked.wait = Wait.BLOCK.value
    spin = w.own.given[Given.SPIN]
    if w.own.given[Given.WAIT] == 1:
        w.asked.wait = Wait.SPIN.value
        spin = NEVER
    for p in range(w.procs.state.size):
        w.procs.spin[p] = spin
    prepare_placing(w)
    prepare_domains(w)
    for cpu in range(w.cpus.key.size):
        if w.own.cpus[cpu, Daemon.DOMAIN] == cpu:
            _set_timer(w, cpu, _INTERVAL, w.own.given[Given.INTERVAL])
            _set_timer(w, cpu, _SLICE, w.own.given[Given.SLICE])


@kernel
def _set_timer(w: World, domain: int, kind: int, length: int) -> None:
    """The first time of a timer: daemons begin together, or each at an instant of its own."""
    first = length
    if w.own.given[Given.PHASES] == 1:
        first = 1 + number(w.seed, 7_654_321 + kind, domain) % length
    timer(w, first, 2 * domain + kind)


@kernel
def _ring(w: World, _subject: int, value: int) -> None:
    domain = value >> 1
    if value & 1 == _INTERVAL:
        timer(w, w.now + w.own.given[Given.INTERVAL], value)
        _begin_interval(w, domain)
        return
    timer(w, w.now + w.own.given[Given.SLICE], value)
    p = _anybody(w, domain)
    w.own.cluster[Count.TIMER] += 1
    if p >= 0 and answer(w, p, Request.SWITCH) == Answer.SCHEDULED:
        w.own.cluster[Count.TIMER_SWITCHES] += 1


@kernel
def _begin_interval(w: World, domain: int) -> None:
    from_here = w.own.cpus[domain, Daemon.CPUS]
    for cpu in range(domain, domain + from_here):
        p = w.cpus.first[cpu]
        while p >= 0:
            w.own.procs[p, OfProcess.BEFORE] = cpu_time(w, p)
            p = w.procs.beside[p]
        w.own.cpus[cpu, Daemon.CHANGED] = 1
        touch(w, cpu)


@kernel
def _anybody(w: World, domain: int) -> int:
    """A process of the domain, or -1."""
    for cpu in range(domain, domain + w.own.cpus[domain, Daemon.CPUS]):
        if w.cpus.first[cpu] >= 0:
            return int(w.cpus.first[cpu])
    return -1


@kernel
def _place(w: World, job: int) -> int:
    placed = place_or_keep(w, job, w.own.given[Given.MOST], w.own.given[Given.SPREAD])
    if placed:
        _register(w, job)
    return placed


@kernel
def _register(w: World, job: int) -> None:
    first = w.jobs.first[job]
    for p in range(first, first + w.jobs.count[job]):
        if answer(w, p, Request.REGISTER) == Answer.REFUSED:
            refuse_classes(w, job)
            return


@kernel
def _depart(w: World, job: int) -> None:
    first = w.jobs.first[job]
    for p in range(first, first + w.jobs.count[job]):
        if w.own.procs[p, OfProcess.REGISTERED]:
            answer(w, p, Request.LEAVE)
    waiting = head_of(w, Kind.BE)
    place_waiting(w, w.own.given[Given.MOST], w.own.given[Given.SPREAD])
    while waiting >= 0 and w.jobs.placed[waiting] >= 0:
        _register(w, waiting)
        waiting = _next_unregistered(w, waiting)


@kernel
def _next_unregistered(w: World, job: int) -> int:
    """The next job behind *job* that was placed and has no class; -1 for none."""
    for other in range(job + 1, w.jobs.count.size):
        if w.jobs.placed[other] == w.now and w.own.jobs[other, OfJob.PLACES] == 0:
            return other
    return -1


@kernel
def _trap(w: World, p: int, byte: int) -> None:
    """The receiver looks at the byte of a message, and asks its daemon if that may be needed."""
    w.own.cluster[Count.MESSAGES] += 1
    if is_scheduled(w, p) or w.own.given[Given.REACTION] == 1:
        return
    if byte == 0:
        if w.own.given[Given.BYTE]:
            return
        w.own.cluster[Count.FALSE] += 1
    cpu = w.procs.cpu[p]
    w.cpus.owed[cpu] += w.own.given[Given.REQUEST]
    touch(w, cpu)
    found = answer(w, p, Request.SCHEDULE)
    if found == Answer.SCHEDULED:
        w.own.cluster[Count.ACCEPTED] += 1
    elif found == Answer.DISCARDED:
        w.own.cluster[Count.DISCARDED] += 1


@inner
def _left(w: World, cpu: int, domain: int, job: int) -> int:
    """What the class of *job* may still use of this CPU in this interval, ns."""
    left = w.own.given[Given.INTERVAL] * share_of(w, domain, job) // PERCENT
    p = w.cpus.first[cpu]
    while p >= 0:
        if w.procs.job[p] == job:
            left -= cpu_time(w, p) - w.own.procs[p, OfProcess.BEFORE]
        p = w.procs.beside[p]
    return int(left)


@kernel
def _pick(w: World, cpu: int) -> int:
    """Unscheduled classes first, in the order of their processes, then the scheduled one; in their shares."""
    domain = w.own.cpus[cpu, Daemon.DOMAIN]
    present, scheduled = w.cpus.proc[cpu], w.own.cpus[domain, Daemon.JOB]
    found, found_left, asked, left = -1, 0, -1, 0
    spare = -1
    p = w.cpus.first[cpu]
    while p >= 0:
        if p == present or w.procs.state[p] == State.READY:
            job = w.procs.job[p]
            if job != asked:
                asked, left = job, _left(w, cpu, domain, job)
            if left > 0 and (found < 0 or _goes_before(w, cpu, p, found, scheduled)):
                found, found_left = p, left
            if spare < 0 or _is_next(w, cpu, p, spare):
                spare = p
        p = w.procs.beside[p]
    if found < 0 and w.own.given[Given.BEYOND] == 1:
        # All have used their shares: at the lowest priority they take turns.
        found, found_left = spare, TURN
    if found >= 0:
        _give(w, cpu, found, present, min(TURN, found_left))
    w.own.cpus[cpu, Daemon.CHANGED] = 0
    return int(found)


@inner
def _is_next(w: World, cpu: int, p: int, other: int) -> bool:
    """Of equals: the one that runs until its turn is over, then whoever has been ready for longest."""
    present = w.cpus.proc[cpu]
    if other == present:
        return bool(w.cpus.expired[cpu])
    if p == present:
        return bool(not w.cpus.expired[cpu])
    return bool(w.procs.since[p] < w.procs.since[other])


@inner
def _goes_before(w: World, cpu: int, p: int, other: int, scheduled: int) -> bool:
    """*p* comes behind *other* in the order of processes."""
    if w.procs.job[p] != w.procs.job[other]:
        return bool(w.procs.job[other] == scheduled)
    return _is_next(w, cpu, p, other)


@inner
def _give(w: World, cpu: int, p: int, present: int, quantum: int) -> None:
    if p != present:
        w.procs.quantum[p] = quantum
        return
    if w.cpus.segment[cpu] < Segment.SWITCH:
        if not w.own.cpus[cpu, Daemon.CHANGED]:
            return
        stop_segment(w, cpu)
    w.cpus.quantum[cpu] = quantum
