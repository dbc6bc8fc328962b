"""What happens, as server-sent events: written once, read by any number of browsers.

One task follows the state and writes each fact down; a reader has its own place in that ring and takes what
its connection takes. A reader that is further behind than the ring reaches is told so, and goes on with what
comes next: it holds nothing that grows.
"""

import asyncio
from bisect import bisect_right
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from molokini.model import facts as h
from molokini.model.facts import Fact
from molokini.server.cooperative import Yielder
from molokini.server.server import Server
from molokini.server.state.state import State
from molokini.server.web.answers import written
from molokini.server.web.documents import to_document

KEPT = 20_000
"""Events that a reader may be behind."""
MOST_AT_ONCE = 2_000
"""Events of one message."""
MOST_BRIEF = 5_000
"""Events that one brief message tells."""
EVERY_S = 0.2
"""Events of so long go out together."""
A_READER_S = 0.002
"""And for each reader so much longer: a thousand of them must not keep the server busy."""
QUIET_S = 15.0
"""After so long without an event a reader gets a comment, so that nothing between closes the connection."""
RETRY_MS = 2_000

_ABOUT: dict[type[Fact], str] = {
    **dict.fromkeys((h.NodesAdded, h.NodeDrained, h.NodeLost, h.NodeReturned), "nodes"),
    **dict.fromkeys((h.QueueSet, h.QueueRemoved), "queues"),
    **dict.fromkeys((h.ReservationMade, h.ReservationReleased, h.ReservationsRolled), "reservations"),
    h.PolicySet: "policy",
    h.RowsSet: "matrix",
}
"""Facts that are about no job: what a reader has to look at again."""

Events = Callable[[Fact, int, float, State], Iterable[Any]]
"""The messages of a fact, with its serial and its time, as watchers of jobs get them."""


@dataclass
class _Ring:
    """Events in the order of their serials; those before ``floor`` are gone."""

    floor: int
    serials: list[int] = field(default_factory=list)
    owners: list[str] = field(default_factory=list)
    """Of the job that an event is about; empty: it is about none, and for all."""
    texts: list[bytes] = field(default_factory=list)
    subjects: list[int | str] = field(default_factory=list)
    """The job's number, or what else an event is about."""

    def add(self, serial: int, owner: str, text: bytes, subject: int | str) -> None:
        self.serials.append(serial)
        self.owners.append(owner)
        self.texts.append(text)
        self.subjects.append(subject)

    def trim(self, most: int) -> None:
        """Let the oldest go where there are twice as many as are kept."""
        if len(self.serials) <= 2 * most:
            return
        gone = len(self.serials) - most
        self.floor = self.serials[gone - 1]
        for column in (self.serials, self.owners, self.texts, self.subjects):
            del column[:gone]


