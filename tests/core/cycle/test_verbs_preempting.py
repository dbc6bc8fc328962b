"""Policies that take running jobs off: back into the queue, or for good."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from molokini.model.errors import MolokiniError
from tests.kit.invariants import assert_no_overuse, assert_sound, assert_tables_empty
from tests.kit.preempting import wide_first
from tests.kit.replays import ends, finished, outcome, starts
from tests.kit.workloads import Job, job_lists

JOBS = [Job(0, 10, 2), Job(3, 5, 8), Job(4, 1, 1)]


def test_a_requeued_job_loses_its_work_and_starts_again(tmp_path: Path) -> None:
    replay = finished(JOBS, wide_first(tmp_path, "requeue"))
    assert starts(replay) == [0.0, 3.0, 8.0]
    assert ends(replay) == [18.0, 8.0, 9.0]
    trace = replay.schedule().trace
    assert list(zip(trace.time_s, trace.job, trace.rate, trace.occupied, strict=True)) == [
        (3.0, 0, 0.0, 0.0),
        (8.0, 0, 1.0, 2.0),
    ]
    assert_sound(replay, JOBS, lost=True)


@pytest.mark.quick(one_in=3)
@pytest.mark.parametrize(
    ("verb", "requeues", "checkpoints", "lost_s"),
    [("requeue", 2, 0, 3.0 + 4.0), ("checkpoint", 2, 2, 0.0), ("cancel", 0, 0, 0.0)],
)
def test_interruptions_are_counted_and_the_work_that_is_lost(
    tmp_path: Path, verb: str, requeues: int, checkpoints: int, lost_s: float
) -> None:
    """The first job gives way at 3, goes on at 5, and gives way again at 9."""
    jobs = [Job(0, 10, 2), Job(3, 2, 8), Job(9, 2, 8)]
    counted = finished(jobs, wide_first(tmp_path, verb)).schedule().interruptions
    assert counted is not None
    assert counted.suspensions.tolist() == [0, 0, 0]
    assert counted.requeues.tolist() == [requeues, 0, 0]
    assert counted.checkpoints.tolist() == [checkpoints, 0, 0]
    assert counted.lost_s.tolist() == [lost_s, 0.0, 0.0]


def test_a_cancelled_job_is_over(tmp_path: Path) -> None:
    replay = finished(JOBS, wide_first(tmp_path, "cancel"))
    assert ends(replay) == [3.0, 8.0, 9.0]
    assert replay.schedule().run_s.tolist() == [3.0, 5.0, 1.0]
    assert_no_overuse(replay)
    assert_tables_empty(replay)


@pytest.mark.quick(one_in=2)
@pytest.mark.parametrize("interpreted", [False, True])
def test_the_machine_is_not_overused_and_nothing_is_lost(tmp_path: Path, interpreted: bool) -> None:
    back, gone = wide_first(tmp_path, "requeue"), wide_first(tmp_path, "cancel")

    @given(jobs=job_lists(8, most=12))
    @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
    def sound(jobs: list[Job]) -> None:
        assert_sound(finished(jobs, back, interpreted=interpreted), jobs, lost=True)
        assert outcome(finished(jobs, back).schedule()) == outcome(
            finished(jobs, back, interpreted=True).schedule()
        )
        cancelling = finished(jobs, gone, interpreted=interpreted)
        assert_no_overuse(cancelling)
        assert_tables_empty(cancelling)
        schedule = cancelling.schedule()
        assert ((schedule.end_s == schedule.end_s) != schedule.refused_rows).all()

    sound()


@pytest.mark.parametrize("verbs", [("requeue", "suspend"), ("cancel", "requeue"), ("requeue", "requeue")])
def test_a_job_is_taken_off_once(tmp_path: Path, verbs: tuple[str, str]) -> None:
    path = tmp_path / "twice.py"
    path.write_text(
        f"""
from molokini.model.policy import Policy
from molokini.cycle.verbs import cancel, requeue, start, suspend
POLICY = Policy(name="twice", summary="twice", promise="none", source="a test")
def schedule(view, now):
    for k in range(view.queue.running_count):
        {verbs[0]}(view, view.queue.running[k])
        {verbs[1]}(view, view.queue.running[k])
    for k in range(view.queue.head, view.queue.tail):
        start(view, view.queue.waiting[k])
"""
    )
    with pytest.raises(MolokiniError, match=r"twice\.py: at 1 s it .*asked twice"):
        finished([Job(0, 5, 3), Job(1, 5, 3)], str(path))
