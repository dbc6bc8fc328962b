"""The end of an instant: for each CPU that something happened to, what it does next.

In this order: what cannot be cut goes on; synchronization; what was noted meanwhile, with its kernel time;
the choice, with the queue move and the switch that it costs.
"""

from molokini.compiled.compilation import inner, kernel
from molokini.process_sim.agenda import has_no_end
from molokini.process_sim.ready import dequeue, is_useful
from molokini.process_sim.segments import begin_fixed, dispatch, goes_on, in_a_tick, stop_segment
from molokini.process_sim.spending import become, last_tick, spend
from molokini.process_sim.tables import NOBODY, LocalPolicy, World
from molokini.process_sim.words import Hook, Segment, State, Stop, Why


@inner
def _tick_is_due(w: World, cpu: int) -> bool:
    """Whether a tick has come that was not paid for, nor will be by the segment that goes on."""
    if w.costs.tick == 0:
        return False
    last = last_tick(w, w.now)
    if last <= w.cpus.ticked[cpu]:
        return False
    if w.cpus.segment[cpu] < Segment.SWITCH and w.cpus.tick_cost[cpu] >= 0:
        # Earlier ones are paid in closed form; one of this very instant comes before what is picked at it.
        return bool(w.cpus.tick_cost[cpu] > 0 and last == w.now)
    return True


@kernel
def _see_to_notes(w: World, policy: LocalPolicy, cpu: int) -> int:
    """Make ready what was noted; the kernel time of it."""
    cost = 0
    p = w.cpus.first_note[cpu]
    w.cpus.first_note[cpu] = NOBODY
    while p >= 0:
        notes, state = w.procs.notes[p], w.procs.state[p]
        w.procs.notes[p] = 0
        following = w.procs.next_note[p]
        if notes & Why.MESSAGE and state == State.BLOCKED_MSG:
            cost += w.costs.interrupt + w.costs.move
            _make_ready(w, policy, p, Why.MESSAGE)
        elif notes & Why.DEMAND and state == State.READY:
            cost += w.costs.interrupt + w.costs.move
            policy(w, Hook.READY, p, Why.DEMAND)
        elif notes & Why.RESUMED and (state == State.BLOCKED_IO or state == State.SLEEPING):
            cost += w.costs.move
            _make_ready(w, policy, p, Why.RESUMED)
        elif notes & Why.NEW and state <= State.QUEUED:
            _make_ready(w, policy, p, Why.NEW)
        p = following
    return int(cost)


@inner
def _make_ready(w: World, policy: LocalPolicy, p: int, why: int) -> None:
    become(w, p, State.READY)
    w.cpus.present[w.procs.cpu[p]] += 1
    policy(w, Hook.READY, p, why)


@kernel
def _kernel_time(w: World, policy: LocalPolicy, cpu: int, due: bool) -> int:
    """What the CPU owes to its kernel now: queue moves, interrupts, checks."""
    cost = w.cpus.owed[cpu]
    w.cpus.owed[cpu] = 0
    cost += _see_to_notes(w, policy, cpu)
    if due:
        p = w.cpus.proc[cpu]
        if p >= 0 and w.procs.boosts[p]:
            checks = policy(w, Hook.TICK, cpu, 0)
            w.cpus.ticks[cpu] += 1
            w.cpus.checks[cpu] += checks
            cost += checks * w.costs.check
        w.cpus.ticked[cpu] = last_tick(w, w.now)
    return int(cost)


@inner
def settle(w: World, policy: LocalPolicy, cpu: int) -> int:
    """What *cpu* does from now on; above 0 if the engine must stop, below if its process ``goes_on``."""
    segment = w.cpus.segment[cpu]
    if Segment.SWITCH <= segment <= Segment.SYNC or in_a_tick(w, cpu):
        return 0
    if w.cpus.synced[cpu] > w.now:
        stop_segment(w, cpu)
        begin_fixed(w, cpu, Segment.SYNC, w.cpus.synced[cpu])
        return 0
    due = _tick_is_due(w, cpu)
    if due or w.cpus.first_note[cpu] >= 0 or w.cpus.owed[cpu] > 0:
        if segment != Segment.BETWEEN:
            stop_segment(w, cpu)
            due = _tick_is_due(w, cpu)
        cost = _kernel_time(w, policy, cpu, due)
        if cost > 0:
            begin_fixed(w, cpu, Segment.KERNEL, w.now + cost)
            return 0
    return _choose(w, policy, cpu)


@inner
def _choose(w: World, policy: LocalPolicy, cpu: int) -> int:
    """Ask the policy, and do as it says."""
    while True:
        present = w.cpus.proc[cpu]
        choice = policy(w, Hook.PICK, cpu, 0)
        if choice == present:
            return _keep(w, policy, cpu, present)
        if present >= 0:
            if w.cpus.segment[cpu] < Segment.SWITCH:
                stop_segment(w, cpu)
            _put_off(w, policy, cpu, present)
            if w.costs.move > 0:
                begin_fixed(w, cpu, Segment.KERNEL, w.now + w.costs.move)
                return 0
            continue
        if choice < 0 or choice >= w.procs.state.size or w.procs.state[choice] != State.READY:
            w.culprit = choice
            return Stop.BAD_PICK.value
        if w.procs.cpu[choice] != cpu:
            w.culprit = choice
            return Stop.BAD_PICK.value
        if w.cpus.segment[cpu] != Segment.BETWEEN:
            spend(w, cpu, w.now)
        return dispatch(w, policy, cpu, choice)


@inner
def _keep(w: World, policy: LocalPolicy, cpu: int, present: int) -> int:
    """The CPU keeps its process, or goes on with nothing to do."""
    if present >= 0:
        w.cpus.expired[cpu] = 0
        if w.cpus.segment[cpu] >= Segment.SWITCH:
            return goes_on(cpu)
        if w.cpus.segment[cpu] == Segment.SPIN and is_useful(w, present):
            stop_segment(w, cpu)
            return goes_on(cpu)
        return 0
    if w.cpus.segment[cpu] != Segment.IDLE:
        w.cpus.segment[cpu] = Segment.IDLE
        w.cpus.started[cpu] = w.now
        has_no_end(w, cpu)
    return 0


@inner
def _put_off(w: World, policy: LocalPolicy, cpu: int, present: int) -> None:
    """The CPU's process is ready again, and does not run."""
    w.procs.quantum[present] = w.cpus.quantum[cpu]
    become(w, present, State.READY)
    w.cpus.proc[cpu] = NOBODY
    if w.cpus.favoured[cpu] == present:
        w.cpus.favoured[cpu] = NOBODY
    why = Why.PREEMPTED.value
    if w.cpus.expired[cpu]:
        why = Why.EXPIRED.value
    w.cpus.expired[cpu] = 0
    dequeue(w, present)
    policy(w, Hook.READY, present, why)
