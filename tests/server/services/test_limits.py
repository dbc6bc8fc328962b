"""Limits of the configuration as users meet them: pages, numbers of jobs, keys that are repeated."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from molokini.client import errors
from molokini.proto.v1 import job_service_pb2 as wire
from molokini.proto.v1.jobs_pb2 import JobSpec
from molokini.server.security.roles import Role
from tests.kit.serving import served

ROOT = ("root", Role.ADMINISTRATOR)


async def test_a_page_has_no_more_lines_than_the_configuration_allows(tmp_path: Path) -> None:
    async with served(tmp_path, limits__page_size=3) as one, one.client() as ann, one.client(*ROOT) as root:
        for _ in range(7):
            await ann.submit(processors=16)
        service = ann._job_service
        for wanted in (0, 3, 5000):
            page = await ann._caller.call(service.ListJobs, wire.ListJobsRequest(page_size=wanted))
            assert [job.id for job in page.jobs] == [1, 2, 3]
        # A client that follows the pages gets all of them all the same.
        assert [job.id async for job in ann.jobs()] == [1, 2, 3, 4, 5, 6, 7]
        assert len([node async for node in root.nodes()]) == 4


async def test_a_limit_of_jobs_is_no_bad_input(tmp_path: Path) -> None:
    async with served(tmp_path, limits__jobs_per_user=2) as one, one.client() as ann:
        for _ in range(2):
            await ann.submit()
        with pytest.raises(
            errors.OverLimit, match="user: there may be at most 2 unfinished jobs of ann; submit it"
        ) as refused:
            await ann.submit()
        assert refused.value.reason == "over_limit"


async def test_a_repeated_key_is_said_to_be_known_over_a_stream_too(tmp_path: Path) -> None:
    async with served(tmp_path) as one, one.client() as ann:
        wanted = [JobSpec(submission_key=key) for key in ("a", "b", "", "a", "b", "")]

        async def requests() -> AsyncIterator[wire.SubmitRequest]:
            for tag, spec in enumerate(wanted):
                yield wire.SubmitRequest(spec=spec, tag=tag)

        call = ann._job_service.SubmitStream(requests(), metadata=ann._caller.metadata)
        answers = [(one.tag, one.job_id, one.repeated_key) async for made in call for one in made.answers]
        assert answers == [
            (0, 1, False),
            (1, 2, False),
            (2, 3, False),
            (3, 1, True),
            (4, 2, True),
            (5, 4, False),
        ]


async def test_a_stream_answers_each_request_under_its_tag_taken_or_refused(tmp_path: Path) -> None:
    async with served(tmp_path) as one, one.client() as ann:
        wanted = [JobSpec(), JobSpec(user_priority=5), JobSpec(queue="none"), JobSpec()]

        async def requests() -> AsyncIterator[wire.SubmitRequest]:
            for tag, spec in enumerate(wanted, 10):
                yield wire.SubmitRequest(spec=spec, tag=tag)

        call = ann._job_service.SubmitStream(requests(), metadata=ann._caller.metadata)
        answers = [(one.tag, one.job_id, one.refusal) async for made in call for one in made.answers]
        assert answers == [
            (10, 1, ""),
            (11, 0, "user_priority: 5 is not allowed; it must be at most 0 unless by an operator"),
            (12, 0, "no queue named 'none'; known: default"),
            (13, 2, ""),
        ]
