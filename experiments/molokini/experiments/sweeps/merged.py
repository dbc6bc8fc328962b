"""The rows of a journal in the order of their points, a chunk at a time, whatever order they came in."""

import heapq
from collections.abc import Iterator

import numpy as np

from molokini.experiments.sweeps.journal import Journal
from molokini.experiments.sweeps.measuring import Rows

_CHUNK = 4096
"""Rows that are merged in memory."""


def in_order(journal: Journal) -> Iterator[Rows]:
    """All rows by (scenario, seed, variant)."""
    streams = journal.streams()
    if len(streams) < 2:
        for stream in streams:
            yield from stream
        return
    held: list[tuple[Rows, int]] = []
    for _, rows, at in heapq.merge(*map(_single, streams), key=lambda one: one[0]):
        held.append((rows, at))
        if len(held) == _CHUNK:
            yield _joined(held)
            held = []
    if held:
        yield _joined(held)


def _single(blocks: Iterator[Rows]) -> Iterator[tuple[tuple[int, ...], Rows, int]]:
    for rows in blocks:
        for at, key in enumerate(rows.keys.tolist()):
            yield tuple(key), rows, at


def _joined(held: list[tuple[Rows, int]]) -> Rows:
    names = tuple(dict.fromkeys(name for rows, _ in held for name in rows.names))
    place = {name: at for at, name in enumerate(names)}
    values, whole = np.full((len(held), len(names)), np.nan), [True] * len(names)
    for to, (rows, at) in enumerate(held):
        columns = [place[name] for name in rows.names]
        values[to, columns] = rows.values[at]
        for column, is_whole in zip(columns, rows.whole, strict=True):
            whole[column] &= is_whole
    keys = np.array([rows.keys[at] for rows, at in held], dtype=np.int64)
    return Rows(keys, names, values, tuple(whole))
