"""Tasks with a (period, slice) on the CPUs of the engine: releases, budgets, and whose turn it is.

The rules are those of ``feedback.edf``, by which the slicer of an agent goes as well. A task is chosen by its
deadline; it has its slice whether or not it computes meanwhile (``wall``), as a scheduler outside the
kernel gives it, or only its CPU time counts (``cpu``).
"""

from enum import IntEnum

from molokini.compiled.compilation import inner, kernel
from molokini.feedback.compiled_rules import begins_anew, goes_before, has_missed, periods_over
from molokini.feedback.edf import WHOLE
from molokini.process_sim.agenda import touch
from molokini.process_sim.randomness import number
from molokini.process_sim.scheduler_daemon import cpu_time
from molokini.process_sim.tables import World
from molokini.process_sim.verbs import timer
from molokini.process_sim.words import NEVER, State


class Given(IntEnum):
    """The parameters of the policy ``feedback`` by their places."""

    CONTROL = 0
    THRESHOLD = 1
    FIRST = 2
    STEP = 3
    LEAST = 4
    LEAST_SLICE = 5
    SEARCH = 6
    SETTLE = 7
    CAP = 8
    CHANGE = 9
    BUDGET = 10
    PHASES = 11
    DELAY = 12
    MISS_CHANCE = 13
    MISS = 14
    CLOCK = 15
    MISS_AT = 16
    PRIORITY = 17


class Task(IntEnum):
    """Columns of a process; durations and instants in ns."""

    PERIOD = 0
    """0: it is no task, and computes while no task does."""
    SLICE = 1
    RELEASE = 2
    BUDGET = 3
    NEXT_PERIOD = 4
    NEXT_SLICE = 5
    NEXT_AT = 6
    """When its next pair comes into force; 0: there is none."""
    PERIODS = 7
    MISSES = 8
    MISSED = 9
    """What was missing of slices."""
    COUNTED = 10
    """CPU time that its budget knows of, where budgets count CPU time."""
    BLOCKED = 11
    """Whether it could not run at some instant of its period."""
    CUT = 12
    """Slices that a change cut short."""
    FILLED = 13
    """The release whose slice it was given, and 1."""
    BEGAN = 14
    """When its turn came first in its latest slice, and 1."""
    INTERRUPTED = 15
    """How often another task took its turn within a slice."""
    END = 16


class OfCpu(IntEnum):
    """Columns of a CPU."""

    CHOSEN = 0
    """The task whose turn it is, and 1; 0: nobody's."""
    SINCE = 1
    NEXT = 2
    """When something is due next."""
    TAKEN = 3
    """The sum of shares, millionths."""
    MISSED_ONE = 4
    """Whether the miss that is asked for (``miss_at``) has happened."""
    OTHERS = 5
    """1: it is the turn of a process that is no task, where tasks have no priority."""
    END = 6


TOLERANCE = 1000
"""Budgets left of up to so many ns are no miss: slices are rounded."""


@inner
def _can_run(w: World, p: int) -> bool:
    return bool(w.procs.state[p] == State.READY or w.procs.state[p] == State.RUNNING)


@kernel
def set_task(w: World, p: int, period: int, slice_: int, release: int) -> None:
    """Make *p* a task whose first period begins at *release*."""
    w.own.procs[p, Task.PERIOD] = period
    w.own.procs[p, Task.SLICE] = slice_
    w.own.procs[p, Task.RELEASE] = release
    w.own.procs[p, Task.BUDGET] = 0
    w.own.procs[p, Task.FILLED] = 0
    w.own.procs[p, Task.NEXT_AT] = 0


@kernel
def see_to(w: World, cpu: int) -> None:
    """Charge the chosen task, begin what periods have come, and choose anew."""
    _charge(w, cpu)
    chosen, deadline, due = -1, NEVER, NEVER
    p = w.cpus.first[cpu]
    while p >= 0:
        if w.own.procs[p, Task.PERIOD] > 0 and w.procs.state[p] != State.DONE:
            _release(w, cpu, p)
            due = min(due, _next_of(w, p))
            ends = w.own.procs[p, Task.RELEASE] + w.own.procs[p, Task.PERIOD]
            if _may_be_chosen(w, p) and (chosen < 0 or goes_before(ends, p, deadline, chosen)):
                chosen, deadline = p, ends
        p = w.procs.beside[p]
    if chosen >= 0:
        due = min(due, w.now + w.own.procs[chosen, Task.BUDGET])
    _count_turn(w, cpu, chosen)
    if w.own.cpus[cpu, OfCpu.CHOSEN] != chosen + 1:
        w.own.cpus[cpu, OfCpu.CHOSEN] = chosen + 1
        touch(w, cpu)
    if due < NEVER and w.own.cpus[cpu, OfCpu.NEXT] != due:
        w.own.cpus[cpu, OfCpu.NEXT] = due
        timer(w, due, cpu)


@inner
def _count_turn(w: World, cpu: int, chosen: int) -> None:
    """Keep when the slice of the task began that is *chosen* now, and whose turn it ends too early."""
    if chosen < 0:
        return
    if w.own.procs[chosen, Task.BEGAN] <= w.own.procs[chosen, Task.RELEASE]:
        w.own.procs[chosen, Task.BEGAN] = w.now + 1
    before = w.own.cpus[cpu, OfCpu.CHOSEN] - 1
    if before >= 0 and before != chosen and w.own.procs[before, Task.BUDGET] > TOLERANCE:
        w.own.procs[before, Task.INTERRUPTED] += 1


@kernel
def _may_be_chosen(w: World, p: int) -> bool:
    if w.own.procs[p, Task.BUDGET] <= 0 or w.now < w.own.procs[p, Task.RELEASE]:
        return False
    return bool(w.own.given[Given.BUDGET] == 0 or _can_run(w, p))


