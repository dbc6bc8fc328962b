"""Performance-targeted feedback control: (period, slice) schedules on each CPU, and a controller for all.

A job with a target rate is a task on each of its CPUs: it has its slice in every period, earliest deadline
first (``sliced_tasks``). Its first process reports each iteration; a rate too far from its target changes
the period of all its processes alike, never their share (``feedback.searching``). Jobs without a target
compute while no task does.

Source: Lin, Sundararaj, Dinda, Cluster Computing 11 (2008).
"""

from enum import IntEnum

from molokini.compiled.compilation import inner, kernel
from molokini.feedback.compiled_rules import has_room, slice_of
from molokini.feedback.edf import WHOLE
from molokini.feedback.searching import Verdict, judged, most_steps, next_period
from molokini.process_sim.needs import MILLION, Needs, choice, flag, share, time, whole
from molokini.process_sim.randomness import number
from molokini.process_sim.scenario import MS, US
from molokini.process_sim.sliced_tasks import Given, OfCpu, Task, see_to, set_task, wakes
from molokini.process_sim.tables import LogColumn, PlanColumn, World
from molokini.process_sim.verbs import admit, drop, head_of, keep, put, take_off
from molokini.process_sim.words import NEVER, Hook, Kind, State, Wait, Why

TURN = 10 * MS
"""Of a job without a target, and of a task beside one where tasks have no priority."""


class OfJob(IntEnum):
    """Columns of a job."""

    TARGET = 0
    PERIOD = 1
    STEPS = 2
    STUCK_AT = 3
    """The rate at which the search was given up, and 1; 0: it was not."""
    ORDERS = 4
    UNJUDGED = 5
    LAST_AT = 6
    ITERATIONS = 7
    REFUSED = 8
    """Changes of the target for which there was no room."""
    END = 9


class Total(IntEnum):
    """Columns of the cluster."""

    ROWS = 0
    """Reports that were written down."""
    REPORTS = 1
    ORDERS = 2
    """Messages to nodes."""
    START_SPREAD = 3
    """Of each order, by how much its nodes began apart; the sum, ns."""
    END = 4


NEEDS = Needs(
    (
        flag("control", True, "Whether rates change periods; false: the first pair stays."),
        share("threshold", 0.03, "Rates within so much of the target are left alone.", 0.0001),
        time("first_period", 200 * MS, "The period at the admission."),
        time("step", 2 * MS, "By how much the search shortens the period."),
        time("least_period", 10 * MS, "The search begins again before it comes to this period."),
        time("least_slice", MS, "... or to this slice.", low=0),
        choice("search", ("sweep", "halving", "model"), "How the next period is found."),
        whole("settle", 0, "Reports after a change that are not judged.", 0, 100),
        share("cap", 1.0, "Shares of tasks together on a CPU.", 0.01),
        choice("change", ("now", "boundary", "redrawn"), "When a pair comes into force, and in which phase."),
        choice("budget", ("wall", "cpu"), "Whether slices are time, or CPU time."),
        choice("phases", ("drawn", "alike"), "How periods of one job begin on its nodes."),
        time("delay", 100 * US, "Orders reach a node within this time, drawn for each.", low=0),
        share("miss_chance", 0.0, "How likely a slice is cut by a miss."),
        time("miss", MS, "What a miss takes of a slice.", low=0),
        choice("clock", ("absolute", "relative"), "Whether a late period delays all behind it."),
        time("miss_at", 0, "One miss on the first CPU, then; 0ns: by chance.", low=0),
        flag("priority", True, "Whether tasks go before jobs without a target."),
    ),
    process=Task.END,
    cpu=OfCpu.END,
    job=OfJob.END,
    cluster=Total.END,
    logs=True,
)


