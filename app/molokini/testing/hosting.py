"""The thread in which the clusters of this process live: one event loop for all of them."""

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

R = TypeVar("R")


class Host:
    """An event loop in a thread of its own, which ends with the process."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="molokini clusters", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, R]) -> R:
        """What *work* returns, run there; the caller waits."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


_host: Host | None = None
_lock = threading.Lock()


def host() -> Host:
    """The one of this process; it is made when it is first needed."""
    global _host
    with _lock:
        if _host is None:
            _host = Host()
        return _host
