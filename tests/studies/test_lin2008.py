"""The study of feedback control: found, its claims judged on made-up rows, and one case run."""

from dataclasses import replace

import pytest

from molokini.studies.catalogue import names, study_of
from molokini.studies.claims import Verdict
from molokini.studies.lin2008_feedback.feedback_cases import (
    Queued,
    Run,
    cases,
    crowded,
    drifting,
    in_memory,
    one_late,
    writing,
)
from molokini.studies.lin2008_feedback.feedback_claims import CLAIMS
from molokini.studies.lin2008_feedback.feedback_runs import run
from molokini.studies.lin2008_feedback.feedback_shown import pictures, tables
from molokini.studies.results import Results
from molokini.studies.study import Point, Row

SEEDS = (1, 2, 3)


def made_up(seed: int) -> Row:
    names_ = (
        *("mean", "bias", "response", "worst_response", "within", "range", "smooth_range", "orders"),
        *("orders_an_iteration", "misses", "cut", "share_error", "worst_mean", "outside", "other_within"),
        *("spread_ms", "messages_a_second", "steady", "idle_share"),
        *("deviation", "apart_ms", "most_apart_ms", "interrupted", "orders_each", "disturbed"),
        *("mean_wait_s", "mean_response_s"),
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


def test_what_cannot_be_tested_says_what_would_be_needed() -> None:
    results = Results(SEEDS, {(case, seed): made_up(seed) for case in cases() for seed in SEEDS})
    found = {claim.name: claim.judged(results) for claim in CLAIMS}
    for name in ("C41", "C42"):
        assert found[name].verdict is Verdict.UNTESTABLE
        assert "would need" in found[name].why


def measured(case: Run | Queued) -> Row:
    return run(Point(case, 1, 1.0))


def value(row: Row, name: str) -> float:
    found = row[name]
    assert found is not None
    return found


def test_a_late_slice_is_followed_for_as_long_as_it_lasts() -> None:
    for clock, apart in (("relative", 20.0), ("absolute", 0.0)):
        row = measured(one_late(clock))
        assert value(row, "most_apart_ms") == pytest.approx(apart, abs=0.2)
        assert (value(row, "disturbed") > 1) == (apart > 0)


def test_drift_is_controlled_and_many_programs_interrupt_each_other() -> None:
    off, on = (measured(drifting(0.02, control)) for control in (False, True))
    assert value(off, "smooth_range") > 2 * value(on, "smooth_range")
    assert value(on, "orders") > 0 == value(off, "orders")
    few, more = (measured(replace(crowded(k), each=10)) for k in (2, 6))
    assert 0 <= value(few, "interrupted") < value(more, "interrupted")


def test_memory_matters_beyond_its_size_and_writing_makes_faster() -> None:
    whole, beyond = (measured(in_memory("5:1", sets)) for sets in (100, 130))
    assert value(whole, "within") == 1.0
    assert value(beyond, "mean") < value(whole, "mean") - 3
    assert 0.5 < value(measured(writing("1:1", 0.0)), "bias") < 3


def test_a_queue_waits_less_where_its_jobs_go_slower() -> None:
    whole, half = (measured(Queued(rate)) for rate in (100, 50))
    assert value(half, "mean_wait_s") < value(whole, "mean_wait_s")
    assert value(half, "mean_response_s") > value(half, "mean_wait_s")
