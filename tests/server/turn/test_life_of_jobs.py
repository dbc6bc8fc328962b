"""Holds, requeues, arrays, nodes that come and go, resources, submission keys, and policies that fail.

Long because each is a story of its own that begins with a few jobs and ends with all of them.
"""

import asyncio
from typing import Any

import pytest

from molokini.model.actors import Origin
from molokini.model.errors import BadValue, Conflict, MolokiniError, UnknownName
from molokini.model.facts import NO_INDEX, JobEnded, JobsSubmitted, JobStarted, PolicySet
from molokini.server.server import recovered
from molokini.server.turn.changing import Alter, Hold, NotNow, Release, Requeue
from molokini.server.turn.checks import Limits
from molokini.server.turn.ending import AttemptEnd, ReportEnd
from molokini.server.turn.losing import LoseNodes
from molokini.server.turn.operating import DrainNodes
from molokini.server.turn.preempting import ResumeJob, SuspendJob
from molokini.server.turn.reporting import ReturnNodes
from molokini.server.turn.submitting import Submit
from tests.kit.live import live, nodes, spec_of
from tests.kit.live_picture import assert_kept, assert_sound


async def test_all_holds_must_go_before_a_job_starts() -> None:
    async with live() as story:
        job = await story.submit(held=True)
        await story.hold(job, "operator")
        await story.hold(job, "system")
        for hold in ("user", "system", "operator"):
            assert story.status(job) == "held"
            await story.release(job, hold)
        assert story.status(job) == "running"


async def test_a_hold_takes_a_waiting_job_out_and_a_release_puts_it_at_its_place() -> None:
    async with live() as story:
        wide = await story.submit(processors=16, run_s=10.0)
        first, second = await story.submit(processors=16, run_s=10.0), await story.submit(processors=16)
        await story.hold(first)
        await story.release(first)
        await story.advance(10.0)
        assert story.run(first).start_s == 10.0
        assert story.status(second) == "waiting"
        assert story.status(wide) == "completed"


async def test_a_job_that_is_held_while_it_runs_is_held_when_it_is_requeued() -> None:
    async with live() as story:
        job = await story.submit(run_s=50.0)
        await story.hold(job)
        assert story.status(job) == "running"
        await story.do(LoseNodes(["n1"], "root", ""))
        assert story.status(job) == "held"
        await story.advance(60.0)
        assert story.run(job).attempt == 1
        await story.release(job)
        assert (story.status(job), story.run(job).attempt) == ("running", 2)


async def test_a_requeued_job_keeps_its_submit_time_and_begins_a_new_attempt() -> None:
    async with live() as story:
        await story.advance(5.0)
        job = await story.submit(processors=16, run_s=20.0)
        other = await story.submit(processors=16, run_s=20.0)
        await story.advance(10.0)
        await story.requeue(job)
        element = story.run(job)
        assert (element.attempt, element.first_start_s, element.start_s) == (2, 5.0, 15.0)
        assert story.job(job).submitted_s == 5.0
        assert story.status(other) == "waiting"
        await story.advance(100.0)
        assert (element.end_s, story.run(other).start_s) == (35.0, 35.0)


@pytest.mark.parametrize(
    ("end", "status", "attempt"),
    [
        ({"exit_code": 3}, "failed", 1),
        ({"killed": True}, "running", 2),
        ({"started": False}, "running", 2),
    ],
)
async def test_a_job_that_is_being_requeued_runs_again_unless_it_has_ended_by_itself(
    end: dict[str, Any], status: str, attempt: int
) -> None:
    async with live() as story:
        job = await story.submit()
        await story.leave()
        await story.do(Requeue(job, -1, "ann"))
        assert await story.do(ReportEnd(AttemptEnd(job, NO_INDEX, 1, 0.0, **end)))
        assert (story.status(job), story.run(job).attempt) == (status, attempt)


