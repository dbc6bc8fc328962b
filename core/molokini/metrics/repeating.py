"""A workload that comes again and again, and whether more of it waits after each time.

A log of some weeks is rarely in balance: its last days may be its busiest, and the work that waits at its end
says nothing about the weeks that would follow. Repeated, the busy days are followed by quiet ones. The work
that waits at the end of a period is then the same as one period before, unless the machine gets less done in
a period than arrives in it.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from molokini.metrics.timelines import busy_processors, integral
from molokini.model.decisions import Refusal
from molokini.model.errors import BadInput
from molokini.model.outages import COUNTED, Outage
from molokini.sim.replay import Options, Overrun
from molokini.sim.schedule import Schedule
from molokini.workloads.workload import Floats, Workload

_OF_DEADLINES = {one.name.lower() for one in (Refusal.DEADLINE_TOO_TIGHT, Refusal.DEADLINE_NOT_GUARANTEED)}
PERIODS = 3
"""How often the workload comes; the queue fills up during the first period, which is not measured."""
_MOST_OUTAGES = 1_000_000
"""In one replay."""


@dataclass(frozen=True)
class Steady:
    """What happened between two instants; shares of all processors."""

    held: float
    computing: float
    jobs_per_s: float
    """Jobs that started."""
    growth: float
    """By how much the work that is still to be done grew, as a part of the work that arrived."""


def period_of(workload: Workload) -> float:
    """Seconds after which *workload* may come again: the mean gap follows its last job."""
    return float(workload.submit_s[-1] - workload.submit_s[0]) * len(workload) / (len(workload) - 1)


def repeated(workload: Workload, period_s: float) -> Workload:
    """*workload* ``PERIODS`` times, its gaps stretched so that each time takes *period_s*."""
    count = len(workload)
    once_s = (workload.submit_s - workload.submit_s[0]) * (period_s / period_of(workload))
    # No code reads the records, which would be most of the memory.
    bare = replace(workload, records=np.zeros((count, 0)))
    return replace(
        bare.take(np.tile(np.arange(count), PERIODS)),
        submit_s=np.concatenate([once_s + at * period_s for at in range(PERIODS)]),
        number=np.arange(1, PERIODS * count + 1),
    )


def options_of(options: Options, jobs: int) -> Options:
    """*options* of a workload of so many *jobs*, for the one that ``repeated`` makes of it."""
    requests, overruns_s = options.requests, options.overruns_s
    if requests is not None:
        requests = {row + at * jobs: one for row, one in requests.items() for at in range(PERIODS)}
    if overruns_s is not None:
        overruns_s = np.tile(overruns_s, PERIODS)
    return replace(options, requests=requests, overruns_s=overruns_s)


def recurring(outages: Sequence[Outage], workload: Workload, until_s: float) -> Sequence[Outage]:
    """*outages* of the time in which *workload* was submitted, again and again from instant 0 to *until_s*.

    However fast its jobs arrive, the machine is as often and as long without processors as it was then. An
    outage that has no end lasts to the end of that time, and is one that never ends where it began before
    it. Raises BadInput for more outages than a replay can hold.
    """
    length_s, first_s = period_of(workload), float(workload.submit_s[0])
    once = [
        replace(one, start_s=max(one.start_s - first_s, 0.0), end_s=min(one.end_s - first_s, length_s))
        for one in outages
        if one.start_s < first_s + length_s and one.end_s > first_s
    ]
    always = [one for one in once if one.end_s - one.start_s >= length_s]
    rest = [one for one in once if one.end_s - one.start_s < length_s]
    times = math.ceil(until_s / length_s)
    if times * len(rest) > _MOST_OUTAGES:
        raise BadInput(
            f"{workload.name}: the outages would recur {times:,} times, {times * len(rest):,} in all; "
            f"at most {_MOST_OUTAGES:,} can be replayed"
        )
    again = [
        replace(one, start_s=one.start_s + at * length_s, end_s=one.end_s + at * length_s)
        for at in range(times)
        for one in rest
    ]
    return [*(replace(one, end_s=math.inf) for one in always), *_joined(again)]


def _joined(outages: Sequence[Outage]) -> list[Outage]:
    """*outages*, in order of time, those of a node that follow without a gap as one."""
    joined: list[Outage] = []
    last_of = defaultdict[int, int](lambda: -1)
    for one in outages:
        place = last_of[one.node]
        if one.node != COUNTED and place >= 0 and joined[place].end_s >= one.start_s:
            joined[place] = replace(joined[place], end_s=one.end_s)
            continue
        last_of[one.node] = len(joined)
        joined.append(one)
    return joined


def steady_part(schedule: Schedule, period_s: float, options: Options) -> Steady:
    """What happened after the first period of a repeated workload, whose replay stopped with the last."""
    since_s, until_s = period_s, PERIODS * period_s
    held_s = _within(schedule, since_s, until_s)
    work = held_s * schedule.workload.processors
    held, computing = float(work.sum()), float((work * _computing(schedule)).sum())
    if schedule.trace.time_s.size:
        # A job that was suspended, or shared its processors, held less than from start to end.
        held = computing = integral(busy_processors(schedule), since_s, until_s)
    arrived = _arrived(schedule, since_s, options)
    length_s = until_s - since_s
    room = length_s * schedule.processors
    started = (schedule.start_s >= since_s) & (schedule.start_s < until_s)
    done = computing - _lost(schedule, since_s)
    growth = (arrived - done) / arrived if arrived > 0 else 0.0
    if _OF_DEADLINES & set(schedule.refused):
        # Jobs that cannot end in time are refused, so the deadlines of admitted jobs bound what waits.
        growth = 0.0
    return Steady(held / room, computing / room, float(np.count_nonzero(started)) / length_s, growth)


def surely_grows(schedule: Schedule, now_s: float, period_s: float, options: Options, growth: float) -> bool:
    """Whether more than *growth* is sure by *now_s*, even if no processor is idle up to the end.

    Where a job may compute less than it holds, or be refused, nothing is sure.
    """
    workload = schedule.workload
    if workload.communication is not None or workload.loads is not None or schedule.trace.time_s.size:
        return False
    if schedule.refused:
        return False
    arrived = _arrived(schedule, period_s, options)
    done = float(_within(schedule, period_s, now_s) @ workload.processors)
    still = (PERIODS * period_s - now_s) * schedule.processors
    return arrived - done - still > growth * arrived


def _within(schedule: Schedule, since_s: float, until_s: float) -> Floats:
    """Seconds between the two instants during which each job held its processors."""
    end_s = np.where(schedule.finished, schedule.end_s, until_s)
    held_s: Floats = np.minimum(end_s, until_s) - np.maximum(schedule.start_s, since_s)
    return np.clip(np.nan_to_num(held_s), 0.0, np.inf)


def _computing(schedule: Schedule) -> Floats:
    """The part of its time that each job computes; for a job that still runs the mean of the others."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.minimum(schedule.workload.run_s / schedule.run_s, 1.0)
    known = np.isfinite(share)
    return np.where(known, share, share[known].mean() if known.any() else 1.0)


def _lost(schedule: Schedule, since_s: float) -> float:
    """Processor-seconds that jobs that came after *since_s* lost when they went back to the queue."""
    if schedule.interruptions is None:
        return 0.0
    counted = schedule.workload.submit_s >= since_s
    return float(schedule.interruptions.lost_s[counted] @ schedule.workload.processors[counted])


def _arrived(schedule: Schedule, since_s: float, options: Options) -> float:
    """Processor-seconds of the jobs that came after *since_s* and were not refused."""
    workload = schedule.workload
    run_s = workload.run_s
    if options.overrun is Overrun.KILL:
        longest_s = workload.estimate_s + (0.0 if options.overruns_s is None else options.overruns_s)
        run_s = np.minimum(run_s, longest_s)
    counted = (workload.submit_s >= since_s) & ~schedule.refused_rows
    return float(run_s[counted] @ workload.processors[counted])
