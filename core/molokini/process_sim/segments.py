"""A CPU's process goes on, stops, begins and ends: what happens inside one segment and at its end."""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.process_sim.agenda import ends_at, has_no_end, push, touch
from molokini.process_sim.programs import (
    EXITS,
    FRAME_FINISHED,
    GOES_ROUND,
    HAS_SEGMENT,
    LEAVES_FOR_IO,
    REPORTED,
    SUSPENDS,
    after_a_frame,
    next_operation,
    take_message,
    times,
)
from molokini.process_sim.ready import dequeue, is_useful
from molokini.process_sim.spending import become, first_tick, last_tick, spend, ticks_before
from molokini.process_sim.tables import FRAME, NOBODY, LocalPolicy, World
from molokini.process_sim.verbs import gamma, note, touch_job
from molokini.process_sim.words import NEVER, Event, Hook, Kind, Rank, Segment, State, Stop, Why


@inner
def begin_segment(w: World, cpu: int) -> None:
    """The CPU's process goes on in its segment, from now on; find out what ends it first, and when."""
    p = w.cpus.proc[cpu]
    segment = w.procs.segment[p]
    w.cpus.segment[cpu] = segment
    w.cpus.started[cpu] = w.now
    need, rank = w.procs.left[p], Rank.SEGMENT.value
    if segment == Segment.SPIN:
        rank = Rank.SPIN.value
        if w.cpus.quantum[cpu] <= need:
            need, rank = w.cpus.quantum[cpu], Rank.QUANTUM.value
    elif w.cpus.quantum[cpu] < need:
        need, rank = _quantum_left(w, cpu), Rank.QUANTUM.value
    if w.costs.tick > 0:
        need = _with_ticks(w, cpu, p, segment, need)
    if need >= NEVER >> 1:
        has_no_end(w, cpu)
    else:
        ends_at(w, cpu, w.now + need, rank)


@kernel
def _quantum_left(w: World, cpu: int) -> int:
    """Out of line, so that the end of a segment does not wait for the account of the one before."""
    seldom()
    return int(w.cpus.quantum[cpu])


@inner
def _with_ticks(w: World, cpu: int, p: int, segment: int, need: int) -> int:
    """*need* and what the ticks cost that come to lie inside; or the next tick as an event."""
    w.cpus.tick_cost[cpu] = 0
    if w.procs.boosts[p] == 0:
        return need
    if w.asked.ticked == 1 or (segment == Segment.SPIN and w.cpus.present[cpu] > 1):
        w.cpus.tick_cost[cpu] = -1
        at = max(w.cpus.ticked[cpu] + w.costs.tick, first_tick(w, w.now))
        if w.cpus.tick_at[cpu] != at:
            w.cpus.tick_at[cpu] = at
            push(w, at, Rank.TICK, cpu, Event.TICK, cpu)
        return need
    w.cpus.tick_cost[cpu] = w.costs.check
    if need >= NEVER >> 1:
        return need
    longer = need
    while True:
        found = need + ticks_before(w, cpu, w.now + longer) * w.costs.check
        if found == longer:
            return longer
        longer = found


@inner
def in_a_tick(w: World, cpu: int) -> bool:
    """Whether the CPU is in a check that was no event; if so its segment is the rest of that check now."""
    if w.cpus.segment[cpu] >= Segment.SWITCH or w.costs.tick == 0 or w.cpus.tick_cost[cpu] <= 0:
        return False
    if ticks_before(w, cpu, w.now) == 0:
        return False
    tick = last_tick(w, w.now - 1)
    if tick + w.cpus.tick_cost[cpu] <= w.now:
        return False
    spend(w, cpu, tick)
    w.cpus.ticked[cpu] = tick
    w.cpus.ticks[cpu] += 1
    w.cpus.checks[cpu] += 1
    w.cpus.segment[cpu] = Segment.KERNEL
    ends_at(w, cpu, tick + w.cpus.tick_cost[cpu], Rank.SEGMENT)
    return True


@inner
def stop_segment(w: World, cpu: int) -> None:
    """Cut the process's segment here: what comes is picked at the end of this instant."""
    spend(w, cpu, w.now)
    w.cpus.segment[cpu] = Segment.BETWEEN
    has_no_end(w, cpu)


