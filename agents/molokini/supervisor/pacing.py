"""How fast a job goes, as its supervisor sees it: at the rate of its share of processors, or in its time
slices.

In slices the time of its windows counts, so that a limit never comes before the windows in which the work
could have been done, however long a period is. A slicer that has gone leaves its jobs as they were, stopped
perhaps. So it moves on a beat, and when that is over the supervisor continues the job, which then goes at
full speed until a slicer beats again. The slicer may have been late only, or have begun meanwhile: the
supervisor counts what it continues, after it has done so, and where the count is another one the slicer
stops it again.
"""

from __future__ import annotations

import os
import signal
import time
from math import inf

from molokini.supervisor import priorities
from molokini.supervisor.grid import Grid
from molokini.supervisor.leases import LeaseFile
from molokini.supervisor.records import ENDING, RUNNING, STATE, SUSPENDED
from molokini.supervisor.trees import send

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from molokini.supervisor.trees import Descendants

_LOOK_S = 0.1
"""How soon a slicer is noticed that beats."""
_NS = 1_000_000_000


class Pace:
    """Of one attempt, in the folder that is open as *place*."""

    def __init__(self, place: int, rate: float) -> None:
        self._place, self._ordered = place, rate
        self._grid: Grid | None = None
        """The windows in which it computes, as the slicer has them."""
        self._beat: LeaseFile | None = None
        self._lives = self._continued = False
        """Whether the slicer beats; whether the job was continued since it does not."""
        self._state = -1
        self._letter, self._continues = RUNNING, 0
        self._was_sliced = False
        self.looks_at = inf
        """When to look at the beat again."""

    def work_s(self, since_s: float, now_s: float) -> float:
        """Seconds of work between two instants."""
        if self._in_windows and self._grid is not None:
            had = self._grid.between(round(since_s * _NS), round(now_s * _NS))
            return had / _NS * self._part(self._grid)
        return (now_s - since_s) * self._rate

    def done_at(self, since_s: float, left_s: float) -> float:
        """The instant at which a job that goes on at *since_s* has done *left_s* of work."""
        if left_s <= 0.0:
            return since_s
        if self._in_windows and self._grid is not None and left_s < inf:
            wanted = max(1, round(left_s / self._part(self._grid) * _NS))
            return self._grid.had_at(round(since_s * _NS), wanted) / _NS
        return since_s + left_s / self._rate

    def _part(self, grid: Grid) -> float:
        """The part of a window that is work, by the ordered rate: the rest is lost where rows change."""
        return min(1.0, self._ordered / grid.share)

    @property
    def _in_windows(self) -> bool:
        return self._beat is not None and self._lives

    @property
    def _rate(self) -> float:
        """Seconds of work a second on average; never 0."""
        return 1.0 if self._beat is not None and not self._lives else self._ordered

    @property
    def sliced(self) -> bool:
        """Whether a slicer was ever told of it."""
        return self._was_sliced

    def order(self, rate: float, beat: str, letter: bytes) -> None:
        """Go at *rate*: by a slicer with this *beat*, or, where that is empty, without one."""
        self._ordered = rate
        self._was_sliced = self._was_sliced or bool(beat)
        # Not before there is a slicer: until then it goes at full speed.
        self._beat, self._lives, self._continued = LeaseFile(beat) if beat else None, False, False
        self.looks_at = time.monotonic() if beat else inf
        if beat and self._state < 0:
            self._state = os.open(STATE, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600, dir_fd=self._place)
            self.say(letter)

    def slice(self, period: int, windows: Sequence[tuple[int, int]], origin: int) -> None:
        """These are the windows, in nanoseconds of the monotonic clock."""
        self._grid = Grid(period, windows, origin)

    def say(self, letter: bytes) -> None:
        """Tell the slicer how the job stands."""
        self._letter = letter
        if self._state >= 0:
            os.pwrite(self._state, letter + bytes((self._continues,)), 0)

    def _went_on(self) -> None:
        """Tell the slicer that the job was continued, and how it stands."""
        self._continues = (self._continues + 1) % 256
        self.say(self._letter)

    def suspends(self) -> None:
        """Before the job is suspended."""
        self.say(SUSPENDED)

    def resumed(self, tree: Descendants) -> None:
        """After it was resumed: a thaw does not continue what a slicer has stopped that has gone."""
        if self._state >= 0 and not self._lives:
            self._continue(tree)
        self._letter = RUNNING
        self._went_on()

    def ends(self, tree: Descendants) -> None:
        """The job is to end: it runs without slices from now on, so that it can act on the signal."""
        if self._state >= 0:
            self.say(ENDING)
            self._continue(tree)
            os.close(self._state)
            self._state, self._beat, self.looks_at = -1, None, inf

    def look(self, now: float, tree: Descendants, suspended: bool) -> None:
        """See whether the slicer lives; continue the job where it does no more."""
        if self._beat is None:
            return
        ends_s = self._beat.ends_s
        self._lives = ends_s > now
        self.looks_at = ends_s if self._lives else now + _LOOK_S
        if self._lives:
            self._continued = False
        elif not self._continued and not suspended:
            self._continued = True
            self._continue(tree)
            self._went_on()

    @staticmethod
    def _continue(tree: Descendants) -> None:
        pids = tree.pids()
        priorities.lower_all(pids)
        send(pids, signal.SIGCONT)
