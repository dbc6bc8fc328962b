"""Ends a replay whose policy never returns, or that reads beyond an array.

Python answers a signal between two of its own instructions, and the compiled engine executes none. A thread
beside it hears of each signal through a pipe. Where the replay has not ended by itself soon after an
interrupt, the thread says in one line where the policy is, and ends the process.
"""

import faulthandler
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import sleep

from molokini.clients.failures import INTERRUPTED, TERMINATED, terminate
from molokini.model.errors import BadInput
from molokini.parallel.leaving import leave
from molokini.policies import LoadedPolicy
from molokini.sim.replay import Place, place_of

_PATIENCE_S = 0.4
"""So long a replay has to end by itself; a compiled one returns to Python several times in it."""
_FAULTS = (signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL)
_ENOUGH = b"\0"


def stuck() -> str:
    """Where a policy is that is in the same pass for longer than it should be; empty where none is."""
    first = place_of()
    if first is None or not first.deciding:
        return ""
    sleep(_PATIENCE_S / 2)
    return _words(first) if place_of() == first else ""


@contextmanager
def watched(
    policy: LoadedPolicy, where: Callable[[], str] = stuck, leaving: Callable[[], None] = lambda: None
) -> Iterator[None]:
    """While a replay under *policy* runs inside, an interrupt ends it, whatever the policy does.

    *where* says what was going on, in a line, or nothing; *leaving* is done before the process ends.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # Only the main thread hears of signals.
        return
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    # Where faulthandler is on, it writes the traceback of a fault instead.
    faults = _FAULTS if policy.from_file and not faulthandler.is_enabled() else ()
    for fault in faults:
        signal.signal(fault, _nothing)
    over = threading.Event()
    watch = _Watch(reader, over, _answered(), where, leaving)
    thread = threading.Thread(target=watch.run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        signal.set_wakeup_fd(before)
        for fault in faults:
            signal.signal(fault, signal.SIG_DFL)
        # There is room for it: a pipe that is full holds signals, and the thread has ended the process.
        os.write(writer, _ENOUGH)
        thread.join()
        os.close(reader)
        os.close(writer)


def _answered() -> dict[int, int]:
    """The signals that end this command by an exception, and their exit codes."""
    ours = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: terminate}
    codes = {signal.SIGINT: INTERRUPTED, signal.SIGTERM: TERMINATED}
    return {number: codes[number] for number, handler in ours.items() if signal.getsignal(number) is handler}


def _nothing(*_: object) -> None:
    """The handler of a fault: machine code comes back to the same fault until the process ends."""


@dataclass(frozen=True)
class _Watch:
    """What the thread beside a replay needs."""

    reader: int
    over: threading.Event
    answered: dict[int, int]
    where: Callable[[], str]
    leaving: Callable[[], None]

    def run(self) -> None:
        """Hear of signals until there are enough."""
        while (heard := os.read(self.reader, 1)) != _ENOUGH:
            number = heard[0]
            if number in _FAULTS:
                self._leave(_fault(number), BadInput.exit_code)
            if number in self.answered and not self.over.wait(_PATIENCE_S):
                self._leave(self.where(), self.answered[number])

    def _leave(self, text: str, exit_code: int) -> None:
        try:
            self.leaving()
        finally:
            leave(text, exit_code)


def _words(place: Place) -> str:
    return f"policy {place.policy}: ended in a pass that had not returned, {_where(place)}"


def _fault(number: int) -> str:
    place = place_of()
    what = "used an index beyond an array" if number == signal.SIGSEGV else signal.strsignal(number)
    where = "" if place is None else f", {_where(place)}"
    policy = "" if place is None else f"policy {place.policy}: "
    return f"{policy}{what}{where}; NUMBA_DISABLE_JIT=1 in front of the same command names the line"


def _where(place: Place) -> str:
    if place.job is None:
        about = "no job waits"
    elif place.decided:
        about = f"its last decision is about job {place.job}"
    else:
        about = f"it has decided nothing, and job {place.job} is first in the queue"
    return f"at {place.now_s:.15g} s of {place.workload} ({about})"
