"""Suspending and resuming by command: with a reason that is kept, and arrays as a whole."""

from pathlib import Path

import pytest

from molokini.client import errors
from molokini.proto.v1 import jobs_pb2
from molokini.server.security.roles import Role
from tests.kit.serving import served

STATE = jobs_pb2.JobState
ROOT = ("root", Role.ADMINISTRATOR)


async def test_the_reason_is_kept_with_the_job_while_it_is_suspended(tmp_path: Path) -> None:
    async with served(tmp_path) as one, one.client() as ann:
        job = await ann.submit(estimate_s=100)
        await ann.suspend([job], reason="the demo comes first")
        found = await ann.job(job)
        assert (found.state, found.reason) == (STATE.SUSPENDED, "the demo comes first")
        await ann.resume([job])
        found = await ann.job(job)
        assert (found.state, found.reason) == (STATE.RUNNING, "")


async def test_an_array_is_resumed_as_a_whole_as_far_as_there_is_room(tmp_path: Path) -> None:
    async with served(tmp_path) as one, one.client() as ann:
        array = await ann.submit(array="1-4", processors=4, estimate_s=100)
        await ann.suspend([array])
        assert dict((await ann.job(array)).elements) == {"suspended": 4}
        await ann.resume([array])
        assert dict((await ann.job(array)).elements) == {"running": 4}
        await ann.suspend([array])
        await ann.submit(processors=8, estimate_s=50)
        with pytest.raises(errors.NotNow, match="no room"):
            await ann.resume([array])
        assert dict((await ann.job(array)).elements) == {"running": 2, "suspended": 2}