@inner
def leave_cpu(w: World, policy: LocalPolicy, cpu: int, state: int) -> None:
    """The CPU's process blocks, sleeps or ends now."""
    p = w.cpus.proc[cpu]
    w.procs.quantum[p] = w.cpus.quantum[cpu]
    become(w, p, state)
    w.cpus.proc[cpu] = NOBODY
    w.cpus.present[cpu] -= 1
    w.cpus.expired[cpu] = 0
    if w.cpus.favoured[cpu] == p:
        w.cpus.favoured[cpu] = NOBODY
    w.cpus.segment[cpu] = Segment.BETWEEN
    w.cpus.started[cpu] = w.now
    has_no_end(w, cpu)
    if state != State.DONE:
        w.cpus.owed[cpu] += w.costs.move
    touch(w, cpu)
    policy(w, Hook.BLOCK, p, 0)


@inner
def goes_on(cpu: int) -> int:
    """What a fact returns after which the process of *cpu* goes on with its program: below 0."""
    return -1 - cpu


@inner
def go_on(w: World, policy: LocalPolicy, cpu: int) -> int:
    """The CPU's process goes on where it was: with a segment, a message for which it waits, its program.

    0, or ``Stop.STUCK`` if nothing of its program takes time.
    """
    p = w.cpus.proc[cpu]
    if w.memory.on and w.memory.faulting[p]:
        _fault(w, policy, cpu, p)
        return 0
    has_segment = w.procs.segment[p] != Segment.BETWEEN
    if w.procs.waits[p] != NOBODY:
        has_segment = True
        if is_useful(w, p):
            has_segment = take_message(w, p)
    if not has_segment:
        code = next_operation(w, p)
        if code != HAS_SEGMENT:
            code = _without_segment(w, policy, cpu, code)
            if code != HAS_SEGMENT:
                # 0, or why the engine stops.
                return code >> 8
    begin_segment(w, cpu)
    return 0


@kernel
def _fault(w: World, policy: LocalPolicy, cpu: int, p: int) -> None:
    """The page that *p* refers to first is not there: it leaves its CPU until it is."""
    w.memory.faulting[p] = 0
    leave_cpu(w, policy, cpu, State.BLOCKED_IO)
    push(w, w.now + w.memory.fault_ns, Rank.RESUME, (cpu << 32) | p, Event.RESUME, p)


@kernel
def _without_segment(w: World, policy: LocalPolicy, cpu: int, code: int) -> int:
    """The program leaves the CPU, or has finished a frame and goes on: HAS_SEGMENT, or ``Stop`` times 256."""
    seldom()
    p = w.cpus.proc[cpu]
    while code == FRAME_FINISHED or code == REPORTED:
        w.stuck_at -= 1
        if w.events > w.stuck_at:
            break
        if code == REPORTED:
            policy(w, Hook.REPORT, p, 0)
        else:
            _finish_frame(w, policy, w.procs.job[p])
        code = after_a_frame(w, p)
    if code == HAS_SEGMENT:
        return HAS_SEGMENT
    if code == GOES_ROUND or code == FRAME_FINISHED or code == REPORTED:
        w.culprit = p
        return Stop.STUCK << 8
    w.procs.segment[p] = Segment.BETWEEN
    if code == EXITS:
        leave_cpu(w, policy, cpu, State.DONE)
        _end_process(w, p)
        return 0
    if code == SUSPENDS:
        leave_cpu(w, policy, cpu, State.SLEEPING)
        return 0
    state = State.SLEEPING.value
    if code == LEAVES_FOR_IO:
        state = State.BLOCKED_IO.value
    leave_cpu(w, policy, cpu, state)
    push(w, w.now + w.procs.left[p], Rank.RESUME, (cpu << 32) | p, Event.RESUME, p)
    return 0


@kernel
def _end_process(w: World, p: int) -> None:
    job = w.procs.job[p]
    w.jobs.live[job] -= 1
    if w.jobs.live[job] == 0 and w.jobs.end[job] < 0:
        push(w, w.now, Rank.JOB, job, Event.DEPART, job)


@kernel
def _finish_frame(w: World, policy: LocalPolicy, job: int) -> None:
    """A frame has left the pipeline: there is room for another."""
    w.jobs.frames[job] += 1
    w.jobs.frames_total[job] += 1
    source = w.jobs.first[job]
    if w.procs.waits[source] == FRAME:
        if w.procs.state[source] == State.BLOCKED_MSG:
            note(w, source, Why.MESSAGE)
        else:
            touch(w, w.procs.cpu[source])
    if w.jobs.frames[job] == w.jobs.frames_a_period[job]:
        policy(w, Hook.PERIOD, job, 0)
        touch_job(w, job)