async def test_what_may_not_run_again_is_not_requeued_and_ends_with_its_node() -> None:
    async with live() as story:
        job = await story.submit(requeue=False, run_s=50.0)
        with pytest.raises(NotNow, match="must not run again"):
            await story.do(Requeue(job, -1, "ann"))
        await story.advance(7.0)
        await story.do(LoseNodes(["n1"], "root", "smoke"))
        assert story.status(job) == "node-lost"
        assert "smoke" in story.run(job).reason
        assert story.run(job).end_s == 7.0


async def test_the_loss_of_a_node_requeues_what_ran_there_elsewhere() -> None:
    async with live() as story:
        jobs = [await story.submit(processors=4, run_s=20.0) for _ in range(4)]
        await story.advance(5.0)
        await story.do(LoseNodes(["n2"], "root", ""))
        assert [story.status(job) for job in jobs] == ["running", "waiting", "running", "running"]
        assert (story.state.tables.machine.processors, story.state.tables.machine.free) == (12, 0)
        await story.advance(15.0)
        assert story.run(jobs[1]).attempt == 2
        await story.do(ReturnNodes(["n2"], "root"))
        await story.advance(20.0)
        assert [story.status(job) for job in jobs] == 4 * ["completed"]
        assert story.state.tables.machine.free == 16


async def test_a_scripted_death_takes_one_node_and_the_job_ends_well_at_its_second_attempt() -> None:
    async with live() as story:
        job = await story.submit(processors=1, outcome={"run_s": 30.0, "node_dies_after_s": 10.0})
        await story.advance(100.0)
        assert (story.status(job), story.run(job).attempt, story.run(job).end_s) == ("completed", 2, 40.0)
        assert [str(node.status) for node in story.state.machine.nodes] == ["down", "up", "up", "up"]


async def test_a_scripted_death_of_a_node_takes_its_job_and_leaves_the_node_down() -> None:
    async with live() as story:
        job = await story.submit(processors=8, outcome={"run_s": 30.0, "node_dies_after_s": 10.0})
        assert {node for node, _ in story.run(job).nodes} == {0, 1}
        await story.advance(11.0)
        assert str(story.state.machine.nodes[0].status) == "down"
        assert story.run(job).attempt == 2
        assert_sound(story.state)


@pytest.mark.parametrize("policy", ["fcfs", "easy", "conservative", "srpt"])
async def test_a_draining_node_finishes_its_jobs_and_takes_none(policy: str) -> None:
    async with live(policy) as story:
        old = await story.submit(processors=4, run_s=20.0)
        [(node, _)] = story.run(old).nodes
        name = story.state.machine.nodes[node].name
        await story.do(DrainNodes([name], "root", "tired"))
        new = [await story.submit(processors=2, run_s=5.0) for _ in range(10)]
        await story.advance(100.0)
        assert story.run(old).end_s == 20.0
        assert all(story.status(job) == "completed" for job in new)
        assert not any(node in dict(story.run(job).nodes) for job in new)
        await story.do(ReturnNodes([name], "root"))
        wide = await story.submit(processors=16)
        assert story.status(wide) == "running"
        assert_sound(story.state)


async def test_a_node_that_is_drained_and_lost_in_one_turn_is_down_and_returns_whole() -> None:
    async with live() as story:
        posts = [
            story.core.reactor.post(DrainNodes(["n1"], "root", "")),
            story.core.reactor.post(LoseNodes(["n1"], "root", "")),
        ]
        await asyncio.gather(*posts)
        assert_sound(story.state)
        assert str(story.state.machine.nodes[0].status) == "down"
        await story.do(ReturnNodes(["n1"], "root"))
        assert story.state.tables.machine.free == 16
        assert_sound(story.state)


async def test_a_command_for_nodes_of_which_one_is_unknown_changes_none() -> None:
    async with live() as story:
        for make in (lambda n: DrainNodes(n, "root", ""), lambda n: LoseNodes(n, "root", "")):
            with pytest.raises(UnknownName, match="n9"):
                await story.do(make(["n1", "n9"]))
        assert {str(record.status) for record in story.state.machine.nodes} == {"up"}


