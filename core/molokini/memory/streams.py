"""Streams of references: synthetic programs with a given curve, traces of files, processes beside one
another.
"""

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from molokini.memory.curves import Curve, Ints
from molokini.memory.stack import Stack
from molokini.model.errors import BadFile, BadValue

BLOCK_BYTES = 4096
_WARM_UP = 4
"""A stream is preceded by so many times its footprint, unless that is more than ``_MOST_WARM_UP``."""
_MOST_WARM_UP = 2_000_000


def synthetic(curve: Curve, references: int, generator: np.random.Generator, warm: bool = True) -> Ints:
    """*references* references of a program whose LRU stack distances follow *curve*; blocks from 0 on.

    ``P[distance > x] = m(x)``. With *warm* the program has touched its whole footprint before.
    """
    if references < 1:
        raise BadValue("references", references, "a whole number of 1 or more")
    footprint = curve.blocks
    stack = Stack(footprint)
    if warm:
        stack.draw(np.zeros(footprint, dtype=np.int64))
        stack.draw(_distances(curve, min(_WARM_UP * footprint, _MOST_WARM_UP), generator))
    return stack.draw(_distances(curve, references, generator))


def _distances(curve: Curve, count: int, generator: np.random.Generator) -> Ints:
    """Distances such that a distance is above x with probability m(x); beyond the curve: its last block."""
    chance = generator.random(count)
    found = np.searchsorted(-curve.rates, -chance, side="left")
    return np.clip(found, 1, curve.blocks).astype(np.int64)


def read_trace(path: str | os.PathLike[str], block_bytes: int = BLOCK_BYTES) -> Ints:
    """The blocks of a trace, numbered from 0 in order of their addresses.

    A text has one address a line, decimal or 0x; a file ``.npy`` an array of whole numbers. Raises BadFile
    for an empty line, a word that is no address, a negative address, or an empty trace.
    """
    if block_bytes < 1:
        raise BadValue("block", block_bytes, "a whole number of bytes, 1 or more")
    name = os.fspath(path)
    addresses = _array(name) if name.endswith(".npy") else _text(name)
    if not addresses.size:
        raise BadFile(name, "holds no address")
    if addresses.min() < 0:
        line = int(np.argmax(addresses < 0)) + 1
        raise BadFile(name, f"line {line:,}: address {addresses[line - 1]} is negative")
    _, found = np.unique(addresses // block_bytes, return_inverse=True)
    return found.astype(np.int64)


def _array(name: str) -> Ints:
    try:
        found = np.load(name, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise BadFile(name, str(getattr(error, "strerror", None) or error)) from None
    if found.ndim != 1 or not np.issubdtype(found.dtype, np.integer):
        raise BadFile(name, f"holds {found.dtype} in {found.ndim} dimensions; whole numbers in one are read")
    return np.asarray(found.astype(np.int64))


def _text(name: str) -> Ints:
    try:
        lines = Path(name).read_text(encoding="ascii", errors="replace").split("\n")
    except OSError as error:
        raise BadFile(name, error.strerror or str(error)) from None
    if lines and not lines[-1]:
        lines.pop()
    found = np.zeros(len(lines), dtype=np.int64)
    for k, line in enumerate(lines):
        if not line.strip():
            raise BadFile(name, f"line {k + 1:,} is empty: a trace has one address a line, without gaps")
        try:
            found[k] = int(line, 0)
        except (ValueError, OverflowError):
            raise BadFile(
                name, f"line {k + 1:,}: {line.strip()[:40]!r} is no address (decimal, or 0x)"
            ) from None
    return found


def beside(
    streams: Sequence[Ints], quantum: int, slices: Sequence[Sequence[int]], rounds: int
) -> tuple[Ints, Ints]:
    """References of processes that share a memory, in the order in which they happen, and whose each is.

    ``slices[s]`` names the processes of a slice, which take turns reference by reference; a slice lasts
    *quantum* references of each of its processes, and slices follow one another *rounds* times. Each stream
    goes on where it was, and begins again at its end. Blocks of different processes are different.
    """
    if quantum < 1 or rounds < 1:
        raise BadValue("quantum", quantum, "one reference or more, for one round or more")
    first = np.cumsum([0, *(int(one.max()) + 1 for one in streams)])
    pieces, owners = [], []
    for turn in range(rounds):
        for members in slices:
            at = np.arange(turn * quantum, (turn + 1) * quantum)
            table = np.stack([streams[k][at % streams[k].size] + first[k] for k in members], axis=1)
            pieces.append(table.ravel())
            owners.append(np.tile(np.array(members, dtype=np.int64), quantum))
    return np.concatenate(pieces), np.concatenate(owners)
