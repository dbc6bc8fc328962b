"""The reactor: one task owns the tables, and a turn is the only way in which anything happens.

A turn drains the mailbox, checks, commits the accepted facts (one transaction, one sync), applies them and
answers; then the policy has its pass, its decisions are committed as facts, applied, and sent to the agents.
A caller that has an answer can rely on it; no agent hears of a start that is not in the journal.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from molokini.cycle.calling import PolicyError
from molokini.model.actors import Origin
from molokini.model.codec import encode
from molokini.model.errors import MolokiniError
from molokini.model.facts import Fact, PassMade, PolicySet
from molokini.model.ranks import Rank
from molokini.server import audit
from molokini.server.crash import crash_point
from molokini.server.journal.port import Busy, Journal, JournalError, StateFull
from molokini.server.state.applying import apply
from molokini.server.state.state import State
from molokini.server.turn.bounding import PassBound
from molokini.server.turn.command import Command, Draft, RetryNextTurn
from molokini.server.turn.following import following
from molokini.server.turn.gathering import Gathering
from molokini.server.turn.joining import joined
from molokini.server.turn.numbering import numbered
from molokini.server.turn.running_policy import RunningPolicy

log = logging.getLogger("molokini.server")

MOST_COMMANDS = 4000
"""Commands of one turn, so that no caller waits long for a turn to end."""
_OF_USERS = (Rank.COMMAND, Rank.ARRIVAL)
FAILURES_BEFORE_FALLBACK = 3
FALLBACK = "fcfs"


class Executors(Protocol):
    """What carries decisions out, such as the hub of agents."""

    def send_orders(self, fact: Fact, now: float) -> None:
        """*fact* is durable and applied: do what it means."""


class Watching(Protocol):
    """An observer of the running policy's decisions, such as a shadow; it changes nothing."""

    def look(self, now: float) -> None:
        """A pass is about to begin."""

    def compare(self, facts: Sequence[Fact], now: float) -> None:
        """Hear what the pass decided, once it is durable."""


class Stopping(MolokiniError):
    """The server is about to stop and takes nothing new."""


