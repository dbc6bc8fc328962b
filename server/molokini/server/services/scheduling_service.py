"""Whether the policy decides: what an administrator asks for, as the reactor understands it."""

from molokini.model.actors import Actor
from molokini.model.errors import BadValue
from molokini.proto.v1 import cluster_service_pb2 as wire
from molokini.server.server import Server
from molokini.server.turn.scheduling import SetScheduling

_MOST_PASSES = 1_000_000
_MOST_CHARACTERS = 1000


async def scheduling_changed(
    server: Server, request: wire.ChangeSchedulingRequest, by: Actor
) -> wire.Scheduling:
    """Do what *request* asks for; how things are then. Raises BadValue."""
    change, reactor = request.WhichOneof("change"), server.reactor
    if change is None:
        raise BadValue("change", None, "pause_after or resume")
    if len(request.reason) > _MOST_CHARACTERS:
        raise BadValue("reason", request.reason[:40] + "...", "at most 1,000 characters")
    if not 0 <= request.pause_after <= _MOST_PASSES:
        raise BadValue("pause_after", request.pause_after, f"from 0 to {_MOST_PASSES:,} passes")
    paused = change == "pause_after"
    # Before the fact: the turn that takes it neither makes a pass that is to be left out nor leaves one out.
    reactor.passes_left = request.pause_after if paused else 0
    await reactor.post(SetScheduling(paused, by, request.reason))
    if not paused or request.at_once:
        reactor.allow_passes(reactor.passes_left, request.at_once)
    return wire.Scheduling(paused=server.state.paused, passes_left=reactor.passes_left, passes=reactor.passes)