async def test_a_job_that_was_suspended_goes_on_elsewhere_and_survives_the_loss_of_its_old_node() -> None:
    async with live("firstfit") as story:
        job = await story.submit(processors=4, run_s=20.0)
        await story.advance(5.0)
        await story.do(SuspendJob(job, -1, "ann"))
        taker = await story.submit(processors=4, run_s=500.0, estimate_s=500.0)
        assert story.run(taker).nodes[0][0] == 0
        await story.advance(5.0)
        await story.do(ResumeJob(job, -1, "ann"))
        assert story.run(job).nodes[0][0] != 0
        await story.do(LoseNodes(["n1"], "root", ""))
        assert story.status(job) == "running"
        await story.advance(20.0)
        assert story.run(job).end_s == 25.0


async def test_memory_generic_resources_and_features_decide_where_a_job_goes() -> None:
    machine = [
        nodes("big", 8, memory_kb=8000, generic={"gpu": 2}, features=["fast"]),
        nodes("small[1-2]", 8, memory_kb=1000),
    ]
    async with live("firstfit", machine) as story:
        place: dict[str, set[int]] = {}
        wishes: dict[str, dict[str, Any]] = {
            "memory": {"processors": 2, "memory_kb": 2000},
            "gpu": {"processors": 1, "generic": {"gpu": 2}},
            "feature": {"processors": 3, "features": ["fast"]},
            "second gpu": {"processors": 1, "generic": {"gpu": 1}},
            "more memory": {"processors": 2, "memory_kb": 2500},
            "little memory": {"processors": 2, "memory_kb": 600},
        }
        for name, wish in wishes.items():
            job = await story.submit(run_s=10.0, **wish)
            place[name] = {node for node, _ in story.run(job).nodes}
        assert place["memory"] == place["gpu"] == place["feature"] == {0}
        assert place["second gpu"] == place["more memory"] == set()
        assert place["little memory"]
        assert_sound(story.state)
        await story.advance(10.0)
        assert story.status(4) == "running"


@pytest.mark.parametrize(
    ("wish", "field"),
    [
        ({"processors": 17}, "processors"),
        ({"processors": -1}, "processors"),
        ({"processors": 2**31}, "processors"),
        ({"processors": 2**63 - 1}, "processors"),
        ({"nodes": 10**9}, "processors"),
        ({"nodes": -1}, "nodes"),
        ({"nodes": 3, "processors": 4}, "processors"),
        ({"processors": 6, "processors_per_node": 4}, "processors"),
        ({"processors_per_node": -1}, "processors_per_node"),
        ({"nodes": 1, "processors_per_node": 5}, "resources"),
        ({"nodes": 5}, "resources"),
        ({"memory_kb": 1001}, "resources"),
        ({"memory_kb": -1}, "memory_kb"),
        ({"memory_kb": 2**63 - 1}, "memory_kb"),
        ({"generic": {"gpu": 3}}, "resources"),
        ({"generic": {"gpu": -1}}, "generic.gpu"),
        ({"estimate_s": -5.0}, "estimate_s"),
        ({"estimate_s": float("nan")}, "estimate_s"),
        ({"estimate_s": float("inf")}, "estimate_s"),
        ({"begin_at_s": float("nan")}, "begin_at_s"),
        ({"begin_at_s": -1.0}, "begin_at_s"),
        ({"deadline_s": float("inf")}, "deadline_s"),
        ({"user_priority": 1}, "user_priority"),
        ({"user_priority": -1025}, "user_priority"),
        ({"run_s": float("nan")}, "outcome.run_s"),
        ({"run_s": -1.0}, "outcome.run_s"),
        ({"outcome": {"exit_code": 256}}, "outcome.exit_code"),
        ({"outcome": {"signal": 65}}, "outcome.signal"),
        ({"array": {"first": 5, "last": 1}}, "array"),
        ({"array": {"first": 0, "last": 999_999_999}}, "array"),
        ({"array": {"first": 1, "last": 9, "step": -1}}, "array.step"),
        ({"array": {"first": -1, "last": 9}}, "array"),
        ({"array": {"first": 1, "last": 9, "running_limit": -1}}, "array.running_limit"),
    ],
)
async def test_what_can_never_be_is_refused_with_the_field(wish: dict[str, Any], field: str) -> None:
    async with live(offers=[nodes("n[1-4]", 4, memory_kb=1000, generic={"gpu": 2})]) as story:
        before = story.journal.last_serial
        with pytest.raises(BadValue) as refused:
            await story.submit(**wish)
        assert refused.value.field == field
        assert story.journal.last_serial == before
        assert_sound(story.state)


