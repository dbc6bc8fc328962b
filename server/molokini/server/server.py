"""A server without its faces: journal, state, policy, agents and clock, recovered and running."""

import asyncio
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from molokini.model.actors import Origin
from molokini.model.codec import encode
from molokini.model.errors import BadValue
from molokini.model.facts import Fact, PolicySet, QueueRemoved, QueueSet, ServerStarted
from molokini.server.accounting.books import Books
from molokini.server.accounting.writer import AccountingWriter
from molokini.server.background import Background
from molokini.server.compilation_notices import Compiling
from molokini.server.journal.port import Journal
from molokini.server.link.hub import Hub
from molokini.server.persistence.history import History
from molokini.server.persistence.recovery import recovered as recovered
from molokini.server.persistence.recovery import restarted
from molokini.server.persistence.snapshots import Snapshots
from molokini.server.state.applying import apply
from molokini.server.state.queues import DEFAULT, Queue
from molokini.server.state.state import State
from molokini.server.time.clock import Clock, ClockKind
from molokini.server.time.timekeeper import Feeder, Timekeeper
from molokini.server.turn.checks import Limits
from molokini.server.turn.losing import fates_of_unheard
from molokini.server.turn.moving import check_moves, check_turns
from molokini.server.turn.reactor import FALLBACK, Reactor
from molokini.server.turn.running_policy import RunningPolicy

log = logging.getLogger("molokini.server")


@dataclass(frozen=True)
class Settings:
    """What a server is started with; a journal that knows better wins where it is said."""

    policy: str = "easy"
    parameters: Mapping[str, str] = field(default_factory=dict)
    clock: ClockKind | None = ClockKind.REAL
    """None: the one that the state was made with, real for a new one."""
    rate: float = 1.0
    start_s: float = 0.0
    """Where a new clock begins; one that is recovered goes on from its last fact."""
    queues: Sequence[Queue] = ()
    limits: Limits = field(default_factory=Limits)
    heartbeat_s: float = 5.0
    lease_s: float = 30.0
    margin_s: float = 5.0
    jump_after_s: float = 0.05
    """Real silence after which a virtual clock may jump."""
    page_size: int = 10_000
    """Most lines of one page of a listing."""
    privacy: bool = False
    """Whether users see only their own jobs."""
    finished_jobs: int = 10_000
    """So many jobs that are over stay in the memory at most; the others are read from the history."""
    finished_s: float = 86_400.0
    """And none that has been over for so long."""
    snapshot_every: int = 50_000
    """Facts and jobs after which a snapshot is taken; 0: never."""
    policy_folder: Path | None = None
    """Where further policies are, one file each."""
    name: str = "molokini"
    release: str = "0"


