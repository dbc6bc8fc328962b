"""Listings by when jobs ended: ``ended_since_s`` of ListJobs."""

from typing import Any

import pytest

from molokini.compat.failures import Refused
from molokini.testing import cluster


@pytest.mark.parametrize("kept", [100, 0], ids=["in the memory", "in the table"])
def test_jobs_by_when_they_ended(kept: int) -> None:
    """Those that go on are always among them, and so is an array that is one line."""
    with cluster(history__finished_jobs=kept) as one:

        def submit(run_s: float, **more: Any) -> None:
            spec = {"estimate_s": 5000, "outcome": {"run_s": run_s}, **more}
            one.call("JobService", "Submit", spec=spec)

        begun_s = one.clock.now_s
        for run_s in (10, 20, 1000):
            submit(run_s)
        submit(30, array={"first": 1, "last": 2, "step": 1})
        submit(30, held=True)
        one.clock.advance(100)

        def listed(after_s: float, **more: Any) -> list[tuple[int, int]]:
            found = one.jobs(ended_since_s=begun_s + after_s, **more)
            return [(job["id"], job.get("array_index", -1)) for job in found]

        assert listed(0) == [(1, -1), (2, -1), (3, -1), (4, -1), (5, -1)]
        assert listed(20) == [(2, -1), (3, -1), (4, -1), (5, -1)]
        assert listed(20.5, expand_arrays=True) == [(3, -1), (4, 1), (4, 2), (5, -1)]
        assert listed(31, expand_arrays=True) == [(3, -1), (5, -1)]
        assert listed(31, job_ids=[1, 3]) == [(3, -1)]
        assert listed(31, include_ended=False) == [(3, -1), (5, -1)]


def test_an_instant_that_is_none() -> None:
    with cluster() as one, pytest.raises(Refused, match=r"ended_since_s: nan is not allowed"):
        one.jobs(ended_since_s="NaN")
