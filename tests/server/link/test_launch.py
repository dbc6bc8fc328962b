"""Every word that an agent gets about an attempt, whole: launches, orders, and what a welcome names."""

from collections.abc import Callable
from typing import Any

import pytest

from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.proto.v1 import jobs_pb2
from molokini.server.translate import spec_from_wire
from molokini.server.turn.changing import Alter, Cancel, Requeue, Signal
from molokini.server.turn.checks import Limits
from molokini.server.turn.command import Command
from molokini.server.turn.preempting import ResumeJob, SuspendJob
from molokini.server.turn.submitting import Submit
from tests.kit.voices import Voice, spoken

ALL = jobs_pb2.JobSpec(
    name="all of it",
    argv=["./run", "two words"],
    environment={"A": "1"},
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
THERE = [
    jobs_pb2.Allocation(node="n1", processors=4),
    jobs_pb2.Allocation(node="n2", processors=2),
]


async def test_a_launch_has_all_that_was_asked_for_and_a_welcome_what_was_done_too() -> None:
    async with spoken() as (story, voice):
        await story.advance(5.0)
        [job] = await story.do(Submit("ann", [spec_from_wire(ALL)], Limits()))
        [launch] = await voice.hears("launch")
        expected = wire.Launch(
            attempt=FIRST, user="ann", spec=ALL, allocation=THERE, start_s=5.0, limit_s=100.0, rate=1.0
        )
        assert launch == expected
        await story.advance(10.0)
        await voice.gone()
        again = Voice(story)
        await again.joined()
        [named] = again.of("welcome")[0].attempts
        expected.updated_s = 5.0
        assert named == expected
        await again.gone()
        assert job == 1


async def test_an_element_is_launched_under_its_index_and_a_second_attempt_under_its_number() -> None:
    async with spoken() as (story, voice):
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
    commands: list[Callable[[], Command]], expected: list[dict[str, Any]]
) -> None:
    async with spoken() as (story, voice):
        await story.submit(processors=6, run_s=50.0)
        await voice.hears("launch")
        await story.advance(10.0)
        for make in commands:
            await story.do(make())
        await story.settled()
        assert voice.of("order") == [wire.Order(attempt=FIRST, at_s=10.0, **one) for one in expected]
        assert len(voice.of("launch")) == 1


async def test_a_signal_goes_to_what_runs_with_its_number() -> None:
    async with spoken() as (story, voice):
        await story.submit(processors=6, run_s=50.0)
        await voice.hears("launch")
        for element in await story.do(Signal(1, -1, "ann", 12)):
            story.core.hub.signal(element, 12, 3.0)
        [order] = await voice.hears("order")
        assert order == wire.Order(kind=wire.Order.SIGNAL, attempt=FIRST, at_s=3.0, signal=12)
