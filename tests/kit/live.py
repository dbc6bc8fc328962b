"""A live server without sockets, so that a test reads as a story: submit, advance, look.

The journal is in memory and can be told to fail; the agent is the real emulated one over the in-memory link.

Independent of nothing: all but the journal is the product. What a story is compared with stands in
``plain_live`` and ``live_picture``.
"""

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from molokini.agents.agent import EmulatedAgent
from molokini.app.memory_link import join
from molokini.model.codec import Entry, decode
from molokini.model.facts import NO_INDEX, Fact
from molokini.model.job_specs import JobSpec
from molokini.model.site import CONFIGURATION
from molokini.proto.v1.agent_service_pb2 import NodeOffer
from molokini.server.journal.port import Finished, JournalError, Runs, Snapshot, Which
from molokini.server.server import Server, Settings, recovered
from molokini.server.state.jobs import Element, Job
from molokini.server.time.clock import ClockKind
from molokini.server.turn.changing import Cancel, Hold, Release, Requeue
from molokini.server.turn.checks import Limits
from molokini.server.turn.command import Command
from molokini.server.turn.operating import ChangeMauiParameter, SetPolicy
from molokini.server.turn.submitting import Submit
from tests.kit.waiting import DEADLINE_S


class MemoryJournal:
    """The journal's port on a list. What stands in *failures* is raised, one an append, None for none."""

    def __init__(self, entries: Sequence[Entry] = (), epoch: int = 1) -> None:
        self.entries = list(entries)
        self.epoch = epoch
        self.failures: list[JournalError | None] = []
        self.fails: Callable[[Sequence[Entry]], JournalError | None] | None = None
        """Asked about every batch: what to raise."""
        self.snapshots: list[Snapshot] = []
        self.records: dict[int, Finished] = {}
        self.parts: dict[tuple[int, int], Runs] = {}
        self.appends = 0
        self.closed = False

    @property
    def last_serial(self) -> int:
        return len(self.entries)

    async def append(self, entries: Sequence[Entry]) -> None:
        self.appends += 1
        failure = self.failures.pop(0) if self.failures else None
        if failure is None and self.fails is not None:
            failure = self.fails(entries)
        if failure is not None:
            raise failure
        assert [entry.serial for entry in entries] == [
            len(self.entries) + 1 + k for k in range(len(entries))
        ], "serials without a gap"
        assert entries[0].time_s >= (self.entries[-1].time_s if self.entries else 0.0), "time goes back"
        self.entries.extend(entries)

    async def read(self, after: int) -> AsyncIterator[Entry]:
        for entry in self.entries[after:]:
            yield entry

    async def keep_snapshot(self, snapshot: Snapshot) -> None:
        assert snapshot.serial <= self.last_serial
        self.snapshots.append(snapshot)

    async def load_snapshot(self) -> Snapshot | None:
        return self.snapshots[-1] if self.snapshots else None

    async def keep_finished(self, jobs: Sequence[Finished], runs: Sequence[Runs] = ()) -> None:
        self.records.update((one.number, one) for one in jobs)
        self.parts.update(((one.number, one.last), one) for one in runs)

    async def clear_finished(self) -> None:
        self.records.clear()
        self.parts.clear()

    async def runs(self, number: int, index: int) -> Runs | None:
        found = [one for (of, last), one in self.parts.items() if of == number and last >= index]
        return min(found, key=lambda one: one.last, default=None)

    async def finished(self, which: Which, after: int, most: int) -> list[Finished]:
        return [
            one
            for number, one in sorted(self.records.items())
            if number > after
            and (not which.numbers or number in which.numbers)
            and (not which.users or one.user in which.users)
            and (not which.queues or one.queue in which.queues)
            and (not which.name or one.name == which.name)
        ][:most]

    async def close(self) -> None:
        self.closed = True

    def facts(self, *kinds: type[Fact]) -> list[Any]:
        """What has happened, of these kinds (all without)."""
        found = (decode(entry) for entry in self.entries)
        return [fact for fact in found if not kinds or isinstance(fact, kinds)]


