"""The study of the survey's schemes: its exact claims, and that each claim can be judged."""

from collections.abc import Hashable

from molokini.studies.claims import Verdict
from molokini.studies.results import Results
from molokini.studies.study import Point, Row
from molokini.studies.survey_coscheduling.scheme_cases import (
    BY_WIDTH,
    PROPOSAL,
    Shares,
    Sleeper,
    Wide,
    cases,
    run,
    settings,
)
from molokini.studies.survey_coscheduling.scheme_claims import CLAIMS, s16, s17, s18


def results_of(*every: Hashable) -> Results:
    rows: dict[tuple[Hashable, int], Row] = {}
    for case in every:
        rows[case, 1] = run(Point(case, 1, 0.01))  # type: ignore[arg-type]
    return Results((1,), rows)


def test_shares_are_exact() -> None:
    assert s16(results_of(Shares())).verdict is Verdict.HOLDS


def test_tracking_and_credits_do_what_they_are_for() -> None:
    assert s18(results_of(Sleeper(True), Sleeper(False))).verdict is Verdict.HOLDS
    assert s17(results_of(Wide(True), Wide(False))).verdict is Verdict.HOLDS


def test_what_was_not_run_cannot_be_tested() -> None:
    nothing = Results((1, 2), {})
    assert {claim.judged(nothing).verdict for claim in CLAIMS} == {Verdict.UNTESTABLE}
    assert [claim.name for claim in CLAIMS] == [f"s{k}" for k in range(1, 20)]


def test_every_way_of_the_cases_can_be_set() -> None:
    every = cases()
    assert len(set(every)) == len(every)
    # The jobs of one have more tickets; its settings are those of another.
    names = {getattr(case, "policy", PROPOSAL) for case in every} - {BY_WIDTH}
    assert settings(BY_WIDTH) == settings(PROPOSAL)
    assert len({settings(name) for name in names}) == len(names)
