"""The ready queue of Gine et al. 2001: one line, into which a task is put behind those that it may not
overtake.

RR, DYN, PRED and CSM differ in that place alone (section 4.2 of the paper). The running task is the top of
the queue; others wait in a list. Columns of ``world.own.procs`` are numbered here.
"""

from math import log

from molokini.compiled.compilation import inner, kernel
from molokini.process_sim.agenda import touch
from molokini.process_sim.needs import Needs, Parameter, flag, share, time, whole
from molokini.process_sim.paging import fault_of, is_short
from molokini.process_sim.randomness import share as share_of
from molokini.process_sim.ready import dequeue, enqueue
from molokini.process_sim.scenario import MS
from molokini.process_sim.tables import World
from molokini.process_sim.verbs import admit, put
from molokini.process_sim.words import NEVER, Hook, State, Wait, Why

MES, OVERTAKEN, QUANTA, DRAWN = range(4)
"""Past messages in millionths; times overtaken since it entered the queue; whole quanta; numbers drawn."""
RAISES, PASSED = range(2)
"""Cells of the cluster: how often a task was put before another, and how many it overtook in all."""
READY_LIST = 0
MILLION = 1_000_000
COMMON = (
    time("run_quantum", 100 * MS, "The mean quantum."),
    flag("drawn", True, "Quanta are drawn, exponentially."),
    share("growth", 0.0, "After each whole quantum the mean grows by so many switch costs.", 0.0, 1000.0),
    share("most_growth", 10.0, "To so many mean quanta at most.", 1.0, 1000.0),
    share("past", 0.3, "P: the weight of past messages."),
    flag("preempt_top", False, "What is put at the top takes the CPU from the running task."),
)
"""Parameters of all four."""
QUANTUM, IS_DRAWN, GROWTH, MOST_GROWTH, PAST, PREEMPT_TOP = range(6)


def needs(*more: Parameter) -> Needs:
    """What one of the four needs: common parameters, then its own."""
    return Needs(parameters=(*COMMON, *more), process=4, cluster=2)


MNOL = whole("mnol", 2, "How often a local task may be overtaken.", 1, 1_000_000)
MNOD = whole("mnod", 2, "How often a parallel task may be overtaken.", 1, 1_000_000)


@kernel
def common_hook(w: World, hook: int, subject: int) -> int:
    """What all four answer, but READY and PICK."""
    if hook == Hook.QUANTUM_END:
        _quantum_over(w, subject)
    elif hook == Hook.SPUN:
        return Wait.BLOCK.value
    elif hook == Hook.PLACE:
        place_by_memory(w, subject)
        return 1
    elif hook == Hook.START:
        for p in range(w.procs.state.size):
            # A task that must wait for a message goes to sleep at once.
            w.procs.spin[p] = 0
    return 0


@kernel
def place_by_memory(w: World, job: int) -> None:
    """Each task of a job to another node: those where least memory is needed, ties to the lowest."""
    first, count = w.jobs.first[job], w.jobs.count[job]
    for p in range(first, first + count):
        if w.jobs.fixed[job]:
            put(w, p, w.procs.cpu[p])
            continue
        best, fewest = 0, NEVER
        for cpu in range(w.cpus.key.size):
            needed = w.cpus.present[cpu]
            if w.memory.on:
                needed = w.memory.needed[w.cpus.node[cpu]]
            for other in range(first, p):
                if w.procs.cpu[other] == cpu:
                    needed += 1 << 40
            if needed < fewest:
                best, fewest = cpu, needed
        put(w, p, best)
    admit(w, job)


