"""Numbers of elements of arrays, from the counter of jobs: to which element a number belongs.

Numbers are given in ascending order, and mostly to neighbours, so they are kept as runs of such.
"""

from bisect import bisect_right

from molokini.server.state.kept import Kept


class ElementNumbers:
    """Every number that an element was given, also of jobs that have left the memory."""

    def __init__(self) -> None:
        self._firsts: list[int] = []
        self._runs: list[tuple[int, int, int]] = []
        """How many numbers, of which job, and the index of the first."""

    def add(self, number: int, job: int, index: int) -> None:
        """*number*, above all so far, is that of element *index* of *job*."""
        if self._runs:
            count, last_job, first_index = self._runs[-1]
            follows = number == self._firsts[-1] + count and index == first_index + count
            if follows and job == last_job:
                self._runs[-1] = count + 1, job, first_index
                return
        self._firsts.append(number)
        self._runs.append((1, job, index))

    def get(self, number: int) -> tuple[int, int] | None:
        """Job and index of the element with this number; None where none has it."""
        place = bisect_right(self._firsts, number) - 1
        if place < 0:
            return None
        count, job, index = self._runs[place]
        behind = number - self._firsts[place]
        return (job, index + behind) if behind < count else None

    def kept(self) -> Kept:
        """All of them as plain values, for a snapshot."""
        return {"firsts": list(self._firsts), "runs": [list(run) for run in self._runs]}

    def restore(self, kept: Kept) -> None:
        """Become what was kept."""
        self._firsts = list(kept["firsts"])
        self._runs = [(count, job, index) for count, job, index in kept["runs"]]
