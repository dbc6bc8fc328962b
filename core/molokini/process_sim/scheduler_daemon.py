"""The scheduler daemon of a node: which job is scheduled there, by five requests, one at a time.

Yoo and Jette 2001, section 2. The processes of a job on one node are a class. One class is scheduled, and has
all of the node's time but a small share for each of the others. No daemon speaks with another: what it knows
are the requests of its own processes, their CPU time and its timer. Nothing here needs the engine: on a real
node the same functions serve the requests of real processes (docs/processes.md).
"""

from enum import IntEnum

from molokini.compiled.compilation import inner, kernel
from molokini.process_sim.agenda import touch
from molokini.process_sim.placing import Placing
from molokini.process_sim.tables import World
from molokini.process_sim.words import IllegalDecision, Segment, State

PERCENT = 100


class Request(IntEnum):
    """What the daemon is asked for."""

    REGISTER = 1
    """CMDREG: a process (subject) has begun."""
    LEAVE = 2
    """CMDOUT: it has ended."""
    SCHEDULE = 3
    """CMDSCH: schedule its job: it got a message from where that job is scheduled."""
    SWITCH = 4
    """CMDCSW, of the timer: schedule the job with the least CPU time. Subject: a process of the node."""
    DOWN = 5
    """CMDDWN: drop all classes. Subject: a process of the node."""


class Answer(IntEnum):
    """What came of a request."""

    DONE = 0
    """It is registered, or gone; the scheduled job is the one that it was."""
    SCHEDULED = 1
    """Another job is scheduled now."""
    DISCARDED = 2
    """The scheduled job has not yet had its guaranteed minimum; the request is forgotten."""
    PRESENT = 3
    """That job is scheduled already."""
    REFUSED = 4
    """Shares of so many classes would leave nothing for the scheduled one; or it is not registered."""


class Given(IntEnum):
    """The parameters of the policy by their places."""

    GMET = 0
    SLICE = 1
    INTERVAL = 2
    UNSCHEDULED = 3
    """Per cent."""
    REQUEST = 4
    BYTE = 5
    UNIT = 6
    """0: a node is scheduled as one, 1: each CPU for itself."""
    PHASES = 7
    """0: all alike, 1: drawn for each node."""
    MOST = 8
    SPIN = 9
    WAIT = 10
    REACTION = 11
    """0: a message asks the daemon; 1: it never does."""
    SPREAD = 12
    BEYOND = 13
    """0: who has used its share stops; 1: it runs while nothing else can."""


class Daemon(IntEnum):
    """Columns of ``own.cpus``; behind ``PLACE`` in the row of the first CPU of what is scheduled as one."""

    DOMAIN = 4
    """Of each CPU: the first CPU of what is scheduled as one."""
    CHANGED = 5
    """Of each CPU: 1 if shares have changed since it last chose."""
    CPUS = 6
    """How many CPUs it has."""
    JOB = 7
    """The scheduled job, or -1."""
    SINCE = 8
    """When it was scheduled."""
    CLASSES = 9
    SWITCHES = 10
    END = 11


class OfProcess(IntEnum):
    """Columns of ``own.procs``."""

    REGISTERED = 0
    BEFORE = 1
    """Its CPU time at the beginning of the class scheduler's interval."""
    END = 2


class OfJob(IntEnum):
    """Columns of ``own.jobs``."""

    PLACES = 0
    """Domains in which it has a class, ..."""
    ON = 1
    """... and in which it is scheduled."""
    SINCE = 2
    """When either changed last."""
    ANYWHERE = 3
    """ns in which it was scheduled somewhere, ..."""
    EVERYWHERE = 4
    """... and everywhere at once."""
    FIRST = 5
    """When it was scheduled first, since it was scheduled nowhere, or since it was last everywhere."""
    GATHERED = 6
    """How often it became scheduled everywhere, ..."""
    GATHERING = 7
    """... and how long that took in all, ns."""
    END = 8


class Count(IntEnum):
    """Columns of ``own.cluster``."""

    ACCEPTED = 0
    DISCARDED = 1
    PRESENT = 2
    FALSE = 3
    """Requests of messages whose sender was not scheduled itself."""
    TIMER = 4
    """Requests of timers, ..."""
    TIMER_SWITCHES = 5
    """... and those that scheduled another job."""
    MESSAGES = 6
    """Messages that were received."""
    END = 7


@kernel
def prepare_domains(w: World) -> None:
    """Nothing is scheduled yet; CPUs of a node are one domain, or each is one."""
    for cpu in range(w.cpus.key.size):
        domain = cpu
        if w.own.given[Given.UNIT] == 0:
            domain = w.own.cpus[cpu, Placing.NODE]
        w.own.cpus[cpu, Daemon.DOMAIN] = domain
        w.own.cpus[cpu, Daemon.JOB] = -1
        w.own.cpus[domain, Daemon.CPUS] += 1
    for job in range(w.jobs.count.size):
        w.own.jobs[job, OfJob.FIRST] = -1


