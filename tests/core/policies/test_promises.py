"""What every policy keeps, whatever it decides; parametrised over the table of policies."""

import pytest
from hypothesis import given, settings

from tests.kit.invariants import assert_sound
from tests.kit.policies import ALONE, IN_ROWS, different_policies
from tests.kit.replays import ends, finished, outcome, prepared, starts
from tests.kit.workloads import Job, job_lists

PROCESSORS = 8
every_policy = pytest.mark.parametrize("policy", different_policies())


@every_policy
@given(jobs=job_lists(PROCESSORS))
@settings(max_examples=100, deadline=None)
def test_no_overuse_no_early_start_nothing_lost(policy: str, jobs: list[Job]) -> None:
    assert_sound(finished(jobs, policy, PROCESSORS), jobs)


@every_policy
@given(jobs=job_lists(PROCESSORS))
@settings(max_examples=100, deadline=None)
def test_the_same_where_jobs_run_past_their_estimates(policy: str, jobs: list[Job]) -> None:
    assert_sound(finished(jobs, policy, PROCESSORS, overrun="extend"), jobs, kill=False)


@every_policy
@given(jobs=job_lists(PROCESSORS))
@settings(max_examples=60, deadline=None)
def test_the_same_with_one_pass_an_event(policy: str, jobs: list[Job]) -> None:
    assert_sound(finished(jobs, policy, PROCESSORS, ties="each"), jobs)


@every_policy
@given(jobs=job_lists(PROCESSORS, most=12))
@settings(max_examples=20, deadline=None)
def test_interpreted_and_compiled_runs_are_equal(policy: str, jobs: list[Job]) -> None:
    compiled = finished(jobs, policy, PROCESSORS)
    interpreted = finished(jobs, policy, PROCESSORS, interpreted=True)
    assert outcome(compiled.schedule()) == outcome(interpreted.schedule())


@every_policy
@given(jobs=job_lists(PROCESSORS))
@settings(max_examples=60, deadline=None)
def test_asking_for_reasons_changes_no_decision(policy: str, jobs: list[Job]) -> None:
    asked = prepared(jobs, policy, PROCESSORS)
    asked.tables.cycle.explain = 1
    assert asked.run()
    assert outcome(asked.schedule()) == outcome(finished(jobs, policy, PROCESSORS).schedule())


@pytest.mark.parametrize("policy", [name for name in different_policies() if name != "ps"])
@pytest.mark.parametrize("interpreted", [False, True])
def test_whoever_waits_has_a_reason(policy: str, interpreted: bool) -> None:
    # Wide and long jobs of both partitions of sita-e; under ps nobody waits.
    jobs = [Job(0, 50 + 5000 * (k % 2), 4) for k in range(10)]
    values = ALONE[policy] if policy in IN_ROWS else None
    replay = prepared(jobs, policy, PROCESSORS, values, interpreted=interpreted)
    replay.tables.cycle.explain = 1
    replay.run(until_s=0.0)
    t = replay.tables
    waiting = t.queue.waiting[t.queue.head : t.queue.tail]
    assert len(waiting) == 8
    assert (t.reasons.rule[waiting] > 0).all()
    assert (t.reasons.value[waiting] > 0).all()


@pytest.mark.parametrize("policy", ["easy", "fcfs"])
def test_without_being_asked_nobody_writes_reasons(policy: str) -> None:
    replay = finished([Job(0, 5, 8)] * 5, policy, PROCESSORS)
    assert not replay.tables.reasons.rule.any()


@every_policy
def test_a_job_wider_than_the_machine_is_refused_with_a_reason(policy: str) -> None:
    schedule = finished([Job(0, 5, 3), Job(1, 5, 9), Job(2, 5, 3)], policy, PROCESSORS).schedule()
    assert schedule.refused == {"wider_than_machine": 1}
    assert schedule.refused_rows.tolist() == [False, True, False]


@every_policy
def test_an_empty_workload_is_finished_at_once(policy: str) -> None:
    assert starts(finished([], policy, PROCESSORS)) == []


@every_policy
def test_a_job_alone_runs_at_once_and_ends_at_its_estimate(policy: str) -> None:
    replay = finished([Job(3, 20, 4, estimate=15)], policy, PROCESSORS)
    assert (starts(replay), ends(replay)) == ([3.0], [18.0])
    replay = finished([Job(3, 20, 4, estimate=15)], policy, PROCESSORS, overrun="extend")
    assert (starts(replay), ends(replay)) == ([3.0], [23.0])


@every_policy
def test_the_same_replay_twice_gives_the_same_bytes(policy: str) -> None:
    jobs = [Job(k % 7, 1 + k * 5 % 11, 1 + k % 8, 12) for k in range(60)]
    assert outcome(finished(jobs, policy).schedule()) == outcome(finished(jobs, policy).schedule())
