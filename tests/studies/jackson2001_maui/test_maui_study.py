"""The study of Jackson, Snell and Clement: figure 1 exactly, what it measures by hand, and bad folders."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from shutil import copyfile

import numpy as np
import pytest

from molokini.sim.schedule import Schedule
from molokini.studies.catalogue import study_of
from molokini.studies.claims import Verdict
from molokini.studies.jackson2001_maui.maui_cases import (
    ALGORITHMS,
    FULL,
    Replayed,
    SixNodes,
    logs_of,
    replayed,
    run,
    workload_of,
)
from molokini.studies.jackson2001_maui.maui_measures import measured, out_of_order, small_and_short, used
from molokini.studies.log_files import Log
from molokini.studies.report import report_of
from molokini.studies.running import run_study
from molokini.studies.study import Point, Size
from molokini.workloads.scaling import offered_load
from molokini.workloads.workload import SWF_FIELDS
from tests.clients.command_runs import ROOT, Ran
from tests.kit.schedules import Ran as Job
from tests.kit.schedules import schedule

STUDY = study_of("jackson2001-maui")
MONTH = ROOT / "examples" / "kth-sp2-month.swf.gz"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    copyfile(MONTH, tmp_path / "KTH-SP2-1996-2.1-cln.swf.gz")
    (tmp_path / "README.md").write_text("no log\n")
    return tmp_path


def test_the_pseudo_delay_of_figure_1() -> None:
    without = run(None, Point(SixNodes("none"), 1, 1.0))
    backfilled = run(None, Point(SixNodes("firstfit"), 1, 1.0))
    assert without == {"start_of_a_h": 0.0, "start_of_b_h": 2.0, "start_of_c_h": 3.0}
    assert backfilled == {"start_of_a_h": 0.0, "start_of_b_h": 3.0, "start_of_c_h": 0.0}


def test_a_log_is_known_by_its_bytes(logs: Path) -> None:
    (log,) = logs_of(logs)
    assert (log.name, log.title) == ("KTH-SP2-1996-2.1-cln.swf.gz", "KTH-SP2")
    assert Log("lublin_256.swf.gz", "").title == "lublin_256"
    assert len(log.digest) == 16


def test_a_load_is_offered(logs: Path) -> None:
    (log,) = logs_of(logs)
    asked = workload_of(logs, log, 1, 1.0, FULL)
    assert asked.machine_processors == 100
    assert offered_load(asked, 100) == pytest.approx(FULL)
    assert len(workload_of(logs, log, 1, 0.1, None)) == 250
    as_recorded, shaken = (workload_of(logs, log, seed, 1.0, None) for seed in (1, 2))
    assert as_recorded.submit_s.tolist() != shaken.submit_s.tolist()


def test_what_is_measured_by_hand() -> None:
    # One processor each on two; without backfill the third waits for the second, which needs both.
    def with_third_at(start_s: float) -> Schedule:
        return schedule(Job(0, 0, 10), Job(0, 10, 10, 2), Job(0, start_s, 5), Job(40, 40, 1), processors=2)

    without, backfilled = with_third_at(20), with_third_at(0)
    assert used(without, 0.0, 40.0) == pytest.approx((10 + 20 + 5) / 80)
    assert out_of_order(without).tolist() == [False, False, False, False]
    assert out_of_order(backfilled).tolist() == [False, False, True, False]
    row = measured(without, {"firstfit": backfilled})
    assert row["later_share_firstfit"] == 0
    assert row["sooner_share_firstfit"] == 0.25
    assert row["backfilled_share_firstfit"] == 0.25
    assert row["others_later_s_firstfit"] == 0
    assert row["turnaround_s_none"] == pytest.approx((10 + 20 + 25 + 1) / 4)
    assert row["turnaround_s_firstfit"] == pytest.approx((10 + 20 + 5 + 1) / 4)
    assert row["later_h_q000_firstfit"] == pytest.approx(-20 / 3600)
    assert {"later_h_q090_firstfit", "later_h_q099_5_firstfit", "later_h_q100_firstfit"} <= row.keys()


def test_small_and_short_is_below_both_medians() -> None:
    jobs = [Job(0, 0, run_s, width) for width in (1, 4) for run_s in (10, 30)]
    found = small_and_short(schedule(*jobs, processors=16))
    assert found.tolist() == [True, False, False, False]


def test_a_real_log_with_and_without(logs: Path) -> None:
    (log,) = logs_of(logs)
    row = run(logs, Point(Replayed(log, FULL), 1, 0.5))
    jobs = workload_of(logs, log, 1, 0.5, FULL)
    assert row["jobs"] == len(jobs) == 1250
    none, first = (row[f"used_{name}"] for name in ("none", "firstfit"))
    assert none is not None
    assert first is not None
    assert none < first <= 1.0
    assert row["backfilled_share_firstfit"] == np.mean(out_of_order(replayed(jobs, ALGORITHMS[0])))
    assert not out_of_order(replayed(jobs, "none")).any()


def test_without_logs_only_figure_1_can_be_judged(tmp_path: Path) -> None:
    report = report_of(run_study(STUDY, Size("tiny", 2, 0.1), tmp_path, 1))
    assert report.verdicts[Verdict.HOLDS] == 1
    assert report.verdicts[Verdict.UNTESTABLE] == len(STUDY.claims) - 1


def test_with_logs_all_of_it_is_judged(logs: Path, tmp_path: Path) -> None:
    assert STUDY.over is not None
    study = STUDY.over(logs)
    report = report_of(run_study(study, Size("tiny", 2, 0.2), tmp_path, 1))
    assert report.verdicts[Verdict.UNTESTABLE] == 0
    assert sum(report.verdicts.values()) == len(study.claims)
    assert [len(picture.panels) for picture in report.pictures] == [2, 1]
    assert len(report.tables[0].rows) == 2


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["jackson2001-maui", "--logs", "absent"], 2, "absent: is no folder"),
        (["bucur2001-coallocation", "--logs", "."], 2, "--logs: bucur2001-coallocation is made over no logs"),
    ],
)
def test_no_such_folder(molokini: Callable[..., Ran], arguments: list[str], code: int, said: str) -> None:
    done = molokini("study", *arguments)
    assert done.code == code
    assert said in done.err


def test_a_folder_without_logs(molokini: Callable[..., Ran], tmp_path: Path) -> None:
    done = molokini("study", "jackson2001-maui", "--logs", str(tmp_path))
    assert done.code == 2
    assert "no log in it has users' estimates" in done.err


def test_the_page_is_of_these_claims() -> None:
    text = (ROOT / "docs" / "studies" / "jackson2001-maui.md").read_text()
    assert [one.text for one in STUDY.claims if " ".join(one.text.split()) not in text] == []
    assert "molokini study jackson2001-maui --logs DIR" in text
    for picture in re.findall(r"\]\((jackson2001-maui/[^)]+)\)", text):
        assert (ROOT / "docs" / "studies" / picture).exists(), picture


def test_jobs_without_a_limit_do_not_use_all_of_it() -> None:
    told = schedule(Job(0, 0, 10, estimate=40), Job(20, 20, 10, estimate=10))
    records = told.workload.records.copy()
    records[:, SWF_FIELDS.index("requested_s")] = 40, 10
    told = replace(told, workload=replace(told.workload, records=records.copy()))
    records[1, SWF_FIELDS.index("requested_s")] = -1
    half = replace(told, workload=replace(told.workload, records=records))
    assert (measured(told, {})["limit_used"], measured(told, {})["jobs_without_limit"]) == (0.625, 0)
    assert (measured(half, {})["limit_used"], measured(half, {})["jobs_without_limit"]) == (0.25, 1)
