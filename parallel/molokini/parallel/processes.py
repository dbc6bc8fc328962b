"""One function called for many items, on several forked processes.

Forked processes share with this one whatever it has read and compiled, and load nothing. None of them
outlives this one, however it ends.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from multiprocessing.process import BaseProcess
from time import sleep
from typing import Any

from molokini.model.errors import BadValue, MolokiniError
from molokini.parallel.executors import ORDERED_WINDOW, WINDOW, Executor, Found
from molokini.parallel.guarding import Failure, Guarded
from molokini.parallel.leaving import last_words, leave_to, say

_WHERE = b"?"
"""Asks one of the processes where it is."""
_ANSWERED_WITHIN_S = 0.5
_CLOSED_WITHIN_S, _LEFT_WITHIN_S = 1.0, 0.5
"""So long a pool that is broken, or left on a word from outside, has to close its pipes."""
_MOST_DEATHS = 3
"""So often in a row, without a result between, a process may be killed: the item itself kills it then."""


def default_workers(given: int | None) -> int:
    """How many processes: as *given*, else one for each core that we may use."""
    if given is not None and given < 1:
        raise BadValue("--workers", given, "a whole number of 1 or more")
    return given or len(os.sched_getaffinity(0))


@dataclass(frozen=True)
class Processes(Executor):
    """Forked processes of this machine."""

    count: int | None = None
    """How many; None: one for each core that we may use."""

    @property
    def workers(self) -> int:
        """How many processes."""
        return default_workers(self.count)

    def results(
        self, function: Guarded, items: Iterator[Any], in_order: bool, where: Callable[[], str]
    ) -> Found:
        """From processes that are forked now; what one of them was doing when it was killed is done again."""
        yield from _elsewhere(function, where, items, self.workers, in_order)


class _Going:
    """Items on their way, and the results that may be taken."""

    def __init__(self, items: Iterator[Any], window: int, in_order: bool) -> None:
        self._items, self._window, self._in_order = items, window, in_order
        self._under_way: dict[Future[Any], Any] = {}

    def taken(self, pool: ProcessPoolExecutor) -> Iterator[Any]:
        """The result of each item, of which none is kept here once it has been taken."""
        self._fill(pool)
        while self._under_way:
            for future in self._next():
                result = future.result()
                del self._under_way[future]
                self._fill(pool)
                yield result

    def again(self) -> None:
        """What was under way stands before all other items."""
        self._items = chain(list(self._under_way.values()), self._items)
        self._under_way = {}

    def _fill(self, pool: ProcessPoolExecutor) -> None:
        for item in islice(self._items, self._window - len(self._under_way)):
            try:
                self._under_way[pool.submit(_call, item)] = item
            except BrokenProcessPool:
                self._items = chain([item], self._items)
                raise

    def _next(self) -> list[Future[Any]]:
        if self._in_order:
            return [next(iter(self._under_way))]
        done = wait(self._under_way, return_when=FIRST_COMPLETED).done
        # A result that is there goes before the news that the pool is broken.
        return sorted(done, key=lambda future: future.exception() is not None)


def _elsewhere(
    guarded: Guarded, where: Callable[[], str], items: Iterator[Any], workers: int, in_order: bool
) -> Found:
    going = _Going(items, workers * (ORDERED_WINDOW if in_order else WINDOW), in_order)
    deaths = 0
    while True:
        try:
            for result in _from_pool(guarded, where, going, workers):
                deaths = 0
                yield result
            return
        except BrokenProcessPool:
            deaths += 1
            if deaths == _MOST_DEATHS:
                raise MolokiniError(
                    "a process of the sweep was killed (out of memory?); try fewer --workers"
                ) from None
            going.again()


def _from_pool(guarded: Guarded, where: Callable[[], str], going: _Going, count: int) -> Found:
    """Results of one pool of processes. Raises BrokenProcessPool where one of them is killed."""
    others = set(multiprocessing.active_children())
    context = multiprocessing.get_context("fork")
    with _pipe() as tether, _pipe() as (answers, answer):
        pool = ProcessPoolExecutor(count, context, _begin, (guarded, where, *tether, answer))
        try:
            yield from going.taken(pool)
        except BrokenProcessPool:
            _end(set(multiprocessing.active_children()) - others)
            _closing(pool).join(_CLOSED_WITHIN_S)
            for code, text in last_words(answers, 1, 0.0):
                raise Failure(text, code).error() from None
            raise
        except BaseException as leaving:
            if isinstance(leaving, KeyboardInterrupt | SystemExit):
                _ask(tether[1], answers, count)
            # A worker that is ended in the middle of a result leaves the pool waiting for the rest of it, so
            # the pool is not waited for long; this process is about to end.
            closing_it = _closing(pool)
            _end(set(multiprocessing.active_children()) - others)
            closing_it.join(_LEFT_WITHIN_S)
            raise
        pool.shutdown(wait=True)


def _end(processes: Collection[BaseProcess]) -> None:
    """Kill *processes*, and take their ends: the pool's own thread may be one that waits without end."""
    for process in processes:
        process.kill()
    for process in processes:
        process.join()


def _closing(pool: ProcessPoolExecutor) -> threading.Thread:
    """A thread that ends when that of *pool* has closed its pipes; never where it waits for a result's rest.

    At its end Python wakes that thread through one of them, and prints a traceback if it is closed just then.
    """
    closing_it = threading.Thread(target=pool.shutdown, kwargs={"cancel_futures": True}, daemon=True)
    closing_it.start()
    return closing_it


def _ask(tether: int, answers: int, processes: int) -> None:
    """Let the other processes say where they are; the first answer in words is ours, too."""
    os.write(tether, _WHERE * processes)
    told = [text for _, text in last_words(answers, processes, _ANSWERED_WITHIN_S) if text]
    for text in told[:1]:
        say(text, 1)


@contextmanager
def _pipe() -> Iterator[tuple[int, int]]:
    """Its end to read from, which is at an end when this process is, and the one to write to."""
    ends = os.pipe()
    try:
        yield ends
    finally:
        for end in ends:
            os.close(end)


_function: Callable[[Any], Any] | None = None


def _begin(guarded: Guarded, where: Callable[[], str], reader: int, writer: int, answer: int) -> None:
    global _function
    leave_to(answer)
    # Ctrl-C goes to the whole group; the parent alone answers it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Whatever this process does with the signal that ends it, its workers end.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.close(writer)
    threading.Thread(target=_end_with, args=(reader, where), daemon=True).start()
    _function = guarded


def _end_with(reader: int, where: Callable[[], str]) -> None:
    """Wait for the end of the parent, which may have been killed, and end with it; or say where we are."""
    if os.read(reader, 1) == _WHERE:
        say(where(), 1)
        # The parent kills us all at once: where one has ended, the pool ends the others before they answer.
        sleep(2 * _ANSWERED_WITHIN_S)
    os._exit(1)


def _call(item: Any) -> Any:
    assert _function is not None
    return _function(item)
