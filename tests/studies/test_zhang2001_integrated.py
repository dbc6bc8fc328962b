"""The study of gang scheduling, backfilling and migration: its runs, its measures, its verdicts."""

import re
from collections.abc import Callable, Hashable, Mapping
from pathlib import Path

import pytest

from molokini.studies.catalogue import names, study_of
from molokini.studies.claims import Verdict
from molokini.studies.results import Results
from molokini.studies.study import Point, Row
from molokini.studies.zhang2001_integrated.claims_migration import POLICIES, TABLE_1
from molokini.studies.zhang2001_integrated.integrated_cases import (
    BEYOND,
    FACTORS,
    MODES,
    Example,
    GangRun,
    Jobs,
    cases,
    rows,
    run,
    table_1,
)
from molokini.studies.zhang2001_integrated.integrated_claims import CLAIMS
from molokini.studies.zhang2001_integrated.integrated_shown import pictures, tables
from molokini.studies.zhang2001_integrated.judging import bf, crossing, lower, reached

NAME = "zhang2001-integrated"
SEEDS = (1, 2, 3)
MOST = {"conservative": 0.95, "easy": 0.95, "fcfs": 0.68, "gs": 0.86, "bgs": 0.96, "mgs": 0.97, "mbgs": 0.98}
CLAIM = {claim.name: claim for claim in CLAIMS}


def as_published(case: GangRun) -> dict[str, float]:
    """Rows in which Table 1 holds; what it does not say follows a simple form."""
    rho = min(0.55 * case.factor, MOST[case.policy])
    told = 60.0 * case.factor**2
    if case.policy in POLICIES and case.factor in FACTORS:
        place = FACTORS.index(case.factor)
        rho, told = TABLE_1[place][POLICIES.index(case.policy)]
    return {"rho": rho, "slowdown": told * (1.0 + case.switch), "wait_s": 10 * told, "kappa": 1.0 - rho}


def results_of(row: Callable[[GangRun], Mapping[str, float]]) -> Results:
    """Three seeds that differ by little."""
    found: dict[tuple[Hashable, int], Row] = {}
    for case in cases():
        if isinstance(case, GangRun):
            for seed in SEEDS:
                found[case, seed] = {name: value * (1 + 1e-4 * seed) for name, value in row(case).items()}
    return Results(SEEDS, found)


@pytest.fixture(scope="module")
def published() -> Results:
    return results_of(as_published)


def test_it_is_found_and_every_case_is_there_once() -> None:
    assert NAME in names()
    assert study_of(NAME).name == NAME
    every = cases()
    assert len(every) == len(set(every))
    assert set(table_1()) <= set(every)
    assert len(table_1()) == 2 * 9 * 4


def test_every_row_of_the_list_of_claims_is_there_once() -> None:
    assert len(CLAIM) == len(CLAIMS)
    numbers = {name.removeprefix("ZF").split(".")[0].rstrip("abcd") for name in CLAIM}
    assert numbers == {str(number) for number in range(1, 36)}
    assert sum(name.startswith("ZF22.") for name in CLAIM) == 9


@pytest.mark.parametrize("place", range(9))
def test_a_row_of_table_1_holds_unless_policies_change_places(place: int, published: Results) -> None:
    claim = CLAIM[f"ZF22.{place}"]
    assert claim.judged(published).verdict is Verdict.HOLDS

    def tripled(case: GangRun) -> dict[str, float]:
        row = as_published(case)
        return {**row, "slowdown": 3 * row["slowdown"]}

    assert claim.judged(results_of(tripled)).verdict is Verdict.CONTRADICTED, "none of four within a quarter"

    def half_of_it(case: GangRun) -> dict[str, float]:
        return tripled(case) if case.policy in ("gs", "mgs") else as_published(case)

    assert claim.judged(results_of(half_of_it)).verdict is Verdict.IN_SHAPE

    def upside_down(case: GangRun) -> dict[str, float]:
        row = as_published(case)
        return {**row, "slowdown": 1e4 / row["slowdown"]}

    assert claim.judged(results_of(upside_down)).verdict is Verdict.CONTRADICTED


def test_migration_by_table_1(published: Results) -> None:
    for name in ("ZF23", "ZF24", "ZF25", "ZF26"):
        assert CLAIM[name].judged(published).verdict is Verdict.HOLDS, name


def test_what_was_not_run_cannot_be_tested(published: Results) -> None:
    assert CLAIM["ZF19a"].judged(published).verdict is Verdict.UNTESTABLE  # no small and large jobs
    assert CLAIM["ZF15"].judged(published).verdict is Verdict.UNTESTABLE
    assert {claim.judged(Results(SEEDS, {})).verdict for claim in CLAIMS} == {Verdict.UNTESTABLE}


@pytest.mark.deep
def test_a_claim_that_depends_on_the_mode_is_listed(published: Results) -> None:
    def without_gain_on_the_grid(case: GangRun) -> dict[str, float]:
        row = as_published(case)
        return {**row, "slowdown": 7.0} if case.mode == "exact" else row

    claim, results = CLAIM["ZF23"], results_of(without_gain_on_the_grid)
    assert claim.judged(results).verdict is Verdict.HOLDS
    assert [one.verdict for one in claim.under_each(published).values()] == [Verdict.HOLDS, Verdict.HOLDS]
    assert {mode: one.verdict for mode, one in claim.under_each(results).items()} == {
        "rate": Verdict.HOLDS,
        "exact": Verdict.CONTRADICTED,
    }


