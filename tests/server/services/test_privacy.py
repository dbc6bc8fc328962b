"""Whose jobs are listed and watched: with privacy a user's own alone, however he asks."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from molokini.client.client import Client
from molokini.server.security.roles import Role
from tests.kit.serving import served
from tests.kit.waiting import DEADLINE_S

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
TOLD: list[tuple[dict[str, Any], set[int]]] = [
    ({}, ALL),
    ({"ids": [1, 4]}, {1, 4}),
    ({"users": ["bob"]}, BOBS),
    ({"users": ["ann", "bob"]}, ALL),
    ({"users": ["bob"], "ids": [1, 2]}, {2}),
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
