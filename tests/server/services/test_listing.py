"""Listings and watches: filters, pages, instants of ends, and with privacy a user's own jobs alone."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from molokini.client.client import Client
from molokini.compat.failures import Refused
from molokini.proto.v1 import job_service_pb2 as wire
from molokini.proto.v1 import jobs_pb2
from molokini.server.security.roles import Role
from molokini.testing import cluster
from tests.kit.serving import served
from tests.kit.waiting import DEADLINE_S

STATE = jobs_pb2.JobState


async def test_a_listing_filters_pages_and_leaves_out(ann: Client, bob: Client) -> None:
    for k in range(5):
        await ann.submit(name=f"a{k % 2}", script="#!/bin/sh\n", processors=16, estimate_s=10)
    array = await bob.submit(name="b", array="1-4", processors=16, estimate_s=10)
    assert [job.id async for job in ann.jobs(page_size=2)] == [1, 2, 3, 4, 5, array]
    assert [job.id async for job in ann.jobs(users=["bob"])] == [array]
    assert [job.id async for job in ann.jobs(name="a1")] == [2, 4]
    assert [job.id async for job in ann.jobs(states=["running"])] == [1]
    assert [job.id async for job in ann.jobs(ids=[3, 99, 1])] == [1, 3]
    lines = [job async for job in ann.jobs(users=["bob"], expand_arrays=True, page_size=3)]
    assert [job.array_index for job in lines] == [1, 2, 3, 4]
    ways: list[dict[str, Any]] = [{}, {"users": ["bob"]}, {"ids": [1, array]}, {"include_ended": True}]
    for way in [*ways, {"ids": [array], "include_ended": True}, {"name": "b"}]:
        whole = [(job.id, job.array_index) async for job in ann.jobs(**way, expand_arrays=True)]
        assert whole[-4:] == [(array, index) for index in (1, 2, 3, 4)]
        for size in (1, 2, 3):
            paged = ann.jobs(**way, expand_arrays=True, page_size=size)
            assert [(job.id, job.array_index) async for job in paged] == whole
    [short] = [job async for job in ann.jobs(ids=[1], fields=["state"])]
    assert (short.state, short.user) == (STATE.RUNNING, "")
    [plain] = [job async for job in ann.jobs(ids=[1])]
    assert plain.spec.script == ""


async def test_pages_of_arrays_one_after_the_other_have_each_element_once(ann: Client) -> None:
    arrays = [await ann.submit(estimate_s=10, array="1-5", outcome={"run_s": 9}) for _ in range(3)]
    plain = await ann.submit(estimate_s=10, outcome={"run_s": 9})
    wanted = [(job, index) for job in arrays for index in range(1, 6)]
    for size in (1, 2, 3, 4, 5, 7, 100):
        lines = [job async for job in ann.jobs(expand_arrays=True, page_size=size)]
        assert [(job.id, job.array_index) for job in lines[:-1]] == wanted
        assert lines[-1].id == plain


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


@pytest.mark.parametrize("kept", [100, 0], ids=["in the memory", "in the table"])
def test_jobs_by_when_they_ended(kept: int) -> None:
    """Those that go on are always among them, and so is an array that is one line."""
    with cluster(history__finished_jobs=kept) as one:

        def submit(run_s: float, **more: Any) -> None:
            spec = {"estimate_s": 5000, "outcome": {"run_s": run_s}, **more}
            one.call("JobService", "Submit", spec=spec)

        begun_s = one.clock.now_s
        for run_s in (10, 20, 1000):
            submit(run_s)
        submit(30, array={"first": 1, "last": 2, "step": 1})
        submit(30, held=True)
        one.clock.advance(100)

        def listed(after_s: float, **more: Any) -> list[tuple[int, int]]:
            found = one.jobs(ended_since_s=begun_s + after_s, **more)
            return [(job["id"], job.get("array_index", -1)) for job in found]

        assert listed(0) == [(1, -1), (2, -1), (3, -1), (4, -1), (5, -1)]
        assert listed(20) == [(2, -1), (3, -1), (4, -1), (5, -1)]
        assert listed(20.5, expand_arrays=True) == [(3, -1), (4, 1), (4, 2), (5, -1)]
        assert listed(31, expand_arrays=True) == [(3, -1), (5, -1)]
        assert listed(31, job_ids=[1, 3]) == [(3, -1)]
        assert listed(31, include_ended=False) == [(3, -1), (5, -1)]


def test_an_instant_that_is_none() -> None:
    with cluster() as one, pytest.raises(Refused, match=r"ended_since_s: nan is not allowed"):
        one.jobs(ended_since_s="NaN")


ANNS, BOBS = {1, 3}, {2, 4}

ENDED = {1, 2}

ALL = ANNS | BOBS

LISTED: list[tuple[dict[str, Any], set[int]]] = [
    ({}, ALL - ENDED),
    ({"include_ended": True}, ALL),
    ({"name": "x", "include_ended": True}, ALL),
    ({"ids": [1, 2, 3]}, {1, 2, 3}),
    ({"ids": [1, 4], "include_ended": True}, {1, 4}),
    ({"users": ["ann"]}, ANNS - ENDED),
    ({"users": ["ann"], "include_ended": True}, ANNS),
    ({"users": ["ann", "bob"]}, ALL - ENDED),
    ({"users": ["ann", "bob"], "include_ended": True}, ALL),
    ({"users": ["bob"], "ids": [1, 2, 4]}, {2, 4}),
]


@asynccontextmanager
async def looked_at(folder: Path, private: bool) -> AsyncIterator[dict[Client, set[int]]]:
    """Two jobs of ann and bob each, in turn, the first two of which have ended; and who may see which."""
    async with served(folder, security__privacy=private) as one, AsyncExitStack() as stack:
        clients = [one.client("ann"), one.client("bob"), one.client("olga", Role.OPERATOR)]
        ann, bob, olga = [await stack.enter_async_context(client) for client in clients]
        assert [await client.submit(held=True, name="x") for client in (ann, bob, ann, bob)] == [1, 2, 3, 4]
        await ann.cancel([1])
        await bob.cancel([2])
        yield {ann: ANNS if private else ALL, bob: BOBS if private else ALL, olga: ALL}


@pytest.mark.parametrize("private", [False, True])
async def test_a_listing_has_what_was_asked_for_and_may_be_seen(tmp_path: Path, private: bool) -> None:
    async with looked_at(tmp_path, private) as seen_by:
        for client, seen in seen_by.items():
            for wanted, found in LISTED:
                listed = [job.id async for job in client.jobs(**wanted)]
                assert listed == sorted(found & seen), (wanted, seen)


TOLD: list[tuple[dict[str, Any], set[int]]] = [
    ({}, ALL),
    ({"ids": [1, 4]}, {1, 4}),
    ({"users": ["bob"]}, BOBS),
    ({"users": ["ann", "bob"]}, ALL),
    ({"users": ["bob"], "ids": [1, 2]}, {2}),
]


async def watched(client: Client, last: int, **wanted: Any) -> set[int]:
    """Jobs of which a watch tells, up to the first word of job *last*."""
    found = set()
    async with asyncio.timeout(DEADLINE_S):
        async for event in client.watch(0, **wanted):
            found.add(event.job_id)
            if event.job_id == last:
                break
    return found


@pytest.mark.parametrize("private", [False, True])
async def test_a_watch_tells_what_was_asked_for_and_may_be_seen(tmp_path: Path, private: bool) -> None:
    async with looked_at(tmp_path, private) as seen_by:
        for client, seen in seen_by.items():
            for wanted, told in TOLD:
                if expected := told & seen:
                    assert await watched(client, max(expected), **wanted) == expected, (wanted, seen)