class Server:
    """Everything that a live server is, but for its sockets."""

    def __init__(self, journal: Journal, state: State, settings: Settings) -> None:
        self.journal, self.state, self.settings = journal, state, settings
        self.clock = clock_of(settings, state)
        turned = "" if self.clock.runs else str(self.clock.kind)
        self.hub = Hub(self._now, settings.heartbeat_s, settings.lease_s, settings.margin_s, turned=turned)
        state.present_s, state.zero_s = self._now, self.clock.zero_s
        running_policy = RunningPolicy(settings.policy, settings.parameters)
        self.reactor = Reactor(journal, state, running_policy, self.hub)
        if not running_policy.site.by_number:
            running_policy.take_over(state)
        # Whatever the last life has not decided any more is decided first.
        self.reactor.wake_s = -float("inf")
        self.hub.belong_to(self.reactor)
        self.timekeeper = Timekeeper(self.reactor, self.hub, self.clock)
        self.timekeeper.silence_s = settings.jump_after_s
        self.snapshots = Snapshots(journal, state, settings.snapshot_every, settings.release)
        self.history = History(journal, self.reactor, settings.finished_jobs, settings.finished_s)
        self.accounts: AccountingWriter | None = None
        """Writes accounting as things happen; None where the configuration names no folder."""
        self.background = Background()
        self.compiling = Compiling()
        self.reactor.at_rest = self._rested
        self._task: asyncio.Task[None] | None = None

    @staticmethod
    async def open(journal: Journal, settings: Settings, endless: str = "") -> "Server":
        """Recover the state from *journal*, and note that this server has taken it over.

        *endless*: the policy whose pass had not returned when the server ended last; another decides now.
        """
        state, kept = await restarted(journal, settings.release)
        core = Server(journal, state, settings)
        core.snapshots.go_on_from(kept)
        started = ServerStarted(journal.epoch, settings.release, core.clock.name, says_passes=True)
        facts: list[Fact] = [started]
        # What was changed by command stays, until the configuration says something new.
        deciding, parameters = state.policy, dict(settings.parameters)
        if state.configured_policy != (settings.policy, parameters):
            check_moves(settings.policy, parameters, state.machine)
            check_turns(settings.policy, parameters, state)
            deciding = settings.policy, parameters
            facts.append(PolicySet(settings.policy, parameters, Origin.CONFIGURATION))
        elif state.policy is not None:
            core.reactor.change_policy(*state.policy)
        if endless and deciding is not None and deciding[0] == endless:
            log.error("policy %s had not returned from a pass: now %s decides", endless, FALLBACK)
            facts.append(PolicySet(FALLBACK, {}, Origin.SYSTEM))
            core.reactor.change_policy(FALLBACK, {})
        facts.extend(_queues_as_configured(state, settings.queues))
        facts.extend(fates_of_unheard(state, core._now()))
        await core._note(facts)
        if core.reactor.running_policy.site.by_number and state.policy is not None:
            # The names of the configuration have their numbers by the facts, not before.
            core.reactor.change_policy(*state.policy)
        core.hub.policy_is_set()
        return core

    async def compile_aside(self, running_policy: RunningPolicy) -> None:
        """Have *running_policy* compiled in a thread, and the log and callers know of it."""
        with self.compiling.told(f"policy {running_policy.policy.declaration.name}"):
            await running_policy.compile_aside()

    async def _note(self, facts: Sequence[Fact]) -> None:
        first, now = self.journal.last_serial + 1, self._now()
        entries = [encode(fact, first + k, now) for k, fact in enumerate(facts)]
        await self.journal.append(entries)
        for entry, fact in zip(entries, facts, strict=True):
            apply(self.state, fact, entry.serial, now)

    def _rested(self) -> None:
        self.history.at_rest()
        self.snapshots.at_rest()
        if self.accounts is not None:
            self.accounts.at_rest()

    def _now(self) -> float:
        return max(self.clock.now(), self.state.now)

    def feed(self, feeder: Feeder) -> None:
        """Let *feeder* take part in virtual time."""
        self.timekeeper.feeders.append(feeder)

    def reconfigure(self, new: Settings) -> None:
        """Go on by what of *new* may change while a server runs, from the next request on."""
        self.settings = replace(
            self.settings, limits=new.limits, page_size=new.page_size, privacy=new.privacy
        )

    def keep_accounts(self, books: Books, form: str) -> None:
        """Write accounting of the format *form* from now on, or from where *books* say. Raises BadFile."""
        self.accounts = AccountingWriter(
            self.journal, self.state, self.history, books, form, self.settings.name
        )
        self.accounts.start()

    def start(self) -> "asyncio.Task[None]":
        """Begin to take turns."""
        self.reactor.arrived.set()
        self._task = asyncio.create_task(self.timekeeper.run(), name="reactor")
        return self._task

    async def stop(self, bound_s: float = 10.0) -> None:
        """Take nothing new, finish what was taken, keep a snapshot, close; recovery needs none of it."""
        self.reactor.stopping = True
        for _ in range(100):
            if not self.reactor.mailbox:
                break
            await asyncio.sleep(bound_s / 1000)
        self.timekeeper.stop()
        if self._task is not None:
            await asyncio.wait([self._task], timeout=bound_s)
            self._task.cancel()
        for session in list(self.hub.sessions.values()):
            session.outgoing.put_nowait(None)
        await self.history.stop(bound_s)
        if self.accounts is not None:
            await self.accounts.stop(bound_s)
        if self._at_rest():
            await self.snapshots.last(bound_s)
        await self.journal.close()

    def _at_rest(self) -> bool:
        """Whether no turn is under way and none has failed: the state is what the journal says."""
        task = self._task
        return task is None or (task.done() and not task.cancelled() and task.exception() is None)


def _queues_as_configured(state: State, wanted: Sequence[Queue]) -> list[Fact]:
    """What makes the queues those of the configuration; what was changed by command since stays.

    A queue that it no longer names goes, as at a reload; one with jobs stays until they have ended.
    """
    if not wanted:
        return []
    new = [queue for queue in wanted if state.configured_queues.get(queue.name) != queue]
    before = set(state.configured_queues) - {queue.name for queue in wanted}
    if DEFAULT.name not in state.configured_queues and wanted[0].name != DEFAULT.name:
        # A new state has this queue first, and jobs that name none go to the first.
        before.add(DEFAULT.name)
    busy = {job.queue for job in state.open_jobs.values()}
    gone = [name for name in state.queues if name in before and name not in busy]
    if not new and len(gone) == len(state.queues):
        # Commands have removed what the configuration names, but one queue there must be.
        new = [wanted[0]]
    facts: list[Fact] = [QueueSet(queue.as_json(), Origin.CONFIGURATION) for queue in new]
    # Behind the first, so that there is a queue at any time; before the others, which may be called the same.
    facts[1:1] = [QueueRemoved(name, Origin.CONFIGURATION) for name in gone]
    return facts


def clock_of(settings: Settings, state: State) -> Clock:
    """The clock that goes on where *state* stands. Raises BadValue for one that would jump by decades."""
    kind, _, rate = state.clock.partition(":")
    if settings.clock is None and kind not in ("", ClockKind.REAL):
        return Clock(ClockKind(kind), float(rate or 1.0), state.now)
    chosen = settings.clock or ClockKind.REAL
    start_s = time.time() if chosen is ClockKind.REAL else 0.0
    if kind not in ("", ClockKind.REAL) and start_s - state.now > _JUMP_S:
        raise BadValue(
            "clock.kind",
            str(chosen),
            f"{state.clock}, the clock of this state, or another that is not real: it stands at "
            f"{state.now:g} s, and a real clock would jump to the present year",
        )
    return Clock(chosen, settings.rate, max(start_s, settings.start_s, state.now))


_JUMP_S = 365.25 * 86400
"""No server stands still for so long: a larger jump shows a clock of the wrong kind."""
