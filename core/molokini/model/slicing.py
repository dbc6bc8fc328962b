"""When a job that runs computes, and when it stands still: slices of a period, or rows of a matrix.

Both are windows that come again on one grid, whose origin is an instant of the server's monotonic clock: jobs
that were ordered one by one, on nodes of several agents, change at the same instants.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Any, TypeAlias

from molokini.model.errors import BadValue, Conflict

LEAST_PERIOD_S, MOST_PERIOD_S = 0.02, 86_400.0
LEAST_SLICE_S = 0.005
"""A period may be one of slices, or all rows of a matrix; a slice may be a row."""
LEAST_BY_DEADLINE_S = (0.01, 0.001)
"""Of a period and its slice, where jobs go by their deadlines."""
MOST_ROWS = 62
MOST_REAL_TIME = 0.9
"""The largest share with real-time priority: the kernel keeps a twentieth of each processor for others."""

Windows: TypeAlias = tuple[tuple[int, int], ...]
"""Beginnings and ends, nanoseconds of the period, sorted, apart; the last may reach into the next period."""

_NS = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Slicing:
    """What is ordered for one job. Either a period with its slice, or rows of a matrix."""

    period_s: float = 0.0
    slice_s: float = 0.0
    """It computes for so long from the beginning of each period."""
    rows: int = 0
    """Rows of the matrix; 0: it is a period with its slice."""
    row: tuple[int, ...] = ()
    """The rows in which it computes, from 0."""
    quantum_s: float = 0.0
    """How long one row lasts."""
    origin_s: float = 0.0
    """Where the first period begins, on the server's monotonic clock."""
    real_time: bool = False
    """Whether its processes go before those that have no real-time priority."""
    by_deadline: bool = False
    """Whether jobs on one core take turns, the one whose period ends first before the others."""
    cores: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """By node: the cores on which it computes there, counted from 0. Agents choose those of other nodes."""

    @property
    def share(self) -> float:
        """How much of the time it computes: seconds of work a second."""
        return len(self.row) / self.rows if self.rows else self.slice_s / self.period_s

    @property
    def cycle_s(self) -> float:
        """After so many seconds all comes again."""
        return self.rows * self.quantum_s if self.rows else self.period_s

    def check(self) -> None:
        """Raises BadValue or Conflict for what cannot be ordered."""
        if not (isfinite(self.origin_s) and abs(self.origin_s) < 2**53 / _NS):
            raise BadValue("origin_s", self.origin_s, "an instant of the server's monotonic clock")
        if any(core < 0 for cores in self.cores.values() for core in cores):
            raise BadValue("cores", dict(self.cores), "counted from 0")
        if self.rows:
            self._check_rows()
        else:
            self._check_slice()

    def _check_slice(self) -> None:
        if self.row or self.quantum_s:
            raise Conflict("rows", "say of how many rows the matrix is, or leave row and quantum_s away")
        least_s, least_slice_s = LEAST_BY_DEADLINE_S if self.by_deadline else (LEAST_PERIOD_S, LEAST_SLICE_S)
        if not least_s <= self.period_s <= MOST_PERIOD_S:
            raise BadValue("period_s", self.period_s, f"from {least_s:g} to {MOST_PERIOD_S:,.0f} seconds")
        if not least_slice_s <= self.slice_s <= self.period_s:
            raise BadValue("slice_s", self.slice_s, f"from {least_slice_s:g} seconds to the whole period")
        if self.real_time and self.share > MOST_REAL_TIME:
            raise BadValue(
                "slice_s", self.slice_s, f"at most {MOST_REAL_TIME:g} of the period with real-time priority"
            )

    def _check_rows(self) -> None:
        if self.period_s or self.slice_s:
            raise Conflict("rows", "a job has rows or a period with its slice, not both")
        if self.by_deadline:
            raise Conflict("by_deadline", "is for a period with its slice; rows have their turns")
        if self.real_time:
            raise Conflict("real_time", "is for a period with its slice; rows leave no time for others")
        if not 1 <= self.rows <= MOST_ROWS:
            raise BadValue("rows", self.rows, f"from 1 to {MOST_ROWS}")
        if not self.row or sorted(set(self.row)) != list(self.row):
            raise BadValue("row", list(self.row), "one row or several, each once and in order")
        if self.row[0] < 0 or self.row[-1] >= self.rows:
            raise BadValue("row", list(self.row), f"from 0 to {self.rows - 1}")
        check_quantum(self.rows, self.quantum_s)

    def windows(self) -> tuple[int, Windows]:
        """The period in nanoseconds, and when in it the job computes."""
        if not self.rows:
            period = round(self.period_s * _NS)
            return period, ((0, min(period, round(self.slice_s * _NS))),)
        quantum = round(self.quantum_s * _NS)
        return self.rows * quantum, _runs(self.rows, frozenset(self.row), quantum)

    def as_json(self) -> dict[str, Any]:
        """As the journal has it."""
        found = {**asdict(self), "row": list(self.row)}
        if self.cores:
            return {**found, "cores": {node: list(cores) for node, cores in self.cores.items()}}
        del found["cores"]
        return found

    @classmethod
    def from_json(cls, written: dict[str, Any]) -> "Slicing":
        """What ``as_json`` has written."""
        cores = {node: tuple(cores) for node, cores in written.get("cores", {}).items()}
        return cls(**{**written, "row": tuple(written["row"]), "cores": cores})


def check_quantum(rows: int, quantum_s: float) -> None:
    """Raises BadValue where real processes cannot take turns in so many rows of *quantum_s* seconds each."""
    least_s = max(LEAST_SLICE_S, LEAST_PERIOD_S / rows)
    if not least_s <= quantum_s <= MOST_PERIOD_S:
        allowed = (
            f"from {least_s:g} to {MOST_PERIOD_S:,.0f} seconds on real nodes (a row {LEAST_SLICE_S:g} s "
            f"or more, all {rows} together {LEAST_PERIOD_S:g} s or more)"
        )
        raise BadValue("quantum_s", quantum_s, allowed)


def _runs(rows: int, mine: frozenset[int], quantum: int) -> Windows:
    """Rows that follow each other, those around the end of the matrix as well, make one window."""
    if len(mine) == rows:
        return ((0, rows * quantum),)
    found = []
    for first in sorted(mine):
        if (first - 1) % rows in mine:
            continue
        last = first
        while (last + 1) % rows in mine:
            last += 1
        found.append((first * quantum, (last + 1) * quantum))
    return tuple(found)
