"""What happens next: a tournament over the ends of segments, a heap for everything else.

Keys are instant * 16 + rank, so that one comparison orders instants and, within an instant, ranks. Within a
rank CPUs go by number; entries of the heap by their order, then by their serial.
"""

from molokini.compiled.compilation import inner, kernel
from molokini.nodes.tables import NO_END, RANK_BITS, World

PENDING = 0b1111011
"""Kinds of ``Event`` that let a waiting process go on, as bits."""


@inner
def ends_at(w: World, cpu: int, instant: int, rank: int) -> None:
    """The segment of *cpu* ends then."""
    w.cpus.key[cpu] = (instant << RANK_BITS) | rank
    play(w, cpu)


@inner
def has_no_end(w: World, cpu: int) -> None:
    """The segment of *cpu* does not end by itself."""
    if w.cpus.key[cpu] != NO_END:
        w.cpus.key[cpu] = NO_END
        play(w, cpu)


@inner
def play(w: World, cpu: int) -> None:
    """Play the matches of *cpu* again: each node of the tree holds the CPU below it of the least key."""
    node = (w.agenda.size + cpu) >> 1
    while node > 0:
        left = w.agenda.tree[2 * node]
        right = w.agenda.tree[2 * node + 1]
        winner = left
        if right >= 0 and (left < 0 or w.cpus.key[right] < w.cpus.key[left]):
            winner = right
        w.agenda.tree[node] = winner
        node >>= 1


@inner
def _before(w: World, i: int, j: int) -> bool:
    heap = w.agenda.heap
    if heap[i, 0] != heap[j, 0]:
        return bool(heap[i, 0] < heap[j, 0])
    if heap[i, 1] != heap[j, 1]:
        return bool(heap[i, 1] < heap[j, 1])
    return bool(heap[i, 2] < heap[j, 2])


@inner
def _swap(w: World, i: int, j: int) -> None:
    heap = w.agenda.heap
    for column in range(4):
        kept = heap[i, column]
        heap[i, column] = heap[j, column]
        heap[j, column] = kept


@kernel
def push(w: World, instant: int, rank: int, order: int, kind: int, subject: int) -> None:
    """Something of *kind* will happen to *subject*; the engine has looked that there is room."""
    place = w.agenda.count
    w.agenda.count = place + 1
    heap = w.agenda.heap
    heap[place, 0] = (instant << RANK_BITS) | rank
    heap[place, 1] = order
    heap[place, 2] = (w.agenda.serial << RANK_BITS) | kind
    heap[place, 3] = subject
    w.agenda.serial += 1
    if PENDING >> kind & 1:
        w.agenda.pending += 1
    while place > 0 and _before(w, place, (place - 1) >> 1):
        _swap(w, place, (place - 1) >> 1)
        place = (place - 1) >> 1


@kernel
def pop(w: World) -> None:
    """Take the first entry out."""
    if PENDING >> (w.agenda.heap[0, 2] & 15) & 1:
        w.agenda.pending -= 1
    last = w.agenda.count - 1
    w.agenda.count = last
    heap = w.agenda.heap
    for column in range(4):
        heap[0, column] = heap[last, column]
    place = 0
    while True:
        least = 2 * place + 1
        if least >= last:
            return
        if least + 1 < last and _before(w, least + 1, least):
            least += 1
        if not _before(w, least, place):
            return
        _swap(w, place, least)
        place = least


@inner
def touch(w: World, cpu: int) -> None:
    """Have it picked anew what *cpu* does, when all facts of this instant have been applied."""
    if w.cpus.touched[cpu] == 0:
        w.cpus.touched[cpu] = 1
        place = w.agenda.touched_count
        w.agenda.touched_count = place + 1
        while place > 0 and w.agenda.touched[place - 1] > cpu:
            w.agenda.touched[place] = w.agenda.touched[place - 1]
            place -= 1
        w.agenda.touched[place] = cpu
