"""The matrix of jobs that have ended, beside figures by hand."""

from dataclasses import replace

import numpy as np
import pytest

from molokini.model.errors import BadValue
from molokini.reports import report
from molokini.reports.snapshot import Finished, ReportRequest
from tests.kit.pictured import picture

# Two of up to 4 processors and a limit of up to an hour, one of 8 for two hours; the last one never started.
DONE = Finished(
    submit_s=np.array([0.0, 0.0, 0.0, 0.0]),
    start_s=np.array([3600.0, 0.0, 7200.0, np.nan]),
    end_s=np.array([5400.0, 3600.0, 14400.0, 10.0]),
    processors=np.array([3, 4, 8, 64]),
    estimate_s=np.array([3600.0, 3600.0, 7200.0, 10.0]),
    well=np.array([1, 1, 1, 0]),
)


def cells(statistic: str) -> list[list[tuple[float | None, int]]]:
    found = report("grid", replace(picture(), finished=DONE), ReportRequest(by=statistic))
    assert [one["processors"] for one in found["rows"]] == [4, 8]
    assert found["wall_times_s"] == [3600.0, 7200.0]
    rows = [[*one["cells"], one["total"]] for one in found["rows"]]
    rows.append([*found["totals"], found["total"]])
    return [[(one["value"], one["jobs"]) for one in row] for row in rows]


@pytest.mark.parametrize(
    ("statistic", "small", "wide", "all_of_them"),
    [
        ("AVGXFACTOR", 1.5, 2.0, 5 / 3),
        ("maxxfactor", 2.0, 2.0, 2.0),
        ("AVGQTIME", 0.5, 2.0, 1.0),
        ("JOBCOUNT", 2.0, 1.0, 3.0),
        ("PHREQUEST", 7.0, 16.0, 23.0),
        ("PHRUN", 5.5, 16.0, 21.5),
        ("WCACCURACY", 75.0, 100.0, 250 / 3),
    ],
)
def test_cells_and_totals_have_their_jobs(
    statistic: str, small: float, wide: float, all_of_them: float
) -> None:
    # Lines of 3 and 4 processors are one row: up to 4.
    first, second, last = cells(statistic)
    assert first == [(small, 2), (None, 0), (small, 2)]
    assert second == [(None, 0), (wide, 1), (wide, 1)]
    assert last == [(small, 2), (wide, 1), (pytest.approx(all_of_them), 3)]


def test_nothing_has_ended_yet_and_no_such_statistic() -> None:
    found = report("grid", replace(picture(), finished=Finished()))
    assert (found["rows"], found["wall_times_s"], found["total"]) == ([], [], {"value": None, "jobs": 0})
    with pytest.raises(BadValue, match="WCACCURACY"):
        report("grid", picture(), ReportRequest(by="colour"))


def test_means_are_weighted_by_jobs_processors_and_work() -> None:
    found = report("grid", replace(picture(), finished=DONE), ReportRequest(by="AVGQTIME"))["weighted"]
    # Waits of 1, 0 and 2 hours; 3, 4 and 8 processors; 1.5, 4 and 16 processor-hours.
    assert found == pytest.approx({"jobs": 1.0, "processors": 19 / 15, "processor_seconds": 33.5 / 21.5})
    nothing = report("grid", replace(picture(), finished=Finished()))["weighted"]
    assert nothing == {"jobs": None, "processors": None, "processor_seconds": None}
