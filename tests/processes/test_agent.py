"""What an agent of real jobs says of itself when it registers."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

from molokini.processes.agent import ProcessAgent
from molokini.processes.identity import IDENTITY, folder_of
from molokini.processes.launch_records import Rules
from molokini.processes.spool import Spool
from molokini.proto.v1.agent_service_pb2 import AgentMessage, NodeOffer, Register, ServerMessage
from molokini.server.link.holders import identity_of
from tests.kit.waiting import DEADLINE_S


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
    first = await asyncio.wait_for(said.get(), DEADLINE_S)
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
