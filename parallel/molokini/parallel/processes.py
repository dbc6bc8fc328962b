"""One function called for many items, on several forked processes.

Forked processes share with this one whatever it has read and compiled, and load nothing. None of them
outlives this one, however it ends.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from time import sleep
from typing import Any, TypeAlias, TypeVar

from molokini.model.errors import BadInput, BadValue, MolokiniError
from molokini.parallel.leaving import last_words, leave_to, say

_WHERE = b"?"
"""Asks one of the processes where it is."""
_ANSWERED_WITHIN_S = 0.5
_CLOSED_WITHIN_S, _LEFT_WITHIN_S = 1.0, 0.5
"""So long a pool that is broken, or left on a word from outside, has to close its pipes."""

Item = TypeVar("Item")
Result = TypeVar("Result")


def default_workers(given: int | None) -> int:
    """How many processes: as *given*, else one for each core that we may use."""
    if given is not None and given < 1:
        raise BadValue("--workers", given, "a whole number of 1 or more")
    return given or len(os.sched_getaffinity(0))


def plainly(error: BaseException) -> tuple[str, int]:
    """One line about *error*, and its exit code."""
    if isinstance(error, MolokiniError):
        return str(error), error.exit_code
    return f"internal error: {type(error).__name__}: {error}; please report", 1


def outcomes(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    workers: int,
    *,
    in_order: bool = True,
    describe: Callable[[BaseException], tuple[str, int]] = plainly,
    where: Callable[[], str] = str,
) -> Generator[Result, None, None]:
    """What *function* makes of each of *items*: in their order, or each as soon as it is there.

    With one worker, or one item, all happens here. What *function* raises is raised here with the text and
    exit code that *describe* finds for it (BadInput for 2, else MolokiniError); the other processes are
    ended then, as they are when the caller takes no more. Where this process is interrupted, it says on
    standard error what *where* finds in the first of the others that has something to say.
    """
    guarded = _Guarded(function, describe)
    here = min(workers, len(items)) < 2
    # Closed here and now: later, when it is collected, it would end what others have started since.
    with closing(
        _here(guarded, items) if here else _elsewhere(guarded, where, items, workers, in_order)
    ) as found:
        for result in found:
            if isinstance(result, _Failure):
                raise (BadInput if result.exit_code == BadInput.exit_code else MolokiniError)(result.text)
            yield result


@dataclass(frozen=True)
class _Failure:
    text: str
    exit_code: int


@dataclass(frozen=True)
class _Guarded:
    """A function that returns failures: not every exception survives the way between processes."""

    function: Callable[[Any], Any]
    describe: Callable[[BaseException], tuple[str, int]]

    def __call__(self, item: Any) -> Any:
        try:
            return self.function(item)
        except Exception as error:
            return _Failure(*self.describe(error))


_Found: TypeAlias = Generator[Any, None, None]


def _here(guarded: _Guarded, items: Sequence[Any]) -> _Found:
    yield from map(guarded, items)


def _elsewhere(
    guarded: _Guarded, where: Callable[[], str], items: Sequence[Any], workers: int, in_order: bool
) -> _Found:
    others = set(multiprocessing.active_children())
    context, count = multiprocessing.get_context("fork"), min(workers, len(items))
    with _pipe() as tether, _pipe() as (answers, answer):
        pool = ProcessPoolExecutor(count, context, _begin, (guarded, where, *tether, answer))
        try:
            futures: list[Future[Any]] = [pool.submit(_call, item) for item in items]
            yield from _taken(futures, in_order)
        except BrokenProcessPool:
            _end(set(multiprocessing.active_children()) - others)
            _closing(pool).join(_CLOSED_WITHIN_S)
            for code, text in last_words(answers, 1, 0.0):
                raise (BadInput if code == BadInput.exit_code else MolokiniError)(text) from None
            raise MolokiniError(
                "a process of the sweep was killed (out of memory?); try fewer --workers"
            ) from None
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


def _taken(futures: list[Future[Any]], in_order: bool) -> Iterator[Any]:
    """The result of each future, of which none is kept here once it has been taken."""
    if in_order:
        futures.reverse()
        while futures:
            yield futures.pop().result()
    else:
        waiting = as_completed(tuple(futures))
        futures.clear()
        for future in waiting:
            yield future.result()


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


def _begin(guarded: _Guarded, where: Callable[[], str], reader: int, writer: int, answer: int) -> None:
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
