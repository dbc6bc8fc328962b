"""The study ``fidelity``: pieces of logs, what is measured, and that its claims say what rows say."""

from collections.abc import Hashable
from pathlib import Path
from shutil import copyfile

import numpy as np
import pytest

from molokini.studies.catalogue import study_of
from molokini.studies.claims import Verdict
from molokini.studies.fidelity.fidelity_cases import (
    BESIDE,
    EASY,
    EVERY,
    NODED,
    PIECES,
    SLOW,
    SLURM,
    Pieces,
    cases_of,
    logs_of,
    piece_of,
    run,
)
from molokini.studies.fidelity.fidelity_claims import claims_over
from molokini.studies.fidelity.fidelity_shown import pictures_over, tables_over
from molokini.studies.log_files import Log
from molokini.studies.results import Results
from molokini.studies.study import Point, Row
from molokini.workloads.readers import read_workload
from tests.clients.command_runs import ROOT

MONTH = ROOT / "examples" / "kth-sp2-month.swf.gz"
LOGS = [Log("CEA-Curie-2011-2.1-cln.swf", "0"), Log("other.swf", "0")]


def made_up(slurm_s: float, slow_s: float = 2000.0, within: float = 1.0) -> Results:
    """Rows in which every mean wait is 1,000 s but for those of ``slurm`` as it is, and with slow passes."""
    rows: dict[tuple[Hashable, int], Row] = {}
    for case in cases_of(LOGS):
        for seed in (1, 2, 3):
            wiggle = 1.0 + 0.001 * seed
            row: dict[str, float | int | None] = {"wait_s_log": 1000.0}
            for name in EVERY:
                wait_s = {SLURM: slurm_s * wiggle, SLOW: slow_s}.get(name, 1000.0)
                row |= {f"{one}_{name}": wait_s for one in ("wait_s", "slowdown", "longest_wait_s")}
                row |= {f"{one}_{name}": 0.5 for one in ("at_once", "by_backfill")}
            for name in BESIDE:
                share = within if name == "phase" else 0.5 * wiggle if name == EASY else 0.9
                row |= {f"within_{name}": share, f"later_{name}": 0.1, f"sooner_{name}": 0.0}
            rows[case, seed] = row
    return Results((1, 2, 3), rows)


def verdicts(results: Results) -> dict[str, Verdict]:
    return {one.name: one.judged(results).verdict for one in claims_over(LOGS)}


def test_the_claims_say_what_the_rows_say() -> None:
    near, far = verdicts(made_up(1020.0)), verdicts(made_up(1500.0, within=0.8))
    for name in ("near", "grid", "timers", "horizon", "recorded", "phase"):
        assert (near[name], far[name]) == (Verdict.HOLDS, Verdict.CONTRADICTED), name
    assert (near["waits"], verdicts(made_up(900.0))["waits"]) == (Verdict.HOLDS, Verdict.CONTRADICTED)
    assert (near["longest"], verdicts(made_up(900.0))["longest"]) == (Verdict.CONTRADICTED, Verdict.HOLDS)
    assert (near["interval"], verdicts(made_up(900.0, 800.0))["interval"]) == (
        Verdict.HOLDS,
        Verdict.CONTRADICTED,
    )
    assert near["plans"] is Verdict.HOLDS
    assert near["maui"] is near["conservative"] is Verdict.HOLDS


def test_without_logs_no_claim_can_be_tested() -> None:
    found = [one.judged(Results((1,), {})).verdict for one in claims_over(())]
    assert set(found) == {Verdict.UNTESTABLE}
    assert study_of("fidelity").pictures(Results((1,), {})) == []


def test_every_log_has_a_panel_and_a_row() -> None:
    results = made_up(1020.0)
    (picture,) = pictures_over(results, LOGS)
    assert [panel.title for panel in picture.panels] == [log.title for log in LOGS]
    for table in tables_over(results, LOGS):
        assert [len(row) for row in table.rows] == [len(table.columns)] * len(LOGS)


def test_seeds_are_pieces_of_a_log_that_do_not_overlap() -> None:
    whole = read_workload(MONTH)
    found = [piece_of(whole, seed, 100_000) for seed in range(1, PIECES + 1)]
    numbers = np.concatenate([piece.number for piece in found])
    assert len(set(numbers.tolist())) == len(numbers) == PIECES * (len(whole) // PIECES)


def test_every_policy_is_measured_on_the_same_jobs(tmp_path: Path) -> None:
    copyfile(MONTH, tmp_path / "KTH-SP2-1996-2.1-cln.swf.gz")
    (log,) = logs_of(tmp_path)
    row = run(tmp_path, Point(Pieces(log), 3, 0.05))
    assert row["jobs"] == 200
    for name in EVERY:
        slowdown = row[f"slowdown_{name}"]
        assert slowdown is not None
        assert slowdown >= 1.0, name
    for name in (SLURM, NODED):
        assert row[f"by_backfill_{name}"] == pytest.approx(0.5, abs=0.5)
