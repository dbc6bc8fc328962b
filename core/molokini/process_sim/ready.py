"""Ready processes of a CPU: 60 levels in the manner of Solaris, and a list for real-time processes.

The table is that of the time-sharing class as its manual prints it: quantum, level after a whole quantum,
after a sleep, and after starving.
"""

from molokini.compiled.compilation import inner
from molokini.process_sim.tables import ANYBODY, LISTS, NOBODY, World

MS = 1_000_000
START_LEVEL = 29
HIGHEST = 59
LOWEST = 0


@inner
def quantum_of(level: int) -> int:
    """The quantum of a process of this level, ns."""
    if level < 10:
        return 200 * MS
    if level < 20:
        return 160 * MS
    if level < 30:
        return 120 * MS
    if level < 40:
        return 80 * MS
    if level < 59:
        return 40 * MS
    return 20 * MS


@inner
def after_quantum(level: int) -> int:
    """The level behind a whole quantum."""
    if level < 10:
        return 0
    return level - 10


@inner
def after_sleep(level: int) -> int:
    """The level of a process that wakes up."""
    if level < 30:
        return 50 + level // 10
    if level < 35:
        return 53
    if level < 40:
        return 54
    if level < 45:
        return 55
    if level < 47:
        return level + 11
    if level < 59:
        return 58
    return 59


@inner
def after_starving(level: int) -> int:
    """The level of a process that was ready for too long."""
    if 49 <= level < 59:
        return 59
    return after_sleep(level)


@inner
def patience_of(level: int) -> int:
    """Whole seconds that a process of this level may be ready before it starves."""
    if level == HIGHEST:
        return 32_000
    return 0


@inner
def enqueue(w: World, p: int, queue: int, at_head: bool) -> None:
    """Put *p* into a list of its CPU."""
    cpu = w.procs.cpu[p]
    w.procs.queue[p] = queue
    if w.cpus.mask[cpu] >> queue & 1 == 0:
        w.cpus.mask[cpu] |= 1 << queue
        w.cpus.heads[cpu, queue] = p
        w.cpus.tails[cpu, queue] = p
        w.procs.before[p] = -1
        w.procs.behind[p] = -1
    elif at_head:
        other = w.cpus.heads[cpu, queue]
        w.procs.before[p] = -1
        w.procs.behind[p] = other
        w.procs.before[other] = p
        w.cpus.heads[cpu, queue] = p
    else:
        other = w.cpus.tails[cpu, queue]
        w.procs.behind[p] = -1
        w.procs.before[p] = other
        w.procs.behind[other] = p
        w.cpus.tails[cpu, queue] = p


@inner
def dequeue(w: World, p: int) -> None:
    """Take *p* out of its list, if it is in one."""
    queue = w.procs.queue[p]
    if queue < 0:
        return
    w.procs.queue[p] = -1
    cpu = w.procs.cpu[p]
    before, behind = w.procs.before[p], w.procs.behind[p]
    if before >= 0:
        w.procs.behind[before] = behind
    else:
        w.cpus.heads[cpu, queue] = behind
    if behind >= 0:
        w.procs.before[behind] = before
    else:
        w.cpus.tails[cpu, queue] = before
    if before < 0 and behind < 0:
        w.cpus.mask[cpu] &= ~(1 << queue)


@inner
def highest(mask: int) -> int:
    """The highest bit of a mask of lists, or -1."""
    if mask == 0:
        return -1
    found = 0
    if mask >> 32:
        found = 32
    if mask >> (found + 16):
        found += 16
    if mask >> (found + 8):
        found += 8
    if mask >> (found + 4):
        found += 4
    if mask >> (found + 2):
        found += 2
    if mask >> (found + 1):
        found += 1
    return found


@inner
def is_useful(w: World, p: int) -> bool:
    """Whether *p* computes, or waits for a message that is there."""
    waits = w.procs.waits[p]
    if waits >= 0:
        return bool(w.channels.waiting[waits] > 0)
    if waits == NOBODY:
        return True
    if waits == ANYBODY:
        return bool(w.procs.inbox[p] > 0)
    job = w.procs.job[p]
    return bool(w.jobs.began[job] - w.jobs.frames_total[job] < w.jobs.room[job])


@inner
def best_level(w: World, cpu: int) -> int:
    """The highest level of which a process is ready, or -1."""
    return highest(w.cpus.mask[cpu] & ((1 << (LISTS - 1)) - 1))
