"""Who exchanges messages with whom: each pattern as a sequence of sends and receives."""

from molokini.compiled.compilation import inner, kernel
from molokini.process_sim.words import Pattern

OVER = -1
"""No further step."""


@inner
def sending(peer: int) -> int:
    """A step: send to the process of rank *peer*."""
    return 2 * peer


@inner
def receiving(peer: int) -> int:
    """A step: receive from the process of rank *peer*."""
    return 2 * peer + 1


@kernel
def exchange_step(pattern: int, rank: int, size: int, step: int, shift: int) -> int:
    """Step number *step* of an exchange among *size* processes, or ``OVER``.

    *shift*, from 1 to size - 1, is the same for all processes: that of ``RANDOM``.
    """
    if size < 2:
        return OVER
    if pattern == Pattern.ALL_TO_ALL:
        if step < size - 1:
            return sending((rank + 1 + step) % size)
        if step < 2 * size - 2:
            return receiving((rank + size - 1 - (step - size + 1)) % size)
        return OVER
    if pattern == Pattern.NEIGHBOUR and size > 2:
        if step < 2:
            return sending((rank + 1 + step * (size - 2)) % size)
        if step < 4:
            return receiving((rank + size - 1 - (step - 2) * (size - 2)) % size)
        return OVER
    if pattern == Pattern.WAVEFRONT:
        return _wave_step(rank, size, step)
    if pattern == Pattern.TREE:
        return _tree_step(rank, size, step)
    if pattern != Pattern.RANDOM:
        shift = 1
    if step == 0:
        return sending((rank + shift) % size)
    if step == 1:
        return receiving((rank + size - shift) % size)
    return OVER


@inner
def _wave_step(rank: int, size: int, step: int) -> int:
    """From the first process to the last: receive from the one before, then send to the one behind."""
    if rank == 0:
        step += 1
    if step == 0:
        return receiving(rank - 1)
    if step == 1 and rank < size - 1:
        return sending(rank + 1)
    return OVER


@kernel
def _tree_step(rank: int, size: int, step: int) -> int:
    """A sum up a binary tree and its result down again."""
    children = 0
    if 2 * rank + 2 < size:
        children = 2
    elif 2 * rank + 1 < size:
        children = 1
    if step < children:
        return receiving(2 * rank + 1 + step)
    step -= children
    if rank > 0:
        if step == 0:
            return sending((rank - 1) // 2)
        if step == 1:
            return receiving((rank - 1) // 2)
        step -= 2
    if step < children:
        return sending(2 * rank + 1 + step)
    return OVER
