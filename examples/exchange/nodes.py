"""A run on several nodes: which tasks are whose, and how the nodes find the first one.

The agents of the nodes start the program once on each. That of the first node is the launcher of all tasks;
it notes in a file of the working directory, which all nodes share, where it listens and the token of the run.
"""

import json
import os
import secrets
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from exchange.meeting import TOKEN, NoMeeting

_PAUSE_S = 0.02
_MOST_NODES = 64


class NoPlace(Exception):
    """Variables that do not say where the program runs: one line."""


@dataclass(frozen=True)
class Place:
    """Where the program runs among the nodes of its job."""

    index: int = 0
    nodes: int = 1
    first: int = 0
    """The number of the first task on this node."""
    tasks: int = 0
    """So many tasks are on this node; 0: all of them."""
    name: str = ""
    file: str = ""
    """Where the first node notes how to reach it."""

    def own(self, tasks: int) -> range:
        """The tasks on this node, of so many in all."""
        return range(self.first, self.first + (self.tasks or tasks))


def place_of(environment: Mapping[str, str]) -> Place:
    """Where the agents of the job say that this is. Raises NoPlace."""
    nodes = _number(environment, "MOLOKINI_NODES", 1, 1, _MOST_NODES)
    if nodes == 1:
        return Place()
    job, attempt = (environment.get(f"MOLOKINI_{name}", "0") for name in ("JOB_ID", "ATTEMPT"))
    element = environment.get("MOLOKINI_ARRAY_INDEX", "")
    return Place(
        _number(environment, "MOLOKINI_NODE_INDEX", None, 0, nodes - 1),
        nodes,
        _number(environment, "MOLOKINI_FIRST_RANK", None, 0, 10**6),
        _number(environment, "MOLOKINI_NODE_PROCESSORS", None, 1, 10**6),
        environment.get("MOLOKINI_NODE_NAME", ""),
        f".exchange-{job}-{element}-{attempt}",
    )


def _number(environment: Mapping[str, str], name: str, without: int | None, least: int, most: int) -> int:
    text = environment.get(name, "" if without is None else str(without))
    if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
        raise NoPlace(f"{name}: {text!r} is not allowed; it must be {least} to {most}")
    return int(text)


def address_of(name: str, given: str | None) -> str:
    """The address at which other nodes reach this one: as *given*, or that of its *name*. Raises NoPlace."""
    try:
        return socket.gethostbyname(given or name)
    except OSError:
        if given:
            raise NoPlace(f"--address: {given!r} is no address of this node") from None
        raise NoPlace(f"node {name} has no address by its name; say --address") from None


def publish(path: str, listener: socket.socket) -> bytes:
    """Note where *listener* is, for this user alone; the token of the run."""
    token = secrets.token_bytes(TOKEN)
    said = {"at": listener.getsockname()[:2], "token": token.hex()}
    scratch = f"{path}.{os.getpid()}"
    with os.fdopen(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump(said, file)
    os.rename(scratch, path)
    return token


def found(path: str, deadline_s: float) -> tuple[str, int, bytes]:
    """What the first node has noted. Raises NoMeeting where it has noted nothing within *deadline_s*."""
    until = time.monotonic() + deadline_s
    while True:
        try:
            said = json.loads(Path(path).read_text())
            return said["at"][0], said["at"][1], bytes.fromhex(said["token"])
        except FileNotFoundError:
            if time.monotonic() >= until:
                raise NoMeeting(
                    f"the first node has noted nothing in {path} within {deadline_s:g} s"
                ) from None
            time.sleep(_PAUSE_S)
