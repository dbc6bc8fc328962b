"""Memory that jobs ask for where no control group can bound it: the agent says so when it starts."""

from pathlib import Path

import pytest

from molokini.app import process_agent
from molokini.app.process_agent import NO_BOUND, local_agent, notes_of
from molokini.clients.arguments.servers import AgentArguments
from molokini.proto.v1.agent_service_pb2 import NodeOffer


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
