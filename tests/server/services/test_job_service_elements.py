"""Arrays and their elements: asked about, changed, waited for, and why they wait."""

import asyncio
from pathlib import Path

import pytest

from molokini.client import errors
from molokini.client.client import Client
from molokini.proto.v1 import jobs_pb2
from molokini.proto.v1.job_service_pb2 import Explanation
from molokini.server.security.roles import Role
from tests.kit.serving import served
from tests.kit.waiting import DEADLINE_S

STATE = jobs_pb2.JobState


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("index", [0, 1])
async def test_an_array_and_its_element_in_one_call_are_two(ann: Client, index: int, turned: bool) -> None:
    await ann.submit(processors=16)
    array = await ann.submit(array="0-3", processors=16)
    named = [str(array), f"{array}[{index}]"]
    assert await ann.hold(named[::-1] if turned else named) == ["", ""]
    lines = [job async for job in ann.jobs(ids=[array], expand_arrays=True)]
    assert [job.state for job in lines] == [STATE.HELD] * 4
    assert await ann.cancel(named[::-1] if turned else named) == ["", ""]
    lines = [job async for job in ann.jobs(ids=[array], expand_arrays=True, include_ended=True)]
    assert [job.state for job in lines] == [STATE.CANCELLED] * 4


async def test_an_array_is_resumed_as_a_whole_as_far_as_there_is_room(ann: Client) -> None:
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


async def test_elements_that_are_no_candidates_are_looked_at_explained_and_forecast(ann: Client) -> None:
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


ROOT = ("root", Role.ADMINISTRATOR)


async def test_elements_that_are_no_candidates_can_be_waited_for(ann: Client, root: Client) -> None:
    array = await ann.submit(array="1-4%1", estimate_s=10)
    waiting = asyncio.create_task(ann.wait([f"{array}[3]"], timeout_s=300))
    await asyncio.sleep(0)
    await root.advance(40)
    waited = await waiting
    assert waited.all_ended
    assert (waited.jobs[0].array_index, waited.jobs[0].state) == (3, STATE.COMPLETED)
    assert waited.jobs[0].end_s == 30.0


async def test_elements_of_a_cancelled_array_are_cancelled_here_and_in_the_history(tmp_path: Path) -> None:
    forgetful = served(tmp_path, history__finished_jobs=0, history__finished_s=0.0)
    async with forgetful as one, one.client() as ann, one.client(*ROOT) as root:
        array = await ann.submit(array="1-1000%1", estimate_s=10)
        other = await ann.submit(estimate_s=10)
        await ann.cancel([array])
        assert (await ann.job(f"{array}[900]")).state == STATE.CANCELLED
        await root.advance(1000)
        await ann.wait([other], timeout_s=300)
        async with asyncio.timeout(60):
            while array in one.core.state.jobs:
                await root.advance(100)
        assert (await ann.job(f"{array}[900]")).state == STATE.CANCELLED
        with pytest.raises(errors.NotFound):
            await ann.job(f"{array}[1001]")


async def explained(client: Client, job: int, counts: str) -> Explanation:
    """Why *job* waits, once *counts* are those of its elements: each is a candidate after some turns."""
    async with asyncio.timeout(DEADLINE_S):
        while not (found := await client.explain(job)).text.startswith(counts):
            pass
    return found


async def test_an_array_is_explained_by_counts_and_by_the_first_that_waits(ann: Client, root: Client) -> None:
    job = await ann.submit(array="1-6", processors=8, estimate_s=10)
    found = await explained(ann, job, "4 waiting, 2 running")
    assert (found.rule, found.limit, found.value) == ("not-enough-free", 0.0, 8.0)
    assert found.text.startswith(
        "4 waiting, 2 running; the first that waits, 1[3]: 8 processors are requested"
    )
    await root.advance(10)
    assert "1[5]" in (await ann.explain(job)).text
    await root.advance(10)
    # None waits any more.
    assert (await ann.explain(job)).rule == "running"
    await root.advance(10)
    assert (await ann.explain(job)).rule == "ended"


async def test_an_array_at_its_own_limit_or_that_of_its_queue_says_so(ann: Client, root: Client) -> None:
    job = await ann.submit(array="1-6%2", processors=1, estimate_s=10)
    found = await explained(ann, job, "4 waiting, 2 running")
    text = "4 waiting, 2 running; at most 2 of its elements run at once"
    assert (found.rule, found.text) == ("running-limit", text)
    await root.set_queue("small", max_running_per_user=3)
    job = await ann.submit(array="1-6", queue="small", processors=1, estimate_s=10)
    found = await explained(ann, job, "3 waiting, 3 running")
    text = "3 waiting, 3 running; ann runs 3 jobs in queue small, its limit"
    assert (found.rule, found.text) == ("queue-limit", text)


async def test_an_array_that_is_held_says_by_whom(ann: Client) -> None:
    job = await ann.submit(array="1-6", held=True)
    assert (await ann.explain(job)).rule == "held"
