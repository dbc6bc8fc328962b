import dataclasses
import json

import numpy as np
import pytest
from hypothesis import given

from molokini.metrics import aggregate_cells, compare_replications, compare_schedules, measure, number, table
from molokini.metrics.cells import Cell
from molokini.metrics.comparison import verdict
from molokini.model.errors import BadValue, UnknownName
from molokini.sim.schedule import Schedule
from tests.kit.schedules import NAN, Ran, random_workload, replayed, schedule, schedules


def later(story: Schedule, seconds: float, policy: str = "later") -> Schedule:
    return dataclasses.replace(
        story, start_s=story.start_s + seconds, end_s=story.end_s + seconds, policy=policy
    )


def test_by_hand() -> None:
    one = schedule(Ran(0, 0, 10), Ran(0, 10, 10), Ran(0, 20, 20), Ran(0, 40, 5, end=NAN))
    two = schedule(Ran(0, 20, 10), Ran(0, 0, 10), Ran(0, 20.5, 20), Ran(0, None, 5), policy="sjf")
    [found] = compare_schedules(one, [two], metrics=("wait_s",), batch_size=1)
    assert (found.baseline, found.policy, found.paired_jobs) == ("fcfs", "sjf", 3)
    assert (found.better_jobs, found.worse_jobs) == (1, 1)
    [wait] = found.differences
    assert (wait.metric, wait.baseline_mean, wait.mean) == ("mean_wait_s", 10, 13.5)
    assert wait.difference == pytest.approx(3.5)
    assert wait.relative_change == pytest.approx(0.35)
    # 20, -10 and 0.5 vary too much for three samples.
    assert wait.verdict == "no clear difference"
    assert wait.samples == 3


def test_who_finished_under_one_policy_only_is_counted_and_not_paired() -> None:
    one = schedule(Ran(0, 0, 10), Ran(0, 10, 10), Ran(0, None, 10))
    two = schedule(Ran(0, 0, 10), Ran(0, None, 10), Ran(0, 10, 10))
    [found] = compare_schedules(one, [two])
    assert (found.paired_jobs, found.only_baseline_jobs, found.only_policy_jobs) == (1, 1, 1)


def test_a_constant_delay_is_worse_and_its_reverse_better() -> None:
    story = replayed(random_workload(1000, 16), 16)
    slow = later(story, 60.0)
    [worse] = compare_schedules(story, [slow])
    [better] = compare_schedules(slow, [story])
    assert {one.verdict for one in worse.differences} == {"worse"}
    assert {one.verdict for one in better.differences} == {"better"}
    assert worse.worse_jobs == better.better_jobs == 1000
    wait = worse.differences[0]
    assert [wait.low, wait.high] == pytest.approx([60, 60])


def test_a_policy_against_itself_is_no_different() -> None:
    story = replayed(random_workload(1000, 16), 16)
    [same] = compare_schedules(story, [story])
    assert {one.verdict for one in same.differences} == {"no clear difference"}
    assert (same.better_jobs, same.worse_jobs) == (0, 0)


def test_pairing_sees_what_two_separate_intervals_hide() -> None:
    story = replayed(random_workload(4000, 16, load=0.95), 16)
    random = np.random.default_rng(0)
    other = later(story, 0.0)
    other = dataclasses.replace(other, end_s=other.end_s + random.uniform(0, 20, 4000))
    [found] = compare_schedules(story, [other], metrics=("response_s",))
    assert found.differences[0].verdict == "worse"
    first, second = (cell for cell in table([story, other], metrics=("response_s",), system=()))
    assert first.high is not None
    assert second.low is not None
    assert first.high > second.low


def test_few_jobs_have_no_interval_and_a_reason() -> None:
    story = schedule(Ran(0, 0, 10), Ran(0, 10, 10))
    [found] = compare_schedules(story, [later(story, 5.0)])
    assert found.differences[0].low is None
    assert found.differences[0].verdict == "no clear difference"
    assert "no interval" in str(found.differences[0].warning)


def test_slowdown_is_paired_without_run_times_of_zero() -> None:
    story = schedule(Ran(0, 0, 0), Ran(0, 0, 10))
    [found] = compare_schedules(story, [later(story, 10.0)], metrics=("slowdown",))
    assert found.differences[0].difference == pytest.approx(1)


def test_slowdown_is_paired_without_jobs_that_ran_under_one_policy_alone() -> None:
    one = schedule(Ran(0, 0, 10), Ran(0, 10, 10))
    two = schedule(Ran(0, 0, 10), Ran(0, 10, 0), policy="cut")
    for before, after in ((one, two), (two, one)):
        [found] = compare_schedules(before, [after], metrics=("slowdown",))
        assert (found.differences[0].baseline_mean, found.differences[0].mean) == (1, 1)


def test_other_jobs_cannot_be_compared() -> None:
    with pytest.raises(BadValue, match="same jobs"):
        compare_schedules(schedule(Ran(0, 0, 1)), [schedule(Ran(0, 0, 1), Ran(0, 0, 1))])


