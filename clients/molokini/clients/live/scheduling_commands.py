"""``molokini scheduling pause`` and ``resume``, ``molokini statistics reset``."""

from collections.abc import Awaitable, Callable

from molokini.client.client import Client
from molokini.clients.arguments.cluster import PauseArguments
from molokini.clients.arguments.shared import JsonArguments
from molokini.clients.live.connection import with_client
from molokini.clients.show.lines import show_facts, show_json
from molokini.model.errors import BadValue
from molokini.model.instants import seconds_text
from molokini.proto.v1.cluster_service_pb2 import Scheduling

_MOST_PASSES = 1_000_000


def pause(arguments: PauseArguments) -> int:
    """Let the policy make no more passes, or so many more."""
    after = arguments.after
    if not 0 <= after <= _MOST_PASSES:
        raise BadValue("--after", after, f"from 0 to {_MOST_PASSES:,} passes")
    return _shown(
        lambda client: client.pause_scheduling(after, arguments.at_once, arguments.reason), arguments
    )


def resume(arguments: JsonArguments) -> int:
    """Let the policy make passes again."""
    return _shown(lambda client: client.resume_scheduling(), arguments)


def reset(arguments: JsonArguments) -> int:
    """Let the reports count what ends from now on."""
    since_s = with_client(lambda client: client.reset_statistics())
    if arguments.json:
        show_json("molokini.statistics-reset/1", {"since_s": since_s})
    else:
        show_facts({"statistics since": seconds_text(since_s)})
    return 0


def _shown(work: Callable[[Client], Awaitable[Scheduling]], arguments: JsonArguments) -> int:
    found = with_client(work)
    if arguments.json:
        document = {"paused": found.paused, "passes_left": found.passes_left, "passes": found.passes}
        show_json("molokini.scheduling/1", document)
    else:
        word = f"paused after {found.passes_left:,} more" if found.passes_left else "paused"
        show_facts({"scheduling": word if found.paused else "goes on", "passes so far": f"{found.passes:,}"})
    return 0
