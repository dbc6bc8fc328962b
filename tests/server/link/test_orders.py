"""What agents are told of attempts: launches, orders, limits, slices, and other places."""

from collections.abc import Callable
from typing import Any

import pytest

from molokini.model.facts import JobEnded, JobMoved, JobStarted
from molokini.model.site import CONFIGURATION
from molokini.model.slicing import Slicing
from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.proto.v1 import jobs_pb2
from molokini.server.translate import spec_from_wire
from molokini.server.turn.changing import Alter, Cancel, Requeue, Signal
from molokini.server.turn.checks import Limits
from molokini.server.turn.command import Command
from molokini.server.turn.operating import SetPolicy
from molokini.server.turn.preempting import ResumeJob, SuspendJob
from molokini.server.turn.slicing import SliceJob
from molokini.server.turn.submitting import Submit
from tests.kit.live import Story, live, nodes
from tests.kit.live_picture import assert_kept, assert_sound
from tests.kit.voices import Voice, joined, spoken
from tests.server.releases.life import Say

ALL = jobs_pb2.JobSpec(
    name="all of it",
    argv=["./run", "two words"],
    environment={"A": "1"},
    annotations={"site": "garden\n"},
    working_directory="/home/ann",
    stdin_path="in",
    stdout_path="out",
    stderr_path="err",
    resources=jobs_pb2.Resources(processors=6),
    estimate_s=100.0,
    queue="default",
    account="physics",
    qos="high",
    user_priority=-3,
    deadline_s=900.0,
    requeue=True,
    mail_events=["end"],
    mail_to=["ann"],
    notify="port",
    comment="hm",
    submission_key="k",
    outcome=jobs_pb2.Outcome(run_s=50.0, exit_code=3, memory_kb=77),
    group="staff",
)

FIRST = wire.AttemptRef(job_id=1, array_index=-1, attempt=1)

THERE = [jobs_pb2.Allocation(node="n1", processors=4), jobs_pb2.Allocation(node="n2", processors=2)]


async def test_a_launch_has_all_that_was_asked_for_and_so_has_a_welcome(story: Story, voice: Voice) -> None:
    await story.advance(5.0)
    [job] = await story.do(Submit("ann", [spec_from_wire(ALL)], Limits()))
    [launch] = await voice.hears("launch")
    expected = wire.Launch(
        attempt=FIRST, user="ann", spec=ALL, allocation=THERE, start_s=5.0, limit_s=100.0, rate=1.0
    )
    assert launch == expected
    await story.advance(10.0)
    await voice.gone()
    again = await joined(story)
    [named] = again.of("welcome")[0].attempts
    expected.updated_s = 5.0
    assert named == expected
    await again.gone()
    assert job == 1


async def test_an_element_is_launched_under_its_index_and_attempt(story: Story, voice: Voice) -> None:
    job = await story.submit(array={"first": 7, "last": 9, "step": 2}, processors=8)
    found = {one.attempt.array_index: one.attempt for one in await voice.hears("launch", 2)}
    assert found == {k: wire.AttemptRef(job_id=job, array_index=k, attempt=1) for k in (7, 9)}
    await story.do(Requeue(job, 9, "ann"))
    [order] = await voice.hears("order")
    assert order.attempt == found[9]
    voice.report(wire.Report.KILLED, job, index=9)
    launches = await voice.hears("launch", 3)
    assert launches[2].attempt == wire.AttemptRef(job_id=job, array_index=9, attempt=2)


@pytest.mark.parametrize(
    ("commands", "expected"),
    [
        ([lambda: SuspendJob(1, -1, "ann")], [{"kind": wire.Order.SUSPEND}]),
        (
            [lambda: SuspendJob(1, -1, "ann"), lambda: ResumeJob(1, -1, "ann")],
            [{"kind": wire.Order.SUSPEND}, {"kind": wire.Order.RESUME, "rate": 1.0, "allocation": THERE}],
        ),
        ([lambda: Cancel(1, -1, "ann")], [{"kind": wire.Order.KILL}]),
        ([lambda: Requeue(1, -1, "ann")], [{"kind": wire.Order.KILL}]),
        (
            [lambda: Alter(1, "ann", {"estimate_s": 80.0}, Limits(), False)],
            [{"kind": wire.Order.SET_LIMIT, "limit_s": 80.0, "estimate_s": 80.0}],
        ),
        ([lambda: Alter(1, "ann", {"comment": "hm"}, Limits(), False)], []),
    ],
    ids=["suspend", "resume", "cancel", "requeue", "another limit", "nothing of his"],
)
async def test_an_order_says_what_to_do_with_which_attempt_and_when(
    story: Story, voice: Voice, commands: list[Callable[[], Command]], expected: list[dict[str, Any]]
) -> None:
    await story.submit(processors=6, run_s=50.0)
    await voice.hears("launch")
    await story.advance(10.0)
    for make in commands:
        await story.do(make())
    await story.settled()
    assert voice.of("order") == [wire.Order(attempt=FIRST, at_s=10.0, **one) for one in expected]
    assert len(voice.of("launch")) == 1


