"""Work of a job that stands in rows of a matrix: all its tasks run in the time slices of its rows.

The rows of a matrix have the processors in turn, a quantum each, and the first part of a quantum is lost to
the context switch where there is more than one row. Transitions, simulator and emulated nodes all count with
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


def share_of(held: int, count: int, switch: float) -> float:
    """Seconds of work a second, on average, in so many (*held*) of *count* rows.

    *switch* is the share of each quantum that the context switch takes; one row alone never switches.
    """
    if count == 1:
        return 1.0
    return held / count * (1.0 - switch)


def rate_of(rows: int, count: int, switch: float) -> float:
    """The same in *rows* of *count* rows."""
    return share_of(how_many(rows), count, switch)


def is_even(rows: int, count: int, switch: float) -> bool:
    """Whether a job in *rows* progresses at every instant alike, so that slices do not matter."""
    return count == 1 or (switch == 0.0 and rows == (1 << count) - 1)


def _since_cycle(at_s: float, rows: int, count: int, quantum_s: float, switch: float) -> float:
    """Work done in a cycle that began at 0, up to *at_s* within it."""
    run_s = quantum_s * (1.0 - switch)
    done_s = 0.0
    for row in range(count):
        if rows >> row & 1:
            done_s += min(max(at_s - row * quantum_s - (quantum_s - run_s), 0.0), run_s)
    return done_s


def work_between(
    rows: int, count: int, quantum_s: float, switch: float, exact: int, since_s: float, now: float
) -> float:
    """Slice time, in seconds at rate 1, that a job in *rows* had from *since_s* to *now*."""
    if exact == 0 or is_even(rows, count, switch):
        return work_after(0.0, rate_of(rows, count, switch), since_s, now)
    cycle_s = count * quantum_s
    first_s = math.floor(since_s / cycle_s) * cycle_s
    begin_s, until_s = since_s - first_s, now - first_s
    whole = math.floor(until_s / cycle_s)
    of_cycle_s = how_many(rows) * (quantum_s * (1.0 - switch))
    last_s = _since_cycle(until_s - whole * cycle_s, rows, count, quantum_s, switch)
    return whole * of_cycle_s + last_s - _since_cycle(begin_s, rows, count, quantum_s, switch)


def end_in_rows(
    rows: int, count: int, quantum_s: float, switch: float, exact: int, now: float, left_s: float
) -> float:
    """The instant at which a job in *rows* has had *left_s* of slice time from *now* on."""
    if exact == 0 or is_even(rows, count, switch):
        return end_of(now, left_s, rate_of(rows, count, switch))
    if left_s <= 0.0:
        return now
    cycle_s, run_s = count * quantum_s, quantum_s * (1.0 - switch)
    of_cycle_s = how_many(rows) * run_s
    first_s = math.floor(now / cycle_s) * cycle_s
    needed_s = left_s + _since_cycle(now - first_s, rows, count, quantum_s, switch)
    # A job that needs whole cycles ends with its last slice in the last of them.
    skipped = max(math.ceil(needed_s / of_cycle_s - ROUNDING) - 1, 0)
    rest_s = needed_s - skipped * of_cycle_s
    end_s = now
    for row in range(count):
        if rows >> row & 1:
            if rest_s <= run_s + ROUNDING * quantum_s:
                begin_s = row * quantum_s + (quantum_s - run_s)
                end_s = first_s + skipped * cycle_s + begin_s + min(rest_s, run_s)
                break
            rest_s -= run_s
    return max(now, end_s)


KERNELS = (how_many, share_of, rate_of, is_even, _since_cycle, work_between, end_in_rows)
"""What ``tables.rows`` makes kernels of, so that the engine and policies can call them."""
