"""What CPUs and processes have done: every nanosecond of a CPU is in one column of its account.

Ticks that change nothing are no events: they are paid for here, in closed form. A CPU whose process computes
pays ``tick_cost`` at each instant of the grid inside the segment, so that the segment's end is put off by as
much, and again for each instant that comes to lie inside by that.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.process_sim.paging import changes_state
from molokini.process_sim.tables import World
from molokini.process_sim.words import Segment


@inner
def become(w: World, p: int, state: int) -> None:
    """Process *p* comes into *state* now."""
    before = w.procs.state[p]
    if before == 2 or (4 <= before <= 6):
        # Ready, or blocked, in I/O, asleep: Spent has these columns in this order.
        column = 4
        if before > 2:
            column = before + 1
        w.procs.spent[p, column] += w.now - w.procs.since[p]
    if w.memory.on:
        changes_state(w, p, before, state)
    w.procs.state[p] = state
    w.procs.since[p] = w.now


@kernel
def trace_piece(w: World, cpu: int, p: int, segment: int, start: int, end: int) -> None:
    """Write a piece down, if it is to be shown."""
    seldom()
    if end <= w.trace.since or start >= w.trace.until or end == start:
        return
    place = w.trace.count
    w.trace.count = place + 1
    w.trace.rows[place, 0] = cpu
    w.trace.rows[place, 1] = p
    w.trace.rows[place, 2] = segment
    w.trace.rows[place, 3] = start
    w.trace.rows[place, 4] = end


@kernel
def _trace_ticked(w: World, cpu: int, p: int, segment: int, start: int, end: int, ticks: int) -> None:
    """The pieces of a segment in which *ticks* checks were made."""
    seldom()
    at = start
    tick = w.cpus.ticked[cpu]
    for _ in range(ticks):
        tick += w.costs.tick
        tick = max(tick, first_tick(w, start))
        trace_piece(w, cpu, p, segment, at, tick)
        at = tick + w.cpus.tick_cost[cpu]
        trace_piece(w, cpu, -1, Segment.KERNEL, tick, at)
    trace_piece(w, cpu, p, segment, at, end)


@inner
def last_tick(w: World, instant: int) -> int:
    """The last instant of the grid that is no later."""
    return instant // w.costs.tick * w.costs.tick


@inner
def first_tick(w: World, instant: int) -> int:
    """The first instant of the grid that is no earlier."""
    return -(-instant // w.costs.tick) * w.costs.tick


@inner
def ticks_before(w: World, cpu: int, end: int) -> int:
    """Ticks of the segment of *cpu*, which began at ``started``, that come before *end* and are not paid."""
    return ticks_from(w, cpu, w.cpus.started[cpu], end)


@inner
def ticks_from(w: World, cpu: int, start: int, end: int) -> int:
    """The same of a segment that began at *start*."""
    first = max(w.cpus.ticked[cpu] + w.costs.tick, first_tick(w, start))
    if first >= end:
        return 0
    return int((end - 1 - first) // w.costs.tick + 1)


@inner
def spend(w: World, cpu: int, end: int) -> None:
    """The CPU's segment has lasted until *end*: book it, and restart the count from there."""
    elapsed = book(w, cpu, end)
    if w.cpus.segment[cpu] < Segment.SWITCH:
        w.procs.left[w.cpus.proc[cpu]] -= elapsed


@inner
def book(w: World, cpu: int, end: int) -> int:
    """``spend``, but what is left of the segment; how long it was, without ticks."""
    start, segment, p = w.cpus.started[cpu], w.cpus.segment[cpu], w.cpus.proc[cpu]
    w.cpus.started[cpu] = end
    elapsed = end - start
    if segment < Segment.SWITCH:
        ticks = 0
        if w.costs.tick > 0 and w.cpus.tick_cost[cpu] >= 0:
            ticks = ticks_from(w, cpu, start, end)
        if w.trace.on:
            _trace_ticked(w, cpu, p, segment, start, end, ticks)
        if ticks > 0:
            cost = ticks * w.cpus.tick_cost[cpu]
            elapsed -= cost
            w.cpus.spent[cpu, Segment.KERNEL] += cost
            if w.cpus.tick_cost[cpu] > 0:
                w.cpus.ticks[cpu] += ticks
                w.cpus.checks[cpu] += ticks
            w.cpus.ticked[cpu] = last_tick(w, end - 1)
        w.procs.spent[p, segment] += elapsed
        w.cpus.quantum[cpu] -= elapsed
    elif segment != Segment.BETWEEN:
        if w.trace.on:
            if segment != Segment.SWITCH:
                p = -1
            trace_piece(w, cpu, p, segment, start, end)
        w.cpus.spent[cpu, segment] += elapsed
    return int(elapsed)
