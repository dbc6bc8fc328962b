"""Reports that something is compiled: numba says so as it begins, in the thread that compiles."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

from numba.core import event

_begun: ContextVar[Callable[[], None] | None] = ContextVar("molokini_compilation_begun", default=None)


class _Listener(event.Listener):  # type: ignore[misc]
    """Calls the watcher of the context in which a compilation begins; nothing is compiled that is kept."""

    def on_start(self, event: event.Event) -> None:
        """Something is not in the cache."""
        if (begun := _begun.get()) is not None:
            begun()

    def on_end(self, event: event.Event) -> None:
        """Another compilation may follow."""


@contextmanager
def compilation_watched(begun: Callable[[], None]) -> Iterator[None]:
    """Call *begun* as each compilation begins here, or in a thread that runs in a copy of this context."""
    _listening()
    token = _begun.set(begun)
    try:
        yield
    finally:
        _begun.reset(token)


@cache
def _listening() -> Any:
    listener = _Listener()
    event.register("numba:compile", listener)
    return listener