class Reactor:
    """The mailbox, and what a turn does with it."""

    def __init__(
        self, journal: Journal, state: State, running_policy: RunningPolicy, executors: Executors
    ) -> None:
        self.journal, self.state, self.running_policy, self.executors = (
            journal,
            state,
            running_policy,
            executors,
        )
        self.bound: PassBound | None = None
        """How long a pass of a policy from a file may take."""
        self.mailbox: deque[Command] = deque()
        self.gathering = Gathering(self.mailbox)
        self.arrived = asyncio.Event()
        """Set while the mailbox holds something, or a pass is due for another reason."""
        self.turned = asyncio.Condition()
        """Notified after every turn in which something happened."""
        self.at_rest: Callable[[], None] = lambda: None
        """Called when a turn in which something happened is over: the state is what its facts make it."""
        self.watching: list[Watching] = []
        """Shadows, of which there are only so many."""
        self.measuring: list[Watching] = []
        """What measures passes, for figures."""
        self.stopping = False
        self.troubled = False
        """The journal could not keep something; the next turn tries again, after a while."""
        self.policy_failures = 0
        self.last_policy_error = ""
        self.passes = 0
        self.passes_left = 0
        """So many are still made although scheduling is paused."""
        self.hurry = False
        """Whether those are made one after the other, without waiting for anything to happen."""
        self._unsaid = False
        """A pass has seen what ended early before it, and the journal does not say so yet."""
        self.wake_s = float("inf")
        self.compiling = False
        """While the policy is compiled in a thread no pass is made; facts and agents go on."""
        self.uninformed = False
        """Nor is one made while what it would be about is not all known."""

    def post(self, command: Command) -> "asyncio.Future[Any]":
        """Put *command* into the mailbox; its answer comes when its facts are durable."""
        command.answer = asyncio.get_running_loop().create_future()
        if self.stopping and command.rank in _OF_USERS:
            command.answer.set_exception(Stopping("the server is stopping; try again later"))
            return command.answer
        self.mailbox.append(command)
        self.arrived.set()
        self.gathering.note()
        return command.answer

    async def turn(self, now: float) -> bool:
        """Do everything that is to be done at *now* and was posted; whether anything happened."""
        batch = self._drain()
        draft = Draft(self.state, now)
        checked = self._check(batch, draft)
        happened = await self._commit(joined(draft.facts), now, checked)
        late = self._answer(checked)
        self.gathering.expect(len(checked) + len(self.mailbox))
        if happened is None:
            return False
        try:
            happened += await self._follow(now)
            ready = not (self.compiling or self.uninformed)
            if ready and (happened or now >= self.wake_s) and self._may_pass():
                happened += await self._pass(now)
                self._count_down()
            self.troubled = False
        except (StateFull, Busy) as error:
            self._note_journal_failure(error)
        finally:
            # What they asked for is durable, whatever became of the pass.
            for command in late:
                _settle(command, None)
        if happened:
            async with self.turned:
                self.turned.notify_all()
            self.at_rest()
        return happened > 0

    def _drain(self) -> list[Command]:
        batch = [self.mailbox.popleft() for _ in range(min(len(self.mailbox), MOST_COMMANDS))]
        if not self.mailbox:
            self.arrived.clear()
        # Python sorts stably: commands of the same order stay as they came.
        batch.sort(key=lambda command: (command.rank, command.order))
        return batch

    def _check(self, batch: list[Command], draft: Draft) -> list[tuple[Command, Exception | None]]:
        checked: list[tuple[Command, Exception | None]] = []
        for command in batch:
            before = len(draft.facts)
            try:
                command.result = command.check(self.state, draft)
                command.settled = True
                checked.append((command, None))
            except RetryNextTurn:
                del draft.facts[before:]
                self.mailbox.append(command)
                self.arrived.set()
            except Exception as error:
                # Done is all of a command or nothing of it.
                del draft.facts[before:]
                command.settled = True
                checked.append((command, error))
                if not isinstance(error, MolokiniError):
                    # What cannot be checked is that command's failure, not the server's end.
                    log.exception("command %s failed", type(command).__name__)
        return checked

    async def _commit(
        self, facts: Sequence[Fact], now: float, checked: list[tuple[Command, Exception | None]]
    ) -> int | None:
        """Make *facts* durable and apply them; how many. None where that failed: *checked* has the error."""
        try:
            return await self._keep(facts, now)
        except (StateFull, Busy) as error:
            self._note_journal_failure(error)
            for command, _ in checked:
                command.settled = False
            # Users get an error; reports of agents are still true, and are tried again. A user's command that
            # waits behind a report would wait for as long as the journal does.
            tried = [command for command, _ in checked]
            waiting = [command for command in (*tried, *self.mailbox) if command.rank not in _OF_USERS]
            checked[:] = [(one, error) for one in (*tried, *self.mailbox) if one.rank in _OF_USERS]
            self.mailbox.clear()
            self.mailbox.extend(waiting)
            return None

    def _note_journal_failure(self, error: JournalError) -> None:
        """The journal cannot be written: consequences and the pass are made up for when it can be again."""
        if not self.troubled:
            log.error("journal write failed: %s; new requests are refused until it succeeds", error)
        self.troubled = True
        self.wake_s = -float("inf")

    async def _keep(self, facts: Sequence[Fact], now: float) -> int:
        if not facts:
            return 0
        facts = numbered(self.state, facts)
        if self._unsaid:
            facts = [PassMade(), *facts]
        first = self.journal.last_serial + 1
        entries = [encode(fact, first + k, now) for k, fact in enumerate(facts)]
        await self.journal.append(entries)
        self._unsaid, count = False, 0
        for entry, fact in zip(entries, facts, strict=True):
            apply(self.state, fact, entry.serial, now)
            audit.note(fact, entry.serial, now)
            self.executors.send_orders(fact, now)
            count += fact.SEEN
        return count

    def _answer(self, checked: list[tuple[Command, Exception | None]]) -> list[Command]:
        """Answer all but those that want to hear what the pass decides: these are given back."""
        crash_point("before-answer")
        late = []
        for command, error in checked:
            if command.after_pass and error is None:
                late.append(command)
            else:
                _settle(command, error)
        return late

    async def _follow(self, now: float) -> int:
        """What follows by itself, until nothing more does."""
        count, state = 0, self.state
        while True:
            looked_at, due, reserved_for = state.to_look_at.copy(), state.timed.copy(), state.reserved_for
            unlooked, waking = state.ledger.unlooked, state.waking.copy()
            facts = following(state, now)
            if not facts:
                return count
            try:
                count += await self._keep(facts, now)
            except JournalError:
                state.to_look_at, state.timed, state.reserved_for = looked_at, due, reserved_for
                state.ledger.unlooked, state.waking = unlooked, waking
                raise

    async def _pass(self, now: float) -> int:
        state = self.state
        holes, unsaid = state.tables.holes.count, self._unsaid
        self.passes += 1
        self._unsaid = unsaid or holes > 0
        for one in (*self.measuring, *self.watching):
            one.look(now)
        try:
            facts = self.running_policy.decide(state, now)
        except PolicyError as error:
            return await self._policy_failed(error, now)
        self.policy_failures = 0
        # A request for the present instant is void: its pass is over.
        self.wake_s = state.tables.cycle.wake_s if state.tables.cycle.wake_s > now else float("inf")
        if self.running_policy.again:
            self.wake_s = -float("inf")
            self.arrived.set()
        try:
            kept = await self._keep(facts, now)
            # Messages to agents wait in their queues until this turn lets another task run.
            crash_point("before-send", (type(fact).__name__ for fact in facts))
            for one in (*self.watching, *self.measuring):
                one.compare(facts, now)
            return kept
        except JournalError:
            # The policy's decisions are lost with its memory of them: it plans again once the journal works.
            state.tables.holes.count, state.tables.cycle.replan, self._unsaid = holes, 1, unsaid
            raise

    def _may_pass(self) -> bool:
        """Whether the policy may decide; where scheduling is paused, a request for a pass is void."""
        if not self.state.paused or self.passes_left > 0:
            return True
        self.wake_s = float("inf")
        return False

    def _count_down(self) -> None:
        """A pass was made: of those that are made while scheduling is paused one is left less."""
        if not self.state.paused:
            return
        self.passes_left = max(0, self.passes_left - 1)
        if self.hurry and self.passes_left:
            self.wake_s = -float("inf")
            self.arrived.set()

    def inform(self, informed: bool) -> None:
        """What passes are about is known from now on (a pass is made at once), or no longer is."""
        if informed and self.uninformed:
            self.wake_s = -float("inf")
            self.arrived.set()
        self.uninformed = not informed

    def allow_passes(self, count: int, hurry: bool) -> None:
        """While scheduling is paused, *count* passes are still made, at once if *hurry*."""
        self.passes_left, self.hurry = count, hurry
        if hurry or not self.state.paused:
            self.wake_s = -float("inf")
            self.arrived.set()

    async def _policy_failed(self, error: PolicyError, now: float) -> int:
        """A pass was thrown away; after a few in a row a policy that works takes over."""
        self.policy_failures += 1
        self.last_policy_error = str(error)
        log.error("policy failed (%d in a row): %s", self.policy_failures, error)
        if self.running_policy.policy.name == FALLBACK:
            return 0
        if self.policy_failures < FAILURES_BEFORE_FALLBACK:
            # The failure may have been one of the moment: the next pass is at once, not at the next event.
            self.wake_s = -float("inf")
            self.arrived.set()
            return 0
        self.policy_failures = 0
        kept = await self._keep([PolicySet(FALLBACK, {}, Origin.SYSTEM)], now)
        self.change_policy(FALLBACK, {})
        return kept + await self._pass(now)

    async def compile_policy(self) -> None:
        """Have the policy compiled in a thread; until then no pass is made, then one at once.

        Should it fail one day, the fallback decides at once: a lease that runs out during a compilation
        would end the jobs of its agent.
        """
        self.compiling, self.wake_s = True, float("inf")
        for running_policy in (self.running_policy, RunningPolicy(FALLBACK, {})):
            await running_policy.compile_aside()
        # Not where the server ends meanwhile: its last turns would wait for the compiler.
        self.compiling, self.wake_s = False, -float("inf")
        self.arrived.set()

    def change_policy(self, name: str, parameters: dict[str, str]) -> None:
        """Another policy decides from the next pass on."""
        running_policy = RunningPolicy(name, parameters)
        running_policy.bound = self.bound
        running_policy.take_over(self.state)
        self.running_policy = running_policy
        self.arrived.set()
        self.wake_s = -float("inf")


def _settle(command: Command, error: Exception | None) -> None:
    future = command.answer
    if future is None or future.done():
        return
    if error is None:
        future.set_result(command.result)
    else:
        future.set_exception(error)
