"""The study of feedback control: found, its claims judged on made-up rows, and one case run."""

from molokini.studies.catalogue import names, study_of
from molokini.studies.lin2008_feedback.feedback_cases import Run, cases, run
from molokini.studies.lin2008_feedback.feedback_claims import CLAIMS
from molokini.studies.lin2008_feedback.feedback_shown import pictures, tables
from molokini.studies.results import Results
from molokini.studies.study import Point, Row

SEEDS = (1, 2, 3)


def made_up(seed: int) -> Row:
    names_ = (
        *("mean", "bias", "response", "worst_response", "within", "range", "smooth_range", "orders"),
        *("orders_an_iteration", "misses", "cut", "share_error", "worst_mean", "outside", "other_within"),
        *("spread_ms", "messages_a_second", "steady", "idle_share"),
    )
    return dict.fromkeys(names_, 1.0 + seed * 0.001)


def test_it_is_found_with_all_claims_of_the_reference() -> None:
    assert "lin2008-feedback" in names()
    assert study_of("lin2008-feedback").name == "lin2008-feedback"
    assert [claim.name for claim in CLAIMS] == [*(f"C{k}" for k in range(1, 43)), "ours"]


def test_every_claim_figure_and_table_reads_what_cases_give() -> None:
    results = Results(SEEDS, {(case, seed): made_up(seed) for case in cases() for seed in SEEDS})
    for claim in CLAIMS:
        assert claim.judged(results).why
        assert "was not measured" not in claim.judged(results).why
    assert pictures(results)
    assert tables(results)


def test_a_case_is_run() -> None:
    row = run(Point(Run(each=3, iteration_s=1.0), 1, 1.0))
    assert row == run(Point(Run(each=3, iteration_s=1.0), 1, 1.0))
    assert row["share_error"] is not None
    assert row["share_error"] < 1e-4
    alone = run(Point(Run(each=3, iteration_s=1.0, sliced=False), 1, 1.0))
    assert alone["mean"] is not None
    assert 99 < alone["mean"] <= 100.5
