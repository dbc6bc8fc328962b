"""Builders and strategies of workloads, so that a test reads as a story.

Times are whole seconds with many ties unless a test says otherwise; numbers follow the order of the
jobs unless they are given.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType

import numpy as np
from hypothesis import strategies as st

from molokini.workloads.recorded import Recorded
from molokini.workloads.workload import SWF_FIELDS, Workload


@dataclass(frozen=True)
class Job:
    """One job of a small workload, seconds. ``estimate`` None: it gives none, and the one taken is right."""

    submit: float
    run: float
    width: int = 1
    estimate: float | None = None
    number: int = 0
    user: int = 1

    @property
    def estimated(self) -> float:
        """What a policy sees."""
        return self.run if self.estimate is None else self.estimate


def in_order(jobs: Sequence[Job]) -> list[Job]:
    """*jobs* numbered (from 1, where they have no number) and in order of submit time, then number."""
    numbered = [replace(job, number=job.number or k + 1) for k, job in enumerate(jobs)]
    return sorted(numbered, key=lambda job: (job.submit, job.number))


def workload_of(jobs: Sequence[Job], name: str = "small") -> Workload:
    """The workload of *jobs*, in order of submit time, then number."""
    rows = in_order(jobs)
    records = np.full((len(rows), 18), -1.0)
    given = [-1.0 if job.estimate is None else job.estimate for job in rows]
    records[:, SWF_FIELDS.index("requested_s")] = given
    return Workload(
        name=name,
        number=np.array([job.number for job in rows], dtype=np.int64),
        submit_s=np.array([job.submit for job in rows], dtype=np.float64),
        run_s=np.array([job.run for job in rows], dtype=np.float64),
        estimate_s=np.array([job.estimated for job in rows], dtype=np.float64),
        processors=np.array([job.width for job in rows], dtype=np.int64),
        user=np.array([job.user for job in rows], dtype=np.int64),
        group=np.ones(len(rows), dtype=np.int64),
        queue=np.ones(len(rows), dtype=np.int64),
        records=records,
    )


def with_arrays(
    workload: Workload, arrays: Sequence[int], limits: Mapping[int, int] = MappingProxyType({})
) -> Workload:
    """*workload* whose jobs are elements of *arrays* (0: of none), with so many running at a time."""
    jobs = len(workload)
    nobody, unknown = np.full(jobs, -1, dtype=np.int64), np.full(jobs, np.nan)
    none = np.zeros(jobs, dtype=np.int64)
    return replace(
        workload,
        recorded=Recorded(
            account=nobody,
            qos=nobody,
            submit_s=workload.submit_s,
            eligible_s=unknown,
            start_s=unknown,
            end_s=unknown,
            priority=unknown,
            started_by=none,
            least_nodes=none,
            most_nodes=none,
            least_s=np.zeros(jobs),
            alone=np.zeros(jobs, dtype=np.bool_),
            licenses=nobody,
            generic=nobody,
            constraint=nobody,
            array=np.array(arrays, dtype=np.int64),
            array_limit=np.array([limits.get(array, 0) for array in arrays], dtype=np.int64),
            reservation=nobody,
        ),
    )


def jobs_of(workload: Workload) -> list[Job]:
    """The jobs of *workload*, as the reference simulators want them."""
    columns = (workload.submit_s, workload.run_s, workload.processors, workload.estimate_s, workload.number)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [Job(submit, run, width, estimate, number) for submit, run, width, estimate, number in rows]


@cache
def job_lists(
    processors: int = 8, most: int = 24, refused: bool = True, exact: bool = False, shortest: int = 0
) -> st.SearchStrategy[list[Job]]:
    """Jobs with many ties, run times of 0, run times above the estimate, and (*refused*) too wide ones.

    With *exact* every estimate is right. No estimate is below *shortest*. Numbers are mixed, so that they
    do not follow submission.
    """
    widest = processors + 2 if refused else processors
    gap = st.sampled_from([0, 0, 0, 1, 1, 2, 3, 7])
    length = st.integers(0, 12)
    width = st.one_of(
        st.integers(1, widest), st.sampled_from([1, processors // 2, processors - 1, processors])
    )
    one = st.tuples(gap, length, width, st.none() if exact else st.one_of(st.none(), length))
    some = st.lists(one, min_size=1, max_size=most)

    @st.composite
    def build(draw: st.DrawFn) -> list[Job]:
        rows = draw(some)
        numbers = draw(_orders(len(rows)))
        jobs, at = [], 0
        for (gap_s, run, wide, estimate), number in zip(rows, numbers, strict=True):
            at += gap_s
            estimated = max(shortest, run if estimate is None else estimate)
            jobs.append(Job(at, run, max(1, wide), estimated, number))
        return in_order(jobs)

    return build()


@cache
def _orders(count: int) -> st.SearchStrategy[list[int]]:
    return st.permutations(range(1, count + 1))