class Feed:
    """The events of one server."""

    def __init__(self, core: Server, events: Events) -> None:
        self._core, self._events = core, events
        self._ring: _Ring | None = None
        self._seen = 0
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.readers = 0
        self._made: dict[bool, tuple[tuple[int, int], bytes, int]] = {}
        """The last message for readers of everything, brief or not: most of them stand at one place."""

    async def read(self, after: int | None, owner: str | None, brief: bool = False) -> AsyncIterator[bytes]:
        """Messages behind the serial *after* (None: from now on); with *owner* of its jobs alone.

        *brief*: they say which jobs have changed, and not how.
        """
        self._begin()
        ring = self._ring
        assert ring is not None
        self.readers += 1
        try:
            newest = self._core.state.serial
            place = newest if after is None else after
            yield b"retry: %d\n%s" % (RETRY_MS, self._hello(min(place, newest)))
            while True:
                if self._task is None or self._task.done():
                    return
                if place < ring.floor or place > self._core.state.serial:
                    # Behind the ring, or a number of another state.
                    place = self._core.state.serial
                    yield self._lagged(place)
                news = self._news
                text, place = self._message(ring, place, owner, brief)
                if text:
                    yield text
                    continue
                try:
                    async with asyncio.timeout(QUIET_S):
                        await news.wait()
                except TimeoutError:
                    yield b": still here\n\n"
        finally:
            self.readers -= 1
            if not self.readers:
                await self._end()

    def _hello(self, serial: int) -> bytes:
        said = {"now_s": self._now(), "epoch": self._core.state.epoch}
        return b"id: %d\nevent: hello\ndata: %s\n\n" % (serial, written(said))

    def _lagged(self, serial: int) -> bytes:
        said = {"now_s": self._now(), "message": "events were missed; what is shown has to be read again"}
        return b"id: %d\nevent: lagged\ndata: %s\n\n" % (serial, written(said))

    def _now(self) -> float:
        return max(self._core.clock.now(), self._core.state.now)

    def _message(self, ring: _Ring, place: int, owner: str | None, brief: bool) -> tuple[bytes, int]:
        """The next events behind *place*, and where they end."""
        first = bisect_right(ring.serials, place)
        last = min(first + (MOST_BRIEF if brief else MOST_AT_ONCE), len(ring.serials))
        if first == last:
            return b"", place
        if last < len(ring.serials):
            # A fact about several jobs is several events of one serial, which stay together.
            last = bisect_right(ring.serials, ring.serials[last - 1])
        end = ring.serials[last - 1]
        kept = self._made.get(brief) if owner is None else None
        if kept is not None and kept[0] == (place, end):
            return kept[1], kept[2]
        mine = [k for k in range(first, last) if owner is None or ring.owners[k] in ("", owner)]
        if brief:
            said = written({"now_s": self._now(), **_subjects(ring.subjects[k] for k in mine)})
        else:
            texts = b",".join(ring.texts[k] for k in mine)
            said = b'{"now_s":%s,"events":[%s]}' % (written(self._now()), texts)
        made = b"id: %d\nevent: changes\ndata: %s\n\n" % (end, said)
        if owner is None:
            self._made[brief] = ((place, end), made, end)
        return made, end

    # Following.

    def _begin(self) -> None:
        """Follow the state from the oldest of its facts on, where that is not done yet."""
        if self._task is not None and not self._task.done():
            return
        state = self._core.state
        floor = state.events[0][0] - 1 if state.events else state.serial
        floor = max(floor, state.serial - KEPT)
        # What has happened before is written down by the task, too.
        self._ring, self._seen = _Ring(floor), floor
        self._task = asyncio.create_task(self._follow(), name="events of the page")

    async def _end(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _follow(self) -> None:
        reactor, state = self._core.reactor, self._core.state
        while True:
            await self._write_down()
            await asyncio.sleep(EVERY_S + A_READER_S * self.readers)
            async with reactor.turned:
                while state.serial <= self._seen:
                    await reactor.turned.wait()

    async def _write_down(self) -> None:
        """Add what has happened since to the ring, and wake the readers."""
        ring, state, yielder = self._ring, self._core.state, Yielder()
        assert ring is not None
        for serial, time_s, fact in state.events_after(self._seen):
            about = _ABOUT.get(type(fact))
            if about is not None:
                ring.add(serial, "", written({"sequence": serial, "about": about}), about)
            for event in self._events(fact, serial, time_s, state):
                job = state.known(event.job_id)
                owner = job.user if job is not None else "\0"
                ring.add(serial, owner, written(to_document(event)), event.job_id)
            self._seen = serial
            await yielder.maybe_yield()
        self._seen = max(self._seen, state.serial)
        ring.trim(KEPT)
        self._news.set()
        self._news = asyncio.Event()


def _subjects(found: Iterable[int | str]) -> dict[str, list[Any]]:
    """Jobs by ranges of their numbers, both ends included, and what else there is, each once."""
    jobs, about = set[int](), dict[str, None]()
    for one in found:
        if isinstance(one, int):
            jobs.add(one)
        else:
            about[one] = None
    ranges: list[list[int]] = []
    for job in sorted(jobs):
        if ranges and ranges[-1][1] == job - 1:
            ranges[-1][1] = job
        else:
            ranges.append([job, job])
    return {"jobs": ranges, "about": list(about)}