async def test_a_signal_goes_to_what_runs_with_its_number(story: Story, voice: Voice) -> None:
    await story.submit(processors=6, run_s=50.0)
    await voice.hears("launch")
    for element in await story.do(Signal(1, -1, "ann", 12)):
        story.core.hub.signal(element, 12, 3.0)
    [order] = await voice.hears("order")
    assert order == wire.Order(kind=wire.Order.SIGNAL, attempt=FIRST, at_s=3.0, signal=12)


ROW = Slicing(rows=2, row=(1,), quantum_s=0.2, origin_s=3.0)


async def test_an_agent_is_told_when_its_job_computes(story: Story, voice: Voice) -> None:
    job = await story.submit(processors=1)
    await voice.hears("launch", 1)
    await story.do(SliceJob(job, -1, "root", ROW))
    await story.do(SliceJob(job, -1, "root", None))
    sliced, whole = await voice.hears("order", 2)
    assert (sliced.kind, sliced.rate, sliced.attempt.job_id) == (wire.Order.SLICE, 0.5, job)
    assert sliced.slicing == jobs_pb2.Slicing(rows=2, row=[1], quantum_s=0.2, origin_s=3.0)
    assert (whole.kind, whole.rate, whole.HasField("slicing")) == (wire.Order.SLICE, 1.0, False)


# Another limit, another place.


async def alter(story: Story, job: int, **changes: Any) -> None:
    fields: Any = changes
    await story.do(Alter(job, "root", fields, Limits(), True))


async def test_a_new_estimate_is_told_to_agents_of_active_jobs(story: Story, voice: Voice) -> None:
    runs, stopped, waits = [await story.submit(processors=8) for _ in range(3)]
    await voice.hears("launch", 2)
    await story.do(SuspendJob(stopped, -1, "root"))
    await voice.hears("launch", 3)
    for job in (runs, stopped):
        await alter(story, job, estimate_s=250.0, comment="longer")
    await alter(story, runs, comment="no new limit")
    orders = [one for one in await voice.hears("order", 3) if one.kind == wire.Order.SET_LIMIT]
    assert [(one.attempt.job_id, one.limit_s) for one in orders] == [(runs, 250.0), (stopped, 250.0)]
    assert waits


async def test_every_element_of_an_array_that_runs_gets_the_new_limit(story: Story) -> None:
    job = await story.submit(array={"first": 1, "last": 3}, estimate_s=50.0, run_s=70.0)
    await alter(story, job, estimate_s=80.0)
    await story.advance(100.0)
    assert {fact.ending for fact in story.journal.facts(JobEnded)} == {"completed"}


async def test_a_job_with_a_longer_limit_runs_on_and_one_with_a_shorter_is_ended_sooner(story: Story) -> None:
    longer = await story.submit(run_s=70.0, estimate_s=50.0)
    shorter = await story.submit(run_s=70.0, estimate_s=80.0)
    over = await story.submit(run_s=70.0, estimate_s=80.0)
    unscripted = await story.submit(estimate_s=50.0)
    await story.advance(30.0)
    await alter(story, longer, estimate_s=100.0)
    await alter(story, shorter, estimate_s=40.0)
    await alter(story, over, estimate_s=10.0)
    await alter(story, unscripted, estimate_s=90.0)
    await story.advance(100.0)
    assert [(story.status(job), story.run(job).end_s) for job in (longer, shorter, over, unscripted)] == [
        ("completed", 70.0),
        ("timed-out", 40.0),
        ("timed-out", 30.0),
        ("completed", 90.0),
    ]


async def test_an_agent_that_was_away_learns_the_limit_when_it_comes_again(story: Story) -> None:
    job = await story.submit(run_s=70.0, estimate_s=50.0)
    await story.leave()
    await alter(story, job, estimate_s=60.0)
    await story.connect()
    await story.advance(100.0)
    assert (story.status(job), story.run(job).end_s) == ("timed-out", 60.0)


async def test_a_limit_outlives_server_and_agent() -> None:
    async with live() as story:
        job = await story.submit(run_s=70.0, estimate_s=50.0)
        await story.advance(20.0)
        await alter(story, job, estimate_s=100.0)
    async with live(journal=story.journal) as again:
        await again.advance(100.0)
        assert (again.status(job), again.run(job).end_s) == ("completed", 70.0)


async def test_what_is_resumed_on_other_nodes_of_its_agent_is_told_which(story: Story, voice: Voice) -> None:
    moving = await story.submit(nodes=1, processors_per_node=4)
    [launch] = await voice.hears("launch")
    assert [part.node for part in launch.allocation] == ["n1"]
    await story.do(SuspendJob(moving, -1, "root"))
    blocking = await story.submit(nodes=1, processors_per_node=4)
    await voice.hears("launch", 2)
    await story.do(ResumeJob(moving, -1, "root"))
    resumed = (await voice.hears("order", 2))[-1]
    assert resumed.kind == wire.Order.RESUME
    assert [(part.node, part.processors) for part in resumed.allocation] == [("n2", 4)]
    assert blocking


