"""What a running server compiles: said in its log, and to callers who ask why an answer takes so long."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from molokini.compiled.watching import compilation_watched

log = logging.getLogger("molokini.server.policy")


class Compiling:
    """Knows what is compiled just now; others are served meanwhile."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._since: dict[str, float] = {}

    @property
    def what(self) -> str:
        """What has been compiled for the longest time; empty: nothing is."""
        return next(iter(self._since), "")

    @property
    def for_s(self) -> float:
        """For how many seconds of real time; 0: nothing is."""
        since_s = next(iter(self._since.values()), None)
        return 0.0 if since_s is None else self._monotonic() - since_s

    @contextmanager
    def told(self, what: str) -> Iterator[None]:
        """Whatever is compiled inside is *what* is compiled; the log says when, and for how long."""

        def begun() -> None:
            if what not in self._since:
                self._since[what] = self._monotonic()
                log.info("compiling %s (once); other calls are answered meanwhile", what)

        try:
            with compilation_watched(begun):
                yield
        finally:
            since_s = self._since.pop(what, None)
            if since_s is not None:
                log.info("compiled %s in %.1f s", what, self._monotonic() - since_s)
