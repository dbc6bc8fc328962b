"""The study of message-driven coscheduling: found, judged on made-up rows, and exact where a claim is."""

from collections.abc import Hashable
from dataclasses import replace

import pytest

from molokini.studies.catalogue import names, study_of
from molokini.studies.claims import Verdict
from molokini.studies.results import Results
from molokini.studies.study import Point, Row
from molokini.studies.yoo2001_smp.yoo_cases import (
    ALONE,
    BATCH,
    DEMAND,
    DRIVEN,
    HEAVY,
    LIGHT,
    MANY,
    MODERATE,
    READINGS,
    Run,
    cases,
    level,
    programs_of,
    read,
    run,
)
from molokini.studies.yoo2001_smp.yoo_claims import CLAIMS
from molokini.studies.yoo2001_smp.yoo_shown import pictures, tables

GAINS = {HEAVY: 0.5, MODERATE: 0.2, LIGHT: 0.0, level(2): 0.85, level(3): 0.5, level(4): 0.2, level(5): -0.1}


def made_up(case: Run, seed: int) -> Row:
    """Rows under which what the paper says is so."""
    noise = 1.0 + seed * 1e-4
    gain = GAINS.get(case.workload, 0.0) if case.policy == DRIVEN else 0.0
    response = 100.0 * (1.0 - gain)
    if case.workload == HEAVY:
        response += {1.0: 40.0, 1.5: 35.0, 2.0: 30.0}.get(case.gmet_s, 0.5 * abs(min(case.gmet_s, 6) - 3.5))
    if case.workload in (MODERATE, HEAVY) and case.gmet_s == 5.0:
        response += max(0.0, case.slice_s - 15.0) * 0.01
    worse = not case.status_byte or case.policy == DEMAND
    most = int(case.workload[-1]) if case.workload.startswith("level") else 2
    return {
        "be_response_s": response * noise * (1.5 if worse else 1.0),
        "be_queued_s": (1000.0 if case.policy == BATCH else 570.0 + 10.0 * case.most) * noise,
        "idle_share": (0.9 - 0.1 * most) * noise,
        "coscheduled_share": 0.5,
        "job_switches": (200 if worse else 100) * noise,
        "switches": (2000 if worse else 1000) * noise,
        "gathering_s": (2.0 if case.unit == "cpu" else 1.0) * noise,
        "requests_accepted": 10,
        "requests_discarded": 90,
        "requests_messages": 1234,
        "messages": 1234,
    }


def results_of(change: dict[str, float] | None = None, of: Run | None = None) -> Results:
    rows: dict[tuple[Hashable, int], Row] = {}
    for case in cases():
        for seed in (1, 2, 3):
            row = dict(made_up(case, seed))
            if case == of and change is not None:
                row |= {name: row[name] * factor for name, factor in change.items()}  # type: ignore[operator]
            rows[case, seed] = row
    return Results((1, 2, 3), rows)


@pytest.fixture(scope="module")
def results() -> Results:
    return results_of()


def test_it_is_found_and_its_jobs_are_those_of_the_paper() -> None:
    assert "yoo2001-smp" in names()
    assert study_of("yoo2001-smp").name == "yoo2001-smp"
    assert len(programs_of(Run(DRIVEN, HEAVY))) == 8
    many = programs_of(Run(DRIVEN, MANY))
    assert (len(many), sum(".A." in name for name in many), many.count("lu.C.8")) == (100, 98, 2)
    assert len(programs_of(Run(DRIVEN, HEAVY, nodes=32))) == 32


def test_every_claim_is_judged_and_holds_where_all_is_as_claimed(results: Results) -> None:
    found = {claim.name: claim.judged(results) for claim in CLAIMS}
    assert list(found) == [f"y{k}" for k in range(1, 25)]
    unlike = {name: (one.verdict, one.why) for name, one in found.items() if one.verdict is not Verdict.HOLDS}
    assert set(unlike) == {"y24"}, unlike
    assert unlike["y24"][0] is Verdict.UNTESTABLE
    assert all(claim.judged(Results((1, 2), {})).why for claim in CLAIMS)


@pytest.mark.parametrize(
    ("name", "metric", "factor", "case"),
    [
        ("y2", "be_response_s", 3.0, read(DRIVEN, HEAVY, READINGS[0])),
        ("y3", "be_response_s", 1.2, read(DRIVEN, LIGHT, READINGS[0])),
        ("y5", "be_response_s", 9.0, read(DRIVEN, level(2), READINGS[0])),
        ("y7", "be_response_s", 0.5, read(DRIVEN, level(5), READINGS[0])),
        ("y13", "be_response_s", 1.5, Run(DRIVEN, HEAVY, 15.0, 30.0)),
        ("y16", "be_response_s", 1.5, Run(DRIVEN, LIGHT, 5.0, 60.0)),
    ],
)
def test_under_one_reading_it_is_in_shape(name: str, metric: str, factor: float, case: Run) -> None:
    claim = next(one for one in CLAIMS if one.name == name)
    assert claim.judged(results_of({metric: factor}, case)).verdict is Verdict.IN_SHAPE


def test_one_message_more_contradicts_y23() -> None:
    claim = next(one for one in CLAIMS if one.name == "y23")
    changed = results_of({"requests_messages": 2.0}, Run(DRIVEN, HEAVY))
    assert claim.judged(changed).verdict is Verdict.CONTRADICTED


def test_a_row_repeats_and_no_daemon_sends(results: Results) -> None:
    point = Point(Run(DRIVEN, level(2), part=0.003), 1, 1.0)
    row = run(point)
    assert run(point) == row
    alone = run(replace(point, case=Run(ALONE, level(2), part=0.003)))
    # Each process receives what the programs send, and nothing more: 30 and 24 messages in each of one round.
    assert row["requests_messages"] == 16 * 30 + 9 * 24
    assert alone["be_ended"] == row["be_ended"] == 2


def test_pictures_and_tables_are_whole(results: Results) -> None:
    [figures] = pictures(results)
    assert [len(panel.curves) for panel in figures.panels] == [8, 7, 7, 8]
    assert all(len(row) == len(table.columns) for table in tables(results) for row in table.rows)
    assert pictures(Results((1,), {})) == []
