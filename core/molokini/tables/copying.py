"""A copy of tables for one pass, made in pieces: a server has turns between two of them.

What means nothing between passes is not copied of jobs, nor what is zero: the system provides no memory for
it. Of 100,000 waiting jobs a third of the tables is left.
"""

from collections.abc import Iterator
from typing import Any, Final

from numpy.typing import NDArray

from molokini.tables.declared import Axis, Nature
from molokini.tables.tables import Tables

PIECE_WORDS: Final = 1 << 17
"""Numbers that are copied between two yields: 1 MB, some 0.3 ms."""
_BY_JOBS: Final = frozenset({Axis.JOB, Axis.COMPONENT, Axis.STEP})
_COPIED: Final = tuple(
    leaf
    for leaf in Tables.leaves()
    # What a policy keeps of nodes and partitions from its ``begin`` on lasts until these change.
    if not leaf.kind.recorded and not (leaf.column.nature is Nature.PASS and leaf.column.is_along(_BY_JOBS))
)
_BLANK: Final = tuple(
    leaf for leaf in Tables.leaves() if not leaf.kind.recorded and leaf not in frozenset(_COPIED)
)
_RECORDS: Final = tuple({leaf.struct: leaf for leaf in Tables.leaves() if leaf.kind.recorded}.values())


def copying(t: Tables, begun: Tables | None = None) -> Iterator[Tables]:
    """The copy of *t* after each piece of it; who finds that *t* has changed begins again.

    *begun*: what an earlier attempt has made, whose memory is used again; no pass has had it.
    """
    again = begun is not None and begun.sizes() == t.sizes()
    twin = begun if begun is not None and again else Tables.unwritten(t.sizes())
    yield twin
    twin.copy_scalars(t)
    words = 0
    for leaf in _COPIED:
        owner, old, new = leaf.owner(t), leaf.of(t), leaf.of(twin)
        if old.shape != new.shape:
            # Not as long as its axis says: it is kept short until it is needed, or was set as a whole.
            leaf.owner(twin).bind(leaf.name, old.copy())
            continue
        every = again or leaf.column.blank != 0.0
        for part in _parts(old, owner.in_use(leaf.name)):
            piece = old[part]
            if every or piece.any():
                new[part] = piece
            words += piece.size
            if words >= PIECE_WORDS:
                words = 0
                yield twin
    for leaf in _BLANK:
        if leaf.of(t).shape != leaf.of(twin).shape:
            leaf.owner(twin).bind(leaf.name, leaf.of(t).copy())
    for leaf in _RECORDS:
        owner, copy = leaf.owner(t), leaf.owner(twin)
        for part in _parts(owner.record, slice(None)):
            copy.record[part] = owner.record[part]
            yield twin


def copied(t: Tables, begun: Tables | None = None) -> Tables:
    """The same at once."""
    *_, twin = copying(t, begun)
    return twin


def _parts(array: NDArray[Any], used: slice) -> Iterator[slice]:
    """Slices of *array* of a piece each, over what is *used*."""
    first, last, _ = used.indices(len(array))
    if last - first == 0:
        return
    rows = max(1, PIECE_WORDS * len(array) // max(1, array.size))
    for begin in range(first, last, rows):
        yield slice(begin, min(last, begin + rows))