async def test_names_that_no_node_knows_are_refused() -> None:
    async with live() as story:
        for wish in ({"features": ["fast"]}, {"generic": {"gpu": 1}}):
            with pytest.raises(UnknownName):
                await story.submit(**wish)


async def test_an_array_of_which_the_rest_was_cancelled_has_not_ended_well() -> None:
    async with live() as story:
        job = await story.submit(array={"first": 1, "last": 1000, "running_limit": 1}, run_s=10.0)
        follower = await story.submit(dependencies=[{"kind": "AFTER_OK", "job_id": job}], name="x", run_s=1.0)
        await story.leave()
        await story.cancel(job)
        assert story.status(job) == "running"
        # Its one element ends well before it hears of the cancel.
        await story.do(_ended(job, 1))
        assert story.status(job, 1) == "completed"
        assert story.status(job) == "cancelled"
        assert story.status(follower) == "cancelled"


def _ended(job: int, index: int) -> Any:
    return ReportEnd(AttemptEnd(job, index, 1, 0.0))


async def test_a_held_array_is_held_as_a_whole_and_goes_on() -> None:
    async with live() as story:
        job = await story.submit(array={"first": 1, "last": 100}, run_s=10.0)
        await story.do(Hold(job, "ann", "user"))
        await story.advance(10.0)
        assert story.state.tables.queue.running_count == 0
        assert story.status(job) == "held"
        await story.do(Release(job, "ann", ["user"]))
        await story.advance(100.0)
        assert story.status(job) == "completed"
        assert len(story.journal.facts(JobStarted)) == 100


async def test_a_submission_key_gives_one_job_whenever_it_comes_again() -> None:
    async with live() as story:
        spec = spec_of(submission_key="k", held=True)
        posts = [story.core.reactor.post(Submit("ann", [spec, spec], Limits())) for _ in range(3)]
        answers = [await post for post in posts]
        assert answers == 3 * [[1, 1]]
        assert await story.submit(submission_key="k") == 1
        assert await story.submit("bob", submission_key="k") == 2
        assert sum(len(fact.specs) for fact in story.journal.facts(JobsSubmitted)) == 2
        await story.cancel(1)
        assert await story.submit(submission_key="k") == 1
        assert (await recovered(story.journal)).keys == {("ann", "k"): 1, ("bob", "k"): 2}


async def test_one_bad_job_of_a_batch_does_not_keep_its_neighbours_out() -> None:
    async with live() as story:
        answers = await story.submit_many([spec_of(), spec_of(processors=99), spec_of()])
        assert answers[0] == 1
        assert isinstance(answers[1], BadValue)
        assert answers[2] == 2


async def test_a_new_estimate_moves_the_reservation_of_others() -> None:
    async with live("easy") as story:
        runs = await story.submit(processors=16, estimate_s=100.0, run_s=100.0)
        waits = await story.submit(processors=16, estimate_s=10.0)
        await story.do(Alter(runs, "ann", {"estimate_s": 50.0}, Limits(), False))
        t = story.state.tables
        assert t.jobs.expected_end_s[story.run(runs).row] == 50.0
        with pytest.raises(Conflict, match="only an operator may lengthen"):
            await story.do(Alter(runs, "ann", {"estimate_s": 60.0}, Limits(), False))
        assert story.status(waits) == "waiting"
        await assert_kept(story)


