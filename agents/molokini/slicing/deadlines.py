"""Jobs that share cores by deadline: when each computes, computed in advance.

A slice runs down whether its job computes or not, so the schedule of a core follows from periods and slices
alone. ``Turns`` computes it by the rules of ``feedback.edf``, as the process-level engine does; a ``Turn`` is
the schedule of one job, with the methods of a ``Grid``. All instants and durations are nanoseconds.
"""

from __future__ import annotations

import time

from molokini.feedback.edf import goes_before, periods_over

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_KEPT = 3
"""Pieces of a job that are over and may still be asked for."""


class _Task:
    """A job: its pair, its present period, and the pieces of time that it has."""

    __slots__ = ("budget", "cores", "number", "period", "pieces", "release", "slice")

    def __init__(self, number: int, period: int, slice_: int, release: int, cores: Iterable[int]) -> None:
        self.number, self.period, self.slice = number, period, slice_
        self.release, self.budget = release, slice_
        self.cores = frozenset(cores)
        self.pieces: list[tuple[int, int]] = []

    def renew(self, at: int) -> None:
        """Begin the period in which *at* lies."""
        over = periods_over(at, self.release, self.period)
        if over > 0:
            self.release += over * self.period
            self.budget = self.slice


class Turns:
    """All jobs of a slicer that go by deadline."""

    def __init__(self) -> None:
        self._tasks: dict[str, _Task] = {}
        self._made = 0
        self._at = 0
        """The schedule is computed up to this instant."""
        self._saved: dict[str, tuple[int, int]] = {}
        self._saved_at = 0
        """Releases and budgets at the instant to which the schedule can be taken back."""

    def put(self, name: str, period: int, slice_: int, origin: int, cores: Iterable[int], now: int) -> None:
        """The job has this pair from *now* on: a whole slice, in the period that the origin says."""
        self._rewind(now)
        known = self._tasks.get(name)
        number = known.number if known is not None else self._made
        self._made += known is None
        release = origin + (now - origin) // period * period
        self._tasks[name] = _Task(number, period, slice_, release, cores)
        self._save()

    def move(self, name: str, origin: int, now: int) -> None:
        """Periods of the job begin on another grid. What it has had of its present slice it has had."""
        self._rewind(now)
        task = self._tasks[name]
        release = origin + (now - origin) // task.period * task.period
        if release - task.release > task.period // 2:
            task.budget = task.slice
        task.release = release
        self._save()

    def remove(self, name: str, now: int) -> None:
        """The job is sliced no more."""
        self._rewind(now)
        self._tasks.pop(name, None)
        self._save()

    def is_alone(self, name: str) -> bool:
        """Whether no other job has a core of it."""
        cores = self._tasks[name].cores
        return not any(cores & one.cores for other, one in self._tasks.items() if other != name)

    def window(self, name: str, at: int) -> tuple[int, int]:
        """Beginning and end of the piece in which *at* lies, or else of the next one of the job."""
        task = self._tasks[name]
        while True:
            for begins, ends in task.pieces:
                # The last one may go on.
                if at < ends and ends < self._at:
                    return begins, ends
            self._compute(max(at, self._at) + task.period)

    def _rewind(self, now: int) -> None:
        """Go back to *now*, since pairs change then."""
        if self._at > now:
            for name, (release, budget) in self._saved.items():
                if (task := self._tasks.get(name)) is not None:
                    task.release, task.budget = release, budget
                    task.pieces = [piece for piece in task.pieces if piece[1] <= self._saved_at]
            self._at = self._saved_at
        if self._tasks and self._at < now:
            self._compute(now)
        self._at = now

    def _save(self) -> None:
        self._saved = {name: (task.release, task.budget) for name, task in self._tasks.items()}
        self._saved_at = self._at

    def _compute(self, until: int) -> None:
        """Compute the schedule of all cores up to *until*."""
        now = time.monotonic_ns()
        while self._at < until:
            for task in self._tasks.values():
                task.renew(self._at)
            chosen = self._chosen()
            following = min(until, *(self._next(task) for task in self._tasks.values()))
            following = min(following, *(self._at + task.budget for task in chosen)) if chosen else following
            for task in chosen:
                task.budget -= following - self._at
                _append(task.pieces, self._at, following)
            self._at = following
            if self._at <= now:
                # What is over is not changed any more.
                self._save()
                for task in self._tasks.values():
                    del task.pieces[: max(0, len(task.pieces) - _KEPT)]

    def _next(self, task: _Task) -> int:
        return task.release + task.period if task.release <= self._at else task.release

    def _chosen(self) -> list[_Task]:
        """The tasks that compute now: by deadline, each on all of its cores or on none."""
        waiting = [task for task in self._tasks.values() if task.budget > 0 and task.release <= self._at]
        found: list[_Task] = []
        taken: set[int] = set()
        while waiting:
            first = waiting[0]
            for task in waiting[1:]:
                if goes_before(
                    task.release + task.period, task.number, first.release + first.period, first.number
                ):
                    first = task
            waiting.remove(first)
            if not taken & first.cores:
                found.append(first)
                taken |= first.cores
        return found


def _append(pieces: list[tuple[int, int]], begins: int, ends: int) -> None:
    if pieces and pieces[-1][1] == begins:
        pieces[-1] = pieces[-1][0], ends
    elif ends > begins:
        pieces.append((begins, ends))


class Turn:
    """The turns of one job, as ``Sliced`` asks a grid."""

    whole = False

    def __init__(
        self, turns: Turns, name: str, period: int, slice_: int, origin: int, cores: list[int]
    ) -> None:
        self._turns, self._name, self._cores = turns, name, cores
        self.period, self.slice, self._origin = period, slice_, origin
        self.windows = ((0, slice_),)
        turns.put(name, period, slice_, origin, cores, time.monotonic_ns())

    @property
    def origin(self) -> int:
        """Where the first period begins."""
        return self._origin

    @origin.setter
    def origin(self, origin: int) -> None:
        self._origin = origin
        self._turns.move(self._name, origin, time.monotonic_ns())

    @property
    def is_alone(self) -> bool:
        """Whether no other job has its cores, so that its windows may be corrected."""
        return self._turns.is_alone(self._name)

    def cycle(self, at: int) -> int:
        """The number of the period in which *at* lies."""
        return (at - self._origin) // self.period

    def window(self, at: int) -> tuple[int, int]:
        """Beginning and end of the window in which *at* lies, or else of the next one."""
        return self._turns.window(self._name, at)
