"""The proposal of the survey: message-driven coscheduling over a modified stride scheduler (survey, section
7).

Shares follow tickets. A message for a ready process, or one that sleeps on a message, runs it at once if it
can borrow the tickets for that; it pays them back in the next intervals. Sleeps on messages and I/O, and
preemptions by messages, give a credit. Nodes tell each other which jobs they have, so that a wide job gets no
more of the cluster than others.
"""

from molokini.compiled.compilation import inner, kernel
from molokini.process_sim.agenda import touch
from molokini.process_sim.implicit import computed_spin, pair_window, spun
from molokini.process_sim.levels import place_where_fewest
from molokini.process_sim.needs import Needs, flag, time
from molokini.process_sim.scenario import MS, S
from molokini.process_sim.stride import (
    COLUMNS,
    GRANT,
    LEFT_AT,
    LEFT_HOW,
    PARTS,
    PASS,
    PASS_BEFORE,
    PREEMPTED,
    SLEPT,
    USED_BEFORE,
    borrow_to_be_first,
    charge,
    give_credit,
    join,
    least,
    new_interval,
    to_ready_list,
    used_by,
)
from molokini.process_sim.tables import World
from molokini.process_sim.verbs import timer
from molokini.process_sim.words import Hook, State, Why

NEEDS = Needs(
    parameters=(
        time("stride_quantum", 10 * MS, "A process runs so long, unless a message comes."),
        time("interval", S, "Tickets are granted, and paid back, by intervals of this length.", low=MS),
        time("broadcast", S, "Nodes tell each other so often which jobs they have.", low=MS),
        flag("tracking", True, "A job's tickets are shared out among its processes in the cluster."),
        flag("sleep_credit", True, "Sleeps on messages and I/O give a credit."),
        flag("preemption_credit", True, "Preemptions by messages give a credit."),
        flag("borrowing", True, "A message runs its receiver at once, on borrowed tickets."),
        time("most_credit", S, "A credit lasts no longer.", low=MS),
        flag("pairwise", True, "Go on spinning while messages come in."),
    ),
    process=COLUMNS,
    cpu=3,
    job=2,
    cluster=2,
)
QUANTUM, INTERVAL, BROADCAST, TRACKING, SLEEP, PREEMPTION, BORROWING, MOST, PAIRWISE = range(9)
LAST_PASS, COSCHEDULED, NEWS = range(3)
"""Columns of a CPU: the pass of the last pick, 1 if a message chose its process, 1 if its jobs changed."""
KNOWN, COMING = range(2)
"""Columns of a job: its processes in the cluster as all nodes know them, and as they will know soon."""
MESSAGES, AWAITED = range(2)
"""Cells of the cluster: broadcasts received so far, and those under way."""
NEXT_INTERVAL, NEXT_BROADCAST, RECEIVED = range(3)


def policy(w: World, hook: int, subject: int, value: int) -> int:
    """Decide for one CPU, from what its node knows."""
    if hook == Hook.PICK:
        return _pick(w, subject)
    if hook == Hook.READY:
        _ready(w, subject, value)
    elif hook == Hook.BLOCK:
        _left(w, subject)
    elif hook == Hook.QUANTUM_END:
        _quantum_over(w, subject)
    elif hook == Hook.SPUN:
        return spun(w, subject, pair_window(w) * w.own.given[PAIRWISE])
    elif hook == Hook.ARRIVAL:
        # The interrupt is paid for where it can bring its process to the CPU.
        return int(w.own.given[BORROWING] == 1 and borrow_to_be_first(w, subject))
    elif hook == Hook.PLACE:
        _place(w, subject)
        return 1
    elif hook == Hook.DEPART:
        _news_of(w, subject)
    elif hook == Hook.TIMER:
        _timer(w, value)
    elif hook == Hook.START:
        _prepare(w)
    return 0


@kernel
def _prepare(w: World) -> None:
    for p in range(w.procs.state.size):
        w.procs.spin[p] = computed_spin(w)
        w.procs.quantum[p] = w.own.given[QUANTUM]
    timer(w, w.own.given[INTERVAL], NEXT_INTERVAL)
    if w.own.given[TRACKING]:
        timer(w, w.own.given[BROADCAST], NEXT_BROADCAST)


@kernel
def _place(w: World, job: int) -> None:
    place_where_fewest(w, job)
    w.own.jobs[job, KNOWN] = 1
    for p in range(w.jobs.first[job], w.jobs.first[job] + w.jobs.count[job]):
        w.own.procs[p, GRANT] = w.jobs.tickets[job] * PARTS
    _news_of(w, job)


@kernel
def _news_of(w: World, job: int) -> None:
    for p in range(w.jobs.first[job], w.jobs.first[job] + w.jobs.count[job]):
        w.own.cpus[w.procs.cpu[p], NEWS] = 1


