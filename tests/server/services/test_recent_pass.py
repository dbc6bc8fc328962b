"""One pass tells all callers why jobs wait, until something changes or time goes on."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from molokini.client.client import Client
from molokini.compiled.compilation import interpreting
from molokini.reports.why import PassReasons, Surroundings, why
from molokini.server.security.roles import Role
from tests.kit.serving import Served, served

ROOT = Role.ADMINISTRATOR


@pytest.fixture(autouse=True)
def plain() -> Iterator[None]:
    with interpreting():
        yield


def count_passes(one: Served, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The instants at which the policy has been asked for reasons."""
    policy, asked = one.core.reactor.running_policy, list[float]()
    run = policy.dry_run

    def counted(state: Any, now: float) -> Any:
        asked.append(now)
        return run(state, now)

    monkeypatch.setattr(policy, "dry_run", counted)
    return asked


async def reasons(client: Client, *fields: str) -> list[str]:
    return [job.reason async for job in client.jobs(fields=fields)]


async def test_the_policy_is_asked_once_until_something_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with served(tmp_path, "easy") as one, one.client() as ann:
        asked = count_passes(one, monkeypatch)
        for _ in range(3):
            last = await ann.submit(processors=16, estimate_s=100)
        expected = ["", *["16 processors are requested, 0 are free"] * 2]
        assert await reasons(ann) == expected
        before = len(asked)
        assert await reasons(ann) == expected
        assert (await ann.job(last)).reason == expected[-1]
        assert await reasons(ann, "state", "user") == [""] * 3
        assert len(asked) == before
        await ann.submit(processors=15, estimate_s=100)
        assert (await reasons(ann))[-1] == "15 processors are requested, 0 are free"
        assert len(asked) == before + 1
        await one.advance(2.0)
        assert (await reasons(ann))[:3] == expected
        assert asked[-1] == asked[-2] + 2.0


async def test_shared_sentences_are_those_of_each_job(tmp_path: Path) -> None:
    """Where widths, estimates and requests differ, and nodes are away."""
    async with served(tmp_path, "easy") as one, one.client() as ann, one.client("root", ROOT) as root:
        await root.drain(["n4"], reason="disk")
        for width in (10, 16, 16, 8, 8, 1):
            for hours in (1, 2):
                await ann.submit(processors=width, estimate_s=3600 * hours)
        t = one.core.reactor.running_policy.dry_run(one.core.state, one.core.state.now)
        around = Surroundings(nodes=one.core.state.machine.nodes)
        shared = PassReasons(around, t)
        rows = t.queue.waiting[t.queue.head : t.queue.tail].tolist()
        assert [shared.why(row) for row in rows] == [why(around, t, row) for row in rows]
        assert len({id(shared.why(row)) for row in rows}) == len({str(shared.why(row)) for row in rows}) == 3
