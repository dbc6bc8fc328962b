"""Activity working sets: which activities use the same objects often, found while they run (RAWSI; survey,
4.4).

An activity is a process, an object what programs name by ``access``. Objects above a rate join the activities
that use them; sets are the connected parts. Columns of ``world.own.procs`` are numbered here.
"""

from molokini.compiled.compilation import kernel
from molokini.process_sim.tables import World
from molokini.process_sim.words import State

SET, SIZE, RAN_AT, CHOSEN, TURN_AT = range(5)
"""Of a process: the lowest number of its set; of that lowest one how many are in it; in which slot it ran
last as a single activity; the slot for which it is chosen; of a lowest one in which round its set ran."""
COLUMNS = 5
MILLION = 1_000_000


@kernel
def is_alive(w: World, p: int) -> bool:
    """Whether *p* has begun and not ended."""
    return bool(State.READY <= w.procs.state[p] < State.DONE)


@kernel
def average_rates(w: World, interval_ns: int) -> None:
    """Half the past, half this interval's; counting begins again."""
    for thing in range(w.channels.accesses.shape[0]):
        for p in range(w.procs.state.size):
            now = w.channels.accesses[thing, p] * MILLION * 1000 // (interval_ns // 1_000_000)
            w.channels.rates[thing, p] = (w.channels.rates[thing, p] + now) // 2
            w.channels.accesses[thing, p] = 0


@kernel
def root(w: World, p: int) -> int:
    """The lowest number of the set of *p*."""
    while w.own.procs[p, SET] != p:
        p = w.own.procs[p, SET]
    return p


@kernel
def find_sets(w: World, threshold: int) -> None:
    """Join activities that use an object of *threshold* accesses a second or more, each a hundredth of it."""
    for p in range(w.procs.state.size):
        w.own.procs[p, SET] = p
        w.own.procs[p, SIZE] = 0
    for thing in range(w.channels.rates.shape[0]):
        _join_users(w, thing, threshold * MILLION)
    for p in range(w.procs.state.size):
        if is_alive(w, p):
            w.own.procs[root(w, p), SIZE] += 1


@kernel
def _join_users(w: World, thing: int, threshold: int) -> None:
    total = 0
    for p in range(w.procs.state.size):
        if is_alive(w, p):
            total += w.channels.rates[thing, p]
    if total < threshold:
        return
    first = -1
    for p in range(w.procs.state.size):
        if is_alive(w, p) and w.channels.rates[thing, p] * 100 >= threshold:
            if first < 0:
                first = root(w, p)
            else:
                one, other = root(w, first), root(w, p)
                w.own.procs[max(one, other), SET] = min(one, other)


@kernel
def next_set(w: World, round_: int) -> int:
    """The largest set of two or more that had no turn in this round yet; -1: none."""
    best = -1
    for p in range(w.procs.state.size):
        size = w.own.procs[p, SIZE]
        waits = size >= 2 and w.own.procs[p, SET] == p and w.own.procs[p, TURN_AT] < round_
        if waits and (best < 0 or size > w.own.procs[best, SIZE]):
            best = p
    return best
