"""The byte that messages carry: what the status word of the sender was when it sent.

A policy that needs it (``needs.Needs.stamps``) keeps the status words, and is told of each message that is
received. Messages of a channel overtake none, and words change seldom, so that each channel has a list of
runs: how many messages, with which byte. All runs lie in one pool, which grows with what is on its way.
"""

from molokini.compiled.compilation import kernel, seldom
from molokini.process_sim.tables import RUN_BYTE, RUN_COUNT, RUN_NEXT, World

SPARE = 8192
"""Runs that are free at the beginning of an instant: more than one fact can take."""


@kernel
def stamp(w: World, p: int, channel: int) -> None:
    """Put the status word of *p* on a message that leaves now."""
    seldom()
    byte, tail = w.stamps.word[p], w.stamps.tail[channel]
    if tail >= 0 and w.stamps.runs[tail, RUN_BYTE] == byte:
        w.stamps.runs[tail, RUN_COUNT] += 1
        return
    made = w.stamps.free
    w.stamps.free = w.stamps.runs[made, RUN_NEXT]
    w.stamps.left -= 1
    if w.stamps.left < SPARE:
        # The engine returns for more room before the next fact.
        w.agenda.full = -1
    w.stamps.runs[made, RUN_COUNT] = 1
    w.stamps.runs[made, RUN_BYTE] = byte
    w.stamps.runs[made, RUN_NEXT] = -1
    if tail >= 0:
        w.stamps.runs[tail, RUN_NEXT] = made
    else:
        w.stamps.head[channel] = made
    w.stamps.tail[channel] = made


@kernel
def unstamp(w: World, p: int, channel: int) -> None:
    """Take the byte of the oldest message of *channel*, which *p* receives now."""
    seldom()
    head = w.stamps.head[channel]
    w.stamps.byte[p] = w.stamps.runs[head, RUN_BYTE]
    w.stamps.runs[head, RUN_COUNT] -= 1
    if w.stamps.runs[head, RUN_COUNT] > 0:
        return
    behind = w.stamps.runs[head, RUN_NEXT]
    w.stamps.head[channel] = behind
    if behind < 0:
        w.stamps.tail[channel] = -1
    w.stamps.runs[head, RUN_NEXT] = w.stamps.free
    w.stamps.free = head
    w.stamps.left += 1
