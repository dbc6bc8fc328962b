"""The study of the Origin 2000: it is found, its months are measured, its claims are judged."""

from collections.abc import Hashable

import pytest

from molokini.studies.catalogue import names, study_of
from molokini.studies.chiang2001_o2k.cases import Month, Scheduled, cases, run
from molokini.studies.chiang2001_o2k.claims import CLAIMS
from molokini.studies.chiang2001_o2k.study import tables
from molokini.studies.claims import Verdict
from molokini.studies.results import Results
from molokini.studies.study import Point, Row

NAME = "chiang2001-o2k"


@pytest.fixture(scope="module")
def results() -> Results:
    rows: dict[tuple[Hashable, int], Row] = {
        (Month(), seed): run(Point(Month(), seed, 1.0)) for seed in (1, 2, 3)
    }
    return Results((1, 2, 3), rows)


def test_it_is_found_by_its_name() -> None:
    assert NAME in names()
    assert study_of(NAME).name == NAME
    assert len(cases()) == len(set(cases()))


def test_what_the_model_was_set_to_it_keeps(results: Results) -> None:
    found = {claim.name: claim.judged(results).verdict for claim in CLAIMS}
    assert list(found) == [f"V{number}" for number in range(1, 18)]
    for name in ("V1", "V5", "V7", "V10", "V12", "V17"):
        assert found[name] is Verdict.HOLDS, name
    assert found["V2"] is found["V16"] is Verdict.UNTESTABLE
    assert found["V13"] is Verdict.UNTESTABLE  # not run here


def test_table_5(results: Results) -> None:
    (table,) = tables(results)
    assert [len(row) for row in table.rows] == [7] * 4


def test_a_seed_gives_the_same_month() -> None:
    assert run(Point(Month(), 1, 0.1)) == run(Point(Month(), 1, 0.1))
    assert run(Point(Month(), 1, 0.1)) != run(Point(Month(), 2, 0.1))


def test_backfilling_with_both_kinds_of_requests() -> None:
    study = study_of(NAME)
    study.prepare()
    rows = [run(Point(Scheduled(kind), 1, 0.4)) for kind in ("requested", "exact")]
    assert all((row["mean_response_s"] or 0) > 0 for row in rows)
    assert rows[0] != rows[1]
