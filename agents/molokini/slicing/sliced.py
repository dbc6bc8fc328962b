"""One sliced job: when it is to be stopped and continued next, and whether that may be done.

The supervisor of a job says with a letter in a file whether the server has it suspended or it is being
ended. It writes that before it acts, and the slicer reads it after it has acted: whichever comes first, a
suspended job does not go on, and one that ends does not stand still. Behind the letter is a count of what
the supervisor has let go on by itself, written after it has: a job that was stopped here before is
read again.
"""

from __future__ import annotations

import os
import time
from itertools import pairwise

from molokini.slicing.deadlines import Turn, Turns
from molokini.slicing.meter import Meter
from molokini.slicing.record import Record
from molokini.slicing.tree import Tree
from molokini.supervisor import priorities
from molokini.supervisor.grid import Grid
from molokini.supervisor.records import ENDING, RUNNING, SUSPENDED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LOOK_NS = 20_000_000
"""How often the supervisor's letter is looked for, where the job does not go by the grid."""
_SETTLED_NS = 2_000_000
"""After a stop the kernel's figures are whole."""
_LOSS_NS, _MOST_LOSS_NS = 90_000, 300_000
"""What a window loses at its ends: at first what was measured once, then what is measured of the job."""
_FOLLOW = 16
"""Threads that are made later are looked for in every so many windows."""


