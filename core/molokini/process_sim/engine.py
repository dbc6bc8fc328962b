"""The process-level engine: an instant's facts in their ranks, then a choice on each CPU concerned.

The same function runs compiled, with the local policy passed as a first-class function, and as plain
Python. It returns when nothing is left to happen, at ``until``, when it needs more room, when its
budget of facts is used up, or when something is wrong; called again it goes on where it was.
"""

from numba.core import types

from molokini.compiled.compilation import INT, inner, kernel, seldom
from molokini.process_sim.agenda import next_touched, pop, push, touch
from molokini.process_sim.programs import send
from molokini.process_sim.ready import is_useful
from molokini.process_sim.segments import (
    end_period,
    go_on,
    goes_on,
    in_a_tick,
    kill,
    message_is_there,
    stop_segment,
)
from molokini.process_sim.settling import settle
from molokini.process_sim.spending import become, book, spend
from molokini.process_sim.tables import NO_END, RANK_BITS, LocalPolicy, World
from molokini.process_sim.verbs import note, take_off
from molokini.process_sim.words import Event, Hook, Rank, Segment, State, Stop, Wait, Why

SECOND = 1_000_000_000
PENDING = 0b1111011
"""Kinds of ``Event`` that let a waiting process go on, as bits: messages, I/O, jobs."""

POLICY_SIGNATURE = INT(World.numba_type, INT, INT, INT)
POLICY_TYPE = types.FunctionType(POLICY_SIGNATURE)
ENGINE_SIGNATURE = INT(World.numba_type, POLICY_TYPE)
UNTRACED_ENGINE_SIGNATURE = INT(
    World.with_zero("trace.on", "memory.on", "asked.stamped", "asked.unlike"), POLICY_TYPE
)
"""Of an engine without timeline, memory, bytes on messages, and CPUs of several speeds: code for that is left
out, for a twentieth of the time."""
UNTRACED_MEMORY_SIGNATURE = INT(World.with_zero("trace.on", "asked.stamped", "asked.unlike"), POLICY_TYPE)
UNTRACED_STAMPED_SIGNATURE = INT(World.with_zero("trace.on", "memory.on"), POLICY_TYPE)


def run(w: World, policy: LocalPolicy) -> int:
    """Go on until one of the reasons of ``Stop``; which one it was."""
    while True:
        if w.agenda.wave > 0:
            code = settle(w, policy, next_touched(w))
        else:
            first = w.agenda.tree[1]
            key = w.cpus.key[first]
            of_heap = w.agenda.count > 0 and w.agenda.heap[0, 0] < key
            if of_heap:
                key = w.agenda.heap[0, 0]
            instant = key >> RANK_BITS
            if instant != w.now or key == NO_END:
                if w.agenda.touched_count > 0:
                    # The end of an instant: a choice for each CPU that something happened to.
                    w.agenda.wave = w.agenda.touched_count
                    continue
                stop = _leave_instant(w, instant, key == NO_END)
                if stop >= 0:
                    return stop
            if w.events >= w.stuck_at:
                w.culprit = -1
                return Stop.STUCK.value
            if w.agenda.count > w.agenda.full:
                return Stop.MORE_ROOM.value
            w.events += 1
            if of_heap:
                code = _happen(w, policy)
            else:
                code = _end_segment(w, policy, first)
        if code < 0:
            # The only place where processes go on: all that they do next is compiled once, and here.
            code = go_on(w, policy, -1 - code)
        if code > 0:
            return code


@inner
def _leave_instant(w: World, instant: int, nothing_left: bool) -> int:
    """Go to the next instant; -1, or why not."""
    if w.live == 0:
        return Stop.FINISHED.value
    if nothing_left:
        return Stop.DEADLOCK.value
    if instant > w.until:
        return Stop.UNTIL.value
    if w.trace.on and 2 * w.trace.count > w.trace.rows.shape[0]:
        return Stop.TRACE_FULL.value
    if w.events >= w.budget:
        return Stop.PAUSED.value
    w.now = instant
    w.stuck_at = w.events + w.most_at_once
    return -1


