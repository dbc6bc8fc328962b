"""Calls on workers of Dask: a function goes to each worker once, items in a window, results as they come."""

import contextlib
import hashlib
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import count, islice
from time import monotonic
from typing import Any

from molokini.model.errors import MolokiniError
from molokini.parallel.dask_clusters import BATCH_SYSTEMS, LOCAL, check_where, connected
from molokini.parallel.dask_work import Shipped, call, edition
from molokini.parallel.executors import ORDERED_WINDOW, WINDOW, Executor, Found
from molokini.parallel.guarding import Failure, Guarded

WORKERS_WITHIN_S = 60
"""So long a cluster that is there may take to have its first worker; one of a batch system has no limit."""
_LOOKED_EVERY_S = 2.0
_MOST_LOST = 20
"""So often in a row workers may take all copies of the function with them."""


@dataclass(frozen=True)
class Dask(Executor):
    """Workers of Dask distributed."""

    where: str = LOCAL
    """``local``, an address (``tcp://HOST:PORT``), ``slurm``, ``pbs`` or ``lsf``."""
    count: int | None = None
    """Workers on this machine, or jobs of the batch system; None: one a core, or two jobs."""

    def __post_init__(self) -> None:
        check_where(self.where)

    @property
    def workers(self) -> int:
        """How many calls at a time, where that is ours to say; else 2."""
        from molokini.parallel.processes import default_workers

        return default_workers(self.count) if self.where == LOCAL else self.count or 2

    def results(
        self, function: Guarded, items: Iterator[Any], in_order: bool, where: Callable[[], str]
    ) -> Found:
        """From the workers that there are, and those that come meanwhile."""
        with connected(self.where, self.count) as client:
            try:
                client.wait_for_workers(1, None if self.where in BATCH_SYSTEMS else WORKERS_WITHIN_S)
            except TimeoutError:
                raise MolokiniError(f"--dask {self.where}: the scheduler has no workers") from None
            going = _Going(client, _shipped(function), items, ORDERED_WINDOW if in_order else WINDOW)
            with closing(going.in_order() if in_order else going.as_they_come()) as found:
                for _, result in found:
                    yield result


def _shipped(function: Guarded) -> Shipped:
    import cloudpickle

    pickled = cloudpickle.dumps(function)
    return Shipped(hashlib.sha256(pickled).hexdigest(), pickled, edition())


@dataclass
class _Going:
    """Items on their way; keys of Dask are numbers of items."""

    client: Any
    shipped: Shipped
    items: Iterator[Any]
    window: int
    """Items for each thread of the workers."""
    under_way: dict[Any, tuple[int, Any]] = field(default_factory=dict)
    held: int = 0
    """Results that wait for those before them."""
    _next_number: int = 0
    _numbers: Iterator[int] = field(default_factory=count)
    _tries: Iterator[int] = field(default_factory=count)
    _sent: Any = None
    _lost: int = 0
    _threads: int = 0
    _looked: float = -1e9

    def as_they_come(self) -> Generator[tuple[int, Any], None, None]:
        """Each result with the number of its item."""
        from distributed import as_completed

        coming = as_completed(loop=self.client.loop)
        try:
            self._fill(coming)
            while self.under_way:
                future = next(coming)
                number, item = self.under_way.pop(future)
                result, again = self._result(future)
                if again:
                    self._submit(number, item, coming)
                    continue
                # Before the result is taken, which may take long.
                self._fill(coming)
                yield number, result
        finally:
            with contextlib.suppress(Exception):
                self.client.cancel(list(self.under_way))

    def in_order(self) -> Generator[tuple[int, Any], None, None]:
        """The same in the order of the items."""
        waiting: dict[int, Any] = {}
        for number, result in self.as_they_come():
            waiting[number] = result
            self.held = len(waiting)
            while self._next_number in waiting:
                yield self._next_number, waiting.pop(self._next_number)
                self._next_number += 1

    def _fill(self, coming: Any) -> None:
        room = self.window * self._workers() - len(self.under_way) - self.held
        for item in islice(self.items, max(room, 0 if self.under_way else 1)):
            self._submit(next(self._numbers), item, coming)

    def _submit(self, number: int, item: Any, coming: Any) -> None:
        if self._sent is None:
            # Broadcast, so that a worker that dies does not take the only copy with it.
            self._sent = self.client.scatter(self.shipped, broadcast=True, hash=False)
        key = f"molokini-{self.shipped.name[:12]}-{id(self):x}-{next(self._tries)}"
        future = self.client.submit(call, self._sent, item, key=key, pure=False)
        self.under_way[future] = number, item
        coming.add(future)

    def _result(self, future: Any) -> tuple[Any, bool]:
        """What came of *future*; and whether to do it again, since all copies of the function are lost."""
        from distributed import KilledWorker

        status = future.status
        if status == "finished":
            with contextlib.suppress(Exception):
                result = future.result()
                self._lost = 0
                future.release()
                return result, False
        error = future.exception() if status == "error" else None
        if isinstance(error, KilledWorker):
            text = "a call ended each Dask worker that made it (out of memory?); it was tried several times"
            return Failure(text, 1), False
        if error is not None:
            return Failure(f"a Dask worker cannot do Molokini's work: {_line(error)}", 1), False
        self._lost, self._sent = self._lost + 1, None
        if self._lost > _MOST_LOST:
            return Failure("the Dask scheduler or all of its workers have gone", 1), False
        return None, True

    def _workers(self) -> int:
        """Threads of all workers, looked up now and then."""
        if monotonic() - self._looked > _LOOKED_EVERY_S:
            self._threads, self._looked = sum(self.client.ncores().values()), monotonic()
        return self._threads


def _line(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0]