@kernel
def _next_of(w: World, p: int) -> int:
    """When the task's next period begins, or its next pair comes into force."""
    release, period = w.own.procs[p, Task.RELEASE], w.own.procs[p, Task.PERIOD]
    due = release
    if release <= w.now:
        due = release + period
    if w.own.procs[p, Task.NEXT_AT] > 0:
        due = min(due, w.own.procs[p, Task.NEXT_AT])
    return int(due)


@kernel
def _charge(w: World, cpu: int) -> None:
    """What the chosen task has used of its budget since it was charged last."""
    chosen = w.own.cpus[cpu, OfCpu.CHOSEN] - 1
    if chosen >= 0:
        if w.own.given[Given.BUDGET] == 0:
            w.own.procs[chosen, Task.BUDGET] -= w.now - w.own.cpus[cpu, OfCpu.SINCE]
        else:
            used = cpu_time(w, chosen)
            w.own.procs[chosen, Task.BUDGET] -= used - w.own.procs[chosen, Task.COUNTED]
            w.own.procs[chosen, Task.COUNTED] = used
    w.own.cpus[cpu, OfCpu.SINCE] = w.now


@kernel
def _release(w: World, cpu: int, p: int) -> None:
    """Begin the periods that have come, and the pair that comes into force."""
    if w.own.given[Given.BUDGET] == 1 and not _can_run(w, p):
        w.own.procs[p, Task.BLOCKED] = 1
    if 0 < w.own.procs[p, Task.NEXT_AT] <= w.now:
        _change(w, p)
        return
    release, period = w.own.procs[p, Task.RELEASE], w.own.procs[p, Task.PERIOD]
    over = periods_over(w.now, release, period)
    if over > 0:
        _judge(w, p)
        release += over * period
        w.own.procs[p, Task.RELEASE] = release
    if release <= w.now and w.own.procs[p, Task.FILLED] != release + 1:
        _refill(w, cpu, p)
        w.own.procs[p, Task.FILLED] = w.own.procs[p, Task.RELEASE] + 1


@kernel
def _judge(w: World, p: int) -> None:
    """Count the period that is over."""
    w.own.procs[p, Task.PERIODS] += 1
    budget = w.own.procs[p, Task.BUDGET]
    if has_missed(budget, TOLERANCE) and not w.own.procs[p, Task.BLOCKED]:
        w.own.procs[p, Task.MISSES] += 1
        w.own.procs[p, Task.MISSED] += budget
    w.own.procs[p, Task.BLOCKED] = 0


@kernel
def _change(w: World, p: int) -> None:
    """The next pair: a whole slice from now on."""
    if w.own.procs[p, Task.BUDGET] > TOLERANCE:
        w.own.procs[p, Task.CUT] += 1
    w.own.procs[p, Task.PERIOD] = w.own.procs[p, Task.NEXT_PERIOD]
    w.own.procs[p, Task.SLICE] = w.own.procs[p, Task.NEXT_SLICE]
    w.own.procs[p, Task.RELEASE] = w.own.procs[p, Task.NEXT_AT]
    w.own.procs[p, Task.BUDGET] = w.own.procs[p, Task.SLICE]
    w.own.procs[p, Task.FILLED] = w.own.procs[p, Task.RELEASE] + 1
    w.own.procs[p, Task.NEXT_AT] = 0
    w.own.procs[p, Task.BLOCKED] = 0


@kernel
def _refill(w: World, cpu: int, p: int) -> None:
    """A whole slice, less what a miss takes of it, if there is one."""
    w.own.procs[p, Task.BUDGET] = w.own.procs[p, Task.SLICE]
    lost = _lost(w, cpu, p)
    if lost == 0:
        return
    w.own.procs[p, Task.MISSES] += 1
    w.own.procs[p, Task.MISSED] += lost
    if w.own.given[Given.CLOCK] == 1:
        # A scheduler that sleeps for a period each time: what was late once stays late.
        w.own.procs[p, Task.RELEASE] += lost
    else:
        w.own.procs[p, Task.BUDGET] -= lost


@kernel
def _lost(w: World, cpu: int, p: int) -> int:
    """What the scheduler of this node loses of the slice that begins now, ns."""
    most = min(w.own.given[Given.MISS], w.own.procs[p, Task.SLICE] - 1)
    at = w.own.given[Given.MISS_AT]
    if at > 0:
        if cpu > 0 or w.now < at or w.own.cpus[cpu, OfCpu.MISSED_ONE]:
            return 0
        w.own.cpus[cpu, OfCpu.MISSED_ONE] = 1
        return int(most)
    chance = w.own.given[Given.MISS_CHANCE]
    if chance == 0:
        return 0
    if number(w.seed, w.procs.key[p] + 7, w.own.procs[p, Task.PERIODS]) % WHOLE >= chance:
        return 0
    return int(most)


@kernel
def wakes(w: World, p: int) -> None:
    """*p* can run again: where budgets count CPU time, its period may begin anew."""
    if w.own.given[Given.BUDGET] == 0 or w.own.procs[p, Task.PERIOD] == 0:
        return
    deadline = w.own.procs[p, Task.RELEASE] + w.own.procs[p, Task.PERIOD]
    budget, slice_ = w.own.procs[p, Task.BUDGET], w.own.procs[p, Task.SLICE]
    if begins_anew(budget, deadline, w.now, slice_, w.own.procs[p, Task.PERIOD]):
        w.own.procs[p, Task.RELEASE] = w.now
        w.own.procs[p, Task.BUDGET] = slice_
