"""One pass tells all callers why jobs wait, until something changes or time goes on."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from molokini.client.client import Client
from molokini.compiled.compilation import interpreted
from molokini.reports.why import PassReasons, Surroundings, why
from molokini.server.queries import recent_pass
from molokini.server.security.roles import Role
from molokini.tables import copying
from tests.kit.processes import both_ways
from tests.kit.serving import Served, served

ROOT = Role.ADMINISTRATOR


@pytest.fixture
def compiled() -> bool:
    return False


@pytest.fixture(autouse=True)
def plain(compiled: bool) -> Iterator[None]:
    if compiled and interpreted():
        pytest.skip("nothing is compiled")
    yield from both_ways(compiled)


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


class Turns:
    """What happens between two pieces of a copy."""

    def __init__(self, one: Served, monkeypatch: pytest.MonkeyPatch, on_piece: list[int]) -> None:
        self.pieces, self.copies, self.at_once = 0, 0, 0
        self._one, self._on_piece = one, on_piece
        begin, whole = copying.copying, copying.copied

        def counted(*given: Any) -> Any:
            self.copies += 1
            return begin(*given)

        def counted_whole(*given: Any) -> Any:
            self.at_once += 1
            return whole(*given)

        monkeypatch.setattr(recent_pass, "SHORT_ROWS", 0)
        monkeypatch.setattr(copying, "PIECE_WORDS", 50)
        monkeypatch.setattr(recent_pass, "Yielder", lambda: self)
        monkeypatch.setattr(recent_pass, "copying", counted)
        monkeypatch.setattr(recent_pass, "copied", counted_whole)

    async def maybe_yield(self) -> None:
        self.pieces += 1
        if self.pieces in self._on_piece:
            async with self._one.client("bob") as bob:
                await bob.submit(processors=16, estimate_s=100, name="between")


@pytest.mark.parametrize(
    ("turns", "copies", "at_once"),
    [([], 1, 0), ([3], 2, 0), ([2, 4, 6], 4, 0), (list(range(1, 30)), 4, 1)],
    ids=["undisturbed", "one turn", "three turns", "turns at all times"],
)
@pytest.mark.parametrize("compiled", [False, True])
async def test_a_long_queue_is_copied_between_turns(
    compiled: bool,
    turns: list[int],
    copies: int,
    at_once: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with served(tmp_path, "easy") as one, one.client() as ann:
        for _ in range(3):
            await ann.submit(processors=16, estimate_s=100)
        found = Turns(one, monkeypatch, turns)
        told = await reasons(ann)
        wait = "16 processors are requested, 0 are free"
        # Those that came while it was copied are in it where it was begun anew.
        assert told[:3] == ["", wait, wait]
        assert set(told[3:]) <= {wait}
        assert (found.copies, found.at_once) == (copies, at_once)
        assert (await ann.job(3)).reason == wait
        assert found.copies == copies, "nothing has changed since"


async def test_callers_that_come_together_share_a_pass_over_a_long_queue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with served(tmp_path, "easy") as one, one.client() as ann:
        for _ in range(3):
            await ann.submit(processors=16, estimate_s=100)
        found = Turns(one, monkeypatch, [])
        told = await asyncio.gather(*(reasons(ann) for _ in range(8)))
        assert all(one_told == told[0] for one_told in told)
        assert found.copies == 1


async def test_a_policy_that_fails_leaves_a_long_queue_without_reasons(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with served(tmp_path, "easy") as one, one.client() as ann:
        for _ in range(2):
            await ann.submit(processors=16, estimate_s=100)
        Turns(one, monkeypatch, [])

        def fails(*_: Any) -> None:
            raise ZeroDivisionError

        monkeypatch.setattr(one.core.reactor.running_policy, "decide_on", fails)
        assert await reasons(ann) == ["", ""]


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
