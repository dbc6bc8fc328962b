"""The journal's port: facts in order, durable when ``append`` returns; snapshots beside them."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from molokini.model.codec import Entry
from molokini.model.errors import MolokiniError


class JournalError(MolokiniError):
    """The journal could not be written or read; as such: the batch is none, and nothing of it was kept."""


class StateFull(JournalError):
    """The file system under the state has no room; a later append may work again."""


class Unwritten(JournalError):
    """A file beside the journal could not be written, such as the list of tokens; it is as it was."""


class StateBroken(JournalError):
    """A write or a sync has failed: what is on disk is uncertain, so the server stops and starts from it."""


class StateTaken(JournalError):
    """Another server has this state (or has taken it over); its holder is named."""


class StateMissing(JournalError):
    """There is no state where one was named, and none was to be made."""


class StateDamaged(JournalError):
    """The stored state cannot be read; the text names the damaged part."""


class Busy(JournalError):
    """The database cannot be reached just now; nothing was kept, and trying again is right."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state after entry *serial*: what an entry before it would have to be replayed for."""

    serial: int
    body: bytes


@dataclass(frozen=True, slots=True)
class Finished:
    """The record of a job that is over."""

    number: int
    user: str
    queue: str
    name: str
    version: int
    body: str
    """Canonical JSON."""


@dataclass(frozen=True, slots=True)
class Runs:
    """What became of some elements of an array that is over: those of indices after the part before."""

    number: int
    last: int
    """Index of the last of them."""
    version: int
    body: str
    """Canonical JSON."""


@dataclass(frozen=True, slots=True)
class Which:
    """Which finished jobs are looked for; what is empty does not limit."""

    numbers: tuple[int, ...] = ()
    users: tuple[str, ...] = ()
    queues: tuple[str, ...] = ()
    name: str = ""


class Journal(Protocol):
    """Append a batch, read from a serial, keep and load snapshots."""

    @property
    def last_serial(self) -> int:
        """Serial of the last durable entry; 0 where there is none."""

    @property
    def epoch(self) -> int:
        """How often this state was opened for writing, this time included."""

    async def append(self, entries: Sequence[Entry]) -> None:
        """Keep *entries*, which follow ``last_serial`` without a gap, in one transaction with one sync.

        On return they are durable. Raises StateFull, Busy (nothing was kept, try later), StateBroken or
        StateTaken (stop).
        """

    def read(self, after: int) -> AsyncIterator[Entry]:
        """All entries after serial *after*, in order; StateDamaged names the first that cannot be read."""

    async def keep_snapshot(self, snapshot: Snapshot) -> None:
        """Keep *snapshot* beside the entries; older ones may go."""

    async def load_snapshot(self) -> Snapshot | None:
        """The newest snapshot that can be read."""

    async def keep_finished(self, jobs: Sequence[Finished], runs: Sequence[Runs] = ()) -> None:
        """Keep these records permanently, durable on return; those there already are replaced."""

    async def clear_finished(self) -> None:
        """Forget all of these records, in whatever condition: they are to be written again."""

    async def finished(self, which: Which, after: int, most: int) -> list[Finished]:
        """At most *most* records above number *after*, in order; fewer where they are large, but one.

        StateDamaged names one that was changed.
        """

    async def runs(self, number: int, index: int) -> Runs | None:
        """The part of array *number* with element *index*, or else the next; None after the last."""

    async def close(self) -> None:
        """Give the state back to others."""
