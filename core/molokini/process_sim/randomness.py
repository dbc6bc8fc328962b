"""Random numbers by counting: a function of seed, process and how many it has drawn before.

No generator is shared, so that two policies see the same programs whatever the order of events. All products
stay below 2**63: plain Python and machine code agree to the bit.
"""

from math import log

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.process_sim.tables import World
from molokini.process_sim.words import Draw

_LOW = 0xFFFFFFFF
_TWO_53 = 9007199254740992.0


@inner
def mixed(x: int) -> int:
    """32 bits that depend on all of the lowest 32 of *x* (two rounds of xor, shift and multiply)."""
    x = x & _LOW
    x = x ^ (x >> 16)
    x = (x * 0x21F0AAAD) & _LOW
    x = x ^ (x >> 15)
    x = (x * 0x735A2D97) & _LOW
    return x ^ (x >> 15)


@inner
def number(seed: int, key: int, index: int) -> int:
    """A whole number from 0 to 2**53 - 1."""
    high = mixed(mixed(key) ^ mixed(seed + 0x3C6EF372) ^ mixed(index + 0x1B873593))
    low = mixed(high ^ mixed(index ^ 0x2545F491) ^ (key >> 32) ^ (seed >> 32))
    high = mixed(high + (seed >> 32) + (index >> 32))
    return (high << 21) ^ (low >> 11)


@inner
def share(seed: int, key: int, index: int) -> float:
    """A number in (0, 1]."""
    return (number(seed, key, index) + 1) / _TWO_53


@inner
def next_share(w: World, p: int) -> float:
    """The next number in (0, 1] of process *p*."""
    index = w.procs.draws[p]
    w.procs.draws[p] = index + 1
    return share(w.seed, w.procs.key[p], index)


@inner
def drawn(w: World, p: int, which: int) -> int:
    """A value of distribution *which* for process *p*, ns; never negative."""
    if w.programs.draws[which, 0] == Draw.CONSTANT:
        return int(w.programs.draws[which, 1])
    return _drawn_by_chance(w, p, which)


@kernel
def _drawn_by_chance(w: World, p: int, which: int) -> int:
    seldom()
    kind, a, b = w.programs.draws[which, 0], w.programs.draws[which, 1], w.programs.draws[which, 2]
    if kind == Draw.UNIFORM:
        return int(a + int(next_share(w, p) * (b - a)))
    if kind == Draw.EXPONENTIAL:
        return int(-log(next_share(w, p)) * a)
    total = 0.0
    for _ in range(b):
        total -= log(next_share(w, p))
    return int(total * a / b)
