"""What follows by itself: when begin times and dependencies make a job eligible, and when they never will."""

from typing import Any

import pytest

from molokini.model.errors import BadValue, Conflict
from molokini.server.server import recovered
from molokini.server.state.dependencies import IN_WORDS
from molokini.server.turn.changing import Alter, Requeue
from molokini.server.turn.checks import Limits
from molokini.server.turn.losing import LoseNodes
from molokini.server.turn.preempting import ResumeJob, SuspendJob
from molokini.server.turn.retiring import Retire
from tests.kit.live import MemoryJournal, Story, after, live, spec_of
from tests.kit.live_picture import assert_kept


async def test_a_job_starts_at_its_begin_time_and_not_before(story: Story) -> None:
    job = await story.submit(begin_at_s=25.0, run_s=5.0)
    await story.advance(24.0)
    assert story.status(job) == "held"
    await story.advance(2.0)
    assert story.run(job).start_s == 25.0
    assert story.job(job).eligible_s == 25.0


async def test_a_begin_time_that_has_passed_does_not_keep_a_job(story: Story) -> None:
    await story.advance(50.0)
    job = await story.submit(begin_at_s=25.0)
    assert story.run(job).start_s == 50.0


ENDS: dict[str, dict[str, Any]] = {
    "well": {"run_s": 10.0},
    "badly": {"run_s": 10.0, "outcome": {"exit_code": 1}},
}
"""How another job ends: well, with a status, or by being cancelled as it runs, or before it has begun."""


@pytest.mark.parametrize(
    ("kind", "end", "starts_s"),
    [
        ("AFTER", "well", 5.0),
        ("AFTER", "badly", 5.0),
        ("AFTER_ANY", "well", 15.0),
        ("AFTER_ANY", "badly", 15.0),
        ("AFTER_ANY", "cancelled", 7.0),
        ("AFTER_OK", "well", 15.0),
        ("AFTER_OK", "badly", None),
        ("AFTER_OK", "cancelled", None),
        ("AFTER_NOT_OK", "well", None),
        ("AFTER_NOT_OK", "badly", 15.0),
        ("AFTER_NOT_OK", "cancelled", 7.0),
        ("AFTER", "never begun", 7.0),
        ("AFTER_ANY", "never begun", 7.0),
        ("AFTER_OK", "never begun", None),
        ("AFTER_NOT_OK", "never begun", 7.0),
    ],
)
async def test_each_kind_of_dependency(story: Story, kind: str, end: str, starts_s: float | None) -> None:
    begin_at_s = 50.0 if end == "never begun" else 5.0
    other = await story.submit(begin_at_s=begin_at_s, **ENDS.get(end, {"run_s": 50.0}))
    job = await story.submit(dependencies=after(kind, other), run_s=1.0)
    assert story.status(job) == "held"
    await story.advance(7.0)
    if end not in ENDS:
        await story.cancel(other)
    await story.advance(93.0)
    assert story.run(job).start_s == starts_s
    if starts_s is None:
        assert story.status(job) == "cancelled"
        assert f"job {other} ({IN_WORDS[kind]})" in story.run(job).reason


@pytest.mark.parametrize(
    ("kind", "end", "met"),
    [
        ("AFTER", "well", True),
        ("AFTER_OK", "well", True),
        ("AFTER_OK", "badly", False),
        ("AFTER_NOT_OK", "well", False),
        ("AFTER_NOT_OK", "badly", True),
        ("AFTER_ANY", "badly", True),
    ],
)
async def test_a_dependency_on_an_ended_job_counts(story: Story, kind: str, end: str, met: bool) -> None:
    other = await story.submit(**ENDS[end])
    await story.advance(20.0)
    job = await story.submit(dependencies=after(kind, other), run_s=1.0)
    assert story.status(job) == ("running" if met else "cancelled")


