"""The agent of real jobs in the process of its server: its spool, and memory that nothing bounds."""

import time
from pathlib import Path

import pytest

from molokini.app import process_agent
from molokini.app.process_agent import NO_BOUND, local_agent, notes_of
from molokini.app.serving import LiveServer
from molokini.clients.arguments.servers import AgentArguments
from molokini.proto.v1.agent_service_pb2 import NodeOffer
from molokini.server.config import load_config
from tests.kit.waiting import eventually


def groups(at: Path, *controllers: str) -> dict[str, str]:
    """As ``bases`` finds them."""
    return {controller: str(at / controller) for controller in controllers}


@pytest.mark.parametrize(
    ("controllers", "bounds"),
    [((), False), (("pids", "freezer", "cpuacct"), False), (("memory", "pids"), True), (("unified",), True)],
)
def test_an_agent_that_cannot_bound_memory_says_so_when_it_starts(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    controllers: tuple[str, ...],
    bounds: bool,
) -> None:
    found = groups(tmp_path, *controllers)
    monkeypatch.setattr(process_agent, "bases", lambda name: found)
    offer = NodeOffer(names="here", processors=1)
    local = local_agent(offer, tmp_path / "state")
    assert (NO_BOUND not in notes_of(local)) == bounds
    assert offer.memory_not_enforced != bounds
    arguments = AgentArguments(server="h:1", mode="process", spool=str(tmp_path / "spool"))
    agent = process_agent.process_agent(arguments, "n1", "")
    assert [record.getMessage() for record in caplog.records] == [NO_BOUND] * (not bounds)
    for one in (local, agent):
        one.stop()


LEASE_S, MARGIN_S = 3.0, 1.0


async def taken(state: Path, spool: Path) -> tuple[float, float]:
    """Seconds until a server on *state* has the agent of *spool*, and those until it may have another."""
    given = {
        "server.listen": "127.0.0.1:0",
        "server.journal": str(state),
        "server.new": True,
        "policy.name": "fcfs",
        "agents.heartbeat_s": 0.5,
        "agents.lease_s": LEASE_S,
        "agents.margin_s": MARGIN_S,
    }
    live = await LiveServer.started(load_config(None, given))
    try:
        agent = local_agent(NodeOffer(names="here", processors=1), spool)
        held_s, began_s = live.core.hub.holders.left_s(agent.name), time.monotonic()
        live.stand(agent, agent.follows)
        await eventually(lambda: agent.welcomed)
        return time.monotonic() - began_s, held_s
    finally:
        await live.stop()


async def test_a_server_with_another_spool_waits_for_the_lease_of_the_one_before(tmp_path: Path) -> None:
    await taken(tmp_path / "state", tmp_path / "a")
    at_once_s, held_s = await taken(tmp_path / "state", tmp_path / "a")
    assert at_once_s < held_s
    later_s, held_s = await taken(tmp_path / "state", tmp_path / "b")
    assert later_s >= held_s > 0.0
