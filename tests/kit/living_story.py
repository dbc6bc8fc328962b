"""How a living world tells its steps to both worlds, and compares them after each.

The server is whole and in this process: journal in memory, a real emulated agent over the in-memory link, a
clock that is turned. Beside it stands ``plain_live``, which says what it is independent of.
"""

import asyncio
from collections import Counter
from collections.abc import Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, TypeVar

from hypothesis.stateful import RuleBasedStateMachine, invariant

from molokini.agents.agent import EmulatedAgent
from molokini.model.errors import MolokiniError
from molokini.model.facts import NO_INDEX
from molokini.model.machine import Node
from molokini.model.resources import Resource
from molokini.server.server import Server, Settings
from molokini.server.time.clock import ClockKind
from molokini.server.turn.command import Command
from tests.kit.live import MemoryJournal, Story, nodes
from tests.kit.live_picture import assert_sound
from tests.kit.plain_live import Name, PlainLive, Seen
from tests.kit.plain_policies import PLAIN
from tests.kit.plain_world import GONE, RUNNING, PlainJob, PlainWorld
from tests.kit.worlds import GIB, NAMES, World

T = TypeVar("T")
Policy = tuple[str, dict[str, int | str], type[PlainWorld]]
POLICIES: dict[str, Policy] = {"-".join([one[0], *map(str, one[1].values())]): one for one in PLAIN}
"""Policies with their parameters, by one name."""
NEEDS_NO_NODES = {"easy-depth", "conservative", "srpt"}
"""They count processors: jobs that ask for nodes are not theirs."""
PREEMPTS = "srpt"
"""It says itself who is suspended."""
LEASE_S, MARGIN_S = 30.0, 5.0
LOOK_S = 2.0
"""So often at least a server looks for silent agents; after a longer break it forgives them."""


def written(name: Name) -> str:
    """A job as users call it."""
    number, index = name
    return str(number) if index == NO_INDEX else f"{number}[{index}]"


def read(job: str) -> Name:
    """The same back."""
    number, _, index = job.rstrip("]").partition("[")
    return int(number), int(index or NO_INDEX)


def named(plain: PlainLive, jobs: Iterable[PlainJob]) -> list[str]:
    """What users call them."""
    return [written(plain.name_of(job)) for job in jobs]


