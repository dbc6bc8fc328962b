"""A counted machine in the middle of a pass: who runs and waits, what was decided, and why not more."""

from molokini.model.decisions import Decision
from molokini.model.machine import Machine
from molokini.tables import transitions
from molokini.tables.making import make_tables
from molokini.tables.tables import Tables
from molokini.tables.waiting import close_queue

P, NOW = 10, 20.0


def waiting(t: Tables, width: int, estimate_s: float, work_s: float = 0.0) -> int:
    row = transitions.new_row(t)
    t.jobs.number[row] = t.jobs.serial[row] = row + 1
    t.jobs.submit_s[row], t.jobs.width[row], t.jobs.estimate_s[row] = float(row), width, estimate_s
    t.jobs.work_s[row] = work_s
    transitions.submit(t, row)
    return row


def busy(*running: tuple[int, float], explain: int = 1) -> Tables:
    """A machine on which jobs of so many processors run until these instants."""
    t = make_tables(Machine.counted(P), rows=16)
    for width, end_s in running:
        row = waiting(t, width, end_s)
        t.jobs.submit_s[row] = -1.0
        transitions.start(t, row, 0.0, 1.0, True)
    close_queue(t)
    t.cycle.explain = explain
    return t


def started(t: Tables) -> list[int]:
    return [int(row) for kind, row in t.cycle.decisions[: t.cycle.decided, :2] if kind == Decision.START]


def reason(t: Tables, row: int) -> tuple[int, float, float, int]:
    columns = (t.reasons.rule, t.reasons.limit, t.reasons.value, t.reasons.front)
    rule, limit, value, front = (column[row] for column in columns)
    return int(rule), float(limit), float(value), int(front)
