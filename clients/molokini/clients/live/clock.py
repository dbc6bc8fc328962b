"""``molokini clock status``, ``advance``, ``rate``, ``pause``, ``resume``."""

import math
from collections.abc import Awaitable, Callable

from molokini.client.client import Client
from molokini.clients.arguments.cluster import AdvanceArguments, RateArguments
from molokini.clients.arguments.shared import JsonArguments
from molokini.clients.live.connection import with_client
from molokini.clients.show.lines import finite, show_facts, show_json
from molokini.model.errors import BadValue
from molokini.model.instants import instant, seconds_text
from molokini.model.spans import seconds
from molokini.model.text import exact
from molokini.proto.v1.cluster_service_pb2 import Clock


def status(arguments: JsonArguments) -> int:
    """Show the clock."""
    return _shown(lambda client: client.clock(), arguments)


def advance(arguments: AdvanceArguments) -> int:
    """Turn the clock forward."""
    by_s = seconds("SECONDS", arguments.seconds)
    return _shown(lambda client: client.advance(by_s), arguments)


def rate(arguments: RateArguments) -> int:
    """Set the clock's rate."""
    if not 0 < arguments.rate < math.inf:
        raise BadValue("N", arguments.rate, "a number above 0; 'molokini clock pause' stops the clock")
    return _shown(lambda client: client.set_rate(arguments.rate), arguments)


def pause(arguments: JsonArguments) -> int:
    """Stop the clock."""
    return _shown(lambda client: client.pause_clock(), arguments)


def resume(arguments: JsonArguments) -> int:
    """Let the clock go on."""
    return _shown(lambda client: client.resume_clock(), arguments)


def _shown(work: Callable[[Client], Awaitable[Clock]], arguments: JsonArguments) -> int:
    found = with_client(work)
    kind = Clock.Kind.Name(found.kind).lower() if found.kind in Clock.Kind.values() else str(found.kind)
    if arguments.json:
        document = {"kind": kind, "now_s": finite(found.now_s), "rate": finite(found.rate)}
        show_json("molokini.clock/1", {**document, "paused": found.paused})
    else:
        speed = f"{exact(found.rate)} s a second" if kind == "scaled" else ""
        # The kind decides, and not the size: what is no real clock counts from the beginning of its state.
        now = instant(found.now_s) if kind == "real" else seconds_text(found.now_s)
        show_facts({"clock": kind, "now": now, "rate": speed, "paused": "yes" if found.paused else ""})
    return 0
