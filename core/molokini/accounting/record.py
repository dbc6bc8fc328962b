"""What an accounting record tells of a job that has ended, whichever system has written it.

Instants are seconds since 1970 (of the scheduling clock where a cluster's clock is not real), memory is in
kilobytes of 1,024 bytes. What is not known is 0, empty or None, as each field says.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from molokini.model.facts import NO_INDEX, Ending

NOT_UNDERSTOOD, ROUNDED, HOUR_LATER = "not_understood.", "rounded.", "hour_later."
"""How the names of notes begin that count fields of a kind."""


class Odd(NamedTuple):
    """A field that is not as it should be, though its record is a job all the same."""

    field: str
    cause: str
    """In words, with the value."""
    kind: str = NOT_UNDERSTOOD
    """``NOT_UNDERSTOOD``: the job goes without it; ``ROUNDED``: it is about right; ``HOUR_LATER``:
    clocks went back, and it is taken as an hour later."""

    @property
    def note(self) -> str:
        """The name under which such fields are counted."""
        return f"{self.kind}{self.field}"

    @property
    def broken(self) -> bool:
        """Whether it breaks the format."""
        return self.kind == NOT_UNDERSTOOD


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A job, or one element of an array, that is over: its last attempt."""

    number: int
    index: int = NO_INDEX
    """Index of an element; ``NO_INDEX``: the job is no array, or the record is of an array as a whole."""
    indices: str = ""
    """Of an array as a whole (elements that never started): its indices as ``0-9:2``. Empty otherwise."""
    name: str = ""
    user: str = ""
    uid: int = -1
    """The user's number on the machine that wrote the record; -1: not known."""
    group: str = ""
    account: str = ""
    queue: str = ""
    qos: str = ""
    command: str = ""
    directory: str = ""
    submitted_s: float
    eligible_s: float | None = None
    start_s: float | None = None
    """None: it never started."""
    end_s: float
    suspended_s: float = 0.0
    """Seconds between the two for which it was suspended; 0: none, or not known."""
    ending: Ending = Ending.COMPLETED
    exit_code: int = 0
    signal: int = 0
    processors: int = 0
    """Processors asked for; 0: not known."""
    wanted_nodes: int = 0
    """Nodes asked for; 0: any."""
    allocated: int = 0
    """Processors held; 0: none, or not known."""
    held_nodes: int = 0
    """How many nodes it held, where the source gives their number alone; 0: not known."""
    nodes: tuple[tuple[str, int], ...] = ()
    """Names of nodes with the processors held there."""
    estimate_s: float = 0.0
    """Wall time limit, seconds; 0: none."""
    memory_kb: int = 0
    """Asked for, a processor."""
    used_kb: int = 0
    """Most memory used, all processes together."""
    cpu_s: float = 0.0
    """Processor time of all processes."""
    priority: float | None = None
    """At its submission; None: not known."""
    started_by: str = ""
    """Which pass started it: ``main``, ``backfill`` or ``submission``; empty: not known."""
    most_nodes: int = 0
    """The most nodes that it asked for; 0: not known."""
    least_s: float = 0.0
    """The least wall time limit that it would have done with, seconds; 0: none, or not known."""
    alone: bool = False
    """Whether it had its nodes for itself, as far as its record tells."""
    licenses: str = ""
    """The licences that it asked for, as ``a:2,b:1``."""
    generic: str = ""
    """The generic resources that it asked for, all of its nodes together, as ``gres/gpu:2,gres/shard:1``."""
    constraint: str = ""
    """The features that it asked of its nodes, as an expression: ``a&(b|c)``."""
    reservation: str = ""
    """The reservation in which it ran."""
    array_limit: int | None = None
    """Of an element, how many of its array may run at a time (0: any number); None: it does not say."""
    of_several: bool = False
    """Whether it is one of several components that started together."""
    attempt: int = 1
    """How often it was started; 0: never."""
    odd: tuple[Odd, ...] = ()
    """What of it was not understood, and stands here as not known."""

    @property
    def ran_s(self) -> float:
        """Seconds from the start of the last attempt to its end; 0 where it never started."""
        return 0.0 if self.start_s is None else self.end_s - self.start_s


class Place(NamedTuple):
    """Where a line stands."""

    path: str
    line: int
    """From 1."""


Lines: TypeAlias = Iterable[tuple[Place, str]]
"""Lines without their ends, each with its place."""


@dataclass(frozen=True, slots=True)
class SkippedLine:
    """A line that is no job: why, by the name of a reason, and in words."""

    place: Place
    reason: str
    cause: str
    waiting: tuple[int, int] | None = None
    """Of an array whose other elements wait: its number, and how many of its elements may run at a time."""


Found: TypeAlias = Iterator[tuple[Place, Record] | SkippedLine]
"""What a reader makes of lines: jobs with their places, and what is no job."""


OTHER_RECORD = "other_record"
NO_PROCESSORS = "no_processors"
JOB_STEP = "job_step"
NOT_ENDED = "not_ended"
NEVER_STARTED = "never_started"
REQUEUED = "requeued_attempt"
MISSING = "missing_field"
NOT_TEXT = "not_text"
NUMBER = "not_a_number"
COUNT = "wrong_field_count"
RANGE = "out_of_range"
"""Reasons by which lines of accounting are left out."""
