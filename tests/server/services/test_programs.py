"""A job with nothing to run: refused where all nodes are real, however it comes; emulated nodes pretend."""

from pathlib import Path
from typing import Any

import pytest

from molokini.client.errors import ServerError
from molokini.client.submitting import SubmitRefused
from molokini.proto.v1.jobs_pb2 import JobSpec, Outcome
from tests.kit.live import nodes
from tests.kit.serving import served

TOLD = "argv: all nodes run real jobs, and this one has no command and no script"
WITHOUT: tuple[dict[str, Any], ...] = ({}, {"outcome": Outcome(run_s=5.0)}, {"name": "only a name"})
WITH: tuple[dict[str, Any], ...] = ({"argv": ["true"]}, {"script": "#!/bin/sh\n"})


async def test_where_all_nodes_are_real_it_is_refused_alone_and_among_others(tmp_path: Path) -> None:
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
async def test_where_nodes_may_pretend_it_is_taken(tmp_path: Path, offers: list[Any]) -> None:
    async with served(tmp_path, offers=offers) as one, one.client() as ann:
        assert [await ann.submit(JobSpec(**given)) for given in (*WITHOUT, *WITH)] == [1, 2, 3, 4, 5]
