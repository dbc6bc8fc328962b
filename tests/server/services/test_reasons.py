"""What is said to those who ask why an array waits."""

import asyncio
from pathlib import Path

import pytest

from molokini.client.client import Client
from molokini.proto.v1.job_service_pb2 import Explanation
from molokini.server.security.roles import Role
from tests.kit.live import nodes
from tests.kit.serving import served
from tests.kit.waiting import DEADLINE_S

ROOT = ("root", Role.ADMINISTRATOR)


async def explained(client: Client, job: int, counts: str) -> Explanation:
    """Why *job* waits, once *counts* are those of its elements: each is a candidate after some turns."""
    async with asyncio.timeout(DEADLINE_S):
        while not (found := await client.explain(job)).text.startswith(counts):
            pass
    return found


async def test_an_array_is_explained_by_counts_and_by_the_first_that_waits(tmp_path: Path) -> None:
    async with served(tmp_path) as one, one.client() as ann, one.client(*ROOT) as root:
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


async def test_an_array_at_its_own_limit_says_so(tmp_path: Path) -> None:
    async with served(tmp_path) as one, one.client() as ann:
        job = await ann.submit(array="1-6%2", processors=1, estimate_s=10)
        found = await explained(ann, job, "4 waiting, 2 running")
        assert found.rule == "running-limit"
        assert found.text == "4 waiting, 2 running; at most 2 of its elements run at once"


async def test_an_array_at_its_queues_limit_says_so(tmp_path: Path) -> None:
    async with served(tmp_path) as one, one.client() as ann, one.client(*ROOT) as root:
        await root.set_queue("small", max_running_per_user=3)
        job = await ann.submit(array="1-6", queue="small", processors=1, estimate_s=10)
        found = await explained(ann, job, "3 waiting, 3 running")
        assert found.rule == "queue-limit"
        assert found.text == "3 waiting, 3 running; ann runs 3 jobs in queue small, its limit"


async def test_an_array_that_is_held_says_by_whom(tmp_path: Path) -> None:
    async with served(tmp_path) as one, one.client() as ann:
        job = await ann.submit(array="1-6", held=True)
        assert (await ann.explain(job)).rule == "held"


async def test_a_program_on_emulated_nodes_only_pretends(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
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
