"""What is said of programs that cannot go on, and of policies that ask for what cannot be."""

from collections.abc import Sequence

import numpy as np

from molokini.process_sim.ready import is_useful
from molokini.process_sim.scenario import Scenario, shown
from molokini.process_sim.tables import ANYBODY, FRAME, NOBODY, World
from molokini.process_sim.words import IllegalDecision, State

_MOST = 6


def process_name(scenario: Scenario, world: World, p: int) -> str:
    """What a process is called: its job, and its own name or rank."""
    jobs = sorted(scenario.jobs, key=lambda job: job.arrival_ns)
    job = jobs[int(world.procs.job[p])]
    rank = int(world.procs.rank[p])
    own = job.processes[rank].name
    if own and not own.isdigit():
        return own
    return job.name if len(job.processes) == 1 else f"{job.name}.{rank}"


_CAN_WAIT = (State.READY, State.RUNNING, State.BLOCKED_MSG)


def deadlock(scenario: Scenario, world: World) -> str:
    """Who waits for whom, and since when nothing has happened."""
    return _told(scenario, world, [p for p, state in enumerate(world.procs.state) if state in _CAN_WAIT])


def deadlocked(scenario: Scenario, world: World) -> str | None:
    """The same of the first job of which each process waits for a message that no process sends; or None."""
    for job in range(world.jobs.count.size):
        if world.jobs.placed[job] < 0 or world.jobs.end[job] >= 0:
            continue
        first = int(world.jobs.first[job])
        every = range(first, first + int(world.jobs.count[job]))
        alive = [p for p in every if world.procs.state[p] != State.DONE]
        if alive and all(_waits_in_vain(world, p) for p in alive):
            return _told(scenario, world, alive)
    return None


def _waits_in_vain(world: World, p: int) -> bool:
    """Whether *p* waits, what it waits for has not come, and is not on its way."""
    waits = int(world.procs.waits[p])
    if world.procs.state[p] not in _CAN_WAIT or waits == NOBODY or is_useful(world, p):
        return False
    into, peers = int(world.procs.into[p]), int(world.procs.peers[p])
    special: dict[int, Sequence[int]] = {ANYBODY: range(into, into + peers * peers, peers), FRAME: ()}
    channels = special.get(waits, (waits,))
    return not any(world.channels.last[channel] > world.now for channel in channels)


def _told(scenario: Scenario, world: World, waiting: Sequence[int]) -> str:
    since = max((int(world.procs.waiting_since[p]) for p in waiting), default=int(world.now))
    told = [f"{process_name(scenario, world, p)} waits for {_awaited(scenario, world, p)}" for p in waiting]
    more = f" and {len(told) - _MOST} more" if len(told) > _MOST else ""
    queued = np.flatnonzero((world.jobs.placed < 0) & (world.jobs.end < 0)).tolist()
    behind = f"; {len(queued)} jobs are queued behind them" if queued else ""
    if not told:
        first = sorted(scenario.jobs, key=lambda job: job.arrival_ns)[queued[0]]
        return (
            f"no queued job can ever be placed, of {len(queued)}; the first is {first.name}, "
            f"of {len(first.processes)} processes"
        )
    return f"deadlock at {shown(since)}: {', '.join(told[:_MOST])}{more}, and nothing is on its way{behind}"


def _awaited(scenario: Scenario, world: World, p: int) -> str:
    channel, job = int(world.procs.waits[p]), int(world.procs.job[p])
    if channel == NOBODY:
        return "nothing"
    if channel == ANYBODY:
        return "a message from any process"
    if channel == FRAME:
        return "room for a frame"
    sender = (channel - int(world.jobs.channel[job])) // int(world.jobs.count[job])
    return f"a message of {process_name(scenario, world, int(world.jobs.first[job]) + sender)}"


def stuck(scenario: Scenario, world: World) -> str:
    """Which program goes on without time going on."""
    if world.culprit < 0:
        return f"programs go on without end at {shown(world.now)}: their operations take no time"
    name = process_name(scenario, world, world.culprit)
    return (
        f"the program of {name} loops without end at {shown(world.now)}: "
        "none of its operations takes any time"
    )


def too_many_classes(scenario: Scenario, world: World) -> str:
    """Which job has no share of time on a node, and what to do."""
    jobs, percent = sorted(scenario.jobs, key=lambda job: job.arrival_ns), int(world.own.given[3])
    most = -(-100 // percent)
    name = jobs[int(world.misused)].name
    return (
        f"{name} would be class {most + 1} of its node, and {percent}% for each that is not scheduled "
        f"leaves room for {most}; limit the processes on a CPU (most), or use more nodes"
    )


def illegal_decision(scenario: Scenario, world: World) -> str:
    """What the policy asked of a verb that cannot be, and what to do."""
    what, subject, cpu = IllegalDecision(world.illegal_decision), int(world.misused), int(world.misused_cpu)
    jobs = sorted(scenario.jobs, key=lambda job: job.arrival_ns)
    if what is IllegalDecision.TIMER_PAST:
        over = f"the instant {shown(subject)} is over"
        return f"timer(world, {subject}, ...): {over}; it must be world.now or later"
    if what is IllegalDecision.PUT_PROCESS:
        most = world.procs.state.size - 1
        return f"put(world, {subject}, {cpu}): there is no process {subject}; it must be from 0 to {most}"
    if what in (IllegalDecision.PUT_CPU, IllegalDecision.PUT_TWICE, IllegalDecision.ADMIT_UNPLACED):
        return _misplaced(what, process_name(scenario, world, subject), subject, cpu, scenario.cpus - 1)
    verb = what.name.partition("_")[0].lower().replace("touch", "touch_job")
    if not 0 <= subject < len(jobs):
        return f"{verb}(world, {subject}): there is no job {subject}; it must be from 0 to {len(jobs) - 1}"
    why = {
        IllegalDecision.ADMIT_TWICE: "the job was admitted before",
        IllegalDecision.KEEP_TWICE: "the job is in its queue already",
        IllegalDecision.DROP_JOB: "the job is in no queue; keep(world, job) puts it there",
    }[what]
    return f"{verb}(world, {subject}), {jobs[subject].name}: {why}"


def _misplaced(what: IllegalDecision, name: str, p: int, cpu: int, last_cpu: int) -> str:
    if what is IllegalDecision.ADMIT_UNPLACED:
        return f"a job was admitted, and {name} is on no CPU: put(world, process, cpu) each before admit"
    if what is IllegalDecision.PUT_TWICE:
        return f"put(world, {p}, {cpu}): {name} is on a CPU already, for good"
    return f"put(world, {p}, {cpu}): {name} cannot be on CPU {cpu}; it must be from 0 to {last_cpu}"