async def test_a_job_refused_by_the_policy_has_not_ended_well() -> None:
    # SITA-E has partitions, and refuses what is wider than any of them.
    async with live("sita-e") as story:
        other = await story.submit(processors=16, begin_at_s=5.0)
        job = await story.submit(dependencies=after("AFTER_OK", other))
        await story.advance(10.0)
        if story.status(other) != "refused":
            pytest.skip("this policy takes the job")
        assert story.status(job) == "cancelled"


async def test_all_of_several_dependencies_must_be_met(story: Story) -> None:
    first, second = await story.submit(run_s=10.0), await story.submit(run_s=20.0)
    job = await story.submit(dependencies=after("AFTER_OK", first, second))
    await story.advance(19.0)
    assert story.status(job) == "held"
    await story.advance(1.0)
    assert story.run(job).start_s == 20.0


async def test_a_chain_runs_one_after_the_other_and_breaks_as_a_whole(story: Story) -> None:
    chain = [await story.submit(run_s=10.0)]
    for _ in range(5):
        chain.append(await story.submit(run_s=10.0, dependencies=after("AFTER_OK", chain[-1])))
    broken = [await story.submit(run_s=10.0, outcome={"exit_code": 3})]
    for _ in range(5):
        broken.append(await story.submit(run_s=10.0, dependencies=after("AFTER_OK", broken[-1])))
    await story.advance(60.0)
    assert [story.run(job).start_s for job in chain] == [0.0, 10.0, 20.0, 30.0, 40.0, 50.0]
    assert [story.status(job) for job in broken] == ["failed"] + 5 * ["cancelled"]
    assert [story.run(job).end_s for job in broken] == 6 * [10.0]


async def test_a_singleton_waits_for_its_earlier_namesakes_of_the_same_user_only(story: Story) -> None:
    first = await story.submit(name="x", run_s=10.0)
    other = await story.submit("bob", name="x", run_s=40.0)
    job = await story.submit(name="x", run_s=10.0, dependencies=after("SINGLETON"))
    third = await story.submit(name="x", run_s=10.0, dependencies=after("SINGLETON"))
    await story.advance(100.0)
    starts = [story.run(one).start_s for one in (first, other, job, third)]
    assert starts == [0.0, 0.0, 10.0, 20.0]


async def test_a_singleton_does_not_wait_for_a_job_whose_name_or_user_goes_on(story: Story) -> None:
    for user, name in (("ann", "xy"), ("anna", "x"), ("ann", "")):
        await story.submit(user, name=name, run_s=10.0)
    job = await story.submit(name="x", run_s=10.0, dependencies=after("SINGLETON"))
    assert story.status(job) == "running"


@pytest.mark.parametrize("end", [*ENDS, "never begun"])
async def test_a_job_that_left_the_memory_still_decides_what_depends_on_it(story: Story, end: str) -> None:
    other = await story.submit(held=end == "never begun", **ENDS.get(end, {"run_s": 10.0}))
    kinds = ("AFTER", "AFTER_ANY", "AFTER_OK", "AFTER_NOT_OK")
    before = [await story.submit(held=True, dependencies=after(kind, other)) for kind in kinds]
    await story.advance(10.0)
    if end == "never begun":
        await story.cancel(other)
    await story.do(Retire([other]))
    later = [await story.submit(run_s=1.0, dependencies=after(kind, other)) for kind in kinds]
    good, bad = ("running", "cancelled") if end == "well" else ("cancelled", "running")
    assert [story.status(job) for job in later] == ["running", "running", good, bad]
    for job in before:
        if not story.job(job).over:
            await story.release(job)
    assert [story.status(job) for job in before] == ["running", "running", good, bad]


async def test_singletons_of_one_batch_wait_for_each_other(story: Story) -> None:
    spec = spec_of(name="x", run_s=10.0, dependencies=after("SINGLETON"))
    jobs = await story.submit_many([spec, spec, spec])
    await story.advance(100.0)
    assert [story.run(job).start_s for job in jobs] == [0.0, 10.0, 20.0]


