"""Rows over time: each job is drawn in the rows in which it stands, as long as it does."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.model.errors import BadInput
from molokini.plots import rows_over_time
from molokini.plots.layout import Pieces, cut_by_home, place
from molokini.plots.row_charts import in_row
from molokini.workloads.workload import Floats
from tests.kit.matrix_rows import GANG, job
from tests.kit.replays import finished
from tests.kit.workloads import Job, job_lists

JOBS = [job(3, 20), job(2, 20), job(1, 40), job(4, 20, 5)]

COPY = "copy, not in\nits home row"


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
    shown = (schedule, in_row(schedule, 0), in_row(schedule, 1))
    whole, first, second = (areas(place(one, 1e6), len(jobs)) for one in shown)
    assert (first + second) / 2 == pytest.approx(whole, rel=1e-6, abs=1e-4)


def test_a_chart_for_each_row_and_one_legend() -> None:
    schedule = finished(JOBS, "gs", 4, {"mpl": 2}, interpreted=True).schedule()
    figure = rows_over_time(schedule)
    axes = figure.axes
    assert [one.get_ylabel() for one in axes] == ["row 0\nprocessors", "row 1\nprocessors"]
    assert [one.get_legend() for one in axes] == [None, None]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [*("1", "2", "3-4"), COPY]
    assert [one.get_xlabel() == "" for one in axes] == [True, False]


def test_copies_outside_the_home_row_are_hatched() -> None:
    # 1 and 2 fill a row each; 3 came after them, is at home in row 0 and has a copy in row 1.
    schedule = finished(JOBS[:3], "gs", 4, {"mpl": 2}, interpreted=True).schedule()
    hatched = [[one for one in axes.collections if one.get_hatch()] for axes in rows_over_time(schedule).axes]
    assert [len(shapes) for shapes in hatched] == [0, 1]
    [copy] = hatched[1][0].get_paths()
    assert (copy.get_extents().x0, copy.get_extents().height) == (0.0, 1.0)


@given(jobs=job_lists(4, most=8, refused=False, shortest=1), policy=st.sampled_from(GANG))
@settings(max_examples=25, deadline=None)
def test_one_row_is_the_home_of_a_job_as_long_as_it_runs(jobs: list[Job], policy: str) -> None:
    schedule = finished(jobs, policy, 4, {"mpl": 2}, interpreted=True).schedule()
    at_home, difference = np.zeros(len(jobs)), np.zeros(len(jobs))
    for r in (0, 1):
        pieces = place(in_row(schedule, r), 1e6)
        cut, copies = cut_by_home(pieces, schedule.trace, r)
        at_home += areas(cut.of(~copies), len(jobs))
        difference += areas(cut, len(jobs)) - areas(pieces, len(jobs))
    assert at_home == pytest.approx(schedule.workload.processors * (schedule.end_s - schedule.start_s))
    assert difference == pytest.approx(np.zeros(len(jobs)), abs=1e-6)


def areas(pieces: Pieces, jobs: int) -> Floats:
    """Processor-seconds of each job."""
    sums: Floats = np.zeros(jobs)
    np.add.at(sums, pieces.job, (pieces.end_s - pieces.start_s) * (pieces.high - pieces.low))
    return sums


def test_a_policy_without_rows_is_refused() -> None:
    with pytest.raises(BadInput, match="easy has no rows"):
        rows_over_time(finished(JOBS, "easy", 4, interpreted=True).schedule())
