"""What a task computes, what stands in its messages, and the checksum of all of them.

Whole numbers of 64 bits, so that every machine gives the same. A message depends on its round, sender and
receiver and on all that the sender has computed and received; what is received goes into the state. So one
wrong, lost or old byte anywhere changes the checksum.
"""

import hashlib
from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from exchange.patterns import partners

Words: TypeAlias = NDArray[np.uint64]

LANES = 4096
"""Words in the state of a task: 32 KiB, which stay in the cache of its processor."""
_ODD = 0x9E3779B97F4A7C15
_MOST = 0xFFFFFFFFFFFFFFFF


class Work:
    """The state of one task."""

    def __init__(self, task: int, seed: int) -> None:
        self._task = task
        begin = ((seed + 1) * _ODD + task * LANES) & _MOST
        self._state: Words = np.arange(LANES, dtype=np.uint64) + np.uint64(begin)
        self._scratch: Words = np.empty_like(self._state)
        self.compute(2)

    def compute(self, units: int) -> None:
        """Do so many units of work: one unit mixes the whole state once."""
        state, scratch = self._state, self._scratch
        shift, factor = np.uint64(29), np.uint64(_ODD)
        for _ in range(units):
            np.right_shift(state, shift, out=scratch)
            np.bitwise_xor(state, scratch, out=state)
            np.multiply(state, factor, out=state)
            np.add(state, factor, out=state)

    def write(self, message: Words, number: int, to: int) -> None:
        """Fill the message of round *number* for task *to*."""
        stamp = ((number << 16) + (self._task << 8) + to) * _ODD
        for row in range(0, len(message), LANES):
            part = message[row : row + LANES]
            np.add(self._state[: len(part)], np.uint64((stamp + row) & _MOST), out=part)

    def read(self, message: Words) -> None:
        """Take a received message into the state; the order of messages counts."""
        for row in range(0, len(message), LANES):
            part = message[row : row + LANES]
            state = self._state[: len(part)]
            np.multiply(state, np.uint64(_ODD), out=state)
            np.add(state, part, out=state)

    def digest(self) -> bytes:
        """The state in 32 bytes."""
        return hashlib.sha256(self._state.astype("<u8").tobytes()).digest()


def checksum(digests: Iterable[bytes]) -> str:
    """The checksum of all tasks, of their digests in order."""
    return hashlib.sha256(b"".join(digests)).hexdigest()[:16]


def sequential(tasks: int, pattern: str, seed: int, rounds: int, units: int, words: int) -> str:
    """The checksum that *tasks* must give after so many *rounds*, computed one task after the other."""
    works = [Work(task, seed) for task in range(tasks)]
    of = [partners(pattern, task, tasks).of for task in range(tasks)]
    messages = {(sender, to): np.empty(words, np.uint64) for to in range(tasks) for sender in of[to]}
    for number in range(rounds):
        for work in works:
            work.compute(units)
        for (sender, to), message in messages.items():
            works[sender].write(message, number, to)
        for to in range(tasks):
            for sender in of[to]:
                works[to].read(messages[sender, to])
    return checksum(work.digest() for work in works)
