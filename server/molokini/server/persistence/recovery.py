"""The state of a server that starts: its newest readable snapshot and the facts behind it, or all facts."""

import gc
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager

from molokini.model.codec import decode
from molokini.model.facts import (
    Fact,
    JobAccrues,
    JobBypassed,
    JobDeferred,
    JobMolded,
    JobReserved,
    JobsRetired,
    JobStarted,
    LienPlaced,
    PolicySet,
    QueueSet,
    ServerStarted,
)
from molokini.server.journal.port import Journal
from molokini.server.state.applying import apply, remember
from molokini.server.state.snapshot import Unreadable, state_of
from molokini.server.state.state import State

EVENTS_BEFORE = 10_000
"""Facts before a snapshot that are read all the same: a watcher that comes back may have missed them."""

log = logging.getLogger("molokini.server")


async def recovered(journal: Journal) -> State:
    """The state that the facts of *journal* make; no policy is run, no snapshot is looked at."""
    state = State()
    with uncollected():
        await _apply(journal, state)
    return state


async def restarted(journal: Journal, release: str) -> tuple[State, int]:
    """The same by way of the newest snapshot of this *release*; and the entry that it was of (0: none)."""
    began_s = time.monotonic()
    with uncollected():
        state = await _from_snapshot(journal, release) or State()
        found = state.serial
        if found:
            await _read_events(journal, state)
        await _apply(journal, state)
    if state.serial:
        source = f"the snapshot of entry {found} and " if found else ""
        log.info(
            "recovered from %s%d entries in %.2f s: %d jobs, %d of them not over",
            source,
            state.serial - found,
            time.monotonic() - began_s,
            len(state.jobs),
            len(state.open_jobs),
        )
    return state, found


async def _apply(journal: Journal, state: State) -> None:
    async for entry in journal.read(state.serial):
        fact = decode(entry)
        if not state.says_passes and _passed(fact, entry.time_s, state):
            state.tables.holes.count = 0
        apply(state, fact, entry.serial, entry.time_s)


async def _from_snapshot(journal: Journal, release: str) -> State | None:
    snapshot = await journal.load_snapshot()
    if snapshot is None:
        return None
    try:
        state = state_of(snapshot.body, release)
    except Unreadable as error:
        log.warning("snapshot %d %s; replaying the whole journal", snapshot.serial, error)
        return None
    if state.serial != snapshot.serial:
        log.warning(
            "snapshot %d does not match its journal entry; replaying the whole journal", snapshot.serial
        )
        return None
    return state


async def _read_events(journal: Journal, state: State) -> None:
    async for entry in journal.read(max(0, state.serial - EVENTS_BEFORE)):
        if entry.serial > state.serial:
            return
        remember(state, decode(entry), entry.serial, entry.time_s)


@contextmanager
def uncollected() -> Iterator[None]:
    """Without the collector: all that is made here stays."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


_SAID_BY_PASSES = (JobMolded, JobReserved, JobStarted, JobBypassed, JobAccrues, JobDeferred, LienPlaced)


def _passed(fact: Fact, time_s: float, state: State) -> bool:
    """Whether *fact*, of a journal that does not say passes, shows that one has seen what ended early before.

    A pass that decided nothing leaves no trace, and finds nothing new if it is run once more.
    """
    if isinstance(fact, _SAID_BY_PASSES):
        return True
    return time_s > state.now and not isinstance(fact, ServerStarted | PolicySet | QueueSet | JobsRetired)
