"""Choices among policies that give processors in other ways: gang scheduling, and divisible loads."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.applications.divisible import Costs
from molokini.model.policy import Value
from tests.kit.divisible_worlds import FigureThree, Task, planned, replayed
from tests.kit.invariants import assert_no_overuse, assert_tables_empty, assert_work_conserved
from tests.kit.replays import ends, finished, outcome, prepared, starts
from tests.kit.workloads import Job, job_lists

ROWS: dict[str, Value] = {"candidates": "easy,gs:mpl=2", "every_s": 0.0, "hysteresis": 0.0}
LOADS: dict[str, Value] = {"candidates": "fifo-opr-mn,edf-opr-mn,mwf-opr-mn", "every_s": 0.0}
COSTS = Costs(1.0, 10.0)
NODES = 8


def test_rows_are_chosen_and_a_change_back_waits_until_they_are_empty() -> None:
    jobs = [
        # Together they are best in turns: the short one ends after 20 s, and not after 1,010.
        Job(0, 1000, 8),
        Job(0, 10, 8),
        # One of them runs when two alike come: one after the other is better than in turns.
        Job(4990, 100, 8),
        Job(5000, 100, 8),
        Job(5000, 100, 8),
    ]
    replay = finished(jobs, "adaptive", 8, ROWS)
    assert starts(replay) == [0.0, 0.0, 4990.0, 5090.0, 5190.0]
    assert ends(replay) == [1010.0, 20.0, 5090.0, 5190.0, 5290.0]
    found = [(one.at_s, one.chosen, one.reason) for one in replay.schedule().choices]
    assert found[0] == (0.0, "gs:mpl=2", "least mean-bounded-slowdown")
    assert (5000.0, "gs:mpl=2", "least mean-bounded-slowdown: easy, once no job runs") in found
    assert (5090.0, "easy", "no job runs any more") in found


@given(jobs=job_lists(8))
@settings(max_examples=60, deadline=None)
def test_no_processor_is_used_twice_whoever_decides(jobs: list[Job]) -> None:
    replay = finished(jobs, "adaptive", 8, ROWS)
    assert_work_conserved(replay)
    assert_tables_empty(replay)
    # In no instant do jobs in rows and jobs of their own processors run.
    schedule = replay.schedule()
    again = finished(jobs, "adaptive", 8, ROWS)
    assert outcome(schedule) == outcome(again.schedule())


@given(jobs=job_lists(8), random=st.randoms(use_true_random=False), until=st.integers(1, 60))
@settings(max_examples=40, deadline=None)
def test_run_times_of_jobs_that_have_not_started_change_no_choice_among_rows(
    jobs: list[Job], random: object, until: int
) -> None:
    one = prepared(jobs, "adaptive", 8, ROWS)
    one.run(until_s=float(until))
    others = [k for k, at_s in enumerate(starts(one)) if at_s is None]
    runs = [min(jobs[k].run, jobs[k].estimated) for k in others]
    random.shuffle(runs)  # type: ignore[attr-defined]
    changed = list(jobs)
    for k, run in zip(others, runs, strict=True):
        changed[k] = replace(jobs[k], run=run, estimate=jobs[k].estimated)
    other = prepared(changed, "adaptive", 8, ROWS)
    other.run(until_s=float(until))
    assert one.schedule().choices == other.schedule().choices


@st.composite
def task_lists(draw: st.DrawFn) -> list[Task]:
    """Tasks with many ties, at a load that has some refused."""
    tasks, at = [], 0.0
    for _ in range(draw(st.integers(0, 12))):
        at += draw(st.sampled_from([0.0, 0.0, 1.0, 5.0, 12.0, 30.0]))
        size = draw(st.sampled_from([1.0, 2.0, 5.0, 8.0, 13.0, 20.5]))
        slack = draw(st.sampled_from([1.0, 1.0, 1.3, 2.0, 5.0]))
        tasks.append(Task(at, size, slack * COSTS.execution_s("opr", size, draw(st.integers(1, NODES)))))
    return tasks


@given(tasks=task_lists())
@settings(max_examples=60, deadline=None)
def test_who_is_admitted_meets_the_deadline_whatever_the_order(tasks: list[Task]) -> None:
    replay = replayed(tasks, "adaptive", NODES, COSTS, LOADS)
    for k, (_, _, end_s) in planned(replay).items():
        assert end_s <= tasks[k].until + 1e-6 * max(1.0, tasks[k].until)
    assert_no_overuse(replay)
    assert_tables_empty(replay)


def test_the_order_that_admits_a_newcomer_is_chosen() -> None:
    first_s, last_s = COSTS.execution_s("opr", 20.0, NODES), COSTS.execution_s("opr", 5.0, NODES)
    # Until first_s all nodes are taken. The second has time; the third needs all nodes at that instant.
    tasks = [
        Task(0.0, 20.0, first_s * 1.001),
        Task(1.0, 20.0, first_s + COSTS.execution_s("opr", 20.0, 3)),
        Task(2.0, 5.0, first_s - 2.0 + last_s * 1.001),
    ]
    assert sorted(planned(replayed(tasks, "fifo-opr-mn", NODES, COSTS))) == [0, 1]
    assert sorted(planned(replayed(tasks, "edf-opr-mn", NODES, COSTS))) == [0, 1, 2]
    replay = replayed(tasks, "adaptive", NODES, COSTS, LOADS)
    assert sorted(planned(replay)) == [0, 1, 2]
    assert [one.chosen for one in replay.schedule().choices if one.switched] == ["fifo-opr-mn", "edf-opr-mn"]


@pytest.mark.parametrize(("send_s", "order"), [(1.0, "mwf-opr-mn"), (0.2, "edf-opr-mn")])
@given(tasks=task_lists())
@settings(max_examples=30, deadline=None)
def test_by_overhead_it_is_mwf_where_sending_costs_much(send_s: float, order: str, tasks: list[Task]) -> None:
    costs = Costs(send_s, 10.0)
    values: dict[str, Value] = {**LOADS, "chooser": "overhead"}
    assert planned(replayed(tasks, "adaptive", NODES, costs, values)) == FigureThree(order, NODES, costs).run(
        tasks
    )
