"""Why a job is held or has ended, as a word: on the wire, in records, and in journals without it."""

import json
from dataclasses import replace
from typing import Any

import pytest

from molokini.model.canonical import text_of
from molokini.model.codec import Entry, decode
from molokini.model.facts import NO_INDEX, Cause, Ending, Fact, JobEnded, JobStopping, PartEnded
from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.proto.v1.jobs_pb2 import Job
from molokini.server.journal.port import Finished
from molokini.server.state.jobs import Element
from molokini.server.state.past import job_of, records_of
from molokini.server.state.queues import Queue
from molokini.server.translate import job_to_wire
from molokini.server.turn.changing import Cancel
from molokini.server.turn.operating import SetQueue
from tests.kit.live import Story, after, live, nodes
from tests.kit.voices import spoken
from tests.server.turn.test_ending_parts import wide

MORE = "out of memory: more than 5 kB"
NEVER = "dependency on job 1 (after_ok) can never be met"


def cause(story: Story, number: int) -> str:
    """The word of the wire."""
    job = story.job(number)
    return Job.Cause.Name(job_to_wire(job, job.element, story.state).cause)


async def test_what_holds_a_job() -> None:
    async with live(offers=[nodes("n1", 4)]) as story:
        first = await story.submit(processors=4, run_s=50.0)
        held = await story.submit(held=True, dependencies=after("AFTER_OK", first), begin_at_s=500.0)
        depends = await story.submit(dependencies=after("AFTER_OK", first), begin_at_s=500.0)
        array = await story.submit(begin_at_s=500.0, array={"first": 1, "last": 3})
        await story.do(SetQueue(Queue("short", max_running_per_user=1), "root"))
        await story.submit(queue="short", processors=4)
        limited = await story.submit(queue="short", processors=4)
        waits = await story.submit(processors=4)
        words = [cause(story, job) for job in (first, held, depends, array, limited, waits)]
        assert words == [
            *("CAUSE_UNSPECIFIED", "HOLDS", "DEPENDENCY", "BEGIN_TIME", "QUEUE_LIMIT"),
            "CAUSE_UNSPECIFIED",
        ]
        await story.do(SetQueue(Queue("short", max_running_per_user=1, started=False), "root"))
        assert cause(story, limited) == "QUEUE_STOPPED"
        await story.release(held)
        assert cause(story, held) == "DEPENDENCY"


async def test_no_node_has_come() -> None:
    async with live(offers=[]) as story:
        assert cause(story, await story.submit()) == "NO_NODES"


async def test_a_condition_that_can_never_be_met() -> None:
    async with live() as story:
        first = await story.submit(run_s=10.0)
        other = await story.submit(dependencies=after("AFTER_OK", first))
        await story.cancel(first)
        assert [cause(story, job) for job in (first, other)] == ["CAUSE_UNSPECIFIED", "DEPENDENCY_NEVER_MET"]
        assert at_rest(story, other) == Cause.DEPENDENCY_NEVER_MET


@pytest.mark.parametrize("told", [True, False])
async def test_more_memory_than_was_asked_for(told: bool) -> None:
    """It is the agent's word that counts, whatever the program says of memory."""
    async with spoken() as (story, voice):
        job = await story.submit(processors=1)
        await voice.hears("launch")
        voice.report(wire.Report.ENDED, job, signal=9, reason=MORE, out_of_memory=told)
        await voice.hears("acknowledge")
        assert (story.status(job), cause(story, job)) == (
            "failed",
            "OUT_OF_MEMORY" if told else "CAUSE_UNSPECIFIED",
        )
        assert at_rest(story, job) == (Cause.OUT_OF_MEMORY if told else "")


async def test_on_one_of_two_nodes() -> None:
    async with wide() as (story, first, second, job):
        second.report(wire.Report.ENDED, job, signal=9, reason=MORE, out_of_memory=True)
        await first.hears("order")
        first.report(wire.Report.KILLED, job)
        await story.until(lambda: story.status(job) == "failed")
        assert story.run(job).reason == f"first on the node of agent other: {MORE}"
        assert cause(story, job) == "OUT_OF_MEMORY"


@pytest.mark.parametrize("runs", [True, False])
async def test_who_cancelled_it_and_whether_it_counts_as_done(runs: bool) -> None:
    async with live(offers=[nodes("n1", 1)]) as story:
        other = await story.submit(user="ann")
        job = other if runs else await story.submit(user="ann")
        await story.do(Cancel(job, NO_INDEX, "root", "enough", as_done=True))
        assert (story.status(job), cause(story, job)) == ("cancelled", "AS_DONE")
        found = job_to_wire(story.job(job), story.run(job), story.state)
        assert (found.ended_by, found.reason) == ("root", "enough")
        kept = element_at_rest(story, job)
        assert (kept.cause, kept.ended_by) == (Cause.AS_DONE, "root")


