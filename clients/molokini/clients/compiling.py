"""Says that something is being compiled, on a terminal and in a log: a first run stands still for seconds."""

import contextlib
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Any

from numba.core import event

from molokini.model.site import CONFIGURABLE

_COMPILE = "numba:compile"
QUIET_VARIABLE = "MOLOKINI_QUIET"
_CLEARED = "\r\x1b[K"
_TICK_S = 0.25
_SIGNS = "|/-\\"
_ENGINE, _ENGINE_S = "molokini.sim.", 15
SERVER_S = 20
"""More, of a server: the functions that it calls from Python one by one."""
_USUAL_S = 10
_LONG_S = {CONFIGURABLE: 45}
"""Seconds of processor time: half of what ``molokini compile`` tells, which compiles all twice."""


class _Listener(event.Listener):  # type: ignore[misc]
    """Tells standard error of the first compilation; numba compiles nothing that is in its cache."""

    def __init__(self, policies: Sequence[str], more_s: int = 0) -> None:
        self.since: float | None = None
        self._policies, self._more_s = policies, more_s
        self._clock: _Clock | None = None
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
        first = self.since is None
        since = self.since = perf_counter() if self.since is None else self.since
        if self._depth == 1 and sys.stderr.isatty():
            self._clock = _Clock(self._begun(), since)
        elif first:
            _show(f"molokini: {self._begun()}\n")

    def on_end(self, event: event.Event) -> None:
        """It is compiled now, or cannot be."""
        self._depth -= 1
        if self._depth == 0 and self._clock is not None:
            # No thread is left, as processes may be forked.
            self._clock.stop()
            self._clock = None

    def _begun(self) -> str:
        """What is compiled, and how long that takes: the engine is first, where it is not in the cache."""
        costs = [_LONG_S.get(name, _USUAL_S) for name in self._policies] or [_USUAL_S]
        with_engine = self._entries[0].py_func.__module__.startswith(_ENGINE)
        seconds = sum(costs) + self._more_s + _ENGINE_S * with_engine
        names = ", ".join(self._policies) or "the policy"
        return f"compiling {names}, this once: about {seconds} s of processor time"


class _Clock:
    """Writes on the terminal for how long something has been going on, until it is stopped."""

    def __init__(self, text: str, since: float) -> None:
        self._text, self._since = text, since
        self._terminal = sys.stderr.fileno()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._write(0)
        self._thread.start()

    def stop(self) -> None:
        """Return when nothing more will be written."""
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        ticks = 0
        while not self._stopped.wait(_TICK_S):
            ticks += 1
            self._write(ticks)

    def _write(self, ticks: int) -> None:
        # Past Python's buffers, whose locks a process that is forked meanwhile would find taken.
        sign, elapsed = _SIGNS[ticks % len(_SIGNS)], perf_counter() - self._since
        with contextlib.suppress(OSError):
            os.write(self._terminal, f"{_CLEARED}{sign} {self._text} ({elapsed:.0f} s so far)".encode())


@contextmanager
def compilation_told(policies: Sequence[str] = (), more_s: int = 0) -> Iterator[None]:
    """While something is compiled inside, say so on standard error; then, in one line, how long it took.

    *policies* are the names of what may be compiled, *more_s* the seconds of what is compiled beside them.
    On a terminal the seconds that have passed are shown meanwhile, and the second line replaces the first; in
    a log both stand. Says nothing where all comes from the cache, or where ``MOLOKINI_QUIET`` is set.
    """
    if os.environ.get(QUIET_VARIABLE):
        yield
        return
    listener = _Listener(policies, more_s)
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
