"""What a workload says of its jobs, and what another one made from it keeps."""

from dataclasses import replace

import numpy as np
import pytest

from molokini.workloads.workload import SWF_FIELDS
from tests.core.workloads.builders import workload
from tests.kit.workloads import Job, workload_of

STATUS, REQUESTED = SWF_FIELDS.index("status"), SWF_FIELDS.index("requested_s")


@pytest.mark.parametrize(
    ("status", "run", "failed"),
    [(0, 9, True), (5, 9, True), (1, 9, False), (-1, 9, False), (0, 10, False), (5, 11, False)],
)
def test_a_job_failed_if_the_log_says_so_within_its_limit(status: int, run: float, failed: bool) -> None:
    jobs = workload_of([Job(0, run, estimate=10)])
    jobs.records[0, STATUS] = status
    assert jobs.failed.tolist() == [failed]


def test_who_gave_an_estimate() -> None:
    jobs = workload_of([Job(0, 5, estimate=10), Job(1, 5), Job(2, 5, estimate=0)])
    assert jobs.estimated.tolist() == [True, False, False]


def test_other_estimates_stand_in_the_records_too_and_the_old_workload_is_as_it_was() -> None:
    jobs = workload_of([Job(0, 5, estimate=10), Job(1, 5, estimate=20), Job(2, 7)])
    other = jobs.with_estimates(np.array([30.0, 0.0, 9.0]))
    assert other.estimate_s.tolist() == [30, 20, 9]
    assert other.records[:, REQUESTED].tolist() == [30, 20, 9]
    assert other.estimated.all()
    assert jobs.estimate_s.tolist() == [10, 20, 7]
    assert jobs.records[:, REQUESTED].tolist() == [10, 20, -1]
    assert jobs.with_estimates(np.zeros(3)) is jobs


def test_a_user_without_a_name_is_called_by_the_number_and_an_unknown_one_not_at_all() -> None:
    jobs = workload((0, 1, 1), (1, 1, 1), (2, 1, 1))
    jobs = replace(jobs, user=np.array([1, 2, -1]), names={"user": ("ann", "bob")})
    assert [jobs.name_of("user", row) for row in range(3)] == ["bob", "2", ""]
    assert jobs.name_of("queue", 0) == ""


def test_some_jobs_are_the_same_jobs_in_every_column() -> None:
    jobs = workload((0, 1, 2), (5, 3, 4), (9, 5, 6))
    for names in (jobs.user, jobs.group, jobs.queue):
        names[:] = [7, 8, 9]
    part = jobs.take(np.array([2, 0]))
    assert (part.number.tolist(), part.submit_s.tolist(), part.run_s.tolist()) == ([3, 1], [9, 0], [5, 1])
    assert (part.estimate_s.tolist(), part.processors.tolist()) == ([5, 1], [6, 2])
    assert part.user.tolist() == part.group.tolist() == part.queue.tolist() == [9, 7]
    assert part.records.tolist() == jobs.records[[2, 0]].tolist()