def policy(w: World, hook: int, subject: int, value: int) -> int:
    """Decide for one CPU, or one application."""
    if hook == Hook.PICK:
        return _pick(w, subject)
    if hook == Hook.TIMER:
        if w.own.cpus[value, OfCpu.NEXT] == w.now:
            see_to(w, value)
    elif hook == Hook.READY:
        if w.own.given[Given.BUDGET] == 1:
            if value & (Why.MESSAGE | Why.RESUMED):
                wakes(w, subject)
            see_to(w, w.procs.cpu[subject])
    elif hook == Hook.BLOCK:
        if w.own.procs[subject, Task.PERIOD] > 0:
            see_to(w, w.procs.cpu[subject])
    elif hook == Hook.REPORT:
        _report(w, subject)
    elif hook == Hook.QUANTUM_END:
        w.cpus.quantum[subject] = TURN
        w.cpus.expired[subject] = 1
        w.own.cpus[subject, OfCpu.OTHERS] = 1 - w.own.cpus[subject, OfCpu.OTHERS]
    elif hook == Hook.SPUN:
        return Wait.BLOCK
    elif hook == Hook.PLACE:
        return _place(w, subject)
    elif hook == Hook.DEPART:
        _depart(w, subject)
    elif hook == Hook.START:
        for p in range(w.procs.state.size):
            w.procs.spin[p] = 0
            w.procs.quantum[p] = NEVER
    return 0