@inner
def _end_segment(w: World, policy: LocalPolicy, cpu: int) -> int:
    """The segment of *cpu* ends now, for the reason in its key."""
    rank = w.cpus.key[cpu] & ((1 << RANK_BITS) - 1)
    if w.cpus.segment[cpu] >= Segment.SWITCH:
        stop_segment(w, cpu)
        touch(w, cpu)
        return 0
    if rank == Rank.SEGMENT:
        book(w, cpu, w.now)
        p = w.cpus.proc[cpu]
        if w.procs.segment[p] == Segment.SEND:
            send(w, p)
        elif w.asked.stamped and w.procs.segment[p] == Segment.RECEIVE:
            policy(w, Hook.RECEIVED, p, w.stamps.byte[p])
        w.procs.segment[p] = Segment.BETWEEN
        return goes_on(cpu)
    spend(w, cpu, w.now)
    _cut_short(w, policy, cpu, rank)
    return 0


@kernel
def _cut_short(w: World, policy: LocalPolicy, cpu: int, rank: int) -> None:
    """The quantum is over, or the process has spun for its limit."""
    seldom()
    stop_segment(w, cpu)
    touch(w, cpu)
    if rank == Rank.QUANTUM:
        policy(w, Hook.QUANTUM_END, cpu, 0)
    else:
        _has_spun(w, policy, cpu, w.cpus.proc[cpu])


@kernel
def _has_spun(w: World, policy: LocalPolicy, cpu: int, p: int) -> None:
    if is_useful(w, p):
        # A frame has left at this very instant: what comes at the limit wins, as a message does.
        return
    what = policy(w, Hook.SPUN, p, 0)
    w.procs.left[p] = w.procs.spin[p]
    if what > Wait.YIELD:
        w.procs.left[p] = what
    if what == Wait.BLOCK:
        _block(w, policy, cpu, p)


@kernel
def _block(w: World, policy: LocalPolicy, cpu: int, p: int) -> None:
    w.procs.quantum[p] = w.cpus.quantum[cpu]
    become(w, p, State.BLOCKED_MSG)
    w.cpus.proc[cpu] = -1
    w.cpus.present[cpu] -= 1
    w.cpus.expired[cpu] = 0
    if w.cpus.favoured[cpu] == p:
        w.cpus.favoured[cpu] = -1
    w.cpus.owed[cpu] += w.costs.move
    policy(w, Hook.BLOCK, p, 0)


@inner
def _happen(w: World, policy: LocalPolicy) -> int:
    """The first entry of the heap."""
    subject = w.agenda.heap[0, 3]
    order = w.agenda.heap[0, 1]
    kind = w.agenda.heap[0, 2] & ((1 << RANK_BITS) - 1)
    pop(w)
    if kind == Event.MESSAGE:
        receiver = order & 0xFFFFFFFF
        w.channels.waiting[subject] += 1
        w.procs.inbox[receiver] += 1
        return message_is_there(w, policy, receiver)
    return _is_time_for(w, policy, kind, subject)


@kernel
def _is_time_for(w: World, policy: LocalPolicy, kind: int, subject: int) -> int:
    """Everything of the heap that is no message."""
    seldom()
    if kind == Event.TICK:
        if w.cpus.tick_at[subject] == w.now:
            w.cpus.tick_at[subject] = 0
        if w.cpus.segment[subject] < Segment.SWITCH and w.cpus.tick_cost[subject] < 0:
            touch(w, subject)
    elif kind == Event.RESUME:
        if w.procs.state[subject] == State.BLOCKED_IO or w.procs.state[subject] == State.SLEEPING:
            note(w, subject, Why.RESUMED)
    elif kind == Event.PERIOD:
        end_period(w, policy, subject)
    elif kind == Event.TIMER:
        policy(w, Hook.TIMER, 0, subject)
    elif kind == Event.WATCH:
        push(w, w.now + SECOND, Rank.TICK, 1 << 40, Event.WATCH, 0)
        policy(w, Hook.SECOND, 0, 0)
        if not _anything_moves(w):
            return Stop.DEADLOCK.value
    else:
        return _change_job(w, policy, kind, subject)
    return 0


