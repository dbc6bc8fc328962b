"""Which agent of emulated nodes this is: one of its name, for one server, on one machine, at a time.

The server cannot tell an agent that was started again from a copy of it on another machine. So an agent
claims a name of the kernel (an abstract socket, which goes with the process however that dies), and its
identity is made of the machine and of all that this name is made of: two living processes never have the
same one. Where the kernel has no such names, or another user's process has this one, an agent has no
identity, and after a death waits for its lease: nothing that it emulates outlives it.

Agents of real jobs have their identity in their spool (``processes/identity.py``). They claim a name, too,
since earlier releases knew them by it: one of those may live, or may just have been replaced.
"""

import os
import socket
import struct
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from molokini.model.errors import BadInput

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_NETWORK = Path("/proc/self/ns/net")
_CREDENTIALS = struct.Struct("3i")


class AgentRuns(BadInput):
    """An agent of this name, for this server, lives on this machine."""


@dataclass(frozen=True)
class Identity:
    """A claim, which lasts as long as the process, and what it is called."""

    name: str
    claim: socket.socket

    def answer(self) -> None:
        """Close the connections of agents that asked for this name; call it when the claim is readable.

        The kernel keeps them in a queue; once that is full it answers no other.
        """
        with suppress(OSError):
            while True:
                self.claim.accept()[0].close()


def claim_identity(agent: str, server: str) -> Identity | None:
    """The identity of *agent* (of *server*) on this machine; None where there can be none.

    Raises AgentRuns where another process has it.
    """
    try:
        place = f"{_BOOT.read_text().strip()} {_NETWORK.stat().st_ino} {socket.gethostname()}"
    except OSError:
        return None
    name = sha256("\0".join((place, str(os.geteuid()), server, agent)).encode()).hexdigest()[:32]
    address = f"\0molokini-agent-{name}"
    claim = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        claim.bind(address)
        claim.listen()
        claim.setblocking(False)
    except OSError:
        claim.close()
        if (holder := _holder(address)) is None:
            return None
        raise AgentRuns(
            f"an agent {agent} for {server} runs on this machine already, as process {holder}: "
            "give this one another --name, or end that one first"
        ) from None
    return Identity(name, claim)


def _holder(address: str) -> int | None:
    """The process that has *address*; None where there is none, or where another user's process has it."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
        asking.settimeout(1.0)
        try:
            asking.connect(address)
            raw = asking.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        except OSError:
            return None
    process, user, _ = _CREDENTIALS.unpack(raw)
    return process if user == os.geteuid() else None