@inner
def _share(w: World, job: int, target: int) -> int:
    """What a target is of each CPU: the target of what the application uses of it alone."""
    return int(target * w.jobs.use[job] // WHOLE)


@kernel
def _target_from(w: World, job: int, iteration: int) -> int:
    """The target of *job* that the scenario sets at this iteration; 0: none."""
    for row in range(w.own.plan.shape[0]):
        if w.own.plan[row, PlanColumn.JOB] == job and w.own.plan[row, PlanColumn.ITERATION] == iteration:
            return int(w.own.plan[row, PlanColumn.TARGET])
    return 0


@kernel
def _place(w: World, job: int) -> int:
    if head_of(w, Kind.BE) < 0 and _placed(w, job):
        return 1
    keep(w, job)
    return 0


@kernel
def _placed(w: World, job: int) -> bool:
    """Place *job* if all its nodes have room for its share; else no node has any of it."""
    first, count = w.jobs.first[job], w.jobs.count[job]
    target = _target_from(w, job, 0)
    more = _share(w, job, target)
    for p in range(first, first + count):
        cpu = w.procs.cpu[p]
        if not w.jobs.fixed[job]:
            cpu = _emptiest(w, first, p)
        if not has_room(w.own.cpus[cpu, OfCpu.TAKEN], more, w.own.given[Given.CAP]):
            _take_back(w, first, p, more)
            return False
        put(w, p, cpu)
        w.own.cpus[cpu, OfCpu.TAKEN] += more
    if target > 0:
        _begin(w, job, target)
    admit(w, job)
    for p in range(first, first + count):
        see_to(w, w.procs.cpu[p])
    return True


@kernel
def _take_back(w: World, first: int, behind: int, more: int) -> None:
    for p in range(first, behind):
        w.own.cpus[w.procs.cpu[p], OfCpu.TAKEN] -= more
        take_off(w, p)


@kernel
def _emptiest(w: World, first: int, p: int) -> int:
    """The CPU with the smallest share taken, of those with the fewest processes of this job."""
    best, least = 0, 1 << 60
    for cpu in range(w.cpus.key.size):
        load = w.own.cpus[cpu, OfCpu.TAKEN] * 1000 + w.cpus.best_effort[cpu]
        for other in range(first, p):
            if w.procs.cpu[other] == cpu:
                load += 1 << 40
        if load < least:
            best, least = cpu, load
    return best


@kernel
def _begin(w: World, job: int, target: int) -> None:
    period = w.own.given[Given.FIRST]
    w.own.jobs[job, OfJob.TARGET] = target
    w.own.jobs[job, OfJob.PERIOD] = period
    w.own.jobs[job, OfJob.LAST_AT] = w.now
    w.own.jobs[job, OfJob.UNJUDGED] = w.own.given[Given.SETTLE]
    first, count = w.jobs.first[job], w.jobs.count[job]
    slice_ = slice_of(period, _share(w, job, target))
    for p in range(first, first + count):
        release = w.now
        if w.own.given[Given.PHASES] == 0:
            release += number(w.seed, w.procs.key[p] + 3, 0) % period
        set_task(w, p, period, slice_, release)


@kernel
def _depart(w: World, job: int) -> None:
    first, count = w.jobs.first[job], w.jobs.count[job]
    more = _share(w, job, w.own.jobs[job, OfJob.TARGET])
    for p in range(first, first + count):
        w.own.cpus[w.procs.cpu[p], OfCpu.TAKEN] -= more
        w.own.procs[p, Task.PERIOD] = 0
        see_to(w, w.procs.cpu[p])
    waiting = head_of(w, Kind.BE)
    while waiting >= 0 and _placed(w, waiting):
        drop(w, waiting)
        waiting = head_of(w, Kind.BE)


@kernel
def _report(w: World, p: int) -> None:
    """An iteration of a job has ended: its first process alone reports."""
    job = w.procs.job[p]
    if w.procs.rank[p] != 0 or w.own.jobs[job, OfJob.TARGET] == 0:
        return
    rate = 0
    lasted = w.now - w.own.jobs[job, OfJob.LAST_AT]
    if lasted > 0:
        rate = w.jobs.full[job] * WHOLE // lasted
    w.own.jobs[job, OfJob.LAST_AT] = w.now
    w.own.jobs[job, OfJob.ITERATIONS] += 1
    w.own.cluster[Total.REPORTS] += 1
    _write_down(w, job, rate)
    target = _target_from(w, job, w.own.jobs[job, OfJob.ITERATIONS])
    if target > 0:
        _aim(w, job, target)
    else:
        _judge(w, job, rate)


@kernel
def _write_down(w: World, job: int, rate: int) -> None:
    row = w.own.cluster[Total.ROWS]
    if row >= w.own.log.shape[0]:
        return
    w.own.cluster[Total.ROWS] = row + 1
    period, target = w.own.jobs[job, OfJob.PERIOD], w.own.jobs[job, OfJob.TARGET]
    w.own.log[row, LogColumn.AT] = w.now
    w.own.log[row, LogColumn.JOB] = job
    w.own.log[row, LogColumn.ITERATION] = w.own.jobs[job, OfJob.ITERATIONS]
    w.own.log[row, LogColumn.RATE] = rate
    w.own.log[row, LogColumn.TARGET] = target
    w.own.log[row, LogColumn.PERIOD] = period
    w.own.log[row, LogColumn.SLICE] = slice_of(period, _share(w, job, target))
    w.own.log[row, LogColumn.ORDERS] = w.own.jobs[job, OfJob.ORDERS]
    w.own.log[row, LogColumn.APART] = _apart(w, job, period)


@kernel
def _apart(w: World, job: int, period: int) -> int:
    """By how much the latest slices of *job* began apart; one may be a period further than another."""
    first, count = w.jobs.first[job], w.jobs.count[job]
    early, late = 0, 0
    for p in range(first + 1, first + count):
        behind = w.own.procs[p, Task.BEGAN] - w.own.procs[first, Task.BEGAN]
        behind = (behind + period // 2) % period - period // 2
        early, late = min(early, behind), max(late, behind)
    return int(late - early)


@kernel
def _aim(w: World, job: int, target: int) -> None:
    """Another target: its share at once where all CPUs have room; else everything stays as it is."""
    first, count = w.jobs.first[job], w.jobs.count[job]
    more = _share(w, job, target) - _share(w, job, w.own.jobs[job, OfJob.TARGET])
    for p in range(first, first + count):
        if not has_room(w.own.cpus[w.procs.cpu[p], OfCpu.TAKEN], more, w.own.given[Given.CAP]):
            w.own.jobs[job, OfJob.REFUSED] += 1
            return
    for p in range(first, first + count):
        w.own.cpus[w.procs.cpu[p], OfCpu.TAKEN] += more
    w.own.jobs[job, OfJob.TARGET] = target
    w.own.jobs[job, OfJob.STEPS] = 0
    w.own.jobs[job, OfJob.STUCK_AT] = 0
    period = w.own.jobs[job, OfJob.PERIOD]
    if slice_of(period, _share(w, job, target)) <= w.own.given[Given.LEAST_SLICE]:
        period = w.own.given[Given.FIRST]
    _order(w, job, period)


@kernel
def _judge(w: World, job: int, rate: int) -> None:
    """Whether the rate asks for another period."""
    if not w.own.given[Given.CONTROL]:
        return
    if w.own.jobs[job, OfJob.UNJUDGED] > 0:
        w.own.jobs[job, OfJob.UNJUDGED] -= 1
        return
    target, threshold = w.own.jobs[job, OfJob.TARGET], w.own.given[Given.THRESHOLD]
    first, step, least = w.own.given[Given.FIRST], w.own.given[Given.STEP], w.own.given[Given.LEAST]
    steps, stuck_at = w.own.jobs[job, OfJob.STEPS], w.own.jobs[job, OfJob.STUCK_AT] - 1
    found = judged(rate, target, threshold, steps, most_steps(first, step, least), stuck_at)
    if found == Verdict.WITHIN:
        w.own.jobs[job, OfJob.STEPS] = 0
        w.own.jobs[job, OfJob.STUCK_AT] = 0
    elif found == Verdict.GIVE_UP:
        w.own.jobs[job, OfJob.STUCK_AT] = rate + 1
    elif found == Verdict.STEP:
        if stuck_at >= 0:
            steps = 0
        w.own.jobs[job, OfJob.STEPS] = steps + 1
        w.own.jobs[job, OfJob.STUCK_AT] = 0
        period = next_period(
            w.own.given[Given.SEARCH],
            w.own.jobs[job, OfJob.PERIOD],
            rate - target,
            _share(w, job, target),
            threshold,
            first,
            step,
            least,
            w.own.given[Given.LEAST_SLICE],
        )
        _order(w, job, period)


@kernel
def _order(w: World, job: int, period: int) -> None:
    """The same pair for all nodes of *job*; the latest order counts."""
    w.own.jobs[job, OfJob.PERIOD] = period
    w.own.jobs[job, OfJob.ORDERS] += 1
    w.own.jobs[job, OfJob.UNJUDGED] = w.own.given[Given.SETTLE]
    slice_ = slice_of(period, _share(w, job, w.own.jobs[job, OfJob.TARGET]))
    first, count = w.jobs.first[job], w.jobs.count[job]
    earliest, latest = NEVER, 0
    for p in range(first, first + count):
        w.own.cluster[Total.ORDERS] += 1
        at = _comes_into_force(w, p, w.own.jobs[job, OfJob.ORDERS], period)
        earliest, latest = min(earliest, at), max(latest, at)
        w.own.procs[p, Task.NEXT_PERIOD] = period
        w.own.procs[p, Task.NEXT_SLICE] = slice_
        w.own.procs[p, Task.NEXT_AT] = at
        see_to(w, w.procs.cpu[p])
    w.own.cluster[Total.START_SPREAD] += latest - earliest


@kernel
def _comes_into_force(w: World, p: int, order: int, period: int) -> int:
    """When order number *order* changes the pair of *p*."""
    at = w.now
    if w.own.given[Given.DELAY] > 0:
        at += number(w.seed, w.procs.key[p] + 5, order) % w.own.given[Given.DELAY]
    if w.own.given[Given.CHANGE] == 1:
        release, old = w.own.procs[p, Task.RELEASE], w.own.procs[p, Task.PERIOD]
        return int(release + max(1, -(-(at - release) // old)) * old)
    if w.own.given[Given.CHANGE] == 2:
        at += number(w.seed, w.procs.key[p] + 9, order) % period
    return int(at)


@kernel
def _pick(w: World, cpu: int) -> int:
    """The chosen task if it can run, else a job without a target."""
    chosen, present = w.own.cpus[cpu, OfCpu.CHOSEN] - 1, w.cpus.proc[cpu]
    task = -1
    if chosen >= 0 and (chosen == present or w.procs.state[chosen] == State.READY):
        task = chosen
    if task >= 0 and w.own.given[Given.PRIORITY]:
        _give(w, cpu, task, present, NEVER)
        return int(task)
    other = _without_target(w, cpu, present)
    if task < 0 or other < 0:
        only = max(task, other)
        if only >= 0:
            _give(w, cpu, only, present, TURN)
        return int(only)
    found = task
    if w.own.cpus[cpu, OfCpu.OTHERS]:
        found = other
    _give(w, cpu, found, present, TURN)
    return int(found)


@kernel
def _without_target(w: World, cpu: int, present: int) -> int:
    """The process of a job without a target that is next, or -1."""
    found = -1
    p = w.cpus.first[cpu]
    while p >= 0:
        if w.own.procs[p, Task.PERIOD] == 0 and (p == present or w.procs.state[p] == State.READY):
            if p == present and not w.cpus.expired[cpu]:
                return int(p)
            if (
                p != present and (found < 0 or found == present or w.procs.since[p] < w.procs.since[found])
            ) or found < 0:
                found = p
        p = w.procs.beside[p]
    return int(found)


@inner
def _give(w: World, cpu: int, p: int, present: int, quantum: int) -> None:
    if p != present:
        w.procs.quantum[p] = quantum


assert MILLION == WHOLE
