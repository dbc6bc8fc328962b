"""Structs whose arrays lie in one piece of memory, so that one copy makes a struct as another one is.

A copy of tables in the ordinary way makes some hundred arrays. Whoever needs the same copy again and again (a
look ahead for each of several policies) makes the arrays once, and copies the words that count.
"""

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from molokini.compiled.lowering import LINE_WORDS
from molokini.compiled.structs import Struct

S = TypeVar("S", bound=Struct)
Kept = Callable[[type[Struct], str], bool]
"""Whether the contents of an array, of a class of structs and with a name, are copied."""


class Piece(Generic[S]):
    """A struct that lies in one piece of memory; the arrays that are copied come first in it."""

    def __init__(self, struct: S, kept: Kept) -> None:
        """Move the arrays of *struct* into a piece of its own. None of them may be bound anew later."""
        self.struct = struct
        copied, others = list[tuple[Struct, str]](), list[tuple[Struct, str]]()
        for owner in _all_of(struct):
            if owner.record_words:
                copied.append((owner, ""))
            for name, kind in owner.columns().items():
                if not kind.recorded:
                    (copied if kept(type(owner), name) else others).append((owner, name))
        sizes = [_size(owner, name) for owner, name in (*copied, *others)]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        piece = np.zeros(int(starts[-1]) + LINE_WORDS, dtype=np.int64)
        skipped = -(piece.ctypes.data // 8) % LINE_WORDS
        self._words: NDArray[np.int64] = piece[skipped:]
        for (owner, name), start in zip((*copied, *others), starts[:-1].tolist(), strict=True):
            _move(owner, name, self._words[start:])
        self._copied = self._words[: int(starts[len(copied)])]

    def become(self, other: "Piece[S]") -> None:
        """Have the contents of *other*, a piece of the same sizes."""
        self._copied[:] = other._copied
        self.struct.copy_scalars(other.struct)


def _all_of(struct: Struct) -> Iterator[Struct]:
    yield struct
    for _, child in struct.each_child():
        yield from _all_of(child)


def _size(owner: Struct, name: str) -> int:
    words = owner.record.size if not name else getattr(owner, name).size
    return -(-words // LINE_WORDS) * LINE_WORDS


def _move(owner: Struct, name: str, room: NDArray[np.int64]) -> None:
    if not name:
        owner.move_record(room)
        return
    old = getattr(owner, name)
    new = room[: old.size].view(old.dtype).reshape(old.shape)
    new[...] = old
    owner.bind(name, new)