async def test_a_begin_time_and_a_dependency_must_both_come(story: Story) -> None:
    other = await story.submit(run_s=30.0)
    early = await story.submit(begin_at_s=10.0, dependencies=after("AFTER_OK", other), run_s=1.0)
    late = await story.submit(begin_at_s=50.0, dependencies=after("AFTER_OK", other), run_s=1.0)
    await story.advance(100.0)
    assert (story.run(early).start_s, story.run(late).start_s) == (30.0, 50.0)


async def test_a_dependency_that_is_met_during_a_hold_counts_after_it(story: Story) -> None:
    other = await story.submit(run_s=10.0)
    job = await story.submit(held=True, dependencies=after("AFTER_OK", other))
    await story.advance(20.0)
    assert story.status(job) == "held"
    await story.release(job)
    assert story.run(job).start_s == 20.0


async def test_a_job_cannot_depend_on_itself_on_no_job_or_on_a_job_of_another_user(story: Story) -> None:
    theirs = await story.submit("bob")
    for number in (theirs, theirs + 1, 99, 0, -1):
        with pytest.raises(BadValue, match=r"dependencies\.job_id") as refused:
            await story.submit(dependencies=after("AFTER_ANY", number))
        assert refused.value.field == "dependencies.job_id"
    with pytest.raises(Conflict, match="dependencies: singleton needs a job with a name"):
        await story.submit(dependencies=after("SINGLETON"))


async def test_a_begin_time_that_is_altered_keeps_a_waiting_job_and_all_of_an_array(story: Story) -> None:
    wide = await story.submit(processors=16, run_s=10.0)
    job = await story.submit(processors=1, run_s=5.0)
    array = await story.submit(run_s=5.0, array={"first": 1, "last": 100})
    for one in (job, array):
        await story.do(Alter(one, "ann", {"begin_at_s": 30.0}, Limits(), False))
    # There is room for another candidate; none may come before the time.
    await story.cancel(array, 1)
    await story.advance(29.0)
    assert story.status(wide) == "completed"
    assert (story.status(job), story.status(array)) == ("held", "held")
    await story.advance(71.0)
    assert (story.status(job), story.status(array)) == ("completed", "cancelled")
    assert story.run(job).start_s == 30.0
    assert min(story.run(array, k).start_s or 0 for k in range(2, 101)) == 30.0


async def test_a_dependent_is_judged_after_a_recovery_too() -> None:
    async with live() as story:
        other = await story.submit(run_s=10.0, outcome={"exit_code": 1})
        job = await story.submit(dependencies=after("AFTER_OK", other))
        journal = story.journal
    async with live(journal=MemoryJournal(journal.entries, 2)) as story:
        await story.advance(10.0)
        assert story.status(job) == "cancelled"
        assert (await recovered(story.journal)).jobs[job].status == "cancelled"


async def test_once_a_job_is_over_nothing_is_kept_of_the_jobs_that_waited_for_it(story: Story) -> None:
    other = await story.submit(run_s=10.0, name="one", outcome={"exit_code": 1})
    for kind in ("AFTER", "AFTER_OK", "AFTER_NOT_OK", "AFTER_ANY", "SINGLETON"):
        await story.submit(dependencies=after(kind, other), name="one", run_s=1.0)
    assert story.state.dependents
    await story.advance(100.0)
    assert story.state.dependents == {}
    # Of what is over nobody tells any more.
    late = await story.submit(dependencies=after("AFTER_OK", other))
    assert story.status(late) == "cancelled"
    assert story.state.dependents == {}


# Beside arrays, requeues, suspension and holds.


ONE_BY_ONE = {"first": 1, "last": 3, "running_limit": 1}


