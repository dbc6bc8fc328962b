"""What has happened, written as accounting once it is durable: in order, none lost or doubled by a crash.

The journal is the source: facts behind the mark are taken from the memory, or read where that does not reach
back so far, and jobs from the history. So a disk that is full for an hour costs nothing but that hour.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from datetime import tzinfo
from itertools import islice
from typing import NamedTuple

from molokini.accounting import lsf, pbs, sacct
from molokini.accounting.record import Record
from molokini.model import facts as h
from molokini.model.codec import decode
from molokini.model.facts import NO_INDEX, Fact
from molokini.server.accounting.books import Books
from molokini.server.accounting.records import run_of, whole_job
from molokini.server.journal.port import Journal, JournalError
from molokini.server.persistence.history import History
from molokini.server.state.jobs import Element, Job
from molokini.server.state.state import State

FACTS = 500
"""So many facts are written together at most."""
SLICE_BYTES = 1 << 18
"""Lines are put into a file when there are so many."""
AGAIN_S = 5.0
"""Real time after which a file that could not be written is tried again."""

log = logging.getLogger("molokini.server")


class Kind(NamedTuple):
    """A format as it grows."""

    name: str
    prefix: str
    """What stands before the day in the name of a file."""
    head: str = ""


KINDS = {
    "pbs": Kind("pbs", ""),
    "lsf": Kind("lsf", "lsb.acct."),
    "sacct": Kind("sacct", "sacct.", sacct.header() + "\n"),
}
"""The formats that can grow; a log of SWF is sorted by submission, which ends do not follow."""


class AccountingWriter:
    """Writes accounting of what happens in *state* into *books*."""

    def __init__(
        self,
        journal: Journal,
        state: State,
        history: History,
        books: Books,
        form: str,
        server: str,
        zone: tzinfo | None = None,
    ) -> None:
        self._journal, self._state, self._history, self._books = journal, state, history, books
        self._kind, self._server, self._zone = KINDS[form], server, zone
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._stopping = False

    def start(self) -> None:
        """Begin; what has happened since the mark comes first. Raises BadFile where it cannot be."""
        self._books.begin(self._journal.last_serial)
        self._news.set()
        self._task = asyncio.create_task(self._run(), name="accounting")

    def at_rest(self) -> None:
        """Between two turns: there may be something to write."""
        self._news.set()

    async def stop(self, bound_s: float) -> None:
        """No turn comes any more: write what there is, if there is time; the next start does the rest."""
        self._stopping = True
        self._news.set()
        if self._task is not None:
            await asyncio.wait([self._task], timeout=bound_s)
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._books.close()

    async def _run(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            try:
                while self._books.mark.serial < self._state.serial:
                    await self._write_some()
            except (OSError, JournalError) as error:
                log.error("accounting waits, and loses nothing: %s", error)
                if self._stopping or not await self._again():
                    return
            except Exception:
                # A mistake of ours must not come back at each turn.
                log.exception("accounting stops until the next start, which goes on from here")
                return
            if self._stopping:
                return

    async def _again(self) -> bool:
        """After a while, cut back to the mark and try again; whether that can be done."""
        while not self._stopping:
            await asyncio.sleep(AGAIN_S)
            try:
                await asyncio.to_thread(self._books.back)
            except OSError as error:
                log.error("accounting waits, and loses nothing: %s", error)
            else:
                self._news.set()
                return True
        return False

    async def _write_some(self) -> None:
        """Write the next facts, and make that durable."""
        done = before = self._books.mark.serial
        name, lines, size = "", list[str](), 0
        async with aclosing(self._facts(done)) as facts:
            async for serial, time_s, fact in facts:
                today = self._kind.prefix + pbs.day_of(time_s, self._zone)
                if today != name:
                    await self._put(name, lines, before)
                    name, lines, size, before = today, [], 0, done
                async for line in self._lines(fact, time_s):
                    lines.append(f"{line}\n")
                    size += len(line)
                    if size > SLICE_BYTES:
                        await self._put(name, lines, before)
                        lines, size, before = [], 0, done
                done = serial
        await self._put(name, lines, before)
        await asyncio.to_thread(self._books.keep, done)

    async def _put(self, name: str, lines: list[str], before: int) -> None:
        """Add *lines*, which are of facts behind *before*, to the file *name*."""
        if lines:
            await asyncio.to_thread(self._books.add, name, "".join(lines), self._kind.head, before)

    async def _facts(self, after: int) -> AsyncGenerator[tuple[int, float, Fact]]:
        """The next facts behind entry *after*, from the memory if it reaches back so far."""
        events, last = self._state.events, self._state.serial
        first = after + 1 - events[0][0] if events else -1
        if first >= 0:
            for event in list(islice(events, first, first + FACTS)):
                yield event
            return
        count = 0
        async for entry in self._journal.read(after):
            # What was appended just now may not have been applied.
            if entry.serial > last or count == FACTS:
                return
            count += 1
            yield entry.serial, entry.time_s, decode(entry)

    async def _lines(self, fact: Fact, time_s: float) -> AsyncIterator[str]:
        """The lines of *fact*; there are none of most."""
        if isinstance(fact, h.JobEnded):
            record = await self._ended(fact, time_s)
            if record is not None:
                yield self._end_line(record, fact, time_s)
            return
        if self._kind.name != "pbs":
            return
        if isinstance(fact, h.JobsSubmitted):
            for number in range(fact.first_id, fact.first_id + len(fact.specs)):
                job = await self._history.job(number)
                if job is not None:
                    yield pbs.queued(whole_job(job, time_s), self._server, self._zone).text
        elif isinstance(fact, h.JobStarted):
            record = await self._attempt(fact, time_s)
            if record is not None:
                yield pbs.started(record, self._server, self._zone).text
        elif isinstance(fact, h.JobRequeued):
            record = await self._attempt(fact, time_s)
            if record is not None:
                yield pbs.rerun(record, self._server, self._zone, time_s).text

    def _end_line(self, record: Record, fact: h.JobEnded, time_s: float) -> str:
        if self._kind.name == "lsf":
            return lsf.line_of(record, self._server)
        if self._kind.name == "sacct":
            return sacct.line_of(record, self._zone)
        return pbs.ended(record, self._server, self._zone, time_s, str(fact.by)).text

    async def _ended(self, fact: h.JobEnded, time_s: float) -> Record | None:
        job = await self._history.job(fact.job)
        if job is None:
            return None
        if job.array is not None and fact.index == NO_INDEX:
            # All that had not started, together, as these systems have it.
            return whole_job(job, fact.at_s)
        element = await self._element(job, fact.index)
        if element is None:
            return None
        return run_of(element, self._state.machine, time_s, element.start_s)

    async def _element(self, job: Job, index: int) -> Element | None:
        """A run of *job*: its only one, or that of its element *index*."""
        return job.element if job.array is None else await self._history.element(job, index)

    async def _attempt(self, fact: h.JobStarted | h.JobRequeued, time_s: float) -> Record | None:
        """An attempt that began (or ended) at *time_s*; its nodes, where there has been none since."""
        job = await self._history.job(fact.job)
        element = None if job is None else await self._element(job, fact.index)
        if job is None or element is None:
            return None
        record = run_of(element, self._state.machine, time_s, time_s)
        if isinstance(fact, h.JobStarted):
            # The element may have another attempt by now, or wait for one.
            limit_s, queue = fact.limit_s or job.estimate_s, fact.queue or ",".join(job.queues)
            record = replace(record, estimate_s=limit_s, queue=queue)
        if element.attempt == fact.attempt:
            return record
        return replace(record, nodes=(), allocated=0, attempt=fact.attempt)