def test_an_order_that_is_right_but_unclear_is_undecided() -> None:
    runs = [(GangRun("bgs", factor), GangRun("gs", factor)) for factor in FACTORS]

    def judged(ratios: tuple[float, float, float]) -> Verdict:
        rows: dict[tuple[Hashable, int], Row] = {}
        for one, other in runs:
            for seed, ratio in zip(SEEDS, ratios, strict=True):
                rows[one, seed], rows[other, seed] = (
                    {"slowdown": 100.0**seed * ratio},
                    {"slowdown": 100.0**seed},
                )
        pairs = [((one, "slowdown"), (other, "slowdown")) for one, other in runs]
        return lower(Results(SEEDS, rows), pairs).verdict

    assert judged((0.5, 0.51, 0.52)) is Verdict.HOLDS
    assert judged((0.5, 0.9, 1.1)) is Verdict.UNDECIDED
    assert judged((1.5, 0.9, 1.1)) is Verdict.UNDECIDED
    assert judged((1.5, 1.51, 1.52)) is Verdict.CONTRADICTED


@pytest.mark.deep
def test_every_figure_is_drawn_where_all_was_run(published: Results) -> None:
    def all_of_it(case: GangRun) -> dict[str, float]:
        row = as_published(case)
        groups = ("small", "large", "short", "long", "class_0", "class_9")
        more = {f"slowdown_{one}": row["slowdown"] for one in groups}
        more |= {f"wait_{one}_s": row["wait_s"] for one in groups}
        return {**row, **more, "slowdown_std": 1.0, "wait_std_s": 1.0}

    results = results_of(all_of_it)
    drawn = [picture.name for picture in pictures(results)]
    numbers = (5, 6, 8, 9, 10, 11, 12, 14, 15)
    assert {"all-policies", "matrix", *(f"figure-{number}" for number in numbers)} <= set(drawn)
    assert len(tables(results)) == 4
    assert len(pictures(published)) < len(drawn)


def test_where_curves_cross_and_what_they_reach(published: Results) -> None:
    def gs(factor: float) -> GangRun:
        return rows("gs", factor, "rate")

    found = crossing(published, gs, bf, "slowdown")
    # 44.8 is below 60 * 1.3^2, 125.6 above 60 * 1.4^2
    assert all(at is not None and 0.72 < at < 0.78 for at in found)
    assert crossing(published, bf, bf, "slowdown") == [None] * len(SEEDS)
    level = reached(published, gs, "slowdown", 20.0)
    assert level is not None
    assert 0.66 < level.mean < 0.67
    assert reached(published, gs, "slowdown", 1e6) is None


def test_examples_are_those_of_the_figures() -> None:
    assert run(Point(Example("figure 7"), 1, 1.0)) == {
        **{f"rate_{job}": 0.25 for job in (1, 2, 3, 6)},
        **{f"rate_{job}": 0.5 for job in (4, 5)},
    }
    assert run(Point(Example("figure 13"), 1, 1.0)) == {"option_2_s": 50.0, "option_1_s": 35.0}
    figure_4 = run(Point(Example("figure 4"), 1, 1.0))
    assert figure_4["fcfs_5"] == 14.0
    assert figure_4["conservative_5"] == 0.0


def test_jobs_of_a_seed_are_the_same_for_all_policies_and_loads() -> None:
    few = [run(Point(Jobs(factor), 1, 0.03)) for factor in (1.0, 1.8)]
    assert few[1]["load"] == pytest.approx(1.8 * (few[0]["load"] or 0))
    assert few[1]["exact_jobs"] == few[0]["exact_jobs"]


@pytest.mark.parametrize("mode", MODES)
def test_a_run_measures_what_claims_ask_for(mode: str) -> None:
    row = run(Point(GangRun("bgs", 1.5, mode), 1, 0.03))
    assert row == run(Point(GangRun("bgs", 1.5, mode), 1, 0.03))
    assert 0 < (row["rho"] or 0) < 1
    assert (row["slowdown"] or 0) >= 1
    for size in ("small", "large", "short", "long", "class_0", "class_9"):
        assert row[f"slowdown_{size}"] is not None
        assert row[f"wait_{size}_s"] is not None


def test_every_claim_of_rows_is_judged_in_both_modes() -> None:
    plain = {claim.name for claim in CLAIMS if not claim.readings}
    assert plain == {"ZF1", "ZF2", "ZF3a", "ZF3b", "ZF3c", "ZF4", "ZF5", "ZF6", "ZF15", "ZF20c", "ZF21"}
    assert max(FACTORS) < BEYOND


def test_the_page_holds_every_claim_and_its_pictures_are_there() -> None:
    folder = Path(__file__).parents[2] / "docs" / "studies"
    text = (folder / f"{NAME}.md").read_text()
    for claim in CLAIMS:
        assert f"| {claim.text} |" in text, claim.name
    shown = re.findall(r"!\[[^]]*\]\(([^)]*)\)", text)
    assert len(shown) >= 13
    assert all((folder / picture).exists() for picture in shown)
    for sentence in (*study_of(NAME).in_short, *study_of(NAME).readings):
        assert sentence in text


@pytest.mark.deep
def test_waits_of_0_make_ratios_untestable_and_nothing_fails() -> None:
    """In short runs no job waits under some policies."""
    nobody_waits = results_of(lambda case: {**as_published(case), "wait_s": 0.0})
    for claim in CLAIMS:
        claim.judged(nobody_waits)
    found = CLAIM["ZF30"].judged(nobody_waits)
    assert found.verdict is Verdict.UNTESTABLE
    assert "over 0" in found.why
    assert tables(nobody_waits)