def test_unknown_metrics_are_named() -> None:
    story = schedule(Ran(0, 0, 1))
    with pytest.raises(UnknownName, match="wait_s"):
        compare_schedules(story, [story], metrics=("waits",))


@pytest.mark.parametrize(
    ("metric", "low", "high", "said"),
    [
        ("mean_wait_s", 1.0, 2.0, "worse"),
        ("mean_wait_s", -2.0, -1.0, "better"),
        ("mean_wait_s", -1.0, 1.0, "no clear difference"),
        ("mean_wait_s", None, None, "no clear difference"),
        ("utilization", 0.01, 0.02, "better"),
        ("utilization", -0.02, -0.01, "worse"),
        ("loss_of_capacity", 0.01, 0.02, "worse"),
    ],
)
def test_verdicts(metric: str, low: float | None, high: float | None, said: str) -> None:
    assert verdict(metric, low, high) == said


def test_replications_are_paired_by_seed() -> None:
    # From seed to seed the waits differ tenfold, between the policies always by 10 or 11.
    found = compare_replications(
        "mean_wait_s", {1: 100.0, 2: 500.0, 3: 1000.0, 4: None}, {1: 110.0, 3: 1010.0, 2: 511.0, 5: 1.0}
    )
    assert found.difference == pytest.approx(31 / 3)
    assert found.samples == 3
    assert found.verdict == "worse"
    assert found.batch_size is None


def test_no_seed_in_common() -> None:
    found = compare_replications("mean_wait_s", {1: 5.0}, {2: 5.0})
    assert found.mean is None
    assert found.verdict == "no clear difference"


def test_a_table_has_a_cell_for_each_policy_and_metric() -> None:
    story = replayed(random_workload(300, 16), 16)
    cells = table([story, later(story, 5.0)], load_factor=1.1)
    assert [(cell.policy, cell.metric) for cell in cells[:5]] == [
        ("fcfs", "mean_wait_s"),
        ("fcfs", "mean_response_s"),
        ("fcfs", "mean_bounded_slowdown"),
        ("fcfs", "utilization"),
        ("fcfs", "loss_of_capacity"),
    ]
    measures = measure(story)
    assert [cell.mean for cell in cells[:5]] == [pytest.approx(number(measures, c.metric)) for c in cells[:5]]
    assert {cell.load_factor for cell in cells} == {1.1}
    assert cells[0].low is not None
    assert cells[3].low is None
    json.dumps([cell.as_dict() for cell in cells], allow_nan=False)


def test_seeds_become_one_cell_with_an_interval_over_them() -> None:
    cells = [Cell("easy", "mean_wait_s", value, load_factor=1.0) for value in (1.0, 2.0, 3.0)]
    cells.append(Cell("easy", "mean_wait_s", 9.0, 8.0, 10.0, load_factor=1.1))
    cells.append(Cell("easy", "mean_wait_s", 7.0, load_factor=1.0, run_time_factor=1.2))
    merged = aggregate_cells(cells)
    assert [(cell.mean, cell.replications) for cell in merged] == [(2.0, 3), (9.0, 1), (7.0, 1)]
    assert merged[0].low == pytest.approx(2 - 4.302653 / 3**0.5)
    assert (merged[1].low, merged[1].high) == (8.0, 10.0)


@given(schedules())
def test_comparisons_are_json(story: Schedule) -> None:
    found = compare_schedules(story, [later(story, 3.0)], batch_size=1)
    json.dumps([one.as_dict() for one in found], allow_nan=False)
    assert found[0].worse_jobs == len(story.workload)


def test_a_job_is_better_or_worse_off_by_more_than_a_second() -> None:
    ends = (9.0, 8.9, 10.0, 11.0, 11.1)
    before = schedule(*(Ran(0, 0, 10) for _ in ends))
    after = dataclasses.replace(before, end_s=np.array(ends))
    [found] = compare_schedules(before, [after])
    assert (found.better_jobs, found.worse_jobs) == (1, 1)


def test_who_finished_under_one_policy_only_is_counted_where_both_count() -> None:
    one = schedule(Ran(0, 0, 10), Ran(5, 10, 10), Ran(8, None, 10), Ran(9, None, 10))
    two = schedule(Ran(0, None, 10), Ran(5, None, 10), Ran(8, 10, 10), Ran(9, 10, 10))
    one, two = (dataclasses.replace(each, counted_s=(1.0, 9.0)) for each in (one, two))
    [found] = compare_schedules(one, [two])
    assert (found.paired_jobs, found.only_baseline_jobs, found.only_policy_jobs) == (0, 1, 1)


def test_replications_in_which_a_metric_is_not_defined_are_none_of_those_that_are_counted() -> None:
    cells = [Cell("easy", "mean_wait_s", value) for value in (1.0, None, 3.0)]
    [found] = aggregate_cells(cells)
    assert (found.mean, found.replications) == (2.0, 2)
    nowhere = [Cell("easy", "mean_wait_s", None)] * 2
    assert aggregate_cells(nowhere) == nowhere[:1]
