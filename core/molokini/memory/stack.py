"""The LRU stack: at which distance each reference hits, for all sizes of memory in one pass.

Mattson et al. (1970). Which blocks were touched since when is counted by a tree of sums (Fenwick) over times;
as the tree is full, times are numbered again, so that it stays as small as four times the blocks.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numba import int64
from numba import void as nothing

from molokini.compiled.compilation import compile_entry, interpreted, kernel
from molokini.memory.curves import Curve, Ints, from_counters

_BLOCKS, _FULL, _NOW, _STATE = 0, 1, 2, 4
"""Places in the state: blocks that were touched, the tree's size, the last time."""


class Stack:
    """The LRU stack of one memory, and how often each distance occurred.

    ``counters[d]`` counts references to the d-th most recent block, ``counters[0]`` first touches.
    """

    def __init__(self, blocks: int) -> None:
        """For block numbers from 0 to *blocks* - 1."""
        size = 1 << max(4, (4 * blocks - 1).bit_length())
        self.counters: Ints = np.zeros(blocks + 1, dtype=np.int64)
        self._last: Ints = np.zeros(blocks, dtype=np.int64)
        self._who: Ints = np.zeros(size + 1, dtype=np.int64)
        self._tree: Ints = np.zeros(size + 1, dtype=np.int64)
        self._state: Ints = np.zeros(_STATE, dtype=np.int64)
        self._state[_FULL] = size
        self.references = 0

    def touch(self, blocks: Ints) -> None:
        """The next references, in order."""
        found = np.ascontiguousarray(blocks, dtype=np.int64)
        _compiled(count_distances)(found, self._last, self._who, self._tree, self.counters, self._state)
        self.references += int(found.size)

    def draw(self, distances: Ints) -> Ints:
        """The blocks of references at these *distances*; beyond all blocks touched so far, or 0: a new block.

        Where every block has been touched it is the least recent one.
        """
        found = np.zeros(distances.size, dtype=np.int64)
        arrays = (self._last, self._who, self._tree, self.counters, self._state)
        _compiled(draw_blocks)(np.ascontiguousarray(distances, dtype=np.int64), found, *arrays)
        self.references += int(found.size)
        return found

    def restart_counting(self) -> None:
        """Count from now on: what has warmed the stack up is left out."""
        self.counters[:] = 0
        self.references = 0

    @property
    def curve(self) -> Curve:
        """The miss-rate curve of the references that were counted."""
        return from_counters(self.counters, self.references)

    def miss_rate(self, blocks: int) -> float:
        """The share of the references that miss in a memory of so many blocks, first touches included."""
        return 1.0 - float(self.counters[1 : blocks + 1].sum()) / max(1, self.references)


def lru_misses(references: Ints, owners: Ints, blocks: int, capacity: int, processes: int) -> Ints:
    """Misses of each process in one memory of *capacity* blocks with LRU replacement, first touches included.

    *owners* names the process of each reference; block numbers, from 0 to *blocks* - 1, belong to one each.
    """
    misses = np.zeros(processes, dtype=np.int64)
    before, behind = np.full(blocks + 1, -1, np.int64), np.full(blocks + 1, -1, np.int64)
    before[blocks] = behind[blocks] = blocks  # the ends of the list
    arrays = [np.ascontiguousarray(one, dtype=np.int64) for one in (references, owners)]
    _compiled(run_lru)(*arrays, before, behind, misses, capacity)
    return misses


@kernel
def _add(tree: Ints, at: int, change: int, size: int) -> None:
    while at <= size:
        tree[at] += change
        at += at & -at


@kernel
def _before(tree: Ints, at: int) -> int:
    total = 0
    while at > 0:
        total += tree[at]
        at -= at & -at
    return total


@kernel
def _renumber(last: Ints, who: Ints, tree: Ints, state: Ints) -> None:
    """Number the last touches from 1 on, in their order."""
    size, now = state[_FULL], 0
    for time in range(1, state[_NOW] + 1):
        block = who[time]
        if last[block] == time:
            now += 1
            who[now] = block
            last[block] = now
    state[_NOW] = now
    for at in range(1, size + 1):
        low = at & -at
        tree[at] = min(at, now) - min(at - low, now)


@kernel
def _touch(block: int, last: Ints, who: Ints, tree: Ints, counters: Ints, state: Ints) -> None:
    if state[_NOW] == state[_FULL]:
        _renumber(last, who, tree, state)
    size = state[_FULL]
    time = last[block]
    if time > 0:
        counters[state[_BLOCKS] - _before(tree, time) + 1] += 1
        _add(tree, time, -1, size)
    else:
        counters[0] += 1
        state[_BLOCKS] += 1
    state[_NOW] += 1
    last[block] = state[_NOW]
    who[state[_NOW]] = block
    _add(tree, state[_NOW], 1, size)


def count_distances(refs: Ints, last: Ints, who: Ints, tree: Ints, counters: Ints, state: Ints) -> None:
    """Touch *refs* in order."""
    for k in range(refs.size):
        _touch(refs[k], last, who, tree, counters, state)


def draw_blocks(
    asked: Ints, found: Ints, last: Ints, who: Ints, tree: Ints, counters: Ints, state: Ints
) -> None:
    """Touch what lies at the *asked* distances, and say which blocks these are."""
    for k in range(asked.size):
        distance, known = asked[k], state[_BLOCKS]
        if (distance < 1 or distance > known) and known < last.size:
            block = known
        else:
            # The block that as many were touched before as are left below it.
            rank = known - min(max(1, distance), known) + 1
            at, step = 0, state[_FULL]
            while step > 0:
                if at + step <= state[_FULL] and tree[at + step] < rank:
                    at += step
                    rank -= tree[at]
                step >>= 1
            block = who[at + 1]
        found[k] = block
        _touch(block, last, who, tree, counters, state)


def run_lru(refs: Ints, owners: Ints, before: Ints, behind: Ints, misses: Ints, capacity: int) -> None:
    """A list from the most to the least recent block; *before* and *behind* have -1 for what is not in it."""
    end, held = before.size - 1, 0
    for k in range(refs.size):
        block = refs[k]
        if before[block] >= 0:
            behind[before[block]] = behind[block]
            before[behind[block]] = before[block]
        else:
            misses[owners[k]] += 1
            if held == capacity:
                oldest = before[end]
                before[end] = before[oldest]
                behind[before[oldest]] = end
                before[oldest] = behind[oldest] = -1
            else:
                held += 1
        before[block], behind[block] = end, behind[end]
        before[behind[end]] = block
        behind[end] = block


@cache
def _machine_code(function: Callable[..., Any]) -> Callable[..., Any]:
    array = int64[::1]
    signatures = {
        "count_distances": nothing(*[array] * 6),
        "draw_blocks": nothing(*[array] * 7),
        "run_lru": nothing(*[array] * 5, int64),
    }
    compiled: Callable[..., Any] = compile_entry(function, signatures[function.__name__], long=True)
    return compiled


def _compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    return function if interpreted() else _machine_code(function)
