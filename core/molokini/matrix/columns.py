"""Sets of columns in a row of the matrix: bits, and how many columns are free."""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.tables.rows import how_many
from molokini.tables.sizes import COLUMNS_A_WORD
from molokini.tables.tables import View

FULL = (1 << COLUMNS_A_WORD) - 1


@inner
def in_service(view: View, row: int) -> int:
    """How many columns of job *row* count among those that were free: it may stand where no other job may."""
    if view.matrix.drains == 0:
        return int(view.jobs.width[row])
    return _not_away(view, row)


@kernel
def _not_away(view: View, row: int) -> int:
    seldom()
    count = 0
    for word in range(view.matrix.numbers):
        count += how_many(view.matrix.to_bits[row, word] & ~view.matrix.away[word])
    return count


@kernel
def stands_on_away(view: View, row: int) -> bool:
    """Whether a column of job *row* is no processor in service."""
    for word in range(view.matrix.numbers):
        if view.matrix.to_bits[row, word] & view.matrix.away[word]:
            return True
    return False


@inner
def is_free(view: View, row: int, r: int) -> bool:
    """Whether the columns of job *row* are free in row *r*; on a drained node they are its own still."""
    if view.matrix.free[r] < in_service(view, row) or not has_memory(view, row, r):
        return False
    for word in range(view.matrix.numbers):
        if view.matrix.used[r, word] & view.matrix.to_bits[row, word]:
            return False
    return True


@inner
def overlap(view: View, row: int, other: int) -> bool:
    """Whether two jobs have a column in common."""
    for word in range(view.matrix.numbers):
        if view.matrix.to_bits[row, word] & view.matrix.to_bits[other, word]:
            return True
    return False


@inner
def occupy(view: View, row: int, r: int) -> None:
    """Job *row* stands in row *r* from now on."""
    view.matrix.to_rows[row] |= 1 << r
    view.matrix.free[r] -= in_service(view, row)
    if view.matrix.by_memory:
        view.matrix.filled_kb[r] += memory_of(view, row)
    for word in range(view.matrix.numbers):
        view.matrix.used[r, word] |= view.matrix.to_bits[row, word]


@inner
def vacate(view: View, row: int, r: int) -> None:
    """Job *row* stands in row *r* no longer."""
    view.matrix.to_rows[row] &= ~(1 << r)
    view.matrix.free[r] += in_service(view, row)
    if view.matrix.by_memory:
        view.matrix.filled_kb[r] -= memory_of(view, row)
    for word in range(view.matrix.numbers):
        view.matrix.used[r, word] &= ~view.matrix.to_bits[row, word]


@kernel
def choose_lowest(view: View, row: int, r: int) -> None:
    """Give job *row* the lowest columns that are free in row *r*; there must be enough."""
    left = view.jobs.width[row]
    for word in range(view.matrix.numbers):
        there = FULL & ~(view.matrix.used[r, word] | view.matrix.away[word])
        taken = 0
        if there == FULL and left >= COLUMNS_A_WORD:
            taken = FULL
            left -= COLUMNS_A_WORD
        while left > 0 and there != taken:
            rest = there & ~taken
            taken |= rest & -rest
            left -= 1
        view.matrix.to_bits[row, word] = taken


@kernel
def columns_of(view: View, row: int) -> int:
    """How many columns job *row* has; fewer than it is wide where it has given some up."""
    count = 0
    for word in range(view.matrix.numbers):
        count += how_many(view.matrix.to_bits[row, word])
    return count


@kernel
def give_up(view: View, row: int, other: int) -> None:
    """Take from job *row* the columns that job *other* has, too."""
    for word in range(view.matrix.numbers):
        view.matrix.to_bits[row, word] &= ~view.matrix.to_bits[other, word]


@kernel
def keep_free(view: View, row: int, r: int) -> None:
    """Take from job *row* the columns that are not free in row *r*."""
    for word in range(view.matrix.numbers):
        view.matrix.to_bits[row, word] &= ~view.matrix.used[r, word]


@kernel
def add_lowest(view: View, row: int, r: int) -> None:
    """Give job *row* the lowest columns that are free in row *r* beside its own, until it has its width."""
    left = view.jobs.width[row] - columns_of(view, row)
    for word in range(view.matrix.numbers):
        there = FULL & ~(view.matrix.used[r, word] | view.matrix.away[word] | view.matrix.to_bits[row, word])
        while left > 0 and there != 0:
            column = there & -there
            there ^= column
            view.matrix.to_bits[row, word] |= column
            left -= 1


@kernel
def choose_emptiest(view: View, row: int, r: int) -> None:
    """The same of those that are used in the fewest rows; of equally many the lowest.

    Copies of a job fit where its columns are free: in columns that few use, more of them do.
    """
    for word in range(view.matrix.numbers):
        view.matrix.to_bits[row, word] = 0
    left, uses = view.jobs.width[row], 0
    while left > 0:
        for word in range(view.matrix.numbers):
            there = FULL & ~(view.matrix.used[r, word] | view.matrix.away[word])
            while left > 0 and there != 0:
                column = there & -there
                there ^= column
                if _uses(view, word, column) == uses:
                    view.matrix.to_bits[row, word] |= column
                    left -= 1
        uses += 1


@kernel
def _uses(view: View, word: int, column: int) -> int:
    """In how many rows a column, given as the bit of a number, is used."""
    count = 0
    for r in range(view.matrix.count):
        if view.matrix.used[r, word] & column:
            count += 1
    return count


@kernel
def rows_by_use(view: View) -> None:
    """Put the rows into ``matrix.order``, those with the fewest occupied columns first, then by number."""
    for r in range(view.matrix.count):
        place = r
        while place > 0 and view.matrix.free[view.matrix.order[place - 1]] < view.matrix.free[r]:
            view.matrix.order[place] = view.matrix.order[place - 1]
            place -= 1
        view.matrix.order[place] = r


@kernel
def best_row(view: View, row: int) -> int:
    """The row that job *row*, which waits, is to have; -1: it may start in none.

    The one with the fewest free columns; by memory the one whose jobs have the least memory in all (Suh et
    al., JSSPP 2001, section 4.1), of equal ones that with the fewest free columns; the first of several.
    """
    best = -1
    for r in range(view.matrix.count):
        if view.matrix.free[r] < view.jobs.width[row] or not has_memory(view, row, r):
            continue
        if is_better(view, r, best):
            best = r
    return best


@inner
def is_better(view: View, r: int, best: int) -> bool:
    """Whether row *r* is to be preferred to row *best* (-1: there is none yet)."""
    if best < 0:
        return True
    if view.matrix.by_memory and view.matrix.filled_kb[r] != view.matrix.filled_kb[best]:
        return bool(view.matrix.filled_kb[r] < view.matrix.filled_kb[best])
    return bool(view.matrix.free[r] < view.matrix.free[best])


@inner
def memory_of(view: View, row: int) -> float:
    """The memory of all processes of job *row*, kB."""
    return float(view.jobs.memory_kb[row] * view.jobs.width[row])


@inner
def has_memory(view: View, row: int, r: int) -> bool:
    """Whether the memory of row *r* has room for job *row* beside those that stand there."""
    if view.matrix.memory_kb == 0.0:
        return True
    return bool(view.matrix.filled_kb[r] + memory_of(view, row) <= view.matrix.memory_kb)
