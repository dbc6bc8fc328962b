"""What users read about their jobs: whom to ask, what was wrong, and what emulated nodes only pretend."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from molokini.client import errors
from molokini.client.client import Client
from molokini.client.errors import ServerError
from molokini.client.submitting import SubmitRefused
from molokini.model.decisions import Rule
from molokini.model.facts import NO_INDEX, Ending, PartEnded
from molokini.model.run_results import RunResult
from molokini.proto.v1.job_service_pb2 import Explanation
from molokini.proto.v1.jobs_pb2 import JobSpec, Outcome
from molokini.reports.wording import in_words
from molokini.server.security.roles import Role
from molokini.server.turn.ending import ReportEnd
from tests.kit.live import Story, nodes
from tests.kit.serving import served
from tests.kit.waiting import DEADLINE_S

ROOT = ("root", Role.ADMINISTRATOR)


async def test_a_cancelled_job_says_by_whom_whether_it_ran_or_waited(ann: Client, root: Client) -> None:
    ran = await ann.submit(estimate_s=100)
    held = await ann.submit(estimate_s=100, held=True)
    told = await ann.submit(estimate_s=100)
    assert await root.cancel([ran, held]) == ["", ""]
    assert await root.cancel([told], reason="the licence is over") == [""]
    await ann.wait([ran, held, told], timeout_s=300)
    ended = [await ann.job(number) for number in (ran, held, told)]
    assert [one.reason for one in ended] == ["cancelled by root", "cancelled by root", "the licence is over"]
    assert [one.ended_by for one in ended] == ["root", "root", "root"]


async def test_a_job_that_ends_by_itself_while_it_is_cancelled_was_not_cancelled(story: Story) -> None:
    job = await story.submit()
    await story.leave()
    await story.cancel(job)
    assert await story.do(ReportEnd(PartEnded(job, NO_INDEX, 1, "", Ending.FAILED, 0.0, RunResult(3))))
    assert (story.status(job), story.run(job).reason) == ("failed", "")


async def test_a_hold_that_is_left_speaks_for_itself(ann: Client, root: Client) -> None:
    await ann.submit(processors=16, estimate_s=100)
    for job in (await ann.submit(estimate_s=100), await ann.submit(array="1-3", estimate_s=100)):
        await ann.hold([job], reason="later on")
        await root.hold([job], hold="operator")
        assert await ann.release([job]) == [""]
        assert (await ann.job(job)).reason == "held by operator"


async def test_dependencies_are_called_as_users_call_them(ann: Client) -> None:
    job = await ann.submit(estimate_s=100)
    hopeless = await ann.submit(estimate_s=100, after={"afternotok": job})
    await ann.cancel([hopeless])
    other = await ann.submit(estimate_s=100, after={"afterok": job})
    await ann.cancel([job])
    await ann.wait([other], timeout_s=300)
    assert (await ann.job(other)).reason == f"dependency on job {job} (afterok) can never be met"
    with pytest.raises(errors.Refused, match="singleton needs a job with a name"):
        await ann.submit(estimate_s=100, after={"singleton": ()})


NOON_S = 1_795_262_400.0
"""2026-11-21 12:00:00 UTC."""


def test_instants_of_a_calendar_are_dates() -> None:
    text, helps = in_words(Rule.WOULD_DELAY_THE_HEAD, NOON_S, NOON_S + 3600, 4)
    assert text == (
        "it would end at 2026-11-21 13:00:00Z and delay the queue's head, reserved for 2026-11-21 12:00:00Z"
    )
    assert helps[0] == "an estimate that ends before 2026-11-21 12:00:00Z"
    assert in_words(Rule.RESERVED_LATER, 90.0, 4, 4)[0] == "it has a reservation at 90 s"


async def test_a_watch_from_a_number_that_has_not_come_is_refused(ann: Client) -> None:
    await ann.submit(estimate_s=100)
    with pytest.raises(errors.Refused, match=r"after: 999999 .* at most"):
        await anext(ann.watch(999_999))


async def explained(client: Client, job: int, counts: str) -> Explanation:
    """Why *job* waits, once *counts* are those of its elements: each is a candidate after some turns."""
    async with asyncio.timeout(DEADLINE_S):
        while not (found := await client.explain(job)).text.startswith(counts):
            pass
    return found


async def test_a_program_on_emulated_nodes_pretends(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    offers = [nodes("real1", 1, real=True), nodes("m[1-5]", 1)]
    async with served(tmp_path, offers=offers) as one, one.client() as ann:
        program = {"argv": ["true"], "estimate_s": 10.0}
        jobs = [
            await ann.submit(processors=count, **given)
            for count, given in ((1, program), (1, program), (4, {"estimate_s": 10.0}))
        ]
        await explained(ann, jobs[2], "it does not wait: running")
        said = [(job.reason, (await ann.explain(job.id)).text) for job in [await ann.job(n) for n in jobs]]
        pretends = "node m1 is emulated: it only pretends to run this"
        runs = "it does not wait: running"
        assert said == [("", runs), (pretends, f"{runs}; {pretends}"), ("", runs)]
        assert [line for line in caplog.messages if "real and emulated nodes are in one cluster" in line]
    async with served(tmp_path / "wide", offers=offers) as one, one.client() as ann:
        job = await ann.submit(processors=6, estimate_s=10.0, script="#!/bin/sh\n")
        await explained(ann, job, runs)
        pretends = "nodes m1, m2, m3 and 2 more are emulated: they only pretend to run this"
        assert (await ann.job(job)).reason == pretends
    async with served(tmp_path / "emulated") as one, one.client() as ann:
        job = await ann.submit(argv=["true"], estimate_s=10.0)
        assert (await explained(ann, job, runs)).text == runs


TOLD = "argv: all nodes run real jobs, and this one has no command and no script"

WITHOUT: tuple[dict[str, Any], ...] = ({}, {"outcome": Outcome(run_s=5.0)}, {"name": "only a name"})

WITH: tuple[dict[str, Any], ...] = ({"argv": ["true"]}, {"script": "#!/bin/sh\n"})


async def test_a_job_without_a_program_is_refused_where_all_nodes_are_real(tmp_path: Path) -> None:
    async with served(tmp_path, offers=[nodes(real=True)]) as one, one.client() as ann:
        for given in WITHOUT:
            with pytest.raises(ServerError, match=TOLD):
                await ann.submit(JobSpec(**given))
        specs = [JobSpec(**given) for given in (*WITHOUT, *WITH)]
        wanted = [SubmitRefused(TOLD)] * 3
        assert await ann.submit_many(specs) == [*wanted, 1, 2]
        assert [answer async for answer in ann.submit_stream(specs)] == [*wanted, 3, 4]
        # Many that are alike but for their names, or their arguments, which are looked at together.
        names = [f"n{number}" for number in range(8)]
        assert await ann.submit_many([JobSpec(name=name) for name in names]) == [SubmitRefused(TOLD)] * 8
        alike = [JobSpec(name=name, argv=["echo", name]) for name in names]
        assert await ann.submit_many(alike) == [*range(5, 13)]
        # A key that was answered before is answered again.
        assert await ann.submit(JobSpec(argv=["true"]), key="k") == await ann.submit(JobSpec(), key="k")


@pytest.mark.parametrize("offers", [[], [nodes(real=True), nodes("m1")], [nodes()]])
async def test_a_job_without_a_program_may_pretend(tmp_path: Path, offers: list[Any]) -> None:
    async with served(tmp_path, offers=offers) as one, one.client() as ann:
        assert [await ann.submit(JobSpec(**given)) for given in (*WITHOUT, *WITH)] == [1, 2, 3, 4, 5]
