"""Elements of arrays of which nobody has heard stand where their arrays stand, and can be asked about."""

import asyncio
from pathlib import Path

import pytest

from molokini.client import errors
from molokini.proto.v1 import jobs_pb2
from molokini.server.security.roles import Role
from tests.kit.serving import served

STATE = jobs_pb2.JobState
ROOT = ("root", Role.ADMINISTRATOR)


async def test_they_are_looked_at_explained_and_forecast(tmp_path: Path) -> None:
    async with served(tmp_path) as one, one.client() as ann:
        array = await ann.submit(array="1-1001:2%2", estimate_s=50)
        found = await ann.job(f"{array}[999]")
        assert (found.array_index, found.state, found.attempt) == (999, STATE.WAITING, 0)
        assert (await ann.explain(f"{array}[999]")).rule == "not-ready"
        told = await ann.forecast(f"{array}[999]")
        assert not told.possible
        assert "becomes a candidate" in told.reason
        for index in (2, 1003, 0):
            with pytest.raises(errors.NotFound, match=rf"{array}\[{index}\]"):
                await ann.job(f"{array}[{index}]")
        held = await ann.submit(array="1-9", estimate_s=50, held=True)
        assert (await ann.job(f"{held}[5]")).state == STATE.HELD
        assert (await ann.explain(f"{held}[5]")).rule == "held"
        # What waits for another job is held, too, and counted as it is shown.
        behind = await ann.submit(array="1-9", estimate_s=50, after={"afterok": [held]})
        assert (await ann.job(f"{behind}[5]")).state == STATE.HELD
        assert dict((await ann.job(behind)).elements) == {"held": 9}
        # Looking has made nothing of them.
        assert dict((await ann.job(array)).elements) == {"running": 2, "waiting": 499}


async def test_they_can_be_waited_for(tmp_path: Path) -> None:
    async with served(tmp_path) as one, one.client() as ann, one.client(*ROOT) as root:
        array = await ann.submit(array="1-4%1", estimate_s=10)
        waiting = asyncio.create_task(ann.wait([f"{array}[3]"], timeout_s=10))
        await asyncio.sleep(0)
        await root.advance(40)
        waited = await waiting
        assert waited.all_ended
        assert (waited.jobs[0].array_index, waited.jobs[0].state) == (3, STATE.COMPLETED)
        assert waited.jobs[0].end_s == 30.0


async def test_those_of_a_cancelled_array_are_cancelled_here_and_in_the_history(tmp_path: Path) -> None:
    forgetful = served(tmp_path, history__finished_jobs=0, history__finished_s=0.0)
    async with forgetful as one, one.client() as ann, one.client(*ROOT) as root:
        array = await ann.submit(array="1-1000%1", estimate_s=10)
        other = await ann.submit(estimate_s=10)
        await ann.cancel([array])
        assert (await ann.job(f"{array}[900]")).state == STATE.CANCELLED
        await root.advance(1000)
        await ann.wait([other], timeout_s=5)
        async with asyncio.timeout(60):
            while array in one.core.state.jobs:
                await root.advance(100)
        assert (await ann.job(f"{array}[900]")).state == STATE.CANCELLED
        with pytest.raises(errors.NotFound):
            await ann.job(f"{array}[1001]")