class LivingStory(RuleBasedStateMachine):
    """A server, the plain world beside it, and how something is done to both."""

    deaf_to: ClassVar[tuple[type[Command], ...]] = ()
    """Commands that do not reach the server: a fault, for tests of this kit."""
    told: ClassVar[Counter[str]] = Counter()
    """How often each step has been taken."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = False
        self.broken = False
        """Whether a step has failed: what comes then says nothing."""
        self.over = False
        self.real_s = 1000.0
        """The clock by which server and agent know silence."""
        self.connected = True
        self.reserved = 0
        """Reservations that have been made so far."""
        self._runner = asyncio.Runner()

    # What there is.

    @property
    def policy(self) -> str:
        """Which decides now."""
        return self.plain.world.policy

    @property
    def nodes(self) -> list[str]:
        return list(NAMES[: len(self.plain.world.nodes)])

    @property
    def down(self) -> set[str]:
        return {NAMES[node] for node in self.plain.plain.down}

    def jobs(self, *states: str) -> list[str]:
        return named(self.plain, self.plain.there(*states))

    # How a step is taken.

    @contextmanager
    def _step(self, name: str, then_s: int = 0) -> Iterator[None]:
        """Do something in both worlds; let the policy of the plain one decide; let time pass."""
        type(self).told[name] += 1
        try:
            yield
            self.plain.decide()
            if then_s:
                self._compare()
                self._pass(then_s)
        except BaseException:
            self.broken = True
            raise

    def _run(self, doing: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(doing)

    def _do(self, command: Command) -> Any:
        if not isinstance(command, self.deaf_to):
            return self._run(self.story.do(command))
        return None

    def _refused(self, command: Command) -> bool:
        """Whether the server refuses it."""
        try:
            self._do(command)
        except MolokiniError:
            return True
        return False

    def _pass(self, seconds: int) -> None:
        self._run(self.story.advance(float(seconds)))
        for _ in range(seconds):
            self.plain.pass_second()

    # The server and its agent.

    async def _begin(self, policy: str, nodes: Sequence[tuple[int, int]]) -> None:
        """A server whose agent has come with *nodes*: processors and GiB of each."""
        name, values, simulator = POLICIES[policy]
        made = tuple(
            Node({Resource.PROCESSORS: float(size), Resource.MEMORY_KB: GIB * memory})
            for size, memory in nodes
        )
        processors = sum(size for size, _ in nodes)
        self.plain = PlainLive(simulator, World(name, dict(values), (), made, processors))
        self._configured = (name, {key: str(value) for key, value in values.items()})
        self.story = await self._served(MemoryJournal())
        await self._join()
        self.begun = True

    async def _served(self, journal: MemoryJournal) -> Story:
        """A server on *journal*, at this second."""
        policy, parameters = self._configured
        settings = Settings(
            policy,
            parameters,
            clock=ClockKind.STEPPED,
            start_s=float(self.plain.now),
            lease_s=LEASE_S,
            margin_s=MARGIN_S,
            snapshot_every=20,
            release="now",
        )
        core = await Server.open(journal, settings)
        core.hub.monotonic = lambda: self.real_s
        core.hub.lose_the_silent()
        story = Story(core, journal)
        story.start()
        return story

    async def _join(self) -> None:
        """An agent that knows nothing comes with all nodes."""
        offers = [
            nodes(
                NAMES[k],
                int(node.capacity[Resource.PROCESSORS]),
                memory_kb=int(node.capacity[Resource.MEMORY_KB]),
            )
            for k, node in enumerate(self.plain.world.nodes)
        ]
        self.agent = EmulatedAgent(
            "emulated", offers, follows_clock=True, monotonic=lambda: self.real_s, identity="one"
        )
        await self._connect()

    async def _connect(self) -> None:
        self.story.agent = self.agent
        await self.story.connect()

    async def _silence(self) -> None:
        """The agent has been silent for longer than its lease."""
        await self.story.leave()
        silent_s = 0.0
        while silent_s <= LEASE_S + MARGIN_S:
            silent_s += LOOK_S
            self.real_s += LOOK_S
            self.story.core.hub.lose_the_silent()
        await self.story.settled()

    async def _restarted(self, by_snapshot: bool) -> None:
        """The server has ended, and another goes on from its journal."""
        before = self.story.journal
        await self.story.stop()
        journal = MemoryJournal(before.entries, before.epoch + 1)
        if by_snapshot:
            journal.snapshots = before.snapshots
        journal.records, journal.parts = before.records, before.parts
        self.story = await self._served(journal)
        if self.connected:
            await self._connect()
        await self.story.settled()

    # What is always so.

    @invariant()
    def same(self) -> None:
        """The server is where the plain world is, and sound."""
        if self.begun and not self.broken:
            try:
                self._compare()
            except BaseException:
                self.broken = True
                raise

    def _compare(self) -> None:
        found, wanted = self._seen(), self.plain.seen()
        for name, one in wanted.items():
            assert found[name] == one, f"at {self.plain.now}, job {written(name)}:\n{found[name]}, not\n{one}"
        t = self.story.state.tables
        rows = t.queue.waiting[t.queue.head : t.queue.tail].tolist()
        elements = [self.story.state.by_row[row] for row in rows]
        queue = [written((one.job.id, one.index)) for one in elements]
        assert queue == [written(name) for name in self.plain.queue()], f"at {self.plain.now}, the queue"
        assert_sound(self.story.state)

    def _seen(self) -> dict[Name, Seen]:
        found = {}
        for number, index in self.plain.names:
            one = self.story.job(number).element_of(index)
            if one is None:
                # Its array has yet to come to it, or was cancelled before it did: it has no end of its own.
                job = self.story.job(number)
                end_s = self.plain.called((number, index)).end if job.over else None
                found[number, index] = Seen(GONE if job.over else str(job.status), None, None, end_s, ())
                continue
            runs = str(one.status) == RUNNING
            found[number, index] = Seen(
                GONE if one.over else str(one.status),
                one.first_start_s,
                one.start_s if runs else None,
                one.end_s,
                tuple(sorted(one.nodes)) if runs else (),
            )
        return found
