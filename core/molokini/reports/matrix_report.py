"""The matrix of gang scheduling at an instant: which job stands in which columns of which row."""

import math
from typing import Any

from molokini.model.errors import BadValue
from molokini.model.states import NodeState
from molokini.reports.snapshot import ClusterSnapshot, ReportRequest, finite
from molokini.tables.rows import in_matrix, rows_of, stall_by, turns_of
from molokini.tables.sizes import COLUMNS_A_WORD
from molokini.tables.tables import Tables

NEEDED = "one with a matrix of rows: gs, bgs, mgs, mbgs or buddy-gang"
"""What the policy has to be."""


def matrix(p: ClusterSnapshot, asked: ReportRequest) -> dict[str, Any]:
    """Rows with their jobs, and jobs in the order of their starts. Raises BadValue for policies without rows.

    Columns are ranges of the numbers of processors, from 0, both ends included. The matrix is that by which
    jobs progress at the instant: what a pass at it would change does not show.
    """
    t = p.tables
    if not t.matrix.count:
        raise BadValue("policy", p.policy, NEEDED)
    jobs = [_job(p, row) for row in _ranked(p)]
    columns, away = int(t.machine.processors_in_all), _away(t)
    width, count = int(t.machine.processors), _count(p)
    occupied = sum(one["processors"] * len(one["rows"]) for one in jobs)
    return {
        "columns": columns,
        "away": _ranges(sorted(away)),
        "quantum_s": None if t.matrix.varying else float(t.matrix.quantum_s),
        "context_switch": float(t.matrix.switch),
        "switch": "changed" if t.matrix.changed else "every",
        "mode": "exact" if t.matrix.exact else "rate",
        "active_row": _active(t, p.now),
        "occupied": occupied / (width * count) if width and count else 0.0,
        "waiting": len(p.waiting()),
        "rows": [_row(r, columns, away, jobs) for r in range(count)],
        "jobs": jobs,
    }


def _count(p: ClusterSnapshot) -> int:
    """Rows that take turns: all that there are, or those in use."""
    t, there = p.tables, _ranked(p)
    if not t.matrix.varying:
        return int(t.matrix.count)
    return turns_of(t, there[0]) if there else 0


def _ranked(p: ClusterSnapshot) -> list[int]:
    """Rows (of tables) of the jobs in the matrix, as gang scheduling orders them."""
    jobs = p.tables.jobs
    there = [row for row in p.running() if in_matrix(p.tables, row)]
    return sorted(there, key=lambda row: (jobs.start_s[row], jobs.submit_s[row], jobs.number[row], row))


def _job(p: ClusterSnapshot, row: int) -> dict[str, Any]:
    t = p.tables
    rows = rows_of(t, row)
    return {
        "job": p.job(row),
        "processors": int(t.jobs.width[row]),
        "home": int(t.matrix.home[row]),
        "rows": [r for r in range(turns_of(t, row)) if rows >> r & 1],
        "columns": _ranges(_columns(t, row)),
        "rate": float(t.jobs.rate[row]),
        "stall_s": stall_by(t, row, p.now),
        "start_s": finite(t.jobs.start_s[row]),
        "expected_end_s": finite(t.jobs.expected_end_s[row]),
    }


def _row(r: int, columns: int, away: set[int], jobs: list[dict[str, Any]]) -> dict[str, Any]:
    there = [one for one in jobs if r in one["rows"]]
    used = {c for one in there for first, last in one["columns"] for c in range(first, last + 1)}
    return {
        "row": r,
        "used": len(used),
        "free": columns - len(used | away),
        "home_of": [one["job"] for one in there if one["home"] == r],
        "copies_of": [one["job"] for one in there if one["home"] != r],
    }


def _away(t: Tables) -> set[int]:
    """Columns where no job gets a place: of lost or drained nodes; of counted processors the last."""
    if t.nodes.count == 0:
        return set(range(int(t.machine.processors), int(t.machine.processors_in_all)))
    found, last = set[int](), 0
    for node in range(int(t.nodes.count)):
        first, last = last, last + int(t.nodes.total[node, 0])
        if t.nodes.state[node] != NodeState.UP:
            found |= set(range(first, last))
    return found


def _active(t: Tables, now: float) -> int | None:
    """The row that has the processors; null where rows share them at every instant."""
    if not t.matrix.exact or not math.isfinite(now):
        return None
    return int(now // t.matrix.quantum_s) % int(t.matrix.count)


def _columns(t: Tables, row: int) -> list[int]:
    found: list[int] = []
    for word, bits in enumerate(t.matrix.bits[row, : t.matrix.numbers].tolist()):
        found += [word * COLUMNS_A_WORD + place for place in range(bits.bit_length()) if bits >> place & 1]
    return found


def _ranges(numbers: list[int]) -> list[list[int]]:
    """Increasing *numbers* as pairs of the first and last of each run."""
    found: list[list[int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return found