class Sliced:
    """One job, and the next instant at which something is to be done about it."""

    def __init__(self, order: dict[str, Any], turns: Turns | None = None) -> None:
        self._turns = turns
        self.job: str = order["job"]
        self._state_path: str = order["state"]
        self._state = -1
        self._continues = b""
        """The supervisor's count when it was taken up last."""
        self._tree = Tree(order["supervisor"], order["procs"])
        self._meter, self.record = Meter(), Record()
        self._real_time: bool = order["fifo"]
        self._fifo = self._real_time
        """Whether it has to be given its priority."""
        self.trouble = ""
        """Why it has no real-time priority, where it should."""
        self._follow_in = 0
        self._running, self._began = True, 0
        self._set(order)
        self._suspended = True
        self.next = 0

    def _set(self, order: dict[str, Any]) -> None:
        self._cores: list[int] = order.get("cores", [])
        self._grid: Grid | Turn
        if self._cores and self._turns is not None:
            slice_ = order["windows"][0][1]
            self._grid = Turn(self._turns, self.job, order["period"], slice_, order["origin"], self._cores)
        else:
            self._grid = Grid(order["period"], order["windows"], order["origin"])
        gaps = [b - a for (_, a), (b, _) in pairwise(self._grid.windows)]
        gaps.append(self._grid.windows[0][0] + self._grid.period - self._grid.windows[-1][1])
        # Rows are left at the very instant; another job computes from then on.
        self._may_correct = bool(order["corrects"]) and min(gaps) > 4 * _MOST_LOSS_NS
        self._corrects = self._may_correct and self._is_alone
        self._loss = _LOSS_NS if self._corrects else 0
        self._window = (0, 0)
        self._measure_at = self._length = 0

    @property
    def _is_alone(self) -> bool:
        return not isinstance(self._grid, Turn) or self._grid.is_alone

    @property
    def by_deadline(self) -> bool:
        """Whether it shares cores with others."""
        return isinstance(self._grid, Turn)

    def change(self, order: dict[str, Any]) -> bool:
        """Another pair for the same processes, in force at once; False: drop it, and take it again."""
        if (
            "enforce" in order
            or not self.by_deadline
            or order.get("cores") != self._cores
            or self._real_time != order["fifo"]
        ):
            return False
        self._set(order)
        self.record.again()
        self.replan()
        return True

    def replan(self) -> None:
        """Its windows are others from now on: it is due at once where it is to stop or to go on."""
        if self._suspended:
            return
        corrects = self._may_correct and self._is_alone
        if corrects != self._corrects:
            self._corrects, self._loss = corrects, _LOSS_NS if corrects else 0
        now = time.monotonic_ns()
        self._window = self._grid.window(now)
        if not self._running:
            self._measure_at = 0
            self.next = self._window[0]
        elif self._window[0] <= now:
            self.next = self._window[1] + self._loss
        else:
            self._window, self.next = (now, now), now

    def move(self, origin: int) -> None:
        """The grid begins at another instant: the offset to the server's clock is known better."""
        self._grid.origin = origin
        if not self._running and not self._suspended:
            self._window = self._grid.window(time.monotonic_ns())
            self.next = min(self.next, self._window[0])

    def stops_at(self, now: int) -> bool:
        """Whether what is due at *now* is a stop: those come before all continues of an instant."""
        return self._running and not self._suspended and now >= self.next

    def look(self) -> None:
        """See whether its supervisor has let it go on meanwhile, without its priority: it is due at once
        then."""
        if not self._suspended and self._said()[1:] != self._continues:
            self._suspended, self._measure_at, self._fifo, self.next = True, 0, self._real_time, 0

    def act(self) -> bool:
        """Do what is due; False: it has ended, or ends, and is sliced no more."""
        letter = self._letter()
        now = time.monotonic_ns()
        if letter == ENDING:
            return False
        if letter != RUNNING:
            # Suspended, or its supervisor has not taken notice yet.
            self._suspended, self._measure_at, self.next = True, 0, now + LOOK_NS
            return True
        if self._suspended:
            return self._take_up(now)
        if self._running and self._grid.whole and not self._fifo:
            self.next = now + LOOK_NS
            return True
        if self._running:
            return self._stop(now)
        if self._measure_at and now >= self._measure_at:
            self._measure()
        if now >= self._window[0]:
            return self._go(now)
        self.next = self._measure_at or self._window[0]
        return True

    def _take_up(self, now: int) -> bool:
        """From now on the job follows the grid."""
        # Read before anything is stopped: what is continued after that has another count.
        self._continues = self._said()[1:]
        self._suspended, self._running = False, True
        self._window = self._grid.window(now)
        if self._window[0] > now or self._fifo:
            return self._stop(now, counted=False)
        # A thaw by its supervisor does not continue what was stopped here before.
        self._tree.go_all()
        self._began, self.next = now, self._window[1]
        return True

    def _stop(self, now: int, counted: bool = True) -> bool:
        self._tree.stop()
        self._running = False
        if self._letter() == ENDING:
            return False
        stopped = time.monotonic_ns()
        if counted and self._began:
            self.record.ended(stopped - self._began)
        if self._fifo:
            # Now no thread can make one that is left out; later ones get it from those that make them.
            trouble = priorities.raise_all(self._tree.pids)
            self._fifo, self.trouble = False, f"no real-time priority: {trouble}" if trouble else ""
            self._pin()
        length = self._window[1] - self._window[0]
        # The window that ends later for the sake of what is lost in it is over, too.
        self._window = self._grid.window(max(now, self._window[1]) if counted else now)
        self._length = length
        self._measure_at = min(stopped + _SETTLED_NS, (stopped + self._window[0]) // 2)
        self.next = min(self._measure_at, self._window[0])
        return True

    def _go(self, now: int) -> bool:
        begins, ends = self._window
        self._tree.go()
        self._running = True
        letter = self._letter()
        if letter != RUNNING:
            if letter == ENDING:
                return False
            self._tree.stop()
            self._running, self._suspended, self.next = False, True, now + LOOK_NS
            return True
        went = time.monotonic_ns()
        if now < ends:
            self.record.began(self._grid.cycle(begins), begins, went, self._grid.period)
        self._began, self.next = went, ends + self._loss
        return True

    def _pin(self) -> None:
        """Keep it on the cores on which it has its turns; what it makes later stays there, too."""
        for pid in self._tree.pids if self._cores else ():
            try:
                os.sched_setaffinity(pid, self._cores)
            except OSError:
                continue

    def _measure(self) -> None:
        """What the window that is over was used for."""
        self._measure_at = 0
        spent = self._meter.spent()
        if self._began:
            self.record.spent(spent.ran, spent.waited_most, self._length)
            self._learn(spent.ran_most + spent.waited_most)
        if self._follow_in <= 0:
            self._meter.follow(self._tree.pids)
            self._follow_in = _FOLLOW
        self._follow_in -= 1

    def _learn(self, had: int) -> None:
        """What the ends of a window cost, of a thread that had something to do throughout."""
        lost = self._length - had
        if self._corrects and self._length and abs(lost) < 2 * _MOST_LOSS_NS:
            self._loss = min(_MOST_LOSS_NS, max(0, self._loss + lost // 8))

    def _letter(self) -> bytes:
        """What the supervisor says of it; empty: nothing yet."""
        return self._said()[:1]

    def _said(self) -> bytes:
        """The supervisor's letter, and its count."""
        if self._state < 0:
            try:
                self._state = os.open(self._state_path, os.O_RDONLY | os.O_CLOEXEC)
            except FileNotFoundError:
                return b"" if os.path.isdir(os.path.dirname(self._state_path)) else ENDING
            except OSError:
                return ENDING
        return os.pread(self._state, 2, 0)

    def release(self) -> None:
        """Let it go on, as far as its supervisor lets it, without slices and without priority."""
        if self.by_deadline and self._turns is not None:
            self._turns.remove(self.job, time.monotonic_ns())
        self._tree.find()
        priorities.lower_all(self._tree.pids)
        if self._letter() != SUSPENDED:
            self._tree.go_all()
            priorities.lower_all(self._tree.pids)
            if self._letter() == SUSPENDED:
                self._tree.stop()
        self._meter.close()
        self._tree.close()
        if self._state >= 0:
            os.close(self._state)
            self._state = -1
