"""``molokini agents``."""

from collections.abc import Callable

from tests.clients.command_runs import Ran
from tests.kit.fake_server import FakeServer

Command = Callable[..., Ran]


def test_agents_are_listed_and_all_that_is_shown_is_in_the_json(
    molokini: Command, server: FakeServer
) -> None:
    ran = molokini("agents")
    assert (ran.code, ran.err) == (0, "")
    assert [line.split() for line in ran.out.splitlines()] == [
        ["agent", "connected", "nodes", "attempts", "silent_s", "held_s", "peer"],
        ["one", "yes", "4", "2", "0.2", "34.8", "ipv4:10.0.0.1:5"],
        ["two", "no", "1", "0", "0.0"],
    ]
    found = molokini("agents", "--json").json
    assert found["schema"] == "molokini.agents/1"
    assert found["agents"][0]["agent"] == "one"
    assert set(ran.out.split()[:7]) <= set(found["agents"][0])
    assert [one["silent_s"] for one in found["agents"]] == [0.25, None]
    assert [one["agent"] for one in molokini("agents", "two", "--json").json["agents"]] == ["two"]


def test_names_are_released(molokini: Command, server: FakeServer) -> None:
    assert molokini("agents", "two", "--release").code == 0
    assert server.agents.released == ["two"]


def test_what_cannot_be_is_one_line(molokini: Command, server: FakeServer) -> None:
    for given, said in (
        (["three"], "no agent named 'three'"),
        (["three", "--release"], "no agent named 'three'"),
        (["--release"], "--release: give the names of the agents to release"),
    ):
        ran = molokini("agents", *given)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith("molokini: ")
        assert said in ran.err
        assert ran.err.count("\n") == 1
    assert server.agents.released == []
