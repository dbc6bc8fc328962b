"""Figures of real programs beside the simulated ones: a run of the benchmark, kept and read again."""

import json
from pathlib import Path

import pytest

from benchmarks.record_rates import record_of
from molokini.model.errors import BadFile
from molokini.studies.claims import Verdict
from molokini.studies.lin2008_feedback import feedback_claims, feedback_shown, real_figures
from molokini.studies.lin2008_feedback.feedback_cases import cases
from molokini.studies.lin2008_feedback.feedback_claims import CLAIMS, ONLY_REAL
from molokini.studies.lin2008_feedback.real_figures import MEASURED, Measured, Record, by_real, recorded
from molokini.studies.results import Results
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
    assert record.of("C2") == []


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


def test_the_table_says_which_side_has_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = Results(SEEDS, {(case, seed): made_up(seed) for case in cases() for seed in SEEDS})
    assert set(ONLY_REAL) <= MEASURED.keys() <= {claim.name for claim in CLAIMS}
    record = kept(tmp_path / "real.json")
    for given in (record, None):
        for module in (feedback_claims, feedback_shown):
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
