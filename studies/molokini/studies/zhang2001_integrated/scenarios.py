"""A few jobs as in figures 4, 7 and 13, which explain how policies work; sizes of figure 4 are ours."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from molokini.sim.replay import Replay
from molokini.studies.replays import replay_of
from molokini.studies.study import Row
from molokini.workloads.models.assembling import assembled

_Job = tuple[int, float]
"""Processors and run time."""
_SHORT_S, _LONG_S = 10.0, 1000.0


def _replay(jobs: Sequence[_Job], processors: int, policy: str, values: Mapping[str, float]) -> Replay:
    width, run_s = (np.array(column, dtype=np.float64) for column in zip(*jobs, strict=True))
    columns = {
        "run_s": run_s,
        "requested_s": run_s,
        "requested_processors": width,
        "allocated_processors": width,
    }
    workload = assembled("example", processors, np.zeros(len(jobs)), columns)
    return replay_of(workload, policy, **values)


def _backfilled() -> Row:
    """Five jobs on four processors: 3 waits for all of them, 4 is too long for the hole, 5 fills it."""
    jobs = [(2, 10.0), (1, 4.0), (4, 4.0), (1, 20.0), (1, 6.0)]
    found: dict[str, float] = {}
    for policy in ("fcfs", "conservative"):
        replay = _replay(jobs, 4, policy, {})
        replay.run()
        for place, at_s in enumerate(replay.schedule().start_s.tolist()):
            found[f"{policy}_{place + 1}"] = at_s
    return found


def _shared() -> Row:
    """Figure 7: six jobs on eight processors in four rows; how fast each runs."""
    replay = _replay(
        [(width, 100.0) for width in (8, 8, 4, 2, 2, 4)], 8, "gs", {"mpl": 4, "quantum_s": 200.0}
    )
    replay.run(until_s=0.0)
    t = replay.tables
    running = t.queue.running[: t.queue.running_count].tolist()
    return {f"rate_{int(t.jobs.number[row])}": float(t.jobs.rate[row]) for row in running}


def _migrated(others: Sequence[_Job]) -> float:
    """Processor-seconds that it takes to bring a job of 3 into the row of *others*, at C = 10 s.

    The machine is as wide as *others* together; what fills its own row ends when the short ones of them do.
    """
    processors = sum(width for width, _ in others)
    jobs = [(3, _LONG_S), (processors - 3, _SHORT_S), *others]
    replay = _replay(jobs, processors, "mgs", {"mpl": 2, "migration_cost": 10.0, "migrated_tasks": 1000})
    # All that is short ends at one instant: each of two rows has half of the time.
    replay.run(until_s=2 * _SHORT_S)
    schedule = replay.schedule()
    return float(schedule.workload.processors[schedule.trace.job] @ schedule.trace.stall_s)


def _priced() -> Row:
    """Figure 13: a job of 4 stands in the way of one of 3; beside it two jobs of 1, with room behind them."""
    two = [(1, _LONG_S), (1, _LONG_S), (1, _SHORT_S), (2, _LONG_S), (3, _SHORT_S)]
    return {"option_2_s": _migrated([(4, _LONG_S), (3, _SHORT_S)]), "option_1_s": _migrated(two)}


EXAMPLES: Mapping[str, Callable[[], Row]] = {
    "figure 4": _backfilled,
    "figure 7": _shared,
    "figure 13": _priced,
}