async def test_what_was_resumed_elsewhere_is_not_lost_with_the_node_where_it_was() -> None:
    async with live(offers=[nodes("n[1-2]")]) as story:
        moving = await story.submit(nodes=1, processors_per_node=4, run_s=60.0)
        await story.advance(10.0)
        await story.do(SuspendJob(moving, -1, "root"))
        dies = await story.submit(
            nodes=1, processors_per_node=4, requeue=False, outcome={"run_s": 60.0, "node_dies_after_s": 20.0}
        )
        await story.do(ResumeJob(moving, -1, "root"))
        await story.advance(100.0)
        assert story.status(dies) == "node-lost"
        wanted = ("completed", 1, 60.0)
        assert (story.status(moving), story.run(moving).attempt, story.run(moving).end_s) == wanted


async def test_limits_follow_overruns_that_are_switched_on_off_and_on_again() -> None:
    """Each time what runs hears of it; where nothing may run past its limit as before, nothing is said."""
    async with spoken(policy="maui") as (story, voice):
        job = await story.submit(processors=1, estimate_s=100.0)
        stopped = await story.submit(processors=1, estimate_s=10.0)
        await voice.hears("launch", 2)
        await story.do(SuspendJob(stopped, -1, "root"))
        told = []
        for overrun_s in (0, 50, 0, 0, 20, 0):
            before = len(voice.of("order"))
            text = f"JOBMAXOVERRUN {overrun_s}\n"
            await story.do(SetPolicy("maui", {CONFIGURATION: text}, "root"))
            orders = voice.of("order")[before:]
            assert all(one.kind == wire.Order.SET_LIMIT for one in orders)
            told.append({one.attempt.job_id: one.limit_s for one in orders})
        usual = {job: 100.0, stopped: 10.0}
        assert told == [{}, {job: 150.0, stopped: 60.0}, usual, {}, {job: 120.0, stopped: 30.0}, usual]


# Jobs that a policy moves.


MOVES_S = 10.0


async def move(story: Story, job: int, onto: dict[int, int]) -> None:
    """From these nodes to those: what a policy from a file may decide; none at hand does."""
    await story.advance(MOVES_S)
    [started] = story.journal.facts(JobStarted)
    placed = tuple((onto[node], tasks, component) for node, tasks, component in started.placed)
    await story.do(Say(JobMoved(job, -1, placed)))


async def test_what_is_moved_has_its_new_nodes_and_no_others_and_goes_on_with_its_work() -> None:
    async with live(offers=[nodes("n[1-2]")]) as story:
        job = await story.submit(nodes=1, processors_per_node=4, run_s=60.0)
        assert story.run(job).nodes == ((0, 4),)
        await move(story, job, {0: 1})
        assert story.run(job).nodes == ((1, 4),)
        beside = await story.submit(nodes=1, processors_per_node=4, run_s=5.0)
        assert story.run(beside).nodes == ((0, 4),)
        await assert_kept(story)
        await story.advance(100.0)
        assert (story.status(job), story.run(job).attempt, story.run(job).end_s) == ("completed", 1, 60.0)


async def test_another_agent_goes_on_with_the_work_that_the_first_has_done() -> None:
    async with live(offers=[nodes("n1")]) as story:
        job = await story.submit(processors=4, run_s=60.0)
        await story.join_beside([nodes("m1")], "other")
        await move(story, job, {0: 1})
        assert story.run(job).nodes == ((1, 4),)
        await story.advance(100.0)
        assert (story.status(job), story.run(job).attempt, story.run(job).end_s) == ("completed", 1, 60.0)
        await assert_kept(story)


async def test_an_agent_is_told_to_which_of_its_nodes_a_job_moves(story: Story, voice: Voice) -> None:
    job = await story.submit(nodes=1, processors_per_node=4)
    await move(story, job, {0: 1})
    [order] = await voice.hears("order")
    assert (order.kind, order.attempt.job_id, order.at_s) == (wire.Order.MOVE, job, MOVES_S)
    assert [(part.node, part.processors) for part in order.allocation] == [("n2", 4)]
    assert not story.state.left


async def test_the_agent_to_which_a_job_moves_waits_until_the_other_has_let_it_go() -> None:
    async with spoken() as (story, first):
        second = Voice(story, "other", "b2")
        job = await story.submit(processors=16)
        await second.joined(nodes("m[1-4]"))
        await move(story, job, {node: node + 4 for node in range(4)})
        [order] = await first.hears("order")
        assert (order.kind, order.attempt.job_id) == (wire.Order.KILL, job)
        await story.settled()
        assert story.run(job).left_at == (first.name,)
        assert second.of("launch") == []
        await assert_kept(story)
        await story.advance(5.0)
        first.report(wire.Report.KILLED, job)
        [launch] = await second.hears("launch")
        assert (launch.attempt.job_id, launch.attempt.attempt) == (job, 1)
        assert (launch.work_s, launch.updated_s) == (MOVES_S, MOVES_S + 5.0)
        assert [part.node for part in launch.allocation] == ["m1", "m2", "m3", "m4"]
        assert_sound(story.state)
