"""Finished jobs: the last of them in the memory, all others in a table beside the journal."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable, Sequence
from itertools import islice

from molokini.server.crash import crash_point
from molokini.server.journal.port import Busy, Journal, JournalError, StateFull, Which
from molokini.server.state.jobs import Job
from molokini.server.state.past import job_of, record_of
from molokini.server.turn.reactor import Reactor
from molokini.server.turn.retiring import Retire

SLACK = 1.1
"""So many times more, and older ones, than wanted may be in the memory, so that they leave it together."""
BATCH = 5000
"""So many leave together at most."""
SLICE = 250
"""Records that are made and kept before others get a word in: some milliseconds."""
PAGE = 500
AGAIN_S = 5.0
"""Real time after which a table that could not be written is tried again."""

log = logging.getLogger("molokini.server")


class History:
    """Lets finished jobs go, their records kept first, and finds them again."""

    def __init__(self, journal: Journal, reactor: Reactor, most: int, age_s: float) -> None:
        self._journal, self._reactor, self._state = journal, reactor, reactor.state
        self._most, self._age_s = most, age_s
        self._task: asyncio.Task[None] | None = None
        self._not_before_s = 0.0

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
        first = islice(finished.items(), BATCH)
        return [number for k, (number, at_s) in enumerate(first) if k < over or at_s < limit_s]

    async def _let_go(self) -> None:
        try:
            while due := self._due():
                for first in range(0, len(due), SLICE):
                    await self._keep(due[first : first + SLICE])
                crash_point("before-retiring")
                await self._reactor.post(Retire(due))
        except (StateFull, Busy) as error:
            self._not_before_s = asyncio.get_running_loop().time() + AGAIN_S
            log.warning("finished jobs stay in the memory for now: %s", error)
        except JournalError as error:
            # The reactor hears for itself that the journal cannot go on.
            self._not_before_s = float("inf")
            log.error("finished jobs stay in the memory: %s", error)

    async def _keep(self, numbers: Sequence[int]) -> None:
        # What is over changes no more, so its record stays true until the fact is there, and after.
        jobs = [self._state.jobs[number] for number in numbers]
        await self._journal.keep_finished([record_of(job, self._state.machine) for job in jobs])
        await asyncio.sleep(0)

    async def stop(self, bound_s: float) -> None:
        """No turn comes any more: what is being let go stays until the next start."""
        if self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.wait([self._task], timeout=bound_s)

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
            for record in await self._journal.finished(which, 0, PAGE):
                found[record.number] = job_of(record, self._state.machine)
        return [found[number] for number in sorted(found)]

    async def all(
        self, after: int, users: Sequence[str], queues: Sequence[str], name: str
    ) -> AsyncIterator[Job]:
        """All jobs from id *after* on, in order; those that have left the memory by these filters."""
        # Taken at once: what leaves the memory from now on is among these, or was in the table before.
        here = [job for job in self._state.jobs.values() if job.id >= after]
        which, place, at = Which((), tuple(users), tuple(queues), name), after - 1, 0
        while records := await self._journal.finished(which, place, PAGE) if self._state.past.count else []:
            place = records[-1].number
            for record in records:
                while at < len(here) and here[at].id < record.number:
                    yield here[at]
                    at += 1
                if at == len(here) or here[at].id != record.number:
                    yield job_of(record, self._state.machine)
        for job in here[at:]:
            yield job