@inner
def domain_of(w: World, p: int) -> int:
    """The domain of *p*, by its first CPU."""
    return int(w.own.cpus[w.procs.cpu[p], Daemon.DOMAIN])


@inner
def is_scheduled(w: World, p: int) -> bool:
    """Whether the job of *p* is the one that is scheduled where *p* is."""
    return bool(w.own.cpus[domain_of(w, p), Daemon.JOB] == w.procs.job[p])


@kernel
def answer(w: World, p: int, what: int) -> int:
    """Serve one request; one of ``Answer``."""
    domain, job = domain_of(w, p), w.procs.job[p]
    if what == Request.REGISTER:
        return _register(w, domain, p, job)
    if what == Request.LEAVE:
        return _leave(w, domain, p, job)
    if what == Request.SCHEDULE:
        return _wish(w, domain, p, job)
    if what == Request.SWITCH:
        return _schedule_least(w, domain)
    return _drop_all(w, domain)


@kernel
def _register(w: World, domain: int, p: int, job: int) -> int:
    if w.own.procs[p, OfProcess.REGISTERED]:
        return Answer.DONE.value
    if _registered(w, domain, job) == 0:
        others = w.own.cpus[domain, Daemon.CLASSES]
        if others * w.own.given[Given.UNSCHEDULED] >= PERCENT:
            return Answer.REFUSED.value
        _count_places(w, job, 1)
        w.own.cpus[domain, Daemon.CLASSES] = others + 1
        _shares_changed(w, domain)
    w.own.procs[p, OfProcess.REGISTERED] = 1
    w.own.procs[p, OfProcess.BEFORE] = cpu_time(w, p)
    if w.own.cpus[domain, Daemon.JOB] < 0:
        _schedule(w, domain, job)
        return Answer.SCHEDULED.value
    if w.own.cpus[domain, Daemon.JOB] == job:
        w.stamps.word[p] = 1
    return Answer.DONE.value


@kernel
def _leave(w: World, domain: int, p: int, job: int) -> int:
    if not w.own.procs[p, OfProcess.REGISTERED]:
        return Answer.REFUSED.value
    w.own.procs[p, OfProcess.REGISTERED] = 0
    w.stamps.word[p] = 0
    if _registered(w, domain, job) > 0:
        return Answer.DONE.value
    w.own.cpus[domain, Daemon.CLASSES] -= 1
    _shares_changed(w, domain)
    if w.own.cpus[domain, Daemon.JOB] != job:
        _count_places(w, job, -1)
        return Answer.DONE.value
    _unschedule(w, domain)
    _count_places(w, job, -1)
    return _schedule_least(w, domain)


@kernel
def _wish(w: World, domain: int, p: int, job: int) -> int:
    """Schedule the job if the scheduled one has run for its guaranteed minimum; a request is never kept."""
    if not w.own.procs[p, OfProcess.REGISTERED]:
        return Answer.REFUSED.value
    present = w.own.cpus[domain, Daemon.JOB]
    if present == job:
        return Answer.PRESENT.value
    if present >= 0 and w.now - w.own.cpus[domain, Daemon.SINCE] < w.own.given[Given.GMET]:
        return Answer.DISCARDED.value
    _schedule(w, domain, job)
    return Answer.SCHEDULED.value


@kernel
def _schedule_least(w: World, domain: int) -> int:
    """Schedule the job with the least CPU time on this node; if it is scheduled, nothing changes."""
    least, least_time = -1, 0
    for cpu in range(domain, domain + w.own.cpus[domain, Daemon.CPUS]):
        p = w.cpus.first[cpu]
        while p >= 0:
            if w.own.procs[p, OfProcess.REGISTERED]:
                used = _cpu_time_of_job(w, domain, w.procs.job[p])
                job = w.procs.job[p]
                if least < 0 or used < least_time or (used == least_time and job < least):
                    least, least_time = job, used
            p = w.procs.beside[p]
    if least < 0:
        return Answer.DONE.value
    if w.own.cpus[domain, Daemon.JOB] == least:
        return Answer.PRESENT.value
    _schedule(w, domain, least)
    return Answer.SCHEDULED.value


@kernel
def _drop_all(w: World, domain: int) -> int:
    if w.own.cpus[domain, Daemon.JOB] >= 0:
        _unschedule(w, domain)
    for cpu in range(domain, domain + w.own.cpus[domain, Daemon.CPUS]):
        p = w.cpus.first[cpu]
        while p >= 0:
            if w.own.procs[p, OfProcess.REGISTERED]:
                w.own.procs[p, OfProcess.REGISTERED] = 0
                if _registered(w, domain, w.procs.job[p]) == 0:
                    _count_places(w, w.procs.job[p], -1)
            p = w.procs.beside[p]
    w.own.cpus[domain, Daemon.CLASSES] = 0
    return Answer.DONE.value


