"""The study of ``adaptive``: pieces of logs, what is measured, and that its page is of these claims."""

import re
from collections.abc import Hashable
from pathlib import Path
from shutil import copyfile

import numpy as np
import pytest

from molokini.studies.adaptive.adaptive_cases import (
    CANDIDATES,
    LOADS,
    PIECES,
    Loaded,
    cases_of,
    logs_of,
    piece_of,
    run,
)
from molokini.studies.adaptive.adaptive_claims import claims_over
from molokini.studies.catalogue import study_of
from molokini.studies.claims import Verdict
from molokini.studies.log_files import Log
from molokini.studies.results import Results
from molokini.studies.study import Point, Row
from molokini.workloads.readers import read_workload
from tests.clients.command_runs import ROOT, shell

STUDY = study_of("adaptive")
MONTH = ROOT / "examples" / "kth-sp2-month.swf.gz"
LOGS = [Log(f"log-{name}.swf", "0") for name in "abcd"]


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    copyfile(MONTH, tmp_path / "KTH-SP2-1996-2.1-cln.swf.gz")
    return tmp_path


def test_seeds_are_pieces_of_a_log_that_do_not_overlap() -> None:
    whole = read_workload(MONTH)
    found = [piece_of(whole, seed, 100_000) for seed in range(1, PIECES + 1)]
    numbers = np.concatenate([piece.number for piece in found])
    assert len(set(numbers.tolist())) == len(numbers) == PIECES * (len(whole) // PIECES)
    later = piece_of(whole, PIECES + 1, 100_000)
    assert found[0].number[0] < later.number[0] < found[1].number[0]
    assert len(piece_of(whole, PIECES * 2, 100_000)) == len(found[0])


def test_every_policy_is_measured_on_the_same_jobs(logs: Path) -> None:
    (log,) = logs_of(logs)
    row = run(logs, Point(Loaded(log, 1.2), 3, 0.08))
    assert row["jobs"] == 200
    for place in ("c0", "c1", "c2", "c3", "adaptive"):
        slowdown = row[f"slowdown_{place}"]
        assert slowdown is not None
        assert slowdown >= 1.0
    shares = [row[f"share_c{k}"] for k in range(len(CANDIDATES))]
    assert sum(one for one in shares if one is not None) == pytest.approx(1.0 if row["looks"] else 0.0)
    exact = run(logs, Point(Loaded(log, 1.0, True), 3, 0.08))
    assert exact["jobs"] == 200


def made_up(adaptive: float) -> Results:
    """Rows in which each candidate's slowdown is known, and differs a little from seed to seed."""
    rows: dict[tuple[Hashable, int], Row] = {}
    for case in cases_of(LOGS):
        for seed in (1, 2, 3):
            wiggle = 1.0 + 0.01 * seed
            row: dict[str, float | int | None] = {}
            for k, slowdown in enumerate((40.0, 20.0, 10.0, 15.0)):
                row |= {
                    f"{metric}_c{k}": slowdown * wiggle for metric in ("slowdown", "wait_s", "longest_wait_s")
                }
            row |= {
                f"{metric}_adaptive": adaptive * wiggle**2
                for metric in ("slowdown", "wait_s", "longest_wait_s")
            }
            rows[case, seed] = row
    return Results((1, 2, 3), rows)


def verdicts(results: Results) -> dict[str, Verdict]:
    return {one.name: one.judged(results).verdict for one in claims_over(LOGS)}


def test_the_claims_say_what_the_rows_say() -> None:
    good, bad = verdicts(made_up(8.0)), verdicts(made_up(12.0))
    assert (good["no-worse"], bad["no-worse"]) == (Verdict.HOLDS, Verdict.CONTRADICTED)
    assert (good["over-each"], bad["over-each"]) == (Verdict.HOLDS, Verdict.CONTRADICTED)
    assert (good["over-easy"], bad["over-easy"]) == (Verdict.HOLDS, Verdict.HOLDS)
    assert (good["longest"], good["waits"]) == (Verdict.CONTRADICTED, Verdict.HOLDS)
    # One candidate is the best everywhere in these rows.
    assert good["no-one-best"] is Verdict.UNDECIDED


def test_without_logs_nothing_can_be_judged() -> None:
    nothing = Results((1, 2), {})
    assert {claim.judged(nothing).verdict for claim in STUDY.claims} == {Verdict.UNTESTABLE}
    assert len(cases_of(LOGS)) == len(LOGS) * (len(LOADS) + 1)


def test_the_page_is_of_these_claims() -> None:
    text = (ROOT / "docs" / "studies" / "adaptive.md").read_text()
    assert [one.text for one in STUDY.claims if " ".join(one.text.split()) not in text] == []
    for picture in re.findall(r"\]\((adaptive/[^)]+)\)", text):
        assert (ROOT / "docs" / "studies" / picture).exists(), picture


@pytest.mark.deep
@pytest.mark.waits
@pytest.mark.dear("two workers of Dask start and load the engine that looks ahead")
def test_the_page_is_the_same_from_dask(logs: Path, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    found = []
    for name, *where in (("here", "--workers", 1), ("dask", "--dask", "local", "--workers", 2)):
        out = tmp_path / name
        ran = shell("study", "adaptive", "--quick", "--logs", logs, *where, "--output", out)
        assert (ran.code, "12 runs, 0 of them from an earlier one" in ran.out) == (0, True), ran.err
        rows = sorted((out / "adaptive.runs.jsonl").read_bytes().splitlines())
        pictures = sorted((one.name, one.read_bytes()) for one in (out / "adaptive").iterdir())
        found.append(((out / "adaptive.md").read_bytes(), rows, pictures))
    assert found[0] == found[1]
