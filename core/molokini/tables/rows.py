"""What rows of the matrix mean for the work of jobs: the functions of ``applications.rows`` over tables."""

from molokini.applications import rows
from molokini.applications.rows import end_in_rows, rate_of, work_between
from molokini.applications.rows import how_many as how_many
from molokini.compiled.compilation import kernel, seldom
from molokini.tables.declared import Axis
from molokini.tables.sizes import COLUMNS_A_WORD
from molokini.tables.tables import NEVER, Tables

for _function in rows.KERNELS:
    # Their module does without numba, because agents call them, too; here they become kernels.
    kernel(_function)


def open_matrix(t: Tables, count: int, quantum_s: float, switch: float, exact: bool) -> None:
    """Have *count* rows (0: no matrix) with these quanta from now on; no job may stand in the matrix."""
    assert t.matrix.held == 0, "jobs stand in the matrix"
    words = -(-t.machine.processors_in_all // COLUMNS_A_WORD)
    sizes = {**t.sizes(), Axis.ROW: max(1, count), Axis.WORD: max(1, words if count else 1)}
    t.renew(frozenset({Axis.ROW, Axis.WORD}), sizes)
    t.matrix.count, t.matrix.numbers = count, sizes[Axis.WORD]
    t.matrix.quantum_s, t.matrix.exact = quantum_s, int(exact)
    t.matrix.switch = switch if count > 1 else 0.0


def widen_matrix(t: Tables) -> None:
    """Have a column for each processor of a machine that has grown."""
    words = -(-t.machine.processors_in_all // COLUMNS_A_WORD)
    if t.matrix.count > 0 and words > t.matrix.numbers:
        t.grow(frozenset({Axis.WORD}), {**t.sizes(), Axis.WORD: words})
        t.matrix.numbers = words


def place_as_text(t: Tables, row: int) -> tuple[int, int, str]:
    """Where this pass has put a job: home row, rows as bits, columns as bits in hexadecimal digits."""
    bits = sum(part << COLUMNS_A_WORD * word for word, part in enumerate(t.matrix.to_bits[row].tolist()))
    return int(t.matrix.to_home[row]), int(t.matrix.to_rows[row]), f"{bits:x}"


def put_as_text(t: Tables, row: int, place: tuple[int, int, str], stall_s: float = 0.0) -> None:
    """Have the next decision about a job put it there."""
    bits, full = int(place[2], 16), (1 << COLUMNS_A_WORD) - 1
    t.matrix.to_home[row], t.matrix.to_rows[row], t.matrix.to_stall_s[row] = place[0], place[1], stall_s
    t.matrix.to_bits[row] = [bits >> COLUMNS_A_WORD * word & full for word in range(t.matrix.numbers)]


@kernel
def average_rate(t: Tables, bits: int) -> float:
    """Seconds of work a second in these rows."""
    return rate_of(bits, t.matrix.count, t.matrix.switch)


@kernel
def occupied_by(t: Tables, row: int) -> float:
    """Processors that a job in the matrix occupies, on average over the rows, switches included."""
    return float(t.jobs.width[row] * how_many(t.matrix.rows[row]) / t.matrix.count)


@kernel
def slice_time(t: Tables, row: int, now: float) -> float:
    """Slice time that a running job in the matrix has had since ``jobs.updated_s``."""
    return work_between(
        t.matrix.rows[row],
        t.matrix.count,
        t.matrix.quantum_s,
        t.matrix.switch,
        t.matrix.exact,
        t.jobs.updated_s[row],
        now,
    )


@kernel
def account_in_rows(t: Tables, row: int, now: float) -> None:
    """Count the work of a job in the matrix; what it owes to migrations comes first, and is no work."""
    seldom()
    had_s = slice_time(t, row, now)
    lost_s = min(t.matrix.stall_s[row], had_s)
    t.matrix.stall_s[row] -= lost_s
    t.jobs.work_s[row] += had_s - lost_s
    t.jobs.updated_s[row] = now


@kernel
def work_by(t: Tables, row: int, now: float) -> float:
    """The work that a running job, in the matrix or not, has done by *now*."""
    if t.matrix.count > 0 and t.matrix.rows[row]:
        return float(t.jobs.work_s[row] + max(0.0, slice_time(t, row, now) - t.matrix.stall_s[row]))
    return float(t.jobs.work_s[row] + t.jobs.rate[row] * (now - t.jobs.updated_s[row]))


@kernel
def reaches_beyond(t: Tables, row: int, columns: int) -> bool:
    """Whether a job stands in a column behind the first *columns*."""
    for word in range(t.matrix.numbers):
        inside = min(max(columns - word * COLUMNS_A_WORD, 0), COLUMNS_A_WORD)
        if t.matrix.rows[row] and t.matrix.bits[row, word] >> inside:
            return True
    return False


@kernel
def end_of_row(t: Tables, row: int, now: float, left_s: float) -> float:
    """When a job in the matrix, accounted up to *now*, has done *left_s* of work."""
    seldom()
    return end_in_rows(
        t.matrix.rows[row],
        t.matrix.count,
        t.matrix.quantum_s,
        t.matrix.switch,
        t.matrix.exact,
        now,
        left_s + t.matrix.stall_s[row],
    )


@kernel
def enter_rows(t: Tables, row: int, now: float) -> None:
    """A job enters the matrix, where this pass has put it."""
    seldom()
    t.matrix.held += 1
    t.matrix.stall_s[row] = 0.0
    stand(t, row, now)


@kernel
def alters_work(t: Tables, row: int) -> bool:
    """Whether a running job progresses otherwise from now on where this pass has put it."""
    before, after = t.matrix.rows[row], t.matrix.to_rows[row]
    if before == 0 or t.matrix.to_stall_s[row] > 0.0:
        return True
    return bool(before != after and (t.matrix.exact or how_many(before) != how_many(after)))


@kernel
def stand(t: Tables, row: int, now: float) -> None:
    """A job stands from now on where this pass has put it."""
    if t.matrix.rows[row] == 0 or t.matrix.home[row] != t.matrix.to_home[row]:
        t.matrix.since_s[row] = now
    t.matrix.home[row] = t.matrix.to_home[row]
    t.matrix.rows[row] = t.matrix.to_rows[row]
    for word in range(t.matrix.numbers):
        t.matrix.bits[row, word] = t.matrix.to_bits[row, word]


@kernel
def leave_rows(t: Tables, row: int, now: float) -> None:
    """A running job stands in the matrix no longer; what was planned for it is free."""
    seldom()
    if t.matrix.rows[row]:
        if t.matrix.plan_until_s[row] == 0.0:
            # The plan is yet to be made, as after a recovery: it matters that room has become free.
            t.matrix.plan_row[row] = t.matrix.home[row]
            t.matrix.plan_from_s[row], t.matrix.plan_until_s[row] = now, t.jobs.expected_end_s[row]
        t.matrix.held -= 1
        t.matrix.rows[row] = 0
        t.matrix.stall_s[row] = 0.0
    open_hole_in_row(t, row, now)


@kernel
def open_hole_in_row(t: Tables, row: int, now: float) -> None:
    """Tell planners that what was planned for a job in a row of the matrix is free."""
    from_s, until_s = max(now, t.matrix.plan_from_s[row]), t.matrix.plan_until_s[row]
    t.matrix.plan_until_s[row] = 0.0
    if until_s <= from_s or from_s == NEVER:
        return
    if t.holes.count == t.holes.width.size:
        t.cycle.replan = 1
        return
    t.holes.from_s[t.holes.count] = from_s
    t.holes.until_s[t.holes.count] = until_s
    t.holes.width[t.holes.count] = t.jobs.width[row]
    t.holes.row[t.holes.count] = t.matrix.plan_row[row]
    t.holes.count += 1