@kernel
def fresh_quantum(w: World, p: int) -> int:
    """A quantum of *p*: drawn, and longer the more CPU time it has needed."""
    mean = w.own.given[QUANTUM]
    grown = mean + w.own.procs[p, QUANTA] * w.own.given[GROWTH] // 1000 * w.costs.switch // 1000
    mean = min(grown, mean * (w.own.given[MOST_GROWTH] // 1000) // 1000)
    if not w.own.given[IS_DRAWN]:
        return int(mean)
    index = w.own.procs[p, DRAWN]
    w.own.procs[p, DRAWN] = index + 1
    # Not the key of its program, which is to draw the same numbers whatever the policy.
    return int(max(1, int(-log(share_of(w.seed, w.procs.key[p] + 5, index)) * mean)))


@kernel
def _quantum_over(w: World, cpu: int) -> None:
    p = w.cpus.proc[cpu]
    w.own.procs[p, QUANTA] += 1
    w.cpus.quantum[cpu] = fresh_quantum(w, p)
    w.cpus.expired[cpu] = 1


@inner
def pick_top(w: World, cpu: int) -> int:
    """The running task until it leaves by itself, or its quantum is over and another waits."""
    present = w.cpus.proc[cpu]
    favoured = w.cpus.favoured[cpu]
    if favoured >= 0 and w.procs.state[favoured] == State.READY:
        return int(favoured)
    if w.cpus.mask[cpu] == 0 or (present >= 0 and w.cpus.expired[cpu] == 0):
        return int(present)
    return int(w.cpus.heads[cpu, READY_LIST])


@kernel
def enters(w: World, p: int, why: int) -> bool:
    """Count the messages of *p*, which is to be put into the queue; false if it has gone back to the top."""
    dequeue(w, p)
    if why == Why.PREEMPTED:
        enqueue(w, p, READY_LIST, True)
        return False
    if why != Why.EXPIRED:
        w.procs.quantum[p] = fresh_quantum(w, p)
    w.own.procs[p, OVERTAKEN] = 0
    now = (w.procs.inbox[p] + sends_of(w, p)) * MILLION
    past = w.own.given[PAST]
    w.own.procs[p, MES] = (past * w.own.procs[p, MES] + (MILLION - past) * now) // MILLION
    return True


@kernel
def sends_of(w: World, p: int) -> int:
    """Channels on which a message of *p* is under way."""
    found = 0
    if w.costs.latency > 0:
        for peer in range(w.procs.peers[p]):
            if w.channels.last[w.procs.out[p] + peer] > w.now:
                found += 1
    return found


@inner
def is_local(w: World, p: int) -> bool:
    """Whether *p* is a task of no parallel job."""
    return bool(w.procs.peers[p] == 1)


@kernel
def to_top(w: World, p: int) -> None:
    """Next to run."""
    cpu = w.procs.cpu[p]
    if w.cpus.mask[cpu] != 0:
        q = w.cpus.heads[cpu, READY_LIST]
        w.own.cluster[RAISES] += 1
        while q >= 0:
            w.own.cluster[PASSED] += 1
            q = w.procs.behind[q]
    enqueue(w, p, READY_LIST, True)
    if w.own.given[PREEMPT_TOP]:
        w.cpus.favoured[cpu] = p
        touch(w, cpu)


@kernel
def behind_those_that_stay(w: World, p: int, by_fault: bool, mnol: int, mnod: int) -> None:
    """From the bottom up past those that *p* may overtake, each counted; then just behind the next one.

    *by_fault*: past tasks that are more likely to fault; else past those with fewer messages.
    """
    cpu = w.procs.cpu[p]
    enqueue(w, p, READY_LIST, False)
    other = w.procs.before[p]
    passed = 0
    while other >= 0 and _may_pass(w, other, p, by_fault, mnol, mnod):
        w.own.procs[other, OVERTAKEN] += 1
        passed += 1
        other = w.procs.before[other]
    if passed == 0:
        return
    w.own.cluster[RAISES] += 1
    w.own.cluster[PASSED] += passed
    dequeue(w, p)
    if other < 0:
        enqueue(w, p, READY_LIST, True)
        return
    following = w.procs.behind[other]
    w.procs.queue[p] = READY_LIST
    w.procs.before[p], w.procs.behind[p] = other, following
    w.procs.behind[other] = p
    if following >= 0:
        w.procs.before[following] = p
    else:
        w.cpus.tails[cpu, READY_LIST] = p


@kernel
def _may_pass(w: World, other: int, p: int, by_fault: bool, mnol: int, mnod: int) -> bool:
    most = mnod
    if is_local(w, other):
        most = mnol
    if w.own.procs[other, OVERTAKEN] >= most:
        return False
    if by_fault:
        return bool(fault_of(w, other) > fault_of(w, p))
    return bool(w.own.procs[other, MES] < w.own.procs[p, MES])


@kernel
def is_overloaded(w: World, p: int) -> bool:
    """Whether the processes of the node of *p* need more than its memory."""
    return is_short(w, w.procs.cpu[p])
