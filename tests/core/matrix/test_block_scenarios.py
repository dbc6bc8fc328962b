"""Small schedules in blocks of columns, worked out by hand; four columns unless a test says otherwise."""

from typing import Any

import pytest

from molokini.cycle.dry_run import dry_run
from molokini.metrics.measures import measure
from molokini.model.decisions import Rule
from molokini.model.ranks import AgendaEvent, EventKind
from molokini.policies import load_policy
from molokini.reports.why import Surroundings, why
from tests.kit.matrix_rows import BLOCKS, job, picture, spans_of
from tests.kit.replays import finished, prepared

UNLIMITED: dict[str, Any] = {"alpha_m": 1.0, "alpha_l": 1.0, "k_m": 0, "k_l": 0, "longest_s": 100.0}
"""All jobs are short."""
FRAGMENTS = [job(2, 10), job(2, 2), job(2, 2), job(2, 10), job(4, 3, at=4)]
OF_MANY_SIZES = [job(2, 2), job(2, 12), job(4, 4), job(1, 2)]
OF_ALL_CLASSES = [job(2, 10), job(2, 9), job(2, 5), job(2, 1)]
BY_CLASS = {"longest_s": 10.0, "alpha_l": 0.8, "alpha_m": 0.15, "k_l": 1, "k_m": 6}
both_ways = pytest.mark.parametrize("interpreted", [True, False], ids=["interpreted", "compiled"])


@both_ways
def test_repacking_joins_fragments_in_one_slot(interpreted: bool) -> None:
    replay = prepared(FRAGMENTS, BLOCKS, 4, UNLIMITED, interpreted=interpreted)
    replay.run(until_s=0.0)
    assert picture(replay.tables)[:2] == ["1122", "3344"]
    replay.run(until_s=4.0)
    assert picture(replay.tables)[:3] == ["5555", "1144", "...."]
    assert replay.run()
    assert spans_of(replay) == [(0, 15), (0, 4), (0, 4), (0, 15), (4, 10)]


@both_ways
def test_without_repacking_fragments_stay_in_their_slots(interpreted: bool) -> None:
    values = {**UNLIMITED, "repack": "no"}
    replay = prepared(FRAGMENTS, BLOCKS, 4, values, interpreted=interpreted)
    replay.run(until_s=4.0)
    assert picture(replay.tables)[:3] == ["1144", "1144", "5555"]
    assert replay.run()
    assert spans_of(replay) == [(0, 15), (0, 4), (0, 4), (0, 15), (4, 13)]


@both_ways
def test_a_column_that_is_lost_keeps_no_job_out_that_does_not_use_it(interpreted: bool) -> None:
    """The last of eight: a job of three takes the first three of the second block of four."""
    jobs = [job(3, 100), job(3, 100, at=1), job(3, 30, at=5)]
    lost = [AgendaEvent(0.5, EventKind.NODE_LOST, -1, 1)]
    replay = prepared(jobs, BLOCKS, 8, UNLIMITED, interpreted=interpreted, facts=lost)
    replay.run(until_s=1.0)
    assert picture(replay.tables)[0] == "111.222."
    assert replay.run()
    assert spans_of(replay) == [(0, 130), (1, 101), (5, 65)]


@both_ways
def test_a_job_runs_in_each_slot_in_which_its_block_is_idle(interpreted: bool) -> None:
    replay = prepared(OF_MANY_SIZES, BLOCKS, 4, UNLIMITED, interpreted=interpreted)
    replay.run(until_s=0.0)
    assert picture(replay.tables)[:4] == ["3333", "1122", "4.22", "...."]
    assert replay.run()
    assert spans_of(replay) == [(0, 6), (0, 16), (0, 10), (0, 6)]
    found = measure(replay.schedule())
    assert (found["mean_slots"], found["max_slots"]) == (2.0, 3.0)


def test_a_job_may_have_one_slot_alone() -> None:
    values = {**UNLIMITED, "several_slots": "no"}
    replay = prepared(OF_MANY_SIZES, BLOCKS, 4, values, interpreted=True)
    replay.run(until_s=0.0)
    assert picture(replay.tables)[:3] == ["3333", "1122", "4..."]


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
def test_a_long_job_that_waits_blocks_none_behind_it_unless_that_is_wanted(
    backfill: str, starts: list[float]
) -> None:
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


@both_ways
def test_more_slots_than_a_number_has_bits(interpreted: bool) -> None:
    count = 130
    wide = [job(4, 1) for _ in range(count)] + [job(1, 1, at=count)]
    replay = prepared(wide, BLOCKS, 4, {**UNLIMITED, "slots": 200}, interpreted=interpreted)
    replay.run(until_s=0.0)
    assert picture(replay.tables)[count - 1] == str(count) * 4
    assert replay.run()
    assert spans_of(replay) == [(0, count)] * count + [(count, count + 1)]
    assert measure(replay.schedule())["max_slots"] == count
