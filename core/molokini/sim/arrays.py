"""Elements of arrays with a limit of their running elements (``%n``): the others stay outside the queue.

As many are in the queue or run as the limit says; the next one comes, with its own submission, when one has
left. The live server holds elements back by the same count (its rows), so that both decide alike.
"""

import numpy as np

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.compiled.structs import Ints
from molokini.sim.agenda import Agenda
from molokini.workloads.workload import Workload

NONE = -1


def limited_arrays(workload: Workload) -> dict[str, Ints]:
    """The columns of ``ToArrive`` about arrays; all empty where no limit can hold an element back."""
    names = ("array", "held_next", "array_left", "held_first", "held_last", "freed")
    told = workload.recorded
    if told is None or not (told.array_limit > 0).any():
        return {name: np.zeros(0, dtype=np.int64) for name in names}
    limited = (told.array > 0) & (told.array_limit > 0)
    numbers, place, sizes = np.unique(told.array[limited], return_inverse=True, return_counts=True)
    left = np.zeros(numbers.size, dtype=np.int64)
    np.maximum.at(left, place, told.array_limit[limited])
    if (left >= sizes).all():
        return {name: np.zeros(0, dtype=np.int64) for name in names}
    array = np.full(len(workload), NONE, dtype=np.int64)
    array[limited] = place
    no_element = np.full(numbers.size, NONE, dtype=np.int64)
    return {
        "array": array,
        "held_next": np.full(len(workload), NONE, dtype=np.int64),
        "array_left": left,
        "held_first": no_element,
        "held_last": no_element.copy(),
        "freed": np.zeros(numbers.size, dtype=np.int64),
    }


def held_elements(agenda: Agenda) -> int:
    """How many elements are held back now."""
    found = 0
    for first in agenda.workload.held_first.tolist():
        while first != NONE:
            found, first = found + 1, int(agenda.workload.held_next[first])
    return found


@inner
def holds_back(a: Agenda, job: int) -> bool:
    """Whether the job that arrives is held back, as its array has no place; if not, it takes one."""
    array = a.workload.array[job]
    return array >= 0 and _holds_back(a, job, array)


@kernel
def _holds_back(a: Agenda, job: int, array: int) -> bool:
    seldom()
    if a.workload.array_left[array] > 0 and a.workload.held_first[array] < 0:
        a.workload.array_left[array] -= 1
        return False
    last = a.workload.held_last[array]
    if last < 0:
        a.workload.held_first[array] = job
    else:
        a.workload.held_next[last] = job
    a.workload.held_last[array] = job
    return True


@inner
def give_place(a: Agenda, job: int) -> None:
    """A job has left for good: the next element of its array may come."""
    if a.workload.array[job] >= 0:
        _give_place(a, a.workload.array[job])


@kernel
def _give_place(a: Agenda, array: int) -> None:
    seldom()
    a.workload.array_left[array] += 1
    if a.workload.held_first[array] >= 0 and a.workload.array_left[array] == 1:
        a.workload.freed[a.workload.freed_count] = array
        a.workload.freed_count += 1


@inner
def next_element(a: Agenda) -> int:
    """The element that comes next, in an array that has a place for it; -1: none does."""
    if a.workload.freed_count == 0:
        return NONE
    return int(a.workload.held_first[a.workload.freed[a.workload.freed_count - 1]])


@kernel
def let_go(a: Agenda, job: int) -> None:
    """The element that comes next takes a place of its array."""
    seldom()
    array = a.workload.array[job]
    a.workload.array_left[array] -= 1
    a.workload.held_first[array] = a.workload.held_next[job]
    if a.workload.held_first[array] < 0:
        a.workload.held_last[array] = NONE
    if a.workload.held_first[array] < 0 or a.workload.array_left[array] == 0:
        a.workload.freed_count -= 1
