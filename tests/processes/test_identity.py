"""Which agent it is: the one of its folder of attempts, whatever that is called and however it is reached."""

import asyncio
import shutil
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from molokini.processes.agent import ProcessAgent
from molokini.processes.identity import IDENTITY, folder_of
from molokini.processes.launch_records import Rules
from molokini.processes.spool import Spool
from molokini.proto.v1.agent_service_pb2 import AgentMessage, NodeOffer, Register, ServerMessage
from molokini.server.link.holders import identity_of
from tests.kit.waiting import DEADLINE_S


def opened(folder: Path) -> tuple[str, bool]:
    """The identity of the agent that has *folder*, and whether an earlier release had it."""
    spool = Spool(folder)
    spool.close()
    return spool.identity, spool.older


def test_each_start_with_a_folder_is_the_same_agent_however_the_folder_is_reached(tmp_path: Path) -> None:
    first = opened(tmp_path / "spool")
    assert first == opened(tmp_path / "spool")
    assert "/" not in first[0]
    (tmp_path / "link").symlink_to("spool")
    assert opened(tmp_path / "link") == first
    assert Spool.group_of(tmp_path / "link") == Spool.group_of(tmp_path / "spool")
    (tmp_path / "spool").rename(tmp_path / "moved")
    assert opened(tmp_path / "moved") == first


def test_another_folder_a_copy_and_one_that_was_made_again_are_other_agents(tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    several = [opened(spool), opened(tmp_path / "other")]
    shutil.copytree(spool, tmp_path / "copy")
    several.append(opened(tmp_path / "copy"))
    shutil.rmtree(spool)
    several.append(opened(spool))
    assert not any(older for _, older in several)
    # As a power cut may leave it.
    (spool / IDENTITY).write_text("0123456789abcdef")
    several.append(opened(spool))
    assert len({identity for identity, _ in several}) == 5


def test_after_a_reboot_the_folder_is_another_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, _ = opened(tmp_path)
    monkeypatch.setattr("molokini.processes.spool.records.boot_id", lambda: "another")
    again, _ = opened(tmp_path)
    assert again != first
    # The agent of a server that began again with its machine waits for nothing, though.
    assert folder_of(again) == folder_of(f"{first}/start") != ""


@contextmanager
def agent(folder: Path) -> Iterator[ProcessAgent]:
    offer = NodeOffer(names="n1", processors=1)
    made = ProcessAgent("n1", offer, Spool(folder), Rules(), monotonic=time.monotonic, former="old")
    yield made
    made.stop()


async def registered(agent: ProcessAgent) -> Register:
    """With what it comes to a server."""
    said: asyncio.Queue[AgentMessage] = asyncio.Queue()

    async def heard() -> AsyncIterator[ServerMessage]:
        await asyncio.Event().wait()
        yield ServerMessage()

    talking = asyncio.ensure_future(agent.run(heard(), said.put))
    async with asyncio.timeout(DEADLINE_S):
        first = await said.get()
    talking.cancel()
    await asyncio.wait([talking])
    return first.register


async def test_an_agent_of_an_older_folder_is_known_by_its_former_identity_once(tmp_path: Path) -> None:
    with agent(tmp_path / "n1") as new:
        assert (await registered(new)).former_identity == ""
        assert not new.follows("old/1"), "whose folder is another"
    (tmp_path / "n1" / IDENTITY).unlink()
    with agent(tmp_path / "n1") as first:
        said = await registered(first)
        assert (said.former_identity, folder_of(said.boot_id) != "") == ("old", True)
        assert first.follows("old/1")
        assert not first.follows("place.folder/1")
    with agent(tmp_path / "n1") as second:
        again = await registered(second)
        assert (again.former_identity, identity_of(again.boot_id)) == ("", identity_of(said.boot_id))
        assert second.follows(said.boot_id)
        assert not second.follows("old/1")