@pytest.mark.parametrize(
    ("kind", "cancelled", "starts_s"),
    [
        ("AFTER", None, 5.0),
        ("AFTER_ANY", None, 35.0),
        ("AFTER_OK", None, 35.0),
        ("AFTER_NOT_OK", None, None),
        ("AFTER_ANY", 3, 25.0),
        ("AFTER_OK", 3, None),
        ("AFTER_NOT_OK", 3, 25.0),
        ("AFTER_OK", 1, None),
        ("AFTER_NOT_OK", 1, 27.0),
    ],
)
async def test_an_array_ends_well_if_all_do(
    story: Story, kind: str, cancelled: int | None, starts_s: float | None
) -> None:
    array = await story.submit(begin_at_s=5.0, run_s=10.0, array=ONE_BY_ONE)
    job = await story.submit(dependencies=after(kind, array), run_s=1.0)
    assert story.status(job) == "held"
    await story.advance(7.0)
    if cancelled is not None:
        await story.cancel(array, cancelled)
    await assert_kept(story)
    await story.advance(60.0)
    assert story.run(job).start_s == starts_s
    assert story.status(job) == ("cancelled" if starts_s is None else "completed")
    await assert_kept(story)


async def test_an_array_with_elements_to_come_is_not_over_for_later_jobs(story: Story) -> None:
    array = await story.submit(run_s=10.0, array=ONE_BY_ONE)
    await story.advance(12.0)
    jobs = [
        await story.submit(dependencies=after(kind, array), run_s=1.0)
        for kind in ("AFTER", "AFTER_OK", "AFTER_ANY")
    ]
    await story.advance(60.0)
    assert [story.run(job).start_s for job in jobs] == [12.0, 30.0, 30.0]


async def test_a_singleton_waits_for_all_elements_of_an_earlier_array_and_is_one_itself(story: Story) -> None:
    array = await story.submit(name="x", run_s=10.0, array=ONE_BY_ONE)
    then = await story.submit(name="x", run_s=10.0, array=ONE_BY_ONE, dependencies=after("SINGLETON"))
    last = await story.submit(name="x", run_s=1.0, dependencies=after("SINGLETON"))
    await story.advance(100.0)
    assert story.run(array, 3).end_s == 30.0
    assert [story.run(then, index).start_s for index in (1, 2, 3)] == [30.0, 40.0, 50.0]
    assert story.run(last).start_s == 60.0
    await assert_kept(story)


async def test_an_array_that_can_never_start_is_cancelled_with_all_its_elements(story: Story) -> None:
    first = await story.submit(run_s=10.0, outcome={"exit_code": 1})
    array = await story.submit(run_s=1.0, array=ONE_BY_ONE, dependencies=after("AFTER_OK", first))
    await story.hold(array)
    await story.advance(11.0)
    assert story.status(array) == "cancelled", "a hold does not keep what can never be"
    assert story.state.open_jobs == {}
    await assert_kept(story)


@pytest.mark.parametrize("lost", [False, True])
async def test_a_job_that_goes_back_to_the_queue_has_started_and_not_ended(story: Story, lost: bool) -> None:
    first = await story.submit(processors=16, run_s=10.0)
    ended = [
        await story.submit(dependencies=after(kind, first), run_s=1.0)
        for kind in ("AFTER_OK", "AFTER_ANY", "AFTER_NOT_OK")
    ]
    await story.advance(4.0)
    await story.hold(first)
    if lost:
        await story.do(LoseNodes(["n1"], "root", "a fan"))
    else:
        await story.do(Requeue(first, -1, "root"))
        await story.advance(0.5)
    assert story.status(first) == "held"
    started = await story.submit(dependencies=after("AFTER", first), run_s=1.0)
    assert story.status(started) == "running"
    assert [story.status(job) for job in ended] == ["held"] * 3
    await assert_kept(story)
    await story.cancel(first)
    await story.advance(5.0)
    assert [story.status(job) for job in ended] == ["cancelled", "completed", "completed"]
    await assert_kept(story)


async def test_a_suspended_job_has_started_and_not_ended(story: Story) -> None:
    first = await story.submit(run_s=10.0)
    then = await story.submit(dependencies=after("AFTER_OK", first), run_s=1.0)
    await story.advance(5.0)
    await story.do(SuspendJob(first, -1, "root"))
    started = await story.submit(dependencies=after("AFTER", first), run_s=1.0)
    await story.advance(20.0)
    assert (story.status(started), story.status(then)) == ("completed", "held")
    await story.do(ResumeJob(first, -1, "root"))
    await story.advance(20.0)
    assert story.run(then).start_s == 30.0
