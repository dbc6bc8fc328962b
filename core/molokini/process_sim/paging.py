"""Main memory of a node: what its processes have of it, and when they fault (Gine et al. 2001, section 3.2).

A process that gets a CPU refers to one page of its working set. If that page is not resident, it faults and
sleeps. How resident sets change is a reading of ours, as the paper leaves it open: while a process computes,
its set grows towards its working set, each fault adds a block; pages come from free memory, then from the
process that ran longest ago, first those outside of its working set.
"""

from math import cos, log, pi, sqrt

from molokini.compiled.compilation import kernel, seldom
from molokini.process_sim.randomness import share
from molokini.process_sim.tables import World
from molokini.process_sim.words import NEVER, Segment, State

_SECOND = 1_000_000_000


@kernel
def fault_of(w: World, p: int) -> float:
    """The probability of a fault as policies see it (Eq. 3)."""
    wrk, res = w.memory.wrk[p], w.memory.res[p]
    if w.memory.printed:
        # As printed it falls as memory is taken away.
        if wrk < res or wrk == 0:
            return 0.0
        return float(res / wrk)
    return missing_share(w, p)


@kernel
def missing_share(w: World, p: int) -> float:
    """The share of its working set that is not resident: the probability of a fault."""
    wrk, res = w.memory.wrk[p], w.memory.res[p]
    if wrk <= res or wrk == 0:
        return 0.0
    return float(1.0 - res / wrk)


@kernel
def is_short(w: World, cpu: int) -> bool:
    """Whether the processes of the node of *cpu* need more than its memory."""
    return bool(w.memory.on and w.memory.needed[w.cpus.node[cpu]] > w.memory.pages)


@kernel
def changes_state(w: World, p: int, before: int, state: int) -> None:
    """Process *p* comes from state *before* into *state*: arrive, begin to run, stop, end."""
    seldom()
    if w.memory.vir[p] == 0:
        return
    if before <= State.QUEUED:
        if state == State.READY:
            _arrive(w, p)
        return
    if before == State.RUNNING:
        _stop(w, p)
    if state == State.RUNNING and before != State.RUNNING:
        _begin(w, p)
    elif state == State.DONE and before != State.DONE:
        count_load(w, w.cpus.node[w.procs.cpu[p]])
        w.memory.needed[w.cpus.node[w.procs.cpu[p]]] -= w.memory.vir[p]
        w.memory.res[p] = 0


@kernel
def count_load(w: World, node: int) -> None:
    """What the node's processes need, added up over time until now."""
    w.memory.load[node] += w.memory.needed[node] * ((w.now - w.memory.load_at[node]) // 1000)
    w.memory.load_at[node] = w.now


@kernel
def _arrive(w: World, p: int) -> None:
    """Eq. 7: all of its memory where there is room for all, else each process of the node in proportion."""
    node = w.cpus.node[w.procs.cpu[p]]
    count_load(w, node)
    w.memory.needed[node] += w.memory.vir[p]
    w.memory.res[p] = w.memory.vir[p]
    w.memory.ran_at[p] = w.now
    _new_phase(w, p)
    needed = w.memory.needed[node]
    if needed <= w.memory.pages:
        return
    w.memory.res[p] = w.memory.vir[p] * w.memory.pages // needed
    q = _first(w, node)
    while q >= 0:
        if w.procs.state[q] >= State.READY and w.procs.state[q] != State.DONE:
            w.memory.res[q] = w.memory.vir[q] * w.memory.pages // needed
        q = _next(w, q)


@kernel
def _new_phase(w: World, p: int) -> None:
    """Another working set; what is resident beside it counts as outside of it."""
    radius = sqrt(-2.0 * log(_drawn(w, p)))
    drawn = w.memory.wrk_mean[p] + w.memory.wrk_sd[p] * radius * cos(2.0 * pi * _drawn(w, p))
    w.memory.wrk[p] = max(1, min(w.memory.vir[p], max(w.memory.vir[p] // 20, int(drawn))))
    w.memory.phase_end[p] = NEVER
    if w.memory.phase[p] > 0:
        lasts = int(-log(_drawn(w, p)) * w.memory.phase[p])
        w.memory.phase_end[p] = w.procs.spent[p, Segment.COMPUTE] + lasts


@kernel
def _drawn(w: World, p: int) -> float:
    index = w.memory.draws[p]
    w.memory.draws[p] = index + 1
    # Not the key of its program: that draws the same numbers with memory and without.
    return share(w.seed, w.procs.key[p] + 3, index)


@kernel
def _begin(w: World, p: int) -> None:
    """It gets a CPU: one reference to a page of its working set."""
    w.memory.ran_at[p] = w.now
    if w.procs.spent[p, Segment.COMPUTE] >= w.memory.phase_end[p]:
        _new_phase(w, p)
    w.memory.counted[p] = w.procs.spent[p, Segment.COMPUTE]
    if _drawn(w, p) <= missing_share(w, p):
        w.memory.faulting[p] = 1
        w.memory.faults[p] += 1
        _take_pages(w, p, w.memory.block)


@kernel
def _stop(w: World, p: int) -> None:
    """It has run: its resident set has grown meanwhile."""
    computed = w.procs.spent[p, Segment.COMPUTE]
    pages = (computed - w.memory.counted[p]) * w.memory.page_in // _SECOND
    w.memory.ran_at[p] = w.now
    w.memory.faulting[p] = 0
    if pages > 0:
        w.memory.counted[p] = computed
        _take_pages(w, p, pages)


@kernel
def _take_pages(w: World, p: int, pages: int) -> None:
    """Up to so many pages more for *p*, as far as its working set: free ones, then those of others."""
    pages = min(pages, w.memory.wrk[p] - w.memory.res[p])
    if pages <= 0:
        return
    node = w.cpus.node[w.procs.cpu[p]]
    got = min(pages, max(0, _free(w, node)))
    for beyond in (True, False):
        while got < pages:
            victim = _victim(w, node, p, beyond)
            if victim < 0:
                break
            has = w.memory.res[victim]
            if beyond:
                has -= w.memory.wrk[victim]
            taken = min(has, pages - got)
            w.memory.res[victim] -= taken
            got += taken
    w.memory.res[p] += got


@kernel
def _victim(w: World, node: int, p: int, beyond: bool) -> int:
    """The other process that ran longest ago of those with pages (outside of its working set); or -1."""
    best = -1
    q = _first(w, node)
    while q >= 0:
        has = w.memory.res[q]
        if beyond:
            has -= w.memory.wrk[q]
        if q != p and has > 0 and (best < 0 or w.memory.ran_at[q] < w.memory.ran_at[best]):
            best = q
        q = _next(w, q)
    return best


@kernel
def _free(w: World, node: int) -> int:
    free = w.memory.pages
    q = _first(w, node)
    while q >= 0:
        free -= w.memory.res[q]
        q = _next(w, q)
    return int(free)


@kernel
def _first(w: World, node: int) -> int:
    """The first process of a node, CPU by CPU."""
    for cpu in range(node * w.cpus_a_node, (node + 1) * w.cpus_a_node):
        if w.cpus.first[cpu] >= 0:
            return int(w.cpus.first[cpu])
    return -1


@kernel
def _next(w: World, p: int) -> int:
    """The process of the same node behind *p*."""
    if w.procs.beside[p] >= 0:
        return int(w.procs.beside[p])
    cpu = w.procs.cpu[p]
    for other in range(cpu + 1, (w.cpus.node[cpu] + 1) * w.cpus_a_node):
        if w.cpus.first[other] >= 0:
            return int(w.cpus.first[other])
    return -1
