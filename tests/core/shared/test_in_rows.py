"""Jobs start in the order of the queue, each in the row that it fits best."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.sim.agenda import next_instant
from tests.kit.matrix_rows import GANG, declared_of, row_settings
from tests.kit.replays import finished, prepared, starts
from tests.kit.workloads import Job, job_lists

PROCESSORS = 8
every = pytest.mark.parametrize("policy", GANG)


@every
@given(jobs=job_lists(PROCESSORS, most=6, refused=False), values=row_settings())
@settings(max_examples=40, deadline=None)
def test_with_a_row_for_every_job_nobody_waits(policy: str, jobs: list[Job], values: dict[str, Any]) -> None:
    replay = finished(jobs, policy, PROCESSORS, {**declared_of(policy, values), "mpl": max(1, len(jobs))})
    assert starts(replay) == replay.workload.submit_s.tolist()


@every
@given(jobs=job_lists(PROCESSORS), rows=st.integers(2, 4))
@settings(max_examples=40, deadline=None)
def test_jobs_as_wide_as_the_machine_have_a_row_each(policy: str, jobs: list[Job], rows: int) -> None:
    wide = [replace(job, width=PROCESSORS) for job in jobs]
    replay = prepared(wide, policy, PROCESSORS, {"mpl": rows, "context_switch": 0.25})
    while not replay.run(next_instant(replay.agenda, replay.tables)):
        t = replay.tables
        running = t.queue.running[: t.queue.running_count]
        assert running.size <= rows
        if running.size == 1:
            assert t.jobs.rate[running[0]] == 0.75


@given(jobs=job_lists(PROCESSORS), rows=st.integers(2, 3))
@settings(max_examples=30, deadline=None)
def test_narrow_jobs_start_alike_while_there_are_columns(jobs: list[Job], rows: int) -> None:
    narrow = [replace(job, width=1) for job in jobs][: PROCESSORS * rows]
    for policy in GANG:
        replay = finished(narrow, policy, PROCESSORS, {"mpl": rows})
        assert starts(replay) == replay.workload.submit_s.tolist()
