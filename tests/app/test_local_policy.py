"""The local policy of an agent as it is asked for: parameters, the record of requests, refusals."""

from pathlib import Path

import pytest

from molokini.app.local_policy import check_no_local_policy, local_policy_of, requests_in
from molokini.app.process_agent import process_agent
from molokini.clients.arguments.servers import AgentArguments
from molokini.model.errors import BadInput
from molokini.process_sim.node_daemon import serve_again
from molokini.process_sim.scenario import S
from molokini.process_sim.scheduler_daemon import Answer


def asked(**more: object) -> AgentArguments:
    return AgentArguments(**{"server": "h:1", "mode": "process", **more})  # type: ignore[arg-type]


def test_parameters_reach_the_daemon_and_requests_the_file(tmp_path: Path) -> None:
    file = tmp_path / "requests"
    given = ("gmet=2s", "slice=4s", "unscheduled=10")
    made = local_policy_of(asked(local="message-driven", set=given, requests=str(file)))
    assert made is not None
    assert made.slice_s == 4.0
    daemon = made.decider
    daemon.register("a", 1, 0)
    daemon.register("b", 2, 0)
    assert (daemon.share("a"), daemon.share("b")) == (90, 10)
    assert daemon.schedule("b", 2, 2 * S - 1) is Answer.DISCARDED
    assert daemon.schedule("b", 2, 2 * S) is Answer.SCHEDULED
    stream = requests_in(file.read_text())
    assert [one.answer for one in stream] == ["scheduled", "done", "discarded", "scheduled"]
    assert serve_again(stream, list(daemon.world.own.given)) == stream


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"local": "pb-sb"}, "--local: 'pb-sb'.*message-driven"),
        ({"local": "message-driven", "set": ("gmet=0s",)}, "--set gmet.*from 1us"),
        ({"local": "message-driven", "set": ("slice=0s",)}, "--set slice.*from 1us"),
        ({"local": "message-driven", "set": ("unscheduled=51",)}, "unscheduled.*from 1 to 50"),
        ({"local": "message-driven", "set": ("gmet",)}, "--set.*NAME=VALUE"),
        ({"local": "message-driven", "set": ("most=2",)}, "most.*gmet"),
        ({"set": ("gmet=1s",)}, "--set.*--local message-driven"),
        ({"requests": "f"}, "--requests.*--local message-driven"),
        ({"local": "message-driven", "requests": "/no/such/folder"}, "/no/such/folder.*No such file"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_made(
    tmp_path: Path, more: dict[str, object], said: str
) -> None:
    spool = tmp_path / "spool"
    with pytest.raises(BadInput, match=said):
        process_agent(asked(spool=str(spool), **more), "n1", "")
    assert not spool.exists() or not any(spool.iterdir())


def test_emulated_nodes_have_no_local_policy() -> None:
    with pytest.raises(BadInput, match=r"--local.*--mode process"):
        check_no_local_policy(asked(mode="emulate", local="message-driven"))