@kernel
def _ready(w: World, p: int, why: int) -> None:
    cpu = w.procs.cpu[p]
    if why == Why.DEMAND:
        _coschedule(w, cpu, p)
        return
    charge(w, p)
    if why == Why.PREEMPTED:
        if w.own.cpus[cpu, COSCHEDULED]:
            w.own.procs[p, LEFT_HOW] = PREEMPTED
            w.own.procs[p, LEFT_AT] = w.now
    elif why != Why.EXPIRED:
        join(w, p, why == Why.NEW)
        w.procs.quantum[p] = w.own.given[QUANTUM]
        if why == Why.NEW:
            w.own.procs[p, PASS_BEFORE] = w.own.procs[p, PASS]
            w.own.procs[p, USED_BEFORE] = used_by(w, p)
        _after_sleep(w, p)
    to_ready_list(w, p)
    if why == Why.MESSAGE and w.own.given[BORROWING] and borrow_to_be_first(w, p):
        _coschedule(w, cpu, p)


@kernel
def _after_sleep(w: World, p: int) -> None:
    if w.own.procs[p, LEFT_HOW] == SLEPT and w.own.given[SLEEP]:
        give_credit(w, p, w.now - w.own.procs[p, LEFT_AT], w.own.given[MOST])
    w.own.procs[p, LEFT_HOW] = 0


@kernel
def _coschedule(w: World, cpu: int, p: int) -> None:
    """A message has come for *p*: it runs at once, until its quantum ends or another such message."""
    w.cpus.favoured[cpu] = p
    w.own.cpus[cpu, COSCHEDULED] = 1


@kernel
def _left(w: World, p: int) -> None:
    """*p* has left its CPU by itself."""
    charge(w, p)
    state = w.procs.state[p]
    w.own.procs[p, LEFT_HOW] = 0
    if state == State.BLOCKED_MSG or state == State.BLOCKED_IO:
        w.own.procs[p, LEFT_HOW] = SLEPT
        w.own.procs[p, LEFT_AT] = w.now


@kernel
def _quantum_over(w: World, cpu: int) -> None:
    p = w.cpus.proc[cpu]
    charge(w, p)
    w.cpus.quantum[cpu] = w.own.given[QUANTUM]
    w.cpus.expired[cpu] = 1
    w.own.procs[p, LEFT_HOW] = 0
    if w.cpus.favoured[cpu] == p:
        w.cpus.favoured[cpu] = -1


@inner
def _pick(w: World, cpu: int) -> int:
    present = w.cpus.proc[cpu]
    favoured = w.cpus.favoured[cpu]
    if favoured >= 0 and (favoured == present or w.procs.state[favoured] == State.READY):
        return int(favoured)
    if present >= 0 and w.cpus.expired[cpu] == 0:
        return int(present)
    return _next(w, cpu)


@kernel
def _next(w: World, cpu: int) -> int:
    """The process of the least pass."""
    w.own.cpus[cpu, COSCHEDULED] = 0
    best = least(w, cpu)
    if best < 0:
        return -1
    w.own.cpus[cpu, LAST_PASS] = w.own.procs[best, PASS]
    if w.own.procs[best, LEFT_HOW] == PREEMPTED:
        if w.own.given[PREEMPTION]:
            give_credit(w, best, w.now - w.own.procs[best, LEFT_AT], w.own.given[MOST])
        w.own.procs[best, LEFT_HOW] = 0
    return best


@kernel
def _timer(w: World, what: int) -> None:
    if what == NEXT_INTERVAL:
        timer(w, w.now + w.own.given[INTERVAL], NEXT_INTERVAL)
        for p in range(w.procs.state.size):
            if State.READY <= w.procs.state[p] < State.DONE:
                new_interval(w, p, _grant(w, w.procs.job[p]))
    elif what == NEXT_BROADCAST:
        timer(w, w.now + w.own.given[BROADCAST], NEXT_BROADCAST)
        _broadcast(w)
    else:
        _receive(w)


@kernel
def _grant(w: World, job: int) -> int:
    """Parts of tickets for each process of *job*: of a job that is wide, less than a ticket each, too."""
    return int(max(1, w.jobs.tickets[job] * PARTS // max(1, w.own.jobs[job, KNOWN])))


@kernel
def _broadcast(w: World) -> None:
    """Each node whose jobs have changed tells all others."""
    senders = 0
    for cpu in range(w.cpus.key.size):
        senders += w.own.cpus[cpu, NEWS]
        w.own.cpus[cpu, NEWS] = 0
    if senders == 0:
        return
    w.own.cluster[AWAITED] = senders
    for job in range(w.jobs.count.size):
        if w.jobs.placed[job] >= 0:
            w.own.jobs[job, COMING] = w.jobs.live[job]
    timer(w, w.now + w.costs.latency, RECEIVED)


@kernel
def _receive(w: World) -> None:
    """The messages are there, and paid for; what they say counts from the next interval on."""
    senders = w.own.cluster[AWAITED]
    for job in range(w.jobs.count.size):
        if w.own.jobs[job, COMING] > 0:
            w.own.jobs[job, KNOWN] = w.own.jobs[job, COMING]
    others = min(senders, w.cpus.key.size - 1)
    for cpu in range(w.cpus.key.size):
        w.own.cluster[MESSAGES] += others
        w.cpus.owed[cpu] += others * (w.costs.interrupt + w.costs.receive)
        touch(w, cpu)
