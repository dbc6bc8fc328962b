"""What happens next: a tournament over the ends of segments, a heap for everything else.

Keys are instant * 16 + rank, so that one comparison orders instants and, within an instant, ranks. Within a
rank CPUs go by number; entries of the heap by their order, then by their serial.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.process_sim.tables import NO_END, RANK_BITS, World


@inner
def ends_at(w: World, cpu: int, instant: int, rank: int) -> None:
    """The segment of *cpu* ends then."""
    key = (instant << RANK_BITS) | rank
    w.cpus.key[cpu] = key
    _play(w, cpu, key)


@inner
def has_no_end(w: World, cpu: int) -> None:
    """The segment of *cpu* does not end by itself."""
    if w.cpus.key[cpu] != NO_END:
        w.cpus.key[cpu] = NO_END
        _play(w, cpu, NO_END)


@inner
def _play(w: World, cpu: int, key: int) -> None:
    """Play the matches of *cpu* again: each node of the tree holds the CPU below it of the least key."""
    place, winner = w.agenda.size + cpu, cpu
    while place > 1:
        other = w.agenda.tree[place ^ 1]
        if other >= 0:
            least = w.cpus.key[other]
            if least < key or (least == key and other < winner):
                winner, key = other, least
        place >>= 1
        if w.agenda.tree[place] != winner:
            # Not written where it stays the same: the next fact need not wait for this comparison.
            w.agenda.tree[place] = winner


@inner
def _is_before(w: World, i: int, key: int, order: int, mark: int) -> bool:
    """Whether entry *i* of the heap comes before an entry of these three columns."""
    heap = w.agenda.heap
    if heap[i, 0] != key:
        return bool(heap[i, 0] < key)
    if heap[i, 1] != order:
        return bool(heap[i, 1] < order)
    return bool(heap[i, 2] < mark)


@inner
def _move(w: World, source: int, to: int) -> None:
    heap = w.agenda.heap
    heap[to, 0] = heap[source, 0]
    heap[to, 1] = heap[source, 1]
    heap[to, 2] = heap[source, 2]
    heap[to, 3] = heap[source, 3]


@inner
def _write(w: World, place: int, key: int, order: int, mark: int, subject: int) -> None:
    heap = w.agenda.heap
    heap[place, 0] = key
    heap[place, 1] = order
    heap[place, 2] = mark
    heap[place, 3] = subject


@inner
def put_in(w: World, instant: int, rank: int, order: int, kind: int, subject: int) -> None:
    """Something of *kind* will happen to *subject*; the engine has looked that there is room."""
    key = (instant << RANK_BITS) | rank
    mark = (w.agenda.serial << RANK_BITS) | kind
    w.agenda.serial += 1
    place = w.agenda.count
    w.agenda.count = place + 1
    # The place is a hole that rises; what comes later sinks through it.
    while place > 0:
        above = (place - 1) >> 1
        if _is_before(w, above, key, order, mark):
            break
        _move(w, above, place)
        place = above
    _write(w, place, key, order, mark, subject)


@kernel
def push(w: World, instant: int, rank: int, order: int, kind: int, subject: int) -> None:
    """``put_in``, for callers that do so seldom."""
    seldom()
    put_in(w, instant, rank, order, kind, subject)


@inner
def pop(w: World) -> None:
    """Take the first entry out."""
    heap = w.agenda.heap
    last = w.agenda.count - 1
    w.agenda.count = last
    key, order, mark, subject = heap[last, 0], heap[last, 1], heap[last, 2], heap[last, 3]
    place = 0
    while True:
        least = 2 * place + 1
        if least >= last:
            break
        other = least + 1
        if other < last and _is_before(w, other, heap[least, 0], heap[least, 1], heap[least, 2]):
            least = other
        if not _is_before(w, least, key, order, mark):
            break
        _move(w, least, place)
        place = least
    _write(w, place, key, order, mark, subject)


@inner
def touch(w: World, cpu: int) -> None:
    """Have the policy choose again what *cpu* does, when all facts of this instant have been applied."""
    if w.cpus.touched[cpu] == 0:
        w.cpus.touched[cpu] = 1
        place = w.agenda.touched_count
        w.agenda.touched_count = place + 1
        while place > w.agenda.wave and w.agenda.touched[place - 1] > cpu:
            w.agenda.touched[place] = w.agenda.touched[place - 1]
            place -= 1
        w.agenda.touched[place] = cpu


@inner
def next_touched(w: World) -> int:
    """The next CPU of those that are being seen to.

    What is touched meanwhile is seen to behind them, after the facts that have come of it.
    """
    cpu = int(w.agenda.touched[w.agenda.seen_to])
    w.agenda.seen_to += 1
    w.cpus.touched[cpu] = 0
    wave = w.agenda.wave
    if w.agenda.seen_to == wave:
        rest = w.agenda.touched_count - wave
        for place in range(rest):
            w.agenda.touched[place] = w.agenda.touched[wave + place]
        w.agenda.touched_count = rest
        w.agenda.wave = 0
        w.agenda.seen_to = 0
    return cpu
