"""Machines of one: network namespaces with addresses of their own, joined by a bridge that has one, too.

Only the network is another one; processes, files and control groups are this machine's. Root alone can make
them, and everything is gone at the end.
"""

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

_NET = "10.213.77"


class Network:
    """Machines by name, with addresses from 10.213.77.1 on in the order of the names."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(names)
        self._prefix = f"mk{os.getpid()}"

    def address(self, name: str) -> str:
        """The address of a machine."""
        return f"{_NET}.{self._names.index(name) + 1}"

    def inside(self, name: str) -> tuple[str, ...]:
        """What stands before a command that runs on a machine."""
        return ("nsenter", f"--net=/var/run/netns/{self._space(name)}")

    def cut(self, name: str) -> None:
        """Take a machine off the network."""
        self._ip("-n", self._space(name), "link", "set", "eth", "down")

    def heal(self, name: str) -> None:
        """Put it back."""
        self._ip("-n", self._space(name), "link", "set", "eth", "up")

    def make(self) -> None:
        """Make all of it. Raises CalledProcessError where this machine cannot."""
        hub = self._space("hub")
        self._ip("netns", "add", hub)
        self._ip("-n", hub, "link", "add", "bridge", "type", "bridge")
        self._ip("-n", hub, "link", "set", "bridge", "up")
        for k, name in enumerate(self._names):
            space = self._space(name)
            self._ip("netns", "add", space)
            self._ip(
                "-n", hub, "link", "add", f"port{k}", "type", "veth", "peer", "name", "eth", "netns", space
            )
            self._ip("-n", hub, "link", "set", f"port{k}", "master", "bridge", "up")
            self._ip("-n", space, "address", "add", f"{self.address(name)}/24", "dev", "eth")
            self._ip("-n", space, "link", "set", "eth", "up")
            self._ip("-n", space, "link", "set", "lo", "up")

    def remove(self) -> None:
        """Remove what there is of it."""
        for name in (*self._names, "hub"):
            subprocess.run(["ip", "netns", "del", self._space(name)], capture_output=True, check=False)

    def _space(self, name: str) -> str:
        return f"{self._prefix}-{name}"

    @staticmethod
    def _ip(*words: str) -> None:
        subprocess.run(["ip", *words], check=True, capture_output=True)


@contextmanager
def network(*names: str) -> Iterator[Network]:
    """Machines of these names; the test is skipped where none can be made."""
    made = Network(names)
    try:
        try:
            made.make()
        except (OSError, subprocess.CalledProcessError):
            pytest.skip("no network namespaces can be made here")
        yield made
    finally:
        made.remove()
