"""Blocks of columns and the workload tree over them (Zhou, Brent, JSSPP 2001, section 2).

A job of n tasks has an aligned block of columns for life, the least power of two that holds n; the rest of
it stands idle. Blocks are the nodes of a binary tree: node 1 is all columns, nodes 2v and 2v + 1 are the
halves of node v, leaves are columns. ``own`` counts jobs of exactly a block; ``load`` is the most jobs on a
column of it, of those inside; what stands above it are jobs of larger blocks around it. Their sum is the
``path`` of the block: no column of it has more jobs. Each is counted three times, by classes of jobs.
"""

from molokini.compiled.compilation import inner, kernel
from molokini.tables.rows import columns_between, rows_there
from molokini.tables.sizes import COLUMNS_A_WORD
from molokini.tables.tables import View

ALL, QUEUED, LONG = 0, 1, 2
"""Which jobs a number counts: all; medium and long ones; long ones."""
ROOT = 1


@inner
def leaves(view: View) -> int:
    """How many columns the tree has: a power of two."""
    return int(view.blocks.counted.size // 2)


@kernel
def empty_tree(view: View) -> None:
    """Begin a pass: no block has a job."""
    for v in range(view.blocks.counted.size):
        view.blocks.counted[v] = 0
        for kind in range(3):
            view.blocks.own[v, kind] = view.blocks.load[v, kind] = 0
        for page in range(view.matrix.pages + 1):
            view.blocks.here[v, page] = view.blocks.within[v, page] = 0


@kernel
def size_of(width: int) -> int:
    """Columns of the block of a job of so many tasks."""
    size = 1
    while size < width:
        size *= 2
    return size


@kernel
def block_of(view: View, row: int) -> int:
    """The block of a job that has its columns, the first of which is the block's first."""
    first = 0
    for word in range(view.matrix.numbers):
        bits = view.matrix.to_bits[row, word]
        if bits:
            first = word * COLUMNS_A_WORD
            while not bits & 1:
                bits >>= 1
                first += 1
            break
    return (leaves(view) + first) // size_of(view.jobs.width[row])


@kernel
def give_block(view: View, row: int, v: int) -> None:
    """Give a job the first columns of block *v*, as many as it has tasks."""
    size, width = size_of(view.jobs.width[row]), view.jobs.width[row]
    first = v * size - leaves(view)
    for word in range(view.matrix.numbers):
        low = min(max(first - word * COLUMNS_A_WORD, 0), COLUMNS_A_WORD)
        high = min(max(first + width - word * COLUMNS_A_WORD, 0), COLUMNS_A_WORD)
        view.matrix.to_bits[row, word] = (1 << high) - (1 << low)
    view.blocks.given[row] = v


@kernel
def count_in(view: View, v: int, kind: int) -> None:
    """One job more of a class has block *v*; *kind* as ``LONG``, and the wider ones before it, count it."""
    for one in range(kind + 1):
        view.blocks.own[v, one] += 1
        u = v
        while u >= ROOT:
            below = 0
            if 2 * u < view.blocks.counted.size:
                below = max(view.blocks.load[2 * u, one], view.blocks.load[2 * u + 1, one])
            view.blocks.load[u, one] = view.blocks.own[u, one] + below
            u //= 2


@kernel
def above(view: View, v: int, kind: int) -> int:
    """Jobs of larger blocks around block *v*."""
    jobs, u = 0, v // 2
    while u >= ROOT:
        jobs += view.blocks.own[u, kind]
        u //= 2
    return jobs


@inner
def path(view: View, v: int, kind: int) -> int:
    """Jobs on the fullest column of block *v*."""
    return int(above(view, v, kind) + view.blocks.load[v, kind])


@kernel
def best_block(view: View, width: int, most_queued: int, most_long: int) -> int:
    """The block of a job of so many tasks with the least path, the first of several; -1: none is allowed.

    *most_queued*, *most_long*: medium and long jobs, and long jobs, that a column may have; 0: no limit.
    """
    size = size_of(width)
    count = leaves(view) // size
    some_away = view.matrix.drains == 1 or view.machine.processors < leaves(view)
    best, least = -1, 0
    for k in range(count):
        if k * size + width > view.machine.processors_in_all:
            break
        if some_away and _has_away(view, k * size, k * size + width):
            # Some of its columns are no processors in service.
            continue
        v = count + k
        jobs = path(view, v, ALL)
        if best >= 0 and jobs >= least:
            continue
        if most_queued and path(view, v, QUEUED) >= most_queued:
            continue
        if most_long and path(view, v, LONG) >= most_long:
            continue
        best, least = v, jobs
    return best


@kernel
def _has_away(view: View, first: int, last: int) -> bool:
    """Whether one of the columns from *first* to *last*, without that one, is no processor in service."""
    for word in range(view.matrix.numbers):
        if view.matrix.away[word] & columns_between(word, first, last):
            return True
    return False


@kernel
def occupy_row(view: View, row: int, r: int) -> None:
    """A job stands in row *r*, and its block is taken there."""
    page, bit = r // COLUMNS_A_WORD, 1 << r % COLUMNS_A_WORD
    if page == 0:
        view.matrix.to_rows[row] |= bit
    else:
        view.matrix.to_beyond[row, page - 1] |= bit
    v = view.blocks.given[row]
    view.blocks.here[v, page] |= bit
    while v >= ROOT:
        view.blocks.within[v, page] |= bit
        v //= 2


@kernel
def lowest_idle_row(view: View, v: int, count: int) -> int:
    """The lowest of the first *count* rows in which the whole of block *v* is idle; -1: none."""
    for page in range(view.matrix.pages + 1):
        rows = min(max(count - page * COLUMNS_A_WORD, 0), COLUMNS_A_WORD)
        idle = ((1 << rows) - 1) & ~view.blocks.within[v, page]
        u = v // 2
        while idle and u >= ROOT:
            idle &= ~view.blocks.here[u, page]
            u //= 2
        if idle:
            r = page * COLUMNS_A_WORD
            while not idle & 1:
                idle >>= 1
                r += 1
            return r
    return -1


@inner
def stands_in(view: View, row: int, r: int) -> bool:
    """Whether a job stands in row *r* in the matrix of this pass."""
    return bool(rows_there(view, row, r // COLUMNS_A_WORD) >> r % COLUMNS_A_WORD & 1)
