"""Builders of small schedules, so that a test reads as a story."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from molokini.sim.schedule import Schedule, Trace
from molokini.workloads.workload import Floats, Header, Workload

NAN = float("nan")


@dataclass(frozen=True)
class Ran:
    """One job and what became of it; seconds. ``start`` None: it never started."""

    submit: float
    start: float | None
    run: float
    processors: int = 1
    user: int = 1
    queue: int = 1
    estimate: float | None = None
    end: float | None = None
    """None: start plus run. NaN: still running when the replay was stopped."""
    refused: bool = False


def workload(jobs: Sequence[Ran], name: str = "small", header: Header | None = None) -> Workload:
    """The workload of *jobs*, which must be in order of submit; numbered from 1."""

    def ints(values: Sequence[int]) -> np.typing.NDArray[np.int64]:
        return np.array(values, dtype=np.int64)

    def floats(values: Sequence[float]) -> Floats:
        return np.array(values, dtype=np.float64)

    return Workload(
        name=name,
        number=np.arange(1, len(jobs) + 1, dtype=np.int64),
        submit_s=floats([job.submit for job in jobs]),
        run_s=floats([job.run for job in jobs]),
        estimate_s=floats([job.run if job.estimate is None else job.estimate for job in jobs]),
        processors=ints([job.processors for job in jobs]),
        user=ints([job.user for job in jobs]),
        group=ints([1 for _ in jobs]),
        queue=ints([job.queue for job in jobs]),
        records=np.full((len(jobs), 18), -1.0),
        header=header or Header(),
    )


def trace(*lines: tuple[float, int, float, float]) -> Trace:
    """A trace of (time, row of the job, rate, processors occupied), in order of time."""
    table = np.array(lines, dtype=np.float64).reshape(-1, 4)
    return Trace(table[:, 0], table[:, 1].astype(np.int64), table[:, 2], table[:, 3])


def schedule(
    *jobs: Ran,
    processors: int = 4,
    changes: Trace | None = None,
    policy: str = "fcfs",
    parameters: Mapping[str, float | int | str | bool] | None = None,
    name: str = "small",
) -> Schedule:
    """The schedule that *jobs* describe."""
    start = np.array([NAN if job.start is None else job.start for job in jobs], dtype=np.float64)
    given = np.array([NAN if job.end is None else job.end for job in jobs], dtype=np.float64)
    run = np.array([job.run for job in jobs], dtype=np.float64)
    natural = np.array([job.end is None for job in jobs], dtype=np.bool_)
    refused = np.array([job.refused for job in jobs], dtype=np.bool_)
    return Schedule(
        workload=workload(jobs, name),
        processors=processors,
        start_s=start,
        end_s=np.where(natural, start + run, given),
        run_s=run,
        refused_rows=refused,
        refused={"wider than the machine": int(refused.sum())} if refused.any() else {},
        trace=trace() if changes is None else changes,
        policy=policy,
        parameters=parameters or {},
    )


def replayed(work: Workload, processors: int, policy: str = "fcfs", order: Floats | None = None) -> Schedule:
    """*work* started first come first served by a plain loop (or in order of *order*, still after submit).

    A machine of interchangeable processors; slow and plain, for tests of what reads schedules.
    """
    free_at = np.zeros(processors)
    start = np.empty(len(work))
    earliest = 0.0
    for row in np.arange(len(work)) if order is None else np.argsort(order, kind="stable"):
        width = int(work.processors[row])
        chosen = np.argpartition(free_at, width - 1)[:width]
        start[row] = max(float(free_at[chosen].max()), float(work.submit_s[row]), earliest)
        earliest = start[row] if order is None else 0.0
        free_at[chosen] = start[row] + work.run_s[row]
    return Schedule(
        workload=work,
        processors=processors,
        start_s=start,
        end_s=start + work.run_s,
        run_s=work.run_s.copy(),
        refused_rows=np.zeros(len(work), dtype=np.bool_),
        refused={},
        trace=trace(),
        policy=policy,
        parameters={},
    )


def random_workload(
    jobs: int, processors: int, seed: int = 0, load: float = 0.8, users: int = 12
) -> Workload:
    """Poisson arrivals, power-of-two sizes, hyperexponential run times: bursty enough to queue."""
    random = np.random.default_rng(seed)
    sizes = 2 ** random.integers(0, int(np.log2(processors)), jobs)
    run = np.round(random.exponential(np.where(random.random(jobs) < 0.8, 200.0, 5000.0)))
    gap = float(np.mean(sizes * run)) / processors / load
    submit = np.round(np.cumsum(random.exponential(gap, jobs)))
    rows = [
        Ran(float(at), 0.0, float(length), int(width), int(user), int(user) % 3, float(length) * 2 + 1)
        for at, length, width, user in zip(
            submit, run, sizes, random.integers(1, users + 1, jobs), strict=True
        )
    ]
    return workload(rows, f"random-{seed}")


@st.composite
def schedules(draw: st.DrawFn, most: int = 12) -> Schedule:
    """Small valid schedules on 4 processors: whole seconds, ties and run times of 0 included."""
    jobs = draw(st.integers(1, most))
    gaps = draw(st.lists(st.integers(0, 5), min_size=jobs, max_size=jobs))
    runs = draw(st.lists(st.integers(0, 9), min_size=jobs, max_size=jobs))
    sizes = draw(st.lists(st.integers(1, 4), min_size=jobs, max_size=jobs))
    submits = np.cumsum(gaps)
    rows = [Ran(float(s), 0.0, float(r), w) for s, r, w in zip(submits, runs, sizes, strict=True)]
    return replayed(workload(rows), 4)
