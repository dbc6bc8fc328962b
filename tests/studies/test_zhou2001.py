"""The study of classes under gang scheduling: it is found, runs, judges its claims and draws its figures."""

from collections.abc import Hashable
from dataclasses import replace

import pytest

from molokini.studies.catalogue import names, study_of
from molokini.studies.claims import Verdict
from molokini.studies.results import Results
from molokini.studies.study import Point, Row
from molokini.studies.zhou2001_coscheduling.gang_cases import (
    HIGHEST,
    UNLIMITED,
    ClassRun,
    cases,
    first,
    fourth,
    prepare,
    run,
    second,
    third,
)
from molokini.studies.zhou2001_coscheduling.gang_claims import CLAIMS
from molokini.studies.zhou2001_coscheduling.gang_shown import pictures, tables

NAME = "zhou2001-coscheduling"


def made_up(case: ClassRun, seed: int) -> Row:
    """Rows such that every claim but one holds: less is better, the tighter the limits."""
    limit = case.k_m or 60
    steep = 40.0 if case.k_m == 1 and case.alpha_m == 0 else 1.0
    slowdown = 2.0 + max(0.0, case.load - 0.4) * (steep * 300.0 / limit + 440.0 + max(0, limit - 30))
    if case.alpha_m > 0:
        slowdown = 2.0 + case.load * limit
    elif case.alpha_l < 1:
        slowdown = 2.0 + case.load * (60 + 100 * abs(case.alpha_l - 0.8) + case.k_l)
    if case == fourth(case.load):
        slowdown = 2.0 + case.load
    slots = 5.0 + 0.1 * limit + 0.01 * case.k_l if case.alpha_m == 0.8 else 2.0 + 0.03 * limit
    slots = 5.0 + 0.001 * case.k_l if case.alpha_m == 0 and case.alpha_l < 1 else slots
    noise = 1.0 + seed * 1e-4
    most = min(slots, 6.0) if case.alpha_m == 0 and case.k_m == 6 else 2 * slots
    return {
        "slowdown": slowdown * noise,
        "long_slowdown": 3.0 * noise,
        "mean_slots": slots * case.load / HIGHEST * noise,
        "max_slots": most,
        "mean_wait_s": 1.0,
        "max_wait_s": 3600.0,
        "utilization": case.load,
    }


@pytest.fixture(scope="module")
def results() -> Results:
    rows: dict[tuple[Hashable, int], Row] = {
        (case, seed): made_up(case, seed) for case in cases() for seed in (1, 2, 3)
    }
    return Results((1, 2, 3), rows)


def test_it_is_found_by_its_name() -> None:
    assert NAME in names()
    assert study_of(NAME).name == NAME
    unlike = set(cases())
    assert third(0.5, 1.0) == first(0.5, 6)
    assert {first(0.9, UNLIMITED), second(0.9, 1), third(0.9, k_l=6), fourth(0.9)} <= unlike


def test_every_claim_gets_a_verdict(results: Results) -> None:
    found = {claim.name: claim.judged(results) for claim in CLAIMS}
    assert len(found) == len(CLAIMS) == 15
    assert all(one.verdict is not Verdict.UNTESTABLE and one.why for one in found.values())
    for name in ("ZB1a", "ZB1c", "ZB1d", "ZB2a", "ZB2b", "ZB2c", "ZB3a", "ZB3b", "ZB3c", "ZB5"):
        assert found[name].verdict is Verdict.HOLDS, (name, found[name].why)


@pytest.mark.parametrize(
    ("name", "metric", "factor", "cases_of"),
    [
        ("ZB1c", "slowdown", 0.1, first(HIGHEST, UNLIMITED)),
        ("ZB2b", "slowdown", 1000.0, second(HIGHEST, 1)),
        ("ZB2c", "mean_slots", 10.0, second(HIGHEST, 1)),
        ("ZB3a", "slowdown", 100.0, third(HIGHEST)),
        ("ZB3b", "max_slots", 10.0, third(HIGHEST)),
        ("ZB5", "long_slowdown", 4.0, fourth(HIGHEST)),
        ("ZB6", "mean_slots", 0.1, first(HIGHEST, UNLIMITED)),
    ],
)
def test_a_claim_that_results_deny_does_not_hold(
    name: str, metric: str, factor: float, cases_of: ClassRun
) -> None:
    rows: dict[tuple[Hashable, int], Row] = {}
    for case in cases():
        for seed in (1, 2, 3):
            row = made_up(case, seed)
            spoilt = case == cases_of or (name == "ZB2b" and case == second(HIGHEST, 2))
            rows[case, seed] = {**row, metric: (row[metric] or 0.0) * factor} if spoilt else row
    [claim] = [one for one in CLAIMS if one.name == name]
    assert claim.judged(Results((1, 2, 3), rows)).verdict is not Verdict.HOLDS


def test_figures_and_tables(results: Results) -> None:
    drawn = {picture.name: picture for picture in pictures(results)}
    assert list(drawn) == [f"figure-{number}" for number in range(1, 6)]
    assert [len(one.curves) for one in drawn["figure-2"].panels] == [5, 5, 5]
    # Each curve has its own case: a name that all share would draw one of them over and over.
    heights = {one.y[-1] for one in drawn["figure-1"].panels[0].curves}
    assert len(heights) == len(drawn["figure-1"].panels[0].curves)
    assert [len(table.rows) for table in tables(results)] == [12, 16]


def test_a_run_measures_what_the_claims_ask_for() -> None:
    prepare()
    point = Point(third(0.8, k_l=2), 1, 0.03)
    row = run(point)
    assert row == run(point)
    assert row != run(replace(point, seed=2))
    assert set(row) == set(made_up(first(0.8, 1), 1))
    assert 1 <= (row["mean_slots"] or 0) <= (row["max_slots"] or 0) <= 6
    assert (row["slowdown"] or 0) >= 1
