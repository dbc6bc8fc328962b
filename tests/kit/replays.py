"""Running policies on small workloads, and reading what came out."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from molokini.model.machine import Machine
from molokini.model.policy import Value
from molokini.policies import load_policy
from molokini.sim.replay import Options, Overrun, Replay, Ties
from molokini.sim.schedule import Schedule
from tests.kit.policies import PROMPT
from tests.kit.reference import Member
from tests.kit.workloads import Job, workload_of

Times = list[float | None]


def prepared(
    jobs: Sequence[Job],
    policy: str = "easy",
    processors: int | Machine = 8,
    values: Mapping[str, Value] | None = None,
    **options: Any,
) -> Replay:
    """A replay of *jobs* that has not begun; *values* stand beside the policy's defaults."""
    loaded = load_policy(policy)
    machine = processors if isinstance(processors, Machine) else Machine.counted(processors)
    given = {**loaded.declaration.values({}), **PROMPT.get(policy, {}), **(values or {})}
    # A word alone is neither of the two, and would be taken for the one that is not asked about.
    for name, words in (("overrun", Overrun), ("ties", Ties)):
        if name in options:
            options[name] = words(options[name])
    return Replay(workload_of(jobs), machine, loaded, given, Options(**options))


def finished(
    jobs: Sequence[Job],
    policy: str = "easy",
    processors: int | Machine = 8,
    values: Mapping[str, Value] | None = None,
    **options: Any,
) -> Replay:
    """The same, run to its end."""
    replay = prepared(jobs, policy, processors, values, **options)
    assert replay.run()
    return replay


def listed(times: np.typing.NDArray[np.float64]) -> Times:
    """Seconds, None where it never happened."""
    return [None if math.isnan(at) else at for at in times.tolist()]


def starts(replay: Replay) -> Times:
    """Start of every job in order of submission."""
    return listed(replay.schedule().start_s)


def ends(replay: Replay) -> Times:
    """End of every job in order of submission."""
    return listed(replay.schedule().end_s)


def outcome(schedule: Schedule) -> list[Any]:
    """Everything that a schedule says about jobs, in a form that ``==`` compares.

    Changes of one instant in the order of jobs: that of decisions about different jobs says nothing of them.
    """
    arrays = (schedule.start_s, schedule.end_s, schedule.run_s, schedule.refused_rows)
    trace = schedule.trace
    order = np.lexsort((trace.job, trace.time_s))
    changes = [column[order] for column in (trace.time_s, trace.job, trace.rate, trace.occupied)]
    return [array.tobytes() for array in (*arrays, *changes)] + [dict(schedule.refused)]


def assert_as(replay: Replay, members: Sequence[Member]) -> None:
    """Start, end and refusal of every job as the reference simulator found them."""
    schedule = replay.schedule()
    assert listed(schedule.start_s) == [member.started for member in members]
    assert listed(schedule.end_s) == [member.ended for member in members]
    assert schedule.refused_rows.tolist() == [member.refused for member in members]