@kernel
def _schedule(w: World, domain: int, job: int) -> None:
    if w.own.cpus[domain, Daemon.JOB] >= 0:
        _unschedule(w, domain)
    w.own.cpus[domain, Daemon.JOB] = job
    w.own.cpus[domain, Daemon.SINCE] = w.now
    w.own.cpus[domain, Daemon.SWITCHES] += 1
    _book_places(w, job)
    w.own.jobs[job, OfJob.ON] += 1
    if w.own.jobs[job, OfJob.FIRST] < 0:
        w.own.jobs[job, OfJob.FIRST] = w.now
    if w.own.jobs[job, OfJob.ON] == w.own.jobs[job, OfJob.PLACES]:
        w.own.jobs[job, OfJob.GATHERED] += 1
        w.own.jobs[job, OfJob.GATHERING] += w.now - w.own.jobs[job, OfJob.FIRST]
    _set_words(w, domain, job, 1)
    _shares_changed(w, domain)


@kernel
def _unschedule(w: World, domain: int) -> None:
    job = w.own.cpus[domain, Daemon.JOB]
    _book_places(w, job)
    if w.own.jobs[job, OfJob.ON] == w.own.jobs[job, OfJob.PLACES]:
        # It gathers again from now on, if it is still scheduled elsewhere.
        w.own.jobs[job, OfJob.FIRST] = w.now
    w.own.jobs[job, OfJob.ON] -= 1
    if w.own.jobs[job, OfJob.ON] == 0:
        w.own.jobs[job, OfJob.FIRST] = -1
    w.own.cpus[domain, Daemon.JOB] = -1
    _set_words(w, domain, job, 0)


@kernel
def _set_words(w: World, domain: int, job: int, word: int) -> None:
    """The status word of all processes of *job* here."""
    for cpu in range(domain, domain + w.own.cpus[domain, Daemon.CPUS]):
        p = w.cpus.first[cpu]
        while p >= 0:
            if w.procs.job[p] == job:
                w.stamps.word[p] = word
            p = w.procs.beside[p]


@inner
def _shares_changed(w: World, domain: int) -> None:
    for cpu in range(domain, domain + w.own.cpus[domain, Daemon.CPUS]):
        w.own.cpus[cpu, Daemon.CHANGED] = 1
        touch(w, cpu)


@kernel
def _book_places(w: World, job: int) -> None:
    """How long the job has been scheduled somewhere, and everywhere."""
    elapsed = w.now - w.own.jobs[job, OfJob.SINCE]
    w.own.jobs[job, OfJob.SINCE] = w.now
    if w.own.jobs[job, OfJob.ON] > 0:
        w.own.jobs[job, OfJob.ANYWHERE] += elapsed
        if w.own.jobs[job, OfJob.ON] == w.own.jobs[job, OfJob.PLACES]:
            w.own.jobs[job, OfJob.EVERYWHERE] += elapsed


@inner
def _count_places(w: World, job: int, more: int) -> None:
    _book_places(w, job)
    w.own.jobs[job, OfJob.PLACES] += more


@kernel
def _registered(w: World, domain: int, job: int) -> int:
    """Processes of *job* that are registered here."""
    found = 0
    for cpu in range(domain, domain + w.own.cpus[domain, Daemon.CPUS]):
        p = w.cpus.first[cpu]
        while p >= 0:
            if w.procs.job[p] == job:
                found += w.own.procs[p, OfProcess.REGISTERED]
            p = w.procs.beside[p]
    return int(found)


@kernel
def _cpu_time_of_job(w: World, domain: int, job: int) -> int:
    """CPU time of the processes of *job* here, ns, those that have ended included."""
    total = 0
    for cpu in range(domain, domain + w.own.cpus[domain, Daemon.CPUS]):
        p = w.cpus.first[cpu]
        while p >= 0:
            if w.procs.job[p] == job:
                total += cpu_time(w, p)
            p = w.procs.beside[p]
    return int(total)


@inner
def cpu_time(w: World, p: int) -> int:
    """CPU time that *p* has had, ns."""
    total = w.procs.spent[p, 0] + w.procs.spent[p, 1] + w.procs.spent[p, 2] + w.procs.spent[p, 3]
    if w.procs.state[p] == State.RUNNING:
        cpu = w.procs.cpu[p]
        if w.cpus.proc[cpu] == p and w.cpus.segment[cpu] < Segment.SWITCH:
            total += w.now - w.cpus.started[cpu]
    return int(total)


@inner
def share_of(w: World, domain: int, job: int) -> int:
    """Per cent of each CPU of the domain that the class of *job* may use in an interval; no more."""
    others = w.own.given[Given.UNSCHEDULED]
    if w.own.cpus[domain, Daemon.JOB] != job:
        return int(others)
    return int(PERCENT - (w.own.cpus[domain, Daemon.CLASSES] - 1) * others)


@kernel
def refuse_classes(w: World, job: int) -> None:
    """End the run: the job has a node on which it cannot have a class."""
    if w.illegal_decision == IllegalDecision.NONE:
        w.illegal_decision = IllegalDecision.CLASSES.value
        w.misused = job
    w.budget = 0