@kernel
def _change_job(w: World, policy: LocalPolicy, kind: int, job: int) -> int:
    if kind == Event.ARRIVE:
        if job + 1 < w.jobs.count.size:
            push(w, w.jobs.arrival[job + 1], Rank.JOB, (1 << 32) + job + 1, Event.ARRIVE, job + 1)
        w.arrived = job + 1
        if policy(w, Hook.PLACE, job, 0) == 0:
            _all_become(w, job, State.QUEUED)
            if w.jobs.patience[job] >= 0:
                gone = w.now + w.jobs.patience[job]
                push(w, gone, Rank.JOB, (2 << 32) + job, Event.EVICT, job)
        return 0
    if w.jobs.end[job] >= 0:
        return 0
    if kind == Event.EVICT:
        if w.jobs.placed[job] < 0 and policy(w, Hook.EVICT, job, 0):
            _all_become(w, job, State.DONE)
            w.jobs.rejected[job] = 1
            w.jobs.end[job] = w.now
            w.live -= 1
        return 0
    first = w.jobs.first[job]
    for p in range(first, first + w.jobs.count[job]):
        kill(w, p)
        take_off(w, p)
    w.jobs.end[job] = w.now
    w.live -= 1
    policy(w, Hook.DEPART, job, 0)
    return 0


@kernel
def _all_become(w: World, job: int, state: int) -> None:
    first = w.jobs.first[job]
    for p in range(first, first + w.jobs.count[job]):
        become(w, p, state)


@kernel
def _anything_moves(w: World) -> bool:
    """Whether a message, an I/O, a job is still to come, or a process has something to do."""
    if w.agenda.touched_count > 0 or w.live == 0:
        return True
    for place in range(w.agenda.count):
        kind = w.agenda.heap[place, 2] & ((1 << RANK_BITS) - 1)
        if PENDING >> kind & 1:
            return True
    for p in range(w.procs.state.size):
        state = w.procs.state[p]
        if w.procs.notes[p] != 0:
            return True
        if (state == State.READY or state == State.RUNNING) and is_useful(w, p):
            return True
        if state == State.BLOCKED_MSG and is_useful(w, p):
            return True
    return False


def begin(w: World, policy: LocalPolicy) -> int:
    """Before the first instant: the policy's own beginning, and the first arrival."""
    policy(w, Hook.START, 0, 0)
    push(w, SECOND, Rank.TICK, 1 << 40, Event.WATCH, 0)
    if w.jobs.count.size > 0:
        push(w, w.jobs.arrival[0], Rank.JOB, 1 << 32, Event.ARRIVE, 0)
    return 0


def close(w: World, policy: LocalPolicy) -> int:
    """Book everything up to now; what goes on goes on."""
    for cpu in range(w.cpus.key.size):
        in_a_tick(w, cpu)
        spend(w, cpu, w.now)
    for p in range(w.procs.state.size):
        if w.procs.state[p] != State.DONE:
            become(w, p, w.procs.state[p])
    _add_up(w)
    return 0


@kernel
def _add_up(w: World) -> None:
    """What a CPU did for processes is what those that were placed on it did."""
    for cpu in range(w.cpus.key.size):
        for segment in range(Segment.SWITCH.value):
            w.cpus.spent[cpu, segment] = w.cpus.moved[cpu, segment]
    for p in range(w.procs.state.size):
        cpu = w.procs.cpu[p]
        if cpu >= 0:
            for segment in range(Segment.SWITCH.value):
                w.cpus.spent[cpu, segment] += w.procs.spent[p, segment]