@inner
def message_is_there(w: World, policy: LocalPolicy, p: int) -> int:
    """What *p* waits for has come, or some other message has; ``goes_on`` if *p* takes it now."""
    state, cpu = w.procs.state[p], w.procs.cpu[p]
    if state == State.RUNNING:
        if w.cpus.segment[cpu] == Segment.SPIN and is_useful(w, p) and not in_a_tick(w, cpu):
            spend(w, cpu, w.now)
            return goes_on(cpu)
    elif state == State.BLOCKED_MSG:
        if is_useful(w, p):
            note(w, p, Why.MESSAGE)
    elif state == State.READY and policy(w, Hook.ARRIVAL, p, 0):
        note(w, p, Why.DEMAND)
    return 0


@inner
def dispatch(w: World, policy: LocalPolicy, cpu: int, p: int) -> int:
    """Give the CPU to *p*, which is ready: a switch, where another's context is loaded; else it goes on."""
    dequeue(w, p)
    become(w, p, State.RUNNING)
    w.cpus.proc[cpu] = p
    w.cpus.quantum[cpu] = w.procs.quantum[p]
    w.cpus.expired[cpu] = 0
    job = w.procs.job[p]
    if w.jobs.period_num[job] > 0 and w.jobs.period_start[job] < 0:
        _begin_periods(w, job)
    kind = w.procs.kind[p]
    if w.cpus.ran[cpu] != kind:
        if w.cpus.ran[cpu] >= 0:
            w.cpus.class_switches[cpu] += 1
        w.cpus.ran[cpu] = kind
    context = w.cpus.context[cpu]
    w.cpus.context[cpu] = p
    if context != p and context != NOBODY:
        w.cpus.switches[cpu] += 1
        if w.costs.switch > 0:
            begin_fixed(w, cpu, Segment.SWITCH, w.now + w.costs.switch)
            return 0
    return goes_on(cpu)


@inner
def begin_fixed(w: World, cpu: int, segment: int, end: int) -> None:
    """A segment that nothing cuts."""
    w.cpus.segment[cpu] = segment
    w.cpus.started[cpu] = w.now
    ends_at(w, cpu, end, Rank.SEGMENT)


@kernel
def _begin_periods(w: World, job: int) -> None:
    w.jobs.period_start[job] = w.now
    w.jobs.deadline[job] = w.now + gamma(w, job)
    push(w, w.jobs.deadline[job], Rank.PERIOD, job, Event.PERIOD, job)


@kernel
def end_period(w: World, policy: LocalPolicy, job: int) -> None:
    """Judge the frames of a period, and begin the next."""
    if w.jobs.end[job] >= 0:
        return
    wanted, frames = w.jobs.frames_a_period[job], w.jobs.frames[job]
    w.jobs.period[job] += 1
    if w.jobs.period[job] > w.jobs.skipped[job]:
        w.jobs.judged[job] += 1
        w.jobs.missed[job] += max(0, wanted - frames)
    w.jobs.last_frames[job] = frames
    w.jobs.frames[job] = 0
    if w.asked.carry == 1:
        w.jobs.frames[job] = max(0, frames - wanted)
    lasted = times(w.jobs.period[job] + 1, w.jobs.period_num[job], w.jobs.period_den[job])
    end = w.jobs.period_start[job] + lasted
    w.jobs.deadline[job] = end
    push(w, end, Rank.PERIOD, job, Event.PERIOD, job)
    policy(w, Hook.PERIOD, job, 1)
    touch_job(w, job)


@kernel
def kill(w: World, p: int) -> None:
    """End *p* wherever it is."""
    state, cpu = w.procs.state[p], w.procs.cpu[p]
    if state == State.DONE:
        return
    if state == State.READY:
        dequeue(w, p)
        w.cpus.present[cpu] -= 1
    if w.cpus.favoured[cpu] == p:
        w.cpus.favoured[cpu] = NOBODY
    if state == State.RUNNING:
        w.cpus.present[cpu] -= 1
        if not in_a_tick(w, cpu) and w.cpus.segment[cpu] < Segment.SWITCH:
            stop_segment(w, cpu)
        w.cpus.proc[cpu] = NOBODY
        w.cpus.expired[cpu] = 0
        touch(w, cpu)
    become(w, p, State.DONE)


@inner
def is_rt(w: World, p: int) -> bool:
    """Whether *p* is of a real-time job."""
    return bool(w.procs.kind[p] == Kind.RT)
