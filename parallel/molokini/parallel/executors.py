"""Where many calls of one function are made: here, on processes of this machine, on workers of Dask.

``compare``, ``sweep``, ``study`` and ``capacity`` make all their calls through ``outcomes``, and an executor
decides where. Nothing that comes of a call may depend on it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Sized
from contextlib import closing
from typing import Any, TypeVar

from molokini.parallel.guarding import Described, Failure, Guarded, plainly

Item = TypeVar("Item")
Result = TypeVar("Result")
Found = Generator[Any, None, None]

ORDERED_WINDOW, WINDOW = 32, 3
"""Items under way for each worker. In order, a slow one holds up those behind it, which wait here."""


class Executor(ABC):
    """A place for calls. Items are taken from their iterator as there is room, never all at once."""

    @property
    @abstractmethod
    def workers(self) -> int:
        """How many calls are made at a time, as far as that is known."""

    @abstractmethod
    def results(
        self, function: Guarded, items: Iterator[Any], in_order: bool, where: Callable[[], str]
    ) -> Found:
        """What *function* makes of *items*, in their order or as it comes; closing it ends what runs.

        *where* says, in another process, what is going on there.
        """


class InProcess(Executor):
    """All calls in this process, one after the other."""

    workers = 1

    def results(
        self, function: Guarded, items: Iterator[Any], in_order: bool, where: Callable[[], str]
    ) -> Found:
        """One call after the other."""
        yield from map(function, items)


def outcomes(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    executor: "Executor | int",
    *,
    in_order: bool = True,
    describe: Described = plainly,
    where: Callable[[], str] = str,
) -> Generator[Result, None, None]:
    """What *function* makes of each of *items*: in their order, or each as soon as it is there.

    *executor*: where the calls are made; a number is that of processes of this machine. With one process, or
    one item, all happens here. What *function* raises is raised here with the text and exit code that
    *describe* finds for it (BadInput for 2, else MolokiniError); the other calls are ended then, as they are
    when the caller takes no more. Where this process is interrupted, it says on standard error what *where*
    finds in the first of the others that has something to say.
    """
    chosen = _chosen(executor, items)
    # Closed here and now: later, when it is collected, it would end what others have started since.
    with closing(chosen.results(Guarded(function, describe), iter(items), in_order, where)) as found:
        for result in found:
            if isinstance(result, Failure):
                raise result.error()
            yield result


def _chosen(executor: Executor | int, items: Iterable[Any]) -> Executor:
    from molokini.parallel.processes import Processes

    count = len(items) if isinstance(items, Sized) else None
    if isinstance(executor, int):
        executor = Processes(executor)
    if not isinstance(executor, Processes):
        return executor
    workers = executor.workers if count is None else min(executor.workers, count)
    return InProcess() if workers < 2 else Processes(workers)
