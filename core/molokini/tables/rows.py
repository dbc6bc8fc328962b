"""What rows of the matrix mean for the work of jobs: the functions of ``applications.rows`` over tables."""

from molokini.applications import rows
from molokini.applications.rows import end_in_rows, share_of, switched, work_between
from molokini.applications.rows import how_many as how_many
from molokini.applications.work import end_of, work_after
from molokini.compiled.compilation import inner, kernel, seldom
from molokini.model.states import NodeState
from molokini.tables.declared import Axis
from molokini.tables.sizes import COLUMNS_A_WORD
from molokini.tables.tables import NEVER, Tables

for _function in rows.KERNELS:
    # Their module does without numba, because agents call them, too; here they become kernels.
    kernel(_function)


def open_matrix(
    t: Tables,
    count: int,
    quantum_s: float,
    switch: float,
    exact: bool,
    varying: bool = False,
    changed: bool = False,
    by_memory: bool = False,
    memory_kb: float = 0.0,
) -> None:
    """Have *count* rows (0: no matrix) with these quanta from now on; no job may stand in the matrix.

    *varying*: only those take turns that are in use, and jobs get blocks of columns. *changed*: quanta lose
    the context switch only where other jobs had the columns before. *by_memory*: jobs get the row
    with the least memory, of which the jobs of a row may have *memory_kb* in all (0: any).
    """
    assert t.matrix.held == 0, "jobs stand in the matrix"
    words = -(-t.machine.processors_in_all // COLUMNS_A_WORD)
    pages = max(1, -(-count // COLUMNS_A_WORD))
    axes = {
        Axis.ROW: max(1, count),
        Axis.WORD: max(1, words if count else 1),
        Axis.PAGE: pages,
        Axis.BLOCK: _blocks(t) if varying else 1,
    }
    t.renew(frozenset(axes), {**t.sizes(), **axes})
    t.matrix.count, t.matrix.numbers = count, axes[Axis.WORD]
    t.matrix.pages, t.matrix.varying = pages - 1, int(varying)
    t.matrix.quantum_s, t.matrix.exact = quantum_s, int(exact)
    t.matrix.switch, t.matrix.changed = switch if count > 1 else 0.0, int(changed)
    t.matrix.by_memory, t.matrix.memory_kb = int(by_memory), memory_kb


def widen_matrix(t: Tables) -> None:
    """Have a column for each processor of a machine that has grown."""
    words = -(-t.machine.processors_in_all // COLUMNS_A_WORD)
    if t.matrix.count > 0 and words > t.matrix.numbers:
        t.grow(frozenset({Axis.WORD}), {**t.sizes(), Axis.WORD: words})
        t.matrix.numbers = words
    if t.matrix.varying and _blocks(t) > t.sizes()[Axis.BLOCK]:
        t.grow(frozenset({Axis.BLOCK}), {**t.sizes(), Axis.BLOCK: _blocks(t)})


def _blocks(t: Tables) -> int:
    """Nodes of the tree of blocks, and one that is none: leaves are columns, a power of two of them."""
    return 2 << (max(1, t.machine.processors_in_all) - 1).bit_length()


def place_as_text(t: Tables, row: int) -> tuple[int, int, str]:
    """Where this pass has put a job: home row, rows as bits, columns as bits in hexadecimal digits."""
    rows = _joined([int(t.matrix.to_rows[row]), *t.matrix.to_beyond[row, : t.matrix.pages].tolist()])
    return int(t.matrix.to_home[row]), rows, f"{_joined(t.matrix.to_bits[row].tolist()):x}"


def put_as_text(
    t: Tables, row: int, place: tuple[int, int, str], stall_s: float = 0.0, turns: int = 0
) -> None:
    """Have the next decision about a job put it there; *turns* is ``matrix.turns``."""
    t.matrix.to_home[row], t.matrix.to_stall_s[row], t.matrix.to_turns[row] = place[0], stall_s, turns
    t.matrix.to_rows[row], *beyond = _parted(place[1], t.matrix.pages + 1)
    t.matrix.to_beyond[row, : t.matrix.pages] = beyond
    t.matrix.to_bits[row] = _parted(int(place[2], 16), t.matrix.numbers)


def rows_of(t: Tables, row: int) -> int:
    """The rows in which a job stands, as bits of one number of any length; 0: it is not in the matrix."""
    return _joined([int(t.matrix.rows[row]), *t.matrix.beyond[row, : t.matrix.pages].tolist()])


def turns_of(t: Tables, row: int) -> int:
    """Of how many rows these are."""
    return int(t.matrix.turns[row] or t.matrix.count)


def _joined(parts: list[int]) -> int:
    return sum(part << COLUMNS_A_WORD * k for k, part in enumerate(parts))


def _parted(bits: int, count: int) -> list[int]:
    return [bits >> COLUMNS_A_WORD * k & (1 << COLUMNS_A_WORD) - 1 for k in range(count)]


@inner
def in_matrix(t: Tables, row: int) -> bool:
    """Whether a job stands in the matrix."""
    return bool(t.matrix.rows[row] != 0 or t.matrix.turns[row] != 0)


def has_row_for_its_columns(t: Tables, row: int) -> bool:
    """Whether the columns in which a suspended job stood are free in a row of the matrix, but for copies.

    True where there is no matrix.
    """
    if t.matrix.count == 0:
        return True
    used = [0] * t.matrix.count
    for other in t.queue.running[: t.queue.running_count].tolist():
        if in_matrix(t, other):
            used[int(t.matrix.home[other])] |= _joined(t.matrix.bits[other].tolist())
    return any(not columns & _joined(t.matrix.bits[row].tolist()) for columns in used)


@kernel
def held_rows(t: Tables, row: int) -> int:
    """In how many rows a job stands."""
    held = how_many(t.matrix.rows[row])
    for page in range(t.matrix.pages):
        held += how_many(t.matrix.beyond[row, page])
    return int(held)


@kernel
def rows_to_hold(t: Tables, row: int) -> int:
    """In how many rows this pass has put a job."""
    held = how_many(t.matrix.to_rows[row])
    for page in range(t.matrix.pages):
        held += how_many(t.matrix.to_beyond[row, page])
    return int(held)


@kernel
def is_at_home(t: Tables, row: int) -> bool:
    """Whether this pass has put a job into its home row, and into none that takes no turn."""
    home, count = t.matrix.to_home[row], _count(t, t.matrix.to_turns[row])
    there = False
    for page in range(t.matrix.pages + 1):
        bits, first = rows_there(t, row, page), page * COLUMNS_A_WORD
        if bits >> min(max(count - first, 0), COLUMNS_A_WORD):
            return False
        if first <= home < first + COLUMNS_A_WORD:
            there = bool(bits >> (home - first) & 1)
    return there and count <= t.matrix.count


@inner
def rows_there(t: Tables, row: int, page: int) -> int:
    """The bits of rows, so many behind the first, in which this pass has put a job."""
    return int(t.matrix.to_rows[row] if page == 0 else t.matrix.to_beyond[row, page - 1])


@inner
def _count(t: Tables, turns: int) -> int:
    return turns if turns > 0 else int(t.matrix.count)


@inner
def _switching(t: Tables, rows: int, held: int) -> int:
    """In how many of the *held* rows of a job, *rows* in bits, a quantum begins with a context switch."""
    return held if t.matrix.changed == 0 else _switches(t, rows)


@kernel
def _switches(t: Tables, rows: int) -> int:
    return int(switched(rows, t.matrix.count, t.matrix.changed))


@kernel
def average_rate(t: Tables, row: int) -> float:
    """Seconds of work a second, on average, in the rows in which a job stands."""
    held, count = held_rows(t, row), _count(t, t.matrix.turns[row])
    return share_of(held, _switching(t, t.matrix.rows[row], held), count, t.matrix.switch)


@kernel
def rate_there(t: Tables, row: int) -> float:
    """The same where this pass has put it."""
    held, count = rows_to_hold(t, row), _count(t, t.matrix.to_turns[row])
    return share_of(held, _switching(t, t.matrix.to_rows[row], held), count, t.matrix.switch)


@kernel
def occupied_by(t: Tables, row: int) -> float:
    """Processors that a job in the matrix occupies, on average over the rows, switches included."""
    return float(t.jobs.width[row] * held_rows(t, row) / _count(t, t.matrix.turns[row]))


@kernel
def slice_time(t: Tables, row: int, now: float) -> float:
    """Slice time that a running job in the matrix has had since ``jobs.updated_s``."""
    if t.matrix.exact == 0:
        return work_after(0.0, average_rate(t, row), t.jobs.updated_s[row], now)
    return work_between(
        t.matrix.rows[row],
        t.matrix.count,
        t.matrix.quantum_s,
        t.matrix.switch,
        t.matrix.changed,
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
def stall_by(t: Tables, row: int, now: float) -> float:
    """Slice time that a running job in the matrix has, at *now*, still to lose to its migrations."""
    owed_s = t.matrix.stall_s[row]
    if owed_s > 0.0:
        owed_s = max(0.0, owed_s - slice_time(t, row, now))
    return float(owed_s)


@kernel
def work_by(t: Tables, row: int, now: float) -> float:
    """The work that a running job, in the matrix or not, has done by *now*."""
    if t.matrix.count > 0 and in_matrix(t, row):
        return float(t.jobs.work_s[row] + max(0.0, slice_time(t, row, now) - t.matrix.stall_s[row]))
    return float(t.jobs.work_s[row] + t.jobs.rate[row] * (now - t.jobs.updated_s[row]))


@kernel
def columns_between(word: int, first: int, last: int) -> int:
    """The bits of columns *first* to *last* (without that one) in number *word* of a set of columns."""
    before = min(max(first - word * COLUMNS_A_WORD, 0), COLUMNS_A_WORD)
    until = min(max(last - word * COLUMNS_A_WORD, 0), COLUMNS_A_WORD)
    return ((1 << until) - 1) & ~((1 << before) - 1)


@kernel
def stands_between(t: Tables, row: int, first: int, last: int) -> bool:
    """Whether a job stands in one of the columns from *first* to *last*, without that one."""
    if not in_matrix(t, row):
        return False
    for word in range(t.matrix.numbers):
        if t.matrix.bits[row, word] & columns_between(word, first, last):
            return True
    return False


@kernel
def first_column(t: Tables, node: int) -> int:
    """The first column of a node: each has columns for all its processors, in the order of numbers."""
    columns = 0
    for before in range(node):
        columns += int(t.nodes.total[before, 0])
    return columns


@kernel
def stands_on_lost(t: Tables, row: int) -> bool:
    """Whether a job stands in a column whose processor is lost; of counted ones the last columns are."""
    if t.machine.processors == t.machine.processors_in_all:
        return False
    if t.nodes.count == 0:
        return stands_between(t, row, t.machine.processors, t.machine.processors_in_all)
    last = 0
    for node in range(t.nodes.count):
        first, last = last, last + int(t.nodes.total[node, 0])
        if t.nodes.state[node] == NodeState.DOWN and stands_between(t, row, first, last):
            return True
    return False


@kernel
def end_of_row(t: Tables, row: int, now: float, left_s: float) -> float:
    """When a job in the matrix, accounted up to *now*, has done *left_s* of work."""
    seldom()
    if t.matrix.exact == 0:
        return end_of(now, left_s + t.matrix.stall_s[row], average_rate(t, row))
    return end_in_rows(
        t.matrix.rows[row],
        t.matrix.count,
        t.matrix.quantum_s,
        t.matrix.switch,
        t.matrix.changed,
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
    if not in_matrix(t, row) or t.matrix.to_stall_s[row] > 0.0:
        return True
    if t.matrix.varying:
        same = held_rows(t, row) == rows_to_hold(t, row)
        return bool(not same or t.matrix.turns[row] != t.matrix.to_turns[row])
    if before == after:
        return False
    same = how_many(before) == how_many(after)
    return bool(t.matrix.exact or not same or _switches(t, before) != _switches(t, after))


@kernel
def stand(t: Tables, row: int, now: float) -> None:
    """A job stands from now on where this pass has put it."""
    if not in_matrix(t, row) or t.matrix.home[row] != t.matrix.to_home[row]:
        t.matrix.since_s[row] = now
    t.matrix.home[row] = t.matrix.to_home[row]
    t.matrix.rows[row] = t.matrix.to_rows[row]
    t.matrix.turns[row] = t.matrix.to_turns[row]
    for page in range(t.matrix.pages):
        t.matrix.beyond[row, page] = t.matrix.to_beyond[row, page]
    for word in range(t.matrix.numbers):
        t.matrix.bits[row, word] = t.matrix.to_bits[row, word]


@kernel
def leave_rows(t: Tables, row: int, now: float) -> None:
    """A running job stands in the matrix no longer; what was planned for it is free."""
    seldom()
    if in_matrix(t, row):
        if t.plans.until_s[row] == 0.0:
            # The plan is yet to be made, as after a recovery: it matters that room has become free.
            t.plans.row[row] = t.matrix.home[row]
            t.plans.from_s[row], t.plans.until_s[row] = now, t.jobs.expected_end_s[row]
        t.matrix.held -= 1
        t.matrix.rows[row] = t.matrix.turns[row] = 0
        for page in range(t.matrix.pages):
            t.matrix.beyond[row, page] = 0
        t.matrix.stall_s[row] = 0.0
    open_hole_in_row(t, row, now)


@kernel
def open_hole_in_row(t: Tables, row: int, now: float) -> None:
    """Tell planners that what was planned for a job in a row of the matrix is free."""
    from_s, until_s = max(now, t.plans.from_s[row]), t.plans.until_s[row]
    t.plans.until_s[row] = 0.0
    if until_s <= from_s or from_s == NEVER:
        return
    if t.holes.count == t.holes.width.size:
        t.cycle.replan = 1
        return
    t.holes.from_s[t.holes.count] = from_s
    t.holes.until_s[t.holes.count] = until_s
    t.holes.width[t.holes.count] = t.jobs.width[row]
    t.holes.row[t.holes.count] = t.plans.row[row]
    t.holes.count += 1
