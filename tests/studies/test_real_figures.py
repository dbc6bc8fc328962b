"""Figures of real programs beside the simulated ones: a run of the benchmark, kept and read again."""

import json
from pathlib import Path

import pytest

from benchmarks import slicer_alone, target_rates
from benchmarks.record_rates import record_of
from molokini.model.errors import BadFile
from molokini.studies.claims import Verdict
from molokini.studies.lin2008_feedback import feedback_shown, real_claims, real_figures
from molokini.studies.lin2008_feedback.feedback_cases import cases
from molokini.studies.lin2008_feedback.feedback_claims import CLAIMS
from molokini.studies.lin2008_feedback.real_claims import ONLY_REAL, of_full_cores, of_full_speeds
from molokini.studies.lin2008_feedback.real_figures import MEASURED, Measured, Record, by_real, recorded
from molokini.studies.results import Results
from tests.kit.target_rates import Alone
from tests.studies.test_lin2008 import SEEDS, made_up

_ROWS = (
    ("another pair in force, 99th percentile of 200", 0.42, "ms", True),
    ("20 ms, slices of 10, 30, 50, 80%: share from the intended (most)", 1.4, "points", False),
    ("50 ms, slices of 10, 30, 50, 80%: misses", 1.0, "%", None),
)
PRINTED = [
    "alone 1.310/s, with 94.0% of the core of rank 0",
    *(
        json.dumps({"what": what, "value": value, "unit": unit, "wanted": "", "reached": reached})
        for what, value, unit, reached in _ROWS
    ),
]


def kept(file: Path) -> Record:
    record = record_of(PRINTED)
    file.write_text(record.as_text())
    found = recorded(file)
    assert found == record
    return record


def test_what_the_benchmark_prints_is_kept_and_read_again(tmp_path: Path) -> None:
    record = kept(tmp_path / "real.json")
    assert [one.value for one in record.rows] == [0.42, 1.4, 1.0]
    assert record.of("C9") == [Measured(record.rows[0].what, 0.42, "ms", True)]
    assert record.of("C13") == record.of("C8") == [record.rows[1]]
    assert record.of("C6") == [record.rows[2]]
    assert record.of("C1") == record.of("C2") == []


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"schema": "other/1"}'])
def test_a_file_that_is_no_record(tmp_path: Path, text: str) -> None:
    file = tmp_path / "real.json"
    file.write_text(text)
    with pytest.raises(BadFile, match=r"real\.json"):
        recorded(file)


def test_what_only_real_nodes_can_tell(tmp_path: Path) -> None:
    record = kept(tmp_path / "real.json")
    assert by_real("C9", record).verdict is Verdict.HOLDS
    assert by_real("C8", record).verdict is Verdict.UNDECIDED
    assert by_real("C6", record).verdict is Verdict.UNTESTABLE
    assert by_real("C9", None).verdict is Verdict.UNTESTABLE
    assert recorded(tmp_path / "none.json") is None


def test_names_of_rows_are_those_of_the_benchmark() -> None:
    """Whatever a row says behind its colon, such as for how long a miss was."""
    cores = slicer_alone.Shared(90, 0.4, -1.2, 0.5).rows("3 loops", judged=True)
    missing = slicer_alone.missing([{"misses": 2, "periods": 300, "missed_s": [0.001, 0.0012, 0.0012]}])
    alone = target_rates.alone_rows({"1:5": Alone(1.7, 0.92, 0.5)})
    record = record_of(json.dumps(one) for one in [*cores, missing, *alone])
    assert [one.value for one in record.of("C10")] == [0.4]
    assert [(one.value, one.reached) for one in record.of("C7")] == [(1.2, True)]
    assert [one.value for one in record.of("C21")] == [1.7]
    assert [one.value for one in record.of("C2")] == [8.0]


def test_nothing_is_missing_where_nothing_was_missed() -> None:
    found = slicer_alone.missing([{"misses": 0, "periods": 300, "missed_s": []}])
    assert (found["value"], found["reached"]) == (0.0, None)


@pytest.mark.parametrize(
    ("at_90", "at_98", "verdict"),
    [(0.5, 0.5, "holds"), (0.5, 6.0, "holds in shape"), (1.5, 6.0, "undecided")],
)
def test_full_cores_hold_in_shape_where_nearly_all_of_one_can_be_used(
    at_90: float, at_98: float, verdict: str
) -> None:
    rows = [
        row
        for share, missed in ((80, 0.0), (90, at_90), (98, at_98))
        for row in slicer_alone.Shared(share, missed, 0.0, 0.5).rows("2 loops", judged=True)
    ]
    assert of_full_cores(record_of(map(json.dumps, rows))).verdict == verdict
    assert of_full_cores(None).verdict is Verdict.UNTESTABLE


@pytest.mark.parametrize(
    ("slowest", "verdict"),
    [(1.0, "contradicted"), (0.95, "holds"), (0.8, "holds in shape"), (0.5, "contradicted")],
)
def test_full_speeds_differ_slightly(slowest: float, verdict: str) -> None:
    rows = target_rates.alone_rows({"5:1": Alone(slowest, 0.9, 0.5), "1:1": Alone(1.0, 0.9, 0.5)})
    assert of_full_speeds(record_of(map(json.dumps, rows))).verdict == verdict
    assert of_full_speeds(None).verdict is Verdict.UNTESTABLE


def test_the_table_says_which_side_has_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = Results(SEEDS, {(case, seed): made_up(seed) for case in cases() for seed in SEEDS})
    assert set(ONLY_REAL) <= MEASURED.keys() <= {claim.name for claim in CLAIMS}
    record = kept(tmp_path / "real.json")
    for given in (record, None):
        for module in (real_claims, feedback_shown):
            monkeypatch.setattr(module, "recorded", lambda given=given: given)
        table = feedback_shown.tables(results)[-1]
        judged = {row[0]: (row[2], row[3], row[4]) for row in table.rows}
        assert judged.keys() == MEASURED.keys()
        assert judged["C9"][2] == ("real" if given else "neither")
        assert judged["C13"][2] == "simulated"
        assert ("not as promised" in judged["C13"][1]) == (given is not None)
        assert judged["C31"][1] == "not recorded"


def test_the_record_that_is_kept_is_one() -> None:
    found = recorded()
    if found is not None:
        assert found.rows
        assert json.loads(real_figures.FILE.read_text())["schema"] == real_figures.SCHEMA