class Story:
    """A server with one agent, and the words to tell a test in."""

    def __init__(self, core: Server, journal: MemoryJournal) -> None:
        self.core, self.journal = core, journal
        self.limits = Limits()
        self.agent: EmulatedAgent | None = None
        self._link: asyncio.Task[None] | None = None
        self._beside: list[asyncio.Task[None]] = []
        self._running: asyncio.Task[None] | None = None
        self.voices: list[asyncio.Task[None]] = []
        """Agents that a test plays by hand: their conversations end with the story."""

    @property
    def state(self) -> Any:
        return self.core.state

    def job(self, number: int) -> Job:
        return self.core.state.jobs[number]

    def run(self, number: int, index: int = NO_INDEX) -> Element:
        """The element *index* of a job; the job's only one without."""
        found = self.job(number).element_of(index)
        assert found is not None
        return found

    def status(self, number: int, index: int = NO_INDEX) -> str:
        """Where a job stands; of an array, the array as a whole."""
        job = self.job(number)
        return str(job.status if index == NO_INDEX else self.run(number, index).status)

    def counted(self, number: int) -> dict[str, int]:
        """How many elements of an array have which status."""
        array = self.job(number).array
        assert array is not None
        return {str(status): count for status, count in array.counts.items() if count}

    # Doing.

    async def do(self, command: Command) -> Any:
        """The answer of *command*; its turn's passes are done, too."""
        async with asyncio.timeout(DEADLINE_S):
            answer = await self.core.reactor.post(command)
            await self.settled()
            return answer

    async def submit(self, user: str = "ann", operator: bool = False, **spec: Any) -> int:
        """Submit one job; the error where it is refused."""
        [answer] = await self.submit_many([spec_of(**spec)], user, operator)
        if isinstance(answer, Exception):
            raise answer
        return int(answer)

    async def submit_many(
        self, specs: Sequence[JobSpec], user: str = "ann", operator: bool = False
    ) -> list[Any]:
        answers: list[Any] = await self.do(Submit(user, list(specs), self.limits, operator))
        return answers

    async def cancel(self, number: int, index: int = NO_INDEX) -> None:
        await self.do(Cancel(number, index, "ann"))

    async def hold(self, number: int, hold: str = "user") -> None:
        await self.do(Hold(number, "ann", hold))

    async def release(self, number: int, *holds: str) -> None:
        await self.do(Release(number, "ann", holds or ("user",)))

    async def requeue(self, number: int, index: int = NO_INDEX) -> None:
        await self.do(Requeue(number, index, "ann"))

    async def choose(self, policy: str, values: dict[str, str] | None = None) -> None:
        """Let this policy decide from now on."""
        await self.do(SetPolicy(policy, values or {}, "root"))
        self.core.reactor.change_policy(policy, values or {})
        await self.settled()

    async def change_maui(self, name: str, value: str) -> None:
        """Change one parameter of Maui's configuration."""
        changed = await self.do(ChangeMauiParameter(name, value, "root"))
        self.core.reactor.change_policy("maui", changed)
        await self.settled()

    async def advance(self, seconds: float) -> None:
        """Turn the clock; everything on the way has happened."""
        self.core.clock.advance(seconds)
        reached = asyncio.ensure_future(self.core.timekeeper.reached(self.core.clock.limit_s))
        waiting = {reached} if self._running is None else {reached, self._running}
        await asyncio.wait(waiting, timeout=DEADLINE_S, return_when=asyncio.FIRST_COMPLETED)
        if not reached.done():
            reached.cancel()
            self._failed()
        assert reached.done(), f"the clock stands at {self.core.clock.now()}"

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for *condition*; whatever the server has failed with is raised."""
        async with asyncio.timeout(DEADLINE_S):
            while not condition():
                self._failed()
                await asyncio.sleep(0)

    def _failed(self) -> None:
        """Raise what the server has failed with, if it has."""
        if self._running is not None and self._running.done():
            self._running.result()

    async def settled(self) -> None:
        """Wait until nothing is left to do at the present instant."""
        turns = self.core.timekeeper.turns
        supervisor = self.core.timekeeper
        self.core.reactor.arrived.set()
        await self.until(
            lambda: supervisor.turns > turns and not supervisor.busy and not self.core.reactor.mailbox
        )

    # Coming and going.

    async def join(self, offers: Sequence[NodeOffer], name: str = "emulated") -> None:
        """An agent comes with these nodes; the present one, if any, is gone for good."""
        await self.leave()
        self.agent = EmulatedAgent(name, offers, follows_clock=True, monotonic=_monotonic)
        await self.connect()

    async def join_beside(self, offers: Sequence[NodeOffer], name: str) -> None:
        """One more agent comes with nodes of its own, beside the present one."""
        agent = EmulatedAgent(name, offers, follows_clock=True, monotonic=_monotonic)
        link = asyncio.create_task(join(agent, self.core.hub))
        self._beside.append(link)
        await self.until(lambda: name in self.core.hub.sessions or link.done())
        if link.done():
            link.result()
        await self.settled()

    async def connect(self) -> None:
        """The agent connects (again)."""
        assert self.agent is not None
        self._link = asyncio.create_task(join(self.agent, self.core.hub))
        await self.until(lambda: bool(self.core.hub.sessions) or self._link is None or self._link.done())
        if self._link.done():
            self._link.result()
        await self.settled()

    async def leave(self) -> None:
        """The connection to the agent breaks."""
        if self._link is None:
            return
        self._link.cancel()
        await asyncio.gather(self._link, return_exceptions=True)
        self._link = None
        await self.until(lambda: not self.core.hub.sessions)

    def forgive(self) -> None:
        """The server has failed, as the test wanted."""
        assert self._running is not None
        assert self._running.done()
        self._running = None

    def start(self) -> None:
        self._running = self.core.start()

    async def stop(self) -> None:
        for voice in self.voices:
            voice.cancel()
        await asyncio.gather(*self.voices, return_exceptions=True)
        await self.core.stop(2.0)
        for link in self._beside:
            link.cancel()
        await asyncio.gather(*self._beside, return_exceptions=True)
        if self._link is not None:
            self._link.cancel()
            await asyncio.gather(self._link, return_exceptions=True)
        if self._running is not None:
            [failure] = await asyncio.gather(self._running, return_exceptions=True)
            if failure is not None and not isinstance(failure, asyncio.CancelledError):
                raise failure


def _monotonic() -> float:
    return asyncio.get_running_loop().time()


def spec_of(run_s: float | None = None, estimate_s: float = 100.0, **fields: Any) -> JobSpec:
    """A specification as the state keeps it; resources by their names, ``run_s`` for the outcome."""
    resources = {name: fields.pop(name) for name in _RESOURCES if name in fields}
    spec: Any = {"estimate_s": estimate_s, **fields}
    if resources:
        spec["resources"] = resources
    if run_s is not None:
        spec["outcome"] = {**spec.get("outcome", {}), "run_s": run_s}
    made: JobSpec = spec
    return made


_RESOURCES = (
    *("processors", "nodes", "processors_per_node", "memory_kb", "generic", "features"),
    *("components", "request", "constraint"),
)


def after(kind: str, *numbers: int) -> list[dict[str, Any]]:
    """Dependencies of one kind on jobs."""
    if kind == "SINGLETON":
        return [{"kind": kind}]
    return [{"kind": kind, "job_id": number} for number in numbers]


def nodes(names: str = "n[1-4]", processors: int = 4, **more: Any) -> NodeOffer:
    return NodeOffer(names=names, processors=processors, **more)


def by_maui(text: str) -> dict[str, Any]:
    """What ``live`` needs so that Maui decides by this configuration."""
    return {"policy": "maui", "parameters": {CONFIGURATION: text}}


_epochs = itertools.count(1)


@asynccontextmanager
async def live(
    policy: str = "fcfs",
    offers: Sequence[NodeOffer] | None = None,
    journal: MemoryJournal | None = None,
    **settings: Any,
) -> AsyncIterator[Story]:
    """A story on a stepped clock; with ``offers=[]`` no agent comes."""
    journal = journal or MemoryJournal()
    given = {"clock": ClockKind.STEPPED, "lease_s": 0.0, **settings}
    core = await Server.open(journal, Settings(policy, **given))
    story = Story(core, journal)
    story.start()
    try:
        if offers is None or offers:
            await story.join([nodes()] if offers is None else offers)
        yield story
    finally:
        await story.stop()


async def again(journal: MemoryJournal) -> Any:
    """The state that the journal makes."""
    return await recovered(journal)
