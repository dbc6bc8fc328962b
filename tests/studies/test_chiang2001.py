"""The study of the Origin 2000: it is found, its months and logs are measured, its claims are judged."""

from collections.abc import Hashable
from dataclasses import replace
from pathlib import Path
from shutil import copyfile

import numpy as np
import pytest

from molokini.model.errors import BadInput
from molokini.studies.catalogue import names, study_of
from molokini.studies.chiang2001_o2k.o2k_cases import AnyCase, Month, Scheduled, cases_of
from molokini.studies.chiang2001_o2k.o2k_cases import run as run_case
from molokini.studies.chiang2001_o2k.o2k_claims import claims_over
from molokini.studies.chiang2001_o2k.o2k_logs import Logged, logs_of
from molokini.studies.claims import Verdict
from molokini.studies.report import report_of
from molokini.studies.results import Results
from molokini.studies.running import run_study
from molokini.studies.study import Point, Row, Size
from molokini.workloads.calendar import calendar
from molokini.workloads.generated import generated
from molokini.workloads.header import parse_header
from molokini.workloads.readers import read_workload
from molokini.workloads.swf import write_swf
from molokini.workloads.workload import Workload
from tests.clients.command_runs import ROOT

NAME = "chiang2001-o2k"
STUDY = study_of(NAME)
CLAIMS = STUDY.claims


def run(point: Point) -> Row:
    return run_case(None, point)


@pytest.fixture(scope="module")
def results() -> Results:
    rows: dict[tuple[Hashable, int], Row] = {
        (Month(), seed): run(Point(Month(), seed, 1.0)) for seed in (1, 2, 3)
    }
    return Results((1, 2, 3), rows)


def test_it_is_found_by_its_name() -> None:
    assert NAME in names()
    assert STUDY.name == NAME
    cases: list[AnyCase] = cases_of(())
    assert len(cases) == len(set(cases)) == 3


def test_what_the_model_was_set_to_it_keeps(results: Results) -> None:
    found = {claim.name: claim.judged(results).verdict for claim in CLAIMS}
    assert list(found) == [f"V{number}" for number in range(1, 18)]
    for name in ("V1", "V5", "V10", "V12", "V17"):
        assert found[name] is Verdict.HOLDS, name
    assert found["V7"] is Verdict.IN_SHAPE  # with three seeds the interval of a share ends beside its range
    assert found["V2"] is found["V16"] is Verdict.UNTESTABLE
    assert found["V13"] is Verdict.UNTESTABLE  # not run here


def test_table_5(results: Results) -> None:
    (table,) = STUDY.tables(results)
    assert [len(row) for row in table.rows] == [7] * 4


def test_a_seed_gives_the_same_month() -> None:
    assert run(Point(Month(), 1, 0.1)) == run(Point(Month(), 1, 0.1))
    assert run(Point(Month(), 1, 0.1)) != run(Point(Month(), 2, 0.1))


def test_backfilling_with_both_kinds_of_requests() -> None:
    STUDY.prepare()
    rows = [run(Point(Scheduled(kind), 1, 0.4)) for kind in ("requested", "exact")]
    assert all((row["mean_response_s"] or 0) > 0 for row in rows)
    assert rows[0] != rows[1]


def _dated(jobs: Workload) -> Workload:
    """The jobs as of a machine in Stockholm, from a Monday at midnight on."""
    lines = ("; MaxProcs: 960", "; UnixStartTime: 820450800", "; TimeZoneString: Europe/Stockholm")
    return replace(jobs, header=parse_header(lines))


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """A real month, a month of the model, whose gaps are known to be hyper-exponential, and no log."""
    folder = tmp_path / "logs"
    folder.mkdir()
    copyfile(ROOT / "examples" / "kth-sp2-month.swf.gz", folder / "KTH-SP2-1996-2.1-cln.swf.gz")
    model = generated("o2k")
    made = model.make(model.values({"jobs": "22000", "seconds": "fractions"}), 3)
    write_swf(_dated(made), folder / "MADE-2000-1.swf.gz")
    write_swf(made, folder / "NO-DATE-2000-1.swf.gz")
    return folder


def test_a_log_of_known_gaps_is_measured(logs: Path) -> None:
    kth, made = logs_of(logs)  # the third has no date, so no weekdays
    assert (kth.title, made.title) == ("KTH-SP2", "MADE")
    row = run_case(logs, Point(Logged(made), 1, 1.0))
    assert row == run_case(logs, Point(Logged(made), 2, 1.0))
    # The tables' weekdays: 30 an hour in the peak, then 11, then 3; gaps of a variation of 1.5.
    assert row["rate_peak"] == pytest.approx(30.0, rel=0.05)
    assert row["rate_middle"] == pytest.approx(11.0, rel=0.05)
    assert row["rate_low"] == pytest.approx(3.0, rel=0.1)
    assert row["gap_cv_peak"] == pytest.approx(1.5, abs=0.1)
    assert row["gap_cv_1_to_2"] == 1.0
    assert row["nearest_h2-moments"] == 1.0
    assert not row["pareto_with_downtime"]
    assert row["weekdays_apart"] < 0.1  # type: ignore[operator]
    assert row["memory_above_request"] == pytest.approx(0.16, abs=0.01)
    assert row["distance_weibull"] < row["distance_gamma"]  # type: ignore[operator]


@pytest.mark.deep
def test_downtime_that_is_left_in(logs: Path, tmp_path: Path) -> None:
    """Without the jobs of a Tuesday's afternoon one month has a gap that may be downtime."""
    (_, made) = logs_of(logs)
    jobs = read_workload(logs / made.name)
    found = calendar(jobs.header, jobs.submit_s)
    day = int(found.day[np.flatnonzero(found.weekday == 1)[0]])
    gone = (found.day == day) & (found.hour >= 10) & (found.hour < 16)
    folder = tmp_path / "down"
    folder.mkdir()
    write_swf(jobs.take(~gone), folder / made.name)
    (log,) = logs_of(folder)
    row = run_case(folder, Point(Logged(log), 1, 1.0))
    before = run_case(logs, Point(Logged(made), 1, 1.0))
    assert row["periods_with_downtime"] == (before["periods_with_downtime"] or 0) + 1
    assert row["pareto_with_downtime"] == 0.0
    assert row["gap_cv_peak"] == pytest.approx(1.5, abs=0.1)


def test_a_folder_of_no_use(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no log in it has a date"):
        logs_of(tmp_path)


@pytest.mark.deep
def test_with_logs_gaps_are_judged(logs: Path, tmp_path: Path) -> None:
    assert STUDY.over is not None
    study = STUDY.over(logs)
    report = report_of(run_study(study, Size("tiny", 2, 0.1), tmp_path, 1))
    finding = next(finding for claim, finding in report.findings if claim.name == "V2")
    assert finding.verdict is Verdict.UNTESTABLE  # those are not of the machine of the paper
    assert "H2 is nearest in" in finding.why
    assert [figure.name.rpartition(" ")[2] for figure in finding.figures] == ["KTH-SP2", "MADE"]
    assert [len(table.rows) for table in report.tables] == [4, 2, 2, 2]
    assert all(len(row) == len(table.columns) for table in report.tables for row in table.rows)


def test_the_page_is_of_these_claims() -> None:
    text = (ROOT / "docs" / "studies" / f"{NAME}.md").read_text()
    assert [one.text for one in claims_over(()) if " ".join(one.text.split()) not in text] == []
