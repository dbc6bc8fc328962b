"""Which calls are made again after a lost answer: each that has the effect of one if it is made twice."""

from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from molokini.client.client import Client
from molokini.client.errors import Unavailable
from molokini.client.methods import Method
from molokini.proto.v1 import cluster_service_pb2 as wire
from tests.kit.connected import QUICK

Call = Callable[[Client], Coroutine[Any, Any, Any]]

ONCE: dict[str, Call] = {
    "signal": lambda client: client.signal([1], 10),
    "requeue": lambda client: client.requeue([1]),
    "start": lambda client: client.start([1]),
    "advance": lambda client: client.advance(60),
    "create reservation": lambda client: client.create_reservation(wire.Reservation(name="r")),
    "release reservation": lambda client: client.release_reservation("r"),
    "book": lambda client: client.book("physics", wire.DEPOSIT, 7),
    "pause scheduling": lambda client: client.pause_scheduling(after=3),
    "trace an iteration that is done": lambda client: client.trace_iteration(),
    "remove queue": lambda client: client.remove_queue("night"),
    "release agent": lambda client: client.release_agent("n1"),
    "issue token": lambda client: client.issue_token("ann"),
    "rotate tokens": lambda client: client.rotate_tokens(),
}
AGAIN: dict[str, Call] = {
    "submit": lambda client: client.submit(argv=["true"]),
    "job": lambda client: client.job(1),
    "cancel": lambda client: client.cancel([1]),
    "hold": lambda client: client.hold([1]),
    "release": lambda client: client.release([1]),
    "suspend": lambda client: client.suspend([1]),
    "resume": lambda client: client.resume([1]),
    "alter": lambda client: client.alter(1, comment="hm"),
    "set_rates": lambda client: client.set_rates([1], "50%"),
    "rates": lambda client: client.rates(),
    "slice": lambda client: client.slice([1], None),
    "explain": lambda client: client.explain(1),
    "forecast": lambda client: client.forecast(1),
    "drain": lambda client: client.drain(["n1"]),
    "down": lambda client: client.down(["n1"]),
    "resume nodes": lambda client: client.resume_nodes(["n1"]),
    "set queue": lambda client: client.set_queue(wire.Queue(name="night")),
    "set policy": lambda client: client.set_policy("easy"),
    "statement": lambda client: client.statement(),
    "trace an iteration": lambda client: client.trace_iteration(dry_run=True),
    "resume scheduling": lambda client: client.resume_scheduling(),
    "set rate": lambda client: client.set_rate(2.0),
    "pause clock": lambda client: client.pause_clock(),
    "resume clock": lambda client: client.resume_clock(),
    "tokens": lambda client: client.tokens(),
    "revoke tokens": lambda client: client.revoke_tokens(["t"]),
    "agents": lambda client: client.agents(),
}


@pytest.mark.parametrize("name", [*ONCE, *AGAIN])
async def test_only_what_may_happen_twice_is_made_again(name: str) -> None:
    asked: list[bool] = []

    async def lost(
        method: Method, request: object, *, repeat: bool = True, timeout_s: float | None = None
    ) -> None:
        asked.append(repeat and method.may_repeat(request))
        raise Unavailable("the answer is lost")

    async with Client.connect("127.0.0.1:1", token="t", patience=QUICK) as client:
        client._caller.call = lost  # type: ignore[method-assign, assignment]
        with pytest.raises(Unavailable):
            await (ONCE | AGAIN)[name](client)
    assert asked == [name in AGAIN]
