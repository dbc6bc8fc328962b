"""Finished jobs: the last of them in the memory, all others in a table beside the journal."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from itertools import islice
from typing import TypeVar

from molokini.server.crash import crash_point
from molokini.server.journal.port import (
    Busy,
    Finished,
    Journal,
    JournalError,
    Runs,
    StateDamaged,
    StateFull,
    Which,
)
from molokini.server.persistence.rebuilding import records_anew
from molokini.server.state.jobs import Element, Job
from molokini.server.state.past import PastJob, elements_of, job_of, records_of
from molokini.server.turn.reactor import Reactor
from molokini.server.turn.retiring import Retire

SLACK = 1.1
"""So many times more, and older ones, than wanted may be in the memory, so that they leave it together."""
BATCH, MOST = 250, 5000
"""So many leave together beside those that have come, and at most: a turn of some milliseconds."""
PAUSE_S = 0.5
"""Between two batches, so that a server with many to let go has its time for others."""
SLICE_BYTES, LINE_BYTES = 1 << 16, 100
"""What is made and kept before others get a word in: a few milliseconds."""
PAGE = 250
AGAIN_S = 5.0
"""Real time after which a table that could not be written is tried again."""

ANEW_AGAIN_S = 600.0
"""Real time before a table that was rebuilt, and is damaged again, is rebuilt once more."""

T = TypeVar("T")
log = logging.getLogger("molokini.server")


class History:
    """Lets finished jobs go, their records kept first, and finds them again."""

    def __init__(self, journal: Journal, reactor: Reactor, most: int, age_s: float) -> None:
        self._journal, self._reactor, self._state = journal, reactor, reactor.state
        self._most, self._age_s = most, age_s
        self._task: asyncio.Task[None] | None = None
        self._ended_before = self._state.ended
        self._not_before_s = 0.0
        self._anew: asyncio.Task[None] | None = None
        self._anew_not_before_s = 0.0
        self._writes = asyncio.Lock()
        """Held from the write of records to the fact that reports them, and while all are rebuilt."""

    # Letting go.

    def at_rest(self) -> None:
        """Between two turns: let jobs go if many, or old ones, are here."""
        if self._task is not None and not self._task.done():
            return
        finished = self._state.finished
        if not finished:
            return
        oldest_s = next(iter(finished.values()))
        too_many = len(finished) > SLACK * self._most
        if not too_many and self._state.now - oldest_s <= SLACK * self._age_s:
            return
        if asyncio.get_running_loop().time() >= self._not_before_s:
            self._task = asyncio.create_task(self._let_go(), name="history")

    def _due(self) -> list[int]:
        finished, limit_s = self._state.finished, self._state.now - self._age_s
        over = max(0, len(finished) - self._most)
        first = islice(finished.items(), min(MOST, BATCH + self._state.ended - self._ended_before))
        return [number for k, (number, at_s) in enumerate(first) if k < over or at_s < limit_s]

    async def _let_go(self) -> None:
        try:
            while due := self._due():
                self._ended_before = self._state.ended
                async with self._writes:
                    versions = {number: self._state.jobs[number].version for number in due}
                    await self._keep(due)
                    crash_point("before-retiring")
                    await self._reactor.post(Retire(due, versions))
                if self._due():
                    await asyncio.sleep(PAUSE_S)
        except (StateFull, Busy) as error:
            self._not_before_s = asyncio.get_running_loop().time() + AGAIN_S
            log.warning("cannot store finished jobs yet, so they stay in memory: %s", error)
        except JournalError as error:
            # The reactor gets the same error of the journal by itself.
            self._not_before_s = float("inf")
            log.error("cannot store finished jobs, so they stay in memory: %s", error)
        except Exception:
            # A mistake of ours must not come back at each turn.
            self._not_before_s = float("inf")
            log.exception("finished jobs stay in memory until the next start of the server")

    async def _keep(self, numbers: Sequence[int]) -> None:
        """Keep the records of these jobs: they stay true as long as none is opened again."""
        batch = _Batch(self._journal)
        for number in numbers:
            for record in records_of(self._state.jobs[number], self._state.machine):
                await batch.add(record)
        await batch.write()

    async def stop(self, bound_s: float) -> None:
        """No turn comes any more: what is being let go stays until the next start."""
        under_way = [task for task in (self._task, self._anew) if task is not None and not task.done()]
        for task in under_way:
            task.cancel()
        if under_way:
            await asyncio.wait(under_way, timeout=bound_s)

    # Finding again.

    async def job(self, number: int) -> Job | None:
        """Job *number*, from the memory or the table."""
        return next(iter(await self.some([number])), None)

    async def some(self, numbers: Iterable[int]) -> list[Job]:
        """Those of *numbers* that are there, in order."""
        found: dict[int, Job] = {}
        missing = []
        for number in sorted(set(numbers)):
            here = self._state.jobs.get(number)
            if here is not None:
                found[number] = here
            elif self._state.past.get(number) is not None:
                missing.append(number)
        for first in range(0, len(missing), PAGE):
            which = Which(numbers=tuple(missing[first : first + PAGE]))
            async for record in self._records(which, 0):
                found[record.number] = job_of(record, self._state.machine)
        return [found[number] for number in sorted(found)]

    async def all(
        self, after: int, users: Sequence[str], queues: Sequence[str], name: str
    ) -> AsyncIterator[Job]:
        """All jobs from id *after* on, in order; those that have left the memory by these filters."""
        # Taken at once: what leaves the memory from now on is among these, or was in the table before.
        here = [number for number in self._state.jobs if number >= after]
        which, at = Which((), tuple(users), tuple(queues), name), 0
        async for record in self._records(which, after - 1):
            while at < len(here) and here[at] < record.number:
                async for job in self._still(here[at], at):
                    yield job
                at += 1
            if at == len(here) or here[at] != record.number:
                yield job_of(record, self._state.machine)
        for place in range(at, len(here)):
            async for job in self._still(here[place], place):
                yield job

    async def _still(self, number: int, place: int) -> AsyncIterator[Job]:
        """Job *number*, in the memory a while ago, as it is now; others get a word in now and then."""
        if place % PAGE == PAGE - 1:
            await asyncio.sleep(0)
        job = self._state.jobs.get(number) or await self.job(number)
        if job is not None:
            yield job

    async def _records(self, which: Which, after: int) -> AsyncIterator[Finished]:
        while records := await self._sound(lambda after=after: self._page(which, after)):  # type: ignore[misc]
            for record in records:
                yield record
            after = records[-1].number
            await asyncio.sleep(0)

    async def _page(self, which: Which, after: int) -> list[Finished]:
        """Some records above number *after*; StateDamaged where one is not there that must be."""
        expected = self._expected(which, after)
        if expected == []:
            return []
        records = await self._journal.finished(which, after, PAGE)
        last = records[-1].number if records else float("inf")
        missing = {number for number in expected or () if number <= last}
        missing.difference_update(record.number for record in records)
        if missing:
            raise StateDamaged(f"the record of finished job {min(missing)} is missing")
        return records

    def _expected(self, which: Which, after: int) -> list[int] | None:
        """The first jobs whose records must be found; None where only the records can say."""
        if which.numbers:
            return [number for number in which.numbers if number > after]
        if (which.queues or which.name) and self._state.past.count:
            return None
        return self._state.past.numbers(after, which.users, PAGE)

    async def element(self, job: Job, index: int) -> Element | None:
        """The element *index* of array *job*; None where there is no such.

        One that was no row so far is made for the answer alone, as it stands at this moment.
        """
        if job.array is None or not isinstance(job, PastJob):
            return job.element_of(index) or job.unheard(index)
        async for element in self.elements(job, index):
            if element.index == index:
                return element
            break
        return job.unheard(index)

    async def elements(self, job: Job, index: int) -> AsyncIterator[Element]:
        """The elements of array *job* from *index* on that are or were rows, in order."""
        if not isinstance(job, PastJob):
            for element in sorted(job.known_elements(), key=lambda element: element.index):
                if element.index >= index:
                    yield element
            return
        while index <= job.last:
            part = await self._sound(lambda index=index: self._part(job, index))  # type: ignore[misc]
            for element in part:
                if element.index >= index:
                    yield element
            index = part[-1].index + 1
            await asyncio.sleep(0)

    async def _part(self, job: PastJob, index: int) -> list[Element]:
        """The part of the elements of *job* with *index*, or the next; StateDamaged where it is not there."""
        runs = await self._journal.runs(job.id, index)
        if runs is not None:
            before, elements = elements_of(job, runs, self._state.machine)
            if before < index:
                return elements
        raise StateDamaged(f"the records of elements of finished job {job.id} are missing")

    # Damaged records.

    async def _sound(self, read: Callable[[], Awaitable[T]]) -> T:
        """What *read* returns; records that it finds damaged are rebuilt first."""
        try:
            return await read()
        except StateDamaged as error:
            if self._anew is None or self._anew.done():
                now_s = asyncio.get_running_loop().time()
                if now_s < self._anew_not_before_s:
                    raise
                self._anew_not_before_s = now_s + ANEW_AGAIN_S
                log.warning("%s; rebuilding all records of finished jobs from the journal", error)
                self._anew = asyncio.create_task(self._make_anew(), name="rebuild history")
            await asyncio.shield(self._anew)
            return await read()

    async def _make_anew(self) -> None:
        async with self._writes:
            await self._journal.clear_finished()
            batch = _Batch(self._journal)
            async for record in records_anew(self._journal):
                await batch.add(record)
            await batch.write()
        log.info("the records of finished jobs are rebuilt")


class _Batch:
    """Records that are written together, so many that it takes no time."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._records: list[Finished | Runs] = []
        self._bytes = 0

    async def add(self, record: Finished | Runs) -> None:
        self._records.append(record)
        self._bytes += len(record.body) + LINE_BYTES
        if self._bytes > SLICE_BYTES:
            await self.write()

    async def write(self) -> None:
        jobs = [one for one in self._records if isinstance(one, Finished)]
        runs = [one for one in self._records if isinstance(one, Runs)]
        self._records, self._bytes = [], 0
        await self._journal.keep_finished(jobs, runs)
        await asyncio.sleep(0)
