"""Classes of jobs in blocks: who enters, who waits for a limit, and why."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.cycle.dry_run import dry_run
from molokini.metrics.measures import measure
from molokini.model.decisions import Rule
from molokini.policies import load_policy
from molokini.reports.why import Surroundings, why
from tests.kit.blocks import (
    ALL_MEDIUM,
    LONGEST_S,
    PROCESSORS,
    UNLIMITED,
    block_settings,
    both_ways,
    each_event,
    load_of,
    running,
)
from tests.kit.matrix_rows import BLOCKS, job, spans_of
from tests.kit.replays import finished, prepared, starts
from tests.kit.workloads import Job, job_lists

OF_ALL_CLASSES = [job(2, 10), job(2, 9), job(2, 5), job(2, 1)]
BY_CLASS = {"longest_s": 10.0, "alpha_l": 0.8, "alpha_m": 0.15, "k_l": 1, "k_m": 6}


@both_ways
def test_classes_of_jobs(interpreted: bool) -> None:
    replay = finished(OF_ALL_CLASSES, BLOCKS, 2, BY_CLASS, interpreted=interpreted)
    assert spans_of(replay) == [(0, 16), (16, 25), (0, 11), (0, 3)]
    schedule = replay.schedule()
    slowdowns = (schedule.end_s / schedule.run_s).round(4).tolist()
    assert slowdowns == [1.6, 2.7778, 2.2, 3.0]
    assert measure(schedule)["mean_slots"] == pytest.approx(1.56)


@pytest.mark.parametrize(
    ("backfill", "starts"), [("skip", [0, 16, 0, 0]), ("none", [0, 11, 11, 0])], ids=["skip", "none"]
)
def test_a_long_job_that_waits_blocks_none_unless_wanted(backfill: str, starts: list[float]) -> None:
    values: dict[str, Any] = {**BY_CLASS, "backfill": backfill}
    replay = finished(OF_ALL_CLASSES, BLOCKS, 2, values, interpreted=True)
    assert replay.schedule().start_s.tolist() == starts


@pytest.mark.parametrize(
    ("values", "job_waiting", "rule", "limit"),
    [
        ({}, 2, Rule.SHARED_BY_ENOUGH, 1.0),
        ({"k_l": 0, "k_m": 2}, 3, Rule.SHARED_BY_ENOUGH, 2.0),
        ({"backfill": "none"}, 3, Rule.BEHIND_THE_HEAD, 0.0),
        ({"slots": 1}, 4, Rule.NOT_ENOUGH_FREE, 0.0),
    ],
    ids=["long", "medium", "in-order", "no-slot"],
)
def test_why_a_job_waits(values: dict[str, Any], job_waiting: int, rule: Rule, limit: float) -> None:
    replay = prepared(OF_ALL_CLASSES, BLOCKS, 2, {**BY_CLASS, **values}, interpreted=True)
    replay.run(until_s=0.0)
    policy = load_policy(BLOCKS)
    t = dry_run(replay.tables, policy.begin, policy.schedule, 0.0)
    waiting = {int(t.jobs.number[row]): row for row in t.queue.waiting[t.queue.head : t.queue.tail]}
    row = waiting[job_waiting]
    assert (Rule(int(t.reasons.rule[row])), t.reasons.limit[row]) == (rule, limit)
    assert why(Surroundings(), t, row).text


def test_where_all_slots_are_taken_short_jobs_wait_too() -> None:
    wide = [job(4, 10), job(4, 10), job(4, 10), job(2, 10)]
    replay = finished(wide, BLOCKS, 4, {**UNLIMITED, "slots": 2}, interpreted=True)
    assert spans_of(replay) == [(0, 20), (0, 20), (20, 40), (20, 40)]


@given(jobs=job_lists(PROCESSORS), values=block_settings())
@settings(max_examples=60, deadline=None)
def test_no_column_has_more_jobs_of_a_class_than_may(jobs: list[Job], values: dict[str, Any]) -> None:
    for t in each_event(prepared(jobs, BLOCKS, PROCESSORS, values)):
        for alpha, most in ((values["alpha_m"], values["k_m"]), (values["alpha_l"], values["k_l"])):
            limited = [row for row in running(t) if t.jobs.estimate_s[row] > alpha * LONGEST_S]
            assert not most or max(load_of(t, limited).values(), default=0) <= most


@given(jobs=job_lists(PROCESSORS, refused=False))
@settings(max_examples=60, deadline=None)
def test_short_jobs_wait_for_nothing(jobs: list[Job]) -> None:
    values = {"alpha_m": 1.0, "alpha_l": 1.0, "longest_s": LONGEST_S, "k_m": 1, "k_l": 1}
    replay = finished(jobs, BLOCKS, PROCESSORS, values)
    assert starts(replay) == replay.workload.submit_s.tolist()


@given(jobs=job_lists(PROCESSORS, shortest=1), most=st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_where_none_is_short_there_are_no_more_slots_than_jobs_may_share(jobs: list[Job], most: int) -> None:
    for t in each_event(prepared(jobs, BLOCKS, PROCESSORS, {**ALL_MEDIUM, "k_m": most})):
        assert all(t.matrix.turns[row] <= most for row in running(t))
