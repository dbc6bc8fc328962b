"""How long a pass of a policy from a file may take: one that never returns must not block the server.

After the bound the pass is interrupted, which Python heeds at its next step and machine code when it returns.
What has not come back after as long again cannot be ended from within: then the process has to go. Nothing is
lost by that, since a pass decides nothing before it is over.
"""

import ctypes
import threading
from collections.abc import Callable
from types import TracebackType

GiveUp = Callable[[str], None]
"""Called, in another thread, with the origin of a policy that cannot be stopped."""


class PassTooLong(Exception):
    """Raised inside a pass that takes too long."""


class PassBound:
    """Bounds passes to *bound_s* seconds of real time each."""

    def __init__(self, bound_s: float, give_up: GiveUp) -> None:
        self.bound_s, self.give_up = bound_s, give_up

    def over(self, origin: str) -> "_Pass":
        """A context for one pass of the policy from *origin*, in which PassTooLong may be raised."""
        return _Pass(self, origin)


class _Pass:
    """One pass under watch. Two timers a pass: 0.1 ms, paid by policies from files alone."""

    def __init__(self, bound: PassBound, origin: str) -> None:
        self._bound, self._origin = bound, origin
        self._thread = threading.get_ident()
        self._lock = threading.Lock()
        self._over = False
        self._timer = self._after(self._interrupt)

    def __enter__(self) -> None:
        self._timer.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # The interruption may strike in here as well, but no more than once.
        try:
            with self._lock:
                self._over = True
            _raise_in(self._thread, None)
        finally:
            self._timer.cancel()

    def _after(self, do: Callable[[], None]) -> threading.Timer:
        timer = threading.Timer(self._bound.bound_s, do)
        timer.daemon = True
        return timer

    def _interrupt(self) -> None:
        with self._lock:
            if not self._over:
                self._timer = self._after(self._give_up)
                self._timer.start()
                _raise_in(self._thread, PassTooLong)

    def _give_up(self) -> None:
        # Under the lock, so that a pass that has come back meanwhile, on a busy machine, is let alone.
        with self._lock:
            if not self._over:
                self._bound.give_up(self._origin)


def _raise_in(thread: int, kind: type[BaseException] | None) -> None:
    """Let the thread raise *kind* at its next step in Python; None takes back what it has not raised yet."""
    exception = ctypes.py_object(kind) if kind is not None else None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), exception)