async def test_a_job_that_was_altered_while_held_stays_held() -> None:
    async with live() as story:
        wide = await story.submit(processors=16, run_s=10.0)
        job = await story.submit(processors=16)
        await story.hold(job)
        await story.do(Alter(job, "ann", {"resources": {"processors": 2}}, Limits(), False))
        assert story.status(job) == "held"
        await story.advance(10.0)
        assert story.status(wide) == "completed"
        await story.release(job)
        assert dict(story.run(job).nodes) == {0: 2}


async def test_a_policy_that_raises_is_named_and_replaced_after_three_failures(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with live("easy") as story:
        wide = await story.submit(processors=16, run_s=10.0)
        running_policy, passes = story.core.reactor.running_policy, list[float]()

        def broken(view: Any, now: float) -> None:
            passes.append(now)
            raise ZeroDivisionError("halves of nothing")

        monkeypatch.setattr(running_policy, "_functions", (broken, broken))
        job = await story.submit(processors=1)
        await story.until(lambda: story.core.reactor.running_policy.policy.name == "fcfs")
        await story.settled()
        assert passes == [0.0, 0.0, 0.0]
        assert "easy" in story.core.reactor.last_policy_error
        assert "halves of nothing" in story.core.reactor.last_policy_error
        assert story.journal.facts(PolicySet)[-1] == PolicySet("fcfs", {}, Origin.SYSTEM)
        assert (story.status(wide), story.status(job)) == ("running", "waiting")
        await story.advance(10.0)
        assert story.status(job) == "running"
        assert_sound(story.state)


async def test_a_policy_that_cheats_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    from molokini.cycle.verbs import start

    async with live("firstfit") as story:
        await story.submit(processors=10, run_s=10.0)

        def cheat(view: Any, now: float) -> None:
            for row in view.queue.waiting[view.queue.head : view.queue.tail].tolist():
                start(view, row)
                start(view, row)

        monkeypatch.setattr(story.core.reactor.running_policy, "_functions", (lambda v, n: None, cheat))
        job = await story.submit(processors=10)
        await story.until(lambda: story.core.reactor.running_policy.policy.name == "fcfs")
        assert "firstfit" in story.core.reactor.last_policy_error
        assert story.status(job) == "waiting"
        assert_sound(story.state)


async def test_one_bad_pass_is_forgiven(monkeypatch: pytest.MonkeyPatch) -> None:
    async with live("easy") as story:
        running_policy = story.core.reactor.running_policy
        begin, schedule = running_policy.functions(story.state.tables)
        calls = 0

        def moody(view: Any, now: float) -> None:
            nonlocal calls
            calls += 1
            if calls <= 2:
                raise RuntimeError("not today")
            schedule(view, now)

        monkeypatch.setattr(running_policy, "_functions", (begin, moody))
        job = await story.submit()
        await story.until(lambda: story.status(job) == "running")
        assert story.core.reactor.running_policy.policy.name == "easy"
        assert story.core.reactor.policy_failures == 0


async def test_a_thousand_cancels_race_with_ends_and_each_job_has_one_end() -> None:
    async with live(offers=[nodes("n[1-10]", 10)]) as story:
        for _ in range(10):
            jobs = await story.submit_many([spec_of(run_s=10.0)] * 100)
            story.core.clock.advance(10.0)
            from molokini.server.turn.changing import Cancel

            posts = []
            for k, job in enumerate(jobs):
                if k % 10 == 0:
                    await asyncio.sleep(0)
                posts.append(story.core.reactor.post(Cancel(job, -1, "ann")))
            answers = await asyncio.gather(*posts, return_exceptions=True)
            assert all(a is None or isinstance(a, MolokiniError) for a in answers)
            await story.advance(1.0)
            assert all(story.run(job).over for job in jobs)
        ended = [fact.job for fact in story.journal.facts(JobEnded)]
        assert len(ended) == len(set(ended)) == 1000
        assert_sound(story.state)
