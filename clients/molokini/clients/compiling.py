"""Says that something is being compiled, on a terminal and in a log: a first run stands still for seconds."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

from numba.core import event

_COMPILE = "numba:compile"
QUIET_VARIABLE = "MOLOKINI_QUIET"
_BEGUN = "compiling, this once: {cost} s of processor time, more on a busy machine ..."
RUN, SERVER = "10 to 30", "20 to 60"
"""Seconds of processor time, as measured: of an engine and a policy, and of the two policies of a server."""
_CLEARED = "\r\x1b[K"


class _Listener(event.Listener):  # type: ignore[misc]
    """Tells standard error of the first compilation; numba compiles nothing that is in its cache."""

    def __init__(self, cost: str) -> None:
        self._said = _BEGUN.format(cost=cost)
        self.since: float | None = None
        self._depth = 0
        self._entries: list[Any] = []

    @property
    def failed(self) -> bool:
        """Whether anything could not be compiled that was to be entered from Python."""
        return not all(entry.overloads for entry in self._entries)

    def on_start(self, event: event.Event) -> None:
        """Something is not in the cache."""
        if self._depth == 0:
            self._entries.append(event.data["dispatcher"])
        self._depth += 1
        if self.since is None:
            self.since = perf_counter()
            _show(self._said if sys.stderr.isatty() else f"molokini: {self._said}\n")

    def on_end(self, event: event.Event) -> None:
        """It is compiled now, or cannot be."""
        self._depth -= 1


@contextmanager
def compilation_told(cost: str = RUN) -> Iterator[None]:
    """While something is compiled inside, say so on standard error; then, in one line, how long it took.

    On a terminal the second line replaces the first; in a log both stand. Says nothing where all comes from
    the cache, or where ``MOLOKINI_QUIET`` is set. *cost*: in words, how many seconds of processor
    time that takes.
    """
    if os.environ.get(QUIET_VARIABLE):
        yield
        return
    listener = _Listener(cost)
    done = ""
    try:
        with event.install_listener(_COMPILE, listener):
            yield
        if listener.since is not None:
            done = _done(perf_counter() - listener.since, listener.failed)
    finally:
        if listener.since is not None:
            _show(_CLEARED + done if sys.stderr.isatty() else f"molokini: {done}" if done else "")


def _done(seconds: float, failed: bool) -> str:
    if failed:
        return (
            f"the policy runs as plain Python, slower: numba cannot compile it (tried for {seconds:.1f} s)\n"
        )
    return f"compiled in {seconds:.1f} s; the next run finds it in the cache\n"


def _show(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
