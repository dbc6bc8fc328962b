"""Work of a job that stands in rows of a matrix: all its tasks run in the time slices of its rows.

The rows of a matrix have the processors in turn, a quantum each, and the first part of a quantum is lost to
the context switch where there is more than one row: of every quantum or, where *changed* is 1, of those
before which the job did not run. Transitions, simulator and emulated nodes all count with
these functions. Rows are bits: bit r is row r. Two ways to count:

- *rate*: between two changes a job progresses at (its rows) / (all rows), less the context switch;
- *exact*: slice k of a fixed grid lasts from k to k + 1 quanta of the scheduling clock and belongs to row
  k modulo the number of rows; the job progresses at rate 1 in slices of its rows. The end has a closed form.

Zhang, Franke, Moreira, Sivasubramaniam, JSSPP 2001, sections 2.3 and 5; the grid is our reading.
"""

import math

from molokini.applications.work import end_of, work_after

ROUNDING = 1e-9
"""A job does not need another slice for so small a part of a quantum: it is a rounding error."""


def how_many(rows: int) -> int:
    """How many rows these bits are."""
    count = 0
    while rows:
        rows &= rows - 1
        count += 1
    return count


def switched(rows: int, count: int, changed: int) -> int:
    """In how many of *rows* a quantum begins with a context switch.

    *changed* 0: in all; 1: in those before which another row has the processors that is none of them. The job
    has the same processors in all of its rows, so these alone get another occupant.
    """
    if changed == 0:
        return how_many(rows)
    before = (rows << 1 | rows >> (count - 1)) & ((1 << count) - 1)
    return how_many(rows & ~before)


def share_of(held: int, switching: int, count: int, switch: float) -> float:
    """Seconds of work a second, on average, in so many (*held*) of *count* rows.

    *switch* is the share of a quantum that the context switch takes, of so many (*switching*) of these rows;
    one row alone never switches.
    """
    if count == 1:
        return 1.0
    if switching == held:
        return held / count * (1.0 - switch)
    return (held - switching * switch) / count


def rate_of(rows: int, count: int, switch: float, changed: int) -> float:
    """The same in *rows* of *count* rows."""
    return share_of(how_many(rows), switched(rows, count, changed), count, switch)


def is_even(rows: int, count: int, switch: float, changed: int) -> bool:
    """Whether a job in *rows* progresses at every instant alike, so that slices do not matter."""
    return count == 1 or ((switch == 0.0 or changed == 1) and rows == (1 << count) - 1)


def _run_s(row: int, rows: int, count: int, quantum_s: float, switch: float, changed: int) -> float:
    """How much of the quantum of *row* a job in *rows* runs."""
    if changed == 1 and rows >> (row + count - 1) % count & 1:
        return quantum_s
    return quantum_s * (1.0 - switch)


def _of_cycle_s(rows: int, count: int, quantum_s: float, switch: float, changed: int) -> float:
    """How long a job in *rows* runs in a whole cycle."""
    held, switching = how_many(rows), switched(rows, count, changed)
    if switching == held:
        return held * (quantum_s * (1.0 - switch))
    return held * quantum_s - switching * (quantum_s * switch)


def _since_cycle(at_s: float, rows: int, count: int, quantum_s: float, switch: float, changed: int) -> float:
    """Work done in a cycle that began at 0, up to *at_s* within it."""
    done_s = 0.0
    for row in range(count):
        if rows >> row & 1:
            run_s = _run_s(row, rows, count, quantum_s, switch, changed)
            done_s += min(max(at_s - row * quantum_s - (quantum_s - run_s), 0.0), run_s)
    return done_s


def work_between(
    rows: int,
    count: int,
    quantum_s: float,
    switch: float,
    changed: int,
    exact: int,
    since_s: float,
    now: float,
) -> float:
    """Slice time, in seconds at rate 1, that a job in *rows* had from *since_s* to *now*."""
    if exact == 0 or is_even(rows, count, switch, changed):
        return work_after(0.0, rate_of(rows, count, switch, changed), since_s, now)
    cycle_s = count * quantum_s
    first_s = math.floor(since_s / cycle_s) * cycle_s
    begin_s, until_s = since_s - first_s, now - first_s
    whole = math.floor(until_s / cycle_s)
    of_cycle_s = _of_cycle_s(rows, count, quantum_s, switch, changed)
    last_s = _since_cycle(until_s - whole * cycle_s, rows, count, quantum_s, switch, changed)
    return whole * of_cycle_s + last_s - _since_cycle(begin_s, rows, count, quantum_s, switch, changed)


def end_in_rows(
    rows: int,
    count: int,
    quantum_s: float,
    switch: float,
    changed: int,
    exact: int,
    now: float,
    left_s: float,
) -> float:
    """The instant at which a job in *rows* has had *left_s* of slice time from *now* on."""
    if exact == 0 or is_even(rows, count, switch, changed):
        return end_of(now, left_s, rate_of(rows, count, switch, changed))
    if left_s <= 0.0:
        return now
    cycle_s = count * quantum_s
    of_cycle_s = _of_cycle_s(rows, count, quantum_s, switch, changed)
    first_s = math.floor(now / cycle_s) * cycle_s
    needed_s = left_s + _since_cycle(now - first_s, rows, count, quantum_s, switch, changed)
    # A job that needs whole cycles ends with its last slice in the last of them.
    skipped = max(math.ceil(needed_s / of_cycle_s - ROUNDING) - 1, 0)
    rest_s = needed_s - skipped * of_cycle_s
    end_s = now
    for row in range(count):
        if rows >> row & 1:
            run_s = _run_s(row, rows, count, quantum_s, switch, changed)
            if rest_s <= run_s + ROUNDING * quantum_s:
                begin_s = row * quantum_s + (quantum_s - run_s)
                end_s = first_s + skipped * cycle_s + begin_s + min(rest_s, run_s)
                break
            rest_s -= run_s
    return max(now, end_s)


KERNELS = (
    how_many,
    switched,
    share_of,
    rate_of,
    is_even,
    _run_s,
    _of_cycle_s,
    _since_cycle,
    work_between,
    end_in_rows,
)
"""What ``tables.rows`` makes kernels of, so that the engine and policies can call them."""
