"""Many processes: the same results as one, in either order, and none of them stays behind."""

import os
import signal
import subprocess
import sys

import pytest

from molokini.model.errors import BadInput, BadValue, MolokiniError
from molokini.parallel.executors import outcomes
from molokini.parallel.processes import default_workers
from tests.clients.command_runs import environment
from tests.kit.waiting import alive, born, children_of, waited

PARENT = """
import os, time
from molokini.parallel.executors import outcomes

def forever(item):
    # In one piece: of print the other's number may come between this one and the end of its line.
    os.write(1, f"{os.getpid()}\\n".encode())
    time.sleep(600)

list(outcomes(forever, [1, 2], 2))
"""


def square(number: int) -> int:
    return number * number


def fussy(number: int) -> int:
    if number == 3:
        raise BadValue("number", number, "anything else")
    if number == 4:
        raise LookupError("four")
    if number == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


@pytest.mark.quick(one_in=3)
@pytest.mark.parametrize("workers", [1, 2, 5])
def test_in_order_or_as_they_come(workers: int) -> None:
    numbers = list(range(20))
    squares = [square(number) for number in numbers]
    assert list(outcomes(square, numbers, workers)) == squares
    assert sorted(outcomes(square, numbers, workers, in_order=False)) == squares


def test_nothing_to_do() -> None:
    assert list(outcomes(square, [], 4)) == []


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    ("number", "kind", "text"),
    [
        (3, BadInput, "number: 3 is not allowed; it must be anything else"),
        (4, MolokiniError, "internal error: LookupError: four; please report"),
    ],
)
def test_a_failure_arrives_as_it_was(workers: int, number: int, kind: type, text: str) -> None:
    with pytest.raises(MolokiniError) as caught:
        list(outcomes(fussy, [1, 2, number], workers))
    assert (type(caught.value), str(caught.value)) == (kind, text)


def test_a_killed_process_is_told() -> None:
    with pytest.raises(MolokiniError, match="was killed"):
        list(outcomes(fussy, [1, 5, 2], 2))


def test_who_takes_no_more_leaves_no_process() -> None:
    # What other tests have started may be a child of this process, too.
    before = set(children_of(os.getpid()))
    found = outcomes(square, range(1000), 2, in_order=False)
    next(found)
    assert set(children_of(os.getpid())) - before
    found.close()
    waited(lambda: not set(children_of(os.getpid())) - before)


def test_no_process_outlives_a_killed_parent() -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT], env=environment(), stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    with parent, parent.stdout:
        try:
            workers = [int(parent.stdout.readline()) for _ in range(2)]
            known = {worker: born(worker) for worker in workers}
        finally:
            parent.kill()
    waited(lambda: not any(alive(worker, at) for worker, at in known.items()))


def test_as_many_as_cores_unless_told() -> None:
    assert default_workers(None) == len(os.sched_getaffinity(0))
    assert default_workers(3) == 3
    with pytest.raises(BadValue, match="--workers"):
        default_workers(0)