async def test_what_ends_by_itself_while_it_is_cancelled_was_ended_by_nobody() -> None:
    async with spoken() as (story, voice):
        job = await story.submit(processors=1)
        await voice.hears("launch")
        await story.do(Cancel(job, NO_INDEX, "root", as_done=True))
        assert cause(story, job) == "CAUSE_UNSPECIFIED"
        voice.report(wire.Report.ENDED, job)
        await voice.hears("acknowledge")
        run = story.run(job)
        assert (story.status(job), cause(story, job), run.ended_by) == ("completed", "CAUSE_UNSPECIFIED", "")


CANCELLERS = [
    ("cancelled by root", "", "root"),
    ("cancelled by wiki: by its administrator", "", "wiki"),
    ("cancelled by system", "", ""),
    ("enough", "", "u1"),
    ("ended as done (bkill -d)", Cause.AS_DONE, "u1"),
    (NEVER, Cause.DEPENDENCY_NEVER_MET, ""),
    ("", "", ""),
]


@pytest.mark.parametrize(("reason", "cause", "by"), CANCELLERS)
async def test_earlier_records_had_who_cancelled_in_the_reason(reason: str, cause: str, by: str) -> None:
    async with live() as story:
        job = await story.submit(run_s=1.0, user="u1")
        await story.advance(5.0)
        found = element_at_rest(story, job, 2, standing="cancelled", reason=reason)
        assert (found.cause, found.ended_by) == (cause, by)


def test_earlier_journals_had_in_the_reason_that_it_counts_as_done() -> None:
    ended = {"job": 1, "index": NO_INDEX, "attempt": 1, "at_s": 5.0, "by": "ann"}
    for reason, expected in (("ended as done (bkill -d)", Cause.AS_DONE), ("ended as done", "")):
        body = json.dumps({**ended, "ending": Ending.CANCELLED, "reason": reason})
        assert cause_in(decode(Entry(1, 5.0, "JobEnded", 5, body))) == expected
        body = json.dumps({**ended, "ending": Ending.FAILED, "reason": reason})
        assert cause_in(decode(Entry(1, 5.0, "JobEnded", 5, body))) == ""
        body = json.dumps({"job": 1, "index": NO_INDEX, "how": "cancel", "by": "ann", "reason": reason})
        assert cause_in(decode(Entry(1, 5.0, "JobStopping", 2, body))) == expected


def cause_in(fact: Fact) -> str:
    assert isinstance(fact, JobEnded | JobStopping)
    return fact.cause


def at_rest(story: Story, number: int, version: int = 3, **changes: Any) -> str:
    """The cause that the record of a job has that has left the memory."""
    return element_at_rest(story, number, version, **changes).cause


def element_at_rest(story: Story, number: int, version: int = 3, **changes: Any) -> Element:
    """The run that the record of a job has that has left the memory."""
    [record] = records_of(story.job(number), story.state.machine)
    assert isinstance(record, Finished)
    body = json.loads(record.body)
    if version < 3:
        body["run"].pop("cause", None)
        body["run"].pop("ended_by", None)
    body["run"].update(changes)
    found = job_of(replace(record, version=version, body=text_of(body)), story.state.machine)
    assert found.element is not None
    return found.element


EARLIER = [
    (Ending.FAILED, MORE, Cause.OUT_OF_MEMORY),
    (Ending.FAILED, f"first on the node of agent a: {MORE}", Cause.OUT_OF_MEMORY),
    (Ending.FAILED, "no memory", ""),
    (Ending.CANCELLED, MORE, ""),
    (Ending.CANCELLED, NEVER, Cause.DEPENDENCY_NEVER_MET),
    (Ending.CANCELLED, "by ann: dependency on job 1 can never be met", ""),
    (Ending.CANCELLED, "dependency on job 1", ""),
]


@pytest.mark.parametrize(("ending", "reason", "expected"), EARLIER)
def test_earlier_journals_had_it_in_the_reason(ending: Ending, reason: str, expected: str) -> None:
    body = {"job": 1, "index": NO_INDEX, "attempt": 1, "ending": ending, "at_s": 5.0, "reason": reason}
    for version in range(1, 6):
        found = decode(Entry(1, 5.0, "JobEnded", version, json.dumps(body)))
        assert isinstance(found, JobEnded)
        assert (found.cause, found.reason) == (expected, reason)
    part = decode(Entry(1, 5.0, "PartEnded", 1, json.dumps({**body, "agent": "a"})))
    assert isinstance(part, PartEnded)
    assert part.cause == expected


@pytest.mark.parametrize(("ending", "reason", "expected"), EARLIER)
async def test_earlier_records_had_it_in_the_reason(ending: Ending, reason: str, expected: str) -> None:
    async with live() as story:
        job = await story.submit(run_s=1.0)
        await story.advance(5.0)
        for version in (1, 2):
            assert at_rest(story, job, version, standing=str(ending), reason=reason) == expected
