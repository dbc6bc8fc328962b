"""The local policy of an agent, as the command line asks for it: who decides which job a node schedules."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from molokini.model.errors import BadFile, BadValue, Conflict, UnknownName

if TYPE_CHECKING:
    from molokini.process_sim.node_daemon import Asked, NodeDaemon

MESSAGE_DRIVEN = "message-driven"
_OPTIONS = ("local", "set", "requests")
_OF_REAL_NODES = ("gmet", "slice", "unscheduled")
"""Parameters of the policy that mean something where the kernel runs processes."""
_NS = 1_000_000_000


@dataclass(frozen=True)
class NodePolicy:
    """Who decides, and how often its timer asks."""

    decider: "NodeDaemon"
    slice_s: float


def check_no_local_policy(arguments: Any) -> None:
    """Raises Conflict for what only real jobs need, where nodes pretend."""
    for field in _OPTIONS:
        if getattr(arguments, field, None):
            raise Conflict(f"--{field}", "is for --mode process: emulated nodes run nothing")


def local_policy_of(arguments: Any) -> NodePolicy | None:
    """The local policy that is asked for, or None. Raises BadValue, UnknownName, Conflict or BadFile."""
    name = getattr(arguments, "local", None)
    if name is None:
        for field in _OPTIONS[1:]:
            if getattr(arguments, field, None):
                raise Conflict(f"--{field}", f"is for a local policy; add --local {MESSAGE_DRIVEN}")
        return None
    if name != MESSAGE_DRIVEN:
        raise BadValue("--local", name, f"{MESSAGE_DRIVEN}: the others are simulated only")
    # Loaded here: an agent without a local policy does without it.
    from molokini.process_sim.node_daemon import NodeDaemon
    from molokini.process_sim.policies.message_driven import NEEDS
    from molokini.process_sim.scheduler_daemon import Given

    values = list(NEEDS.defaults)
    names = [one.name for one in NEEDS.parameters]
    for text in arguments.set:
        key, equals, value = text.partition("=")
        if not equals:
            raise BadValue("--set", text, "NAME=VALUE, as gmet=2s")
        if key not in _OF_REAL_NODES:
            raise UnknownName(f"parameter of {name} on real nodes", key, _OF_REAL_NODES)
        place = names.index(key)
        values[place] = NEEDS.parameters[place].value_of(f"--set {key}", value)
    decider = NodeDaemon(values)
    if arguments.requests is not None:
        decider.record = _writing(arguments.requests)
    return NodePolicy(decider, values[Given.SLICE] / _NS)


def _writing(path: str) -> "Callable[[Asked], None]":
    """Add a line of JSON to *path* for each request. Raises BadFile."""
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise BadFile(path, error.strerror or str(error)) from None

    def write(asked: "Asked") -> None:
        os.write(file, json.dumps(asdict(asked)).encode() + b"\n")

    return write


def requests_in(text: str) -> "Sequence[Asked]":
    """The requests that a file of ``--requests`` holds."""
    from molokini.process_sim.node_daemon import Asked

    return [Asked(**json.loads(line)) for line in text.splitlines()]
