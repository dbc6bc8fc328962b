"""Rows over time: each job is drawn in the rows in which it stands, as long as it does."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.model.errors import BadInput
from molokini.plots import rows_over_time
from molokini.plots.layout import place
from molokini.plots.row_charts import in_row
from tests.kit.matrix_rows import GANG, job
from tests.kit.replays import finished
from tests.kit.workloads import Job, job_lists

JOBS = [job(3, 20), job(2, 20), job(1, 40), job(4, 20, 5)]


def pieces(jobs: list[Job], r: int, policy: str = "gs") -> list[tuple[int, float, float, float]]:
    schedule = finished(jobs, policy, 4, {"mpl": 2}, interpreted=True).schedule()
    found = place(in_row(schedule, r), 1e6)
    columns = (found.job, found.start_s, found.end_s, found.high - found.low)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [(job, round(start, 6), round(end, 6), width) for job, start, end, width in rows]


def test_a_job_stands_in_its_rows_while_it_does() -> None:
    # 1 (3 wide) and 2 (2 wide) have a row each until 40; 3 (1 wide) has both, and does its work in 40 s.
    first, second = pieces(JOBS[:3], 0), pieces(JOBS[:3], 1)
    assert (0, 0.0, 40.0, 3.0) in first
    assert (1, 0.0, 40.0, 2.0) in second
    assert [one for one in first + second if one[0] == 2] == [(2, 0.0, 40.0, 1.0)] * 2


@given(jobs=job_lists(4, most=8, refused=False, shortest=1), policy=st.sampled_from(GANG))
@settings(max_examples=25, deadline=None)
def test_all_rows_together_are_what_jobs_occupy(jobs: list[Job], policy: str) -> None:
    schedule = finished(jobs, policy, 4, {"mpl": 2}, interpreted=True).schedule()
    areas = []
    for one in (schedule, in_row(schedule, 0), in_row(schedule, 1)):
        found = place(one, 1e6)
        area = (found.end_s - found.start_s) * (found.high - found.low)
        areas.append(np.bincount(found.job, area, len(jobs)))
    assert (areas[1] + areas[2]) / 2 == pytest.approx(areas[0], rel=1e-6, abs=1e-4)


def test_a_chart_for_each_row_and_one_legend() -> None:
    schedule = finished(JOBS, "gs", 4, {"mpl": 2}, interpreted=True).schedule()
    figure = rows_over_time(schedule)
    axes = figure.axes
    assert [one.get_ylabel() for one in axes] == ["row 0\nprocessors", "row 1\nprocessors"]
    assert [one.get_legend() for one in axes] == [None, None]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["1", "2", "3-4"]
    assert [one.get_xlabel() == "" for one in axes] == [True, False]


def test_a_policy_without_rows_is_refused() -> None:
    with pytest.raises(BadInput, match="easy has no rows"):
        rows_over_time(finished(JOBS, "easy", 4, interpreted=True).schedule())
