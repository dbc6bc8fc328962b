"""Jobs as the server keeps them: what is common to a job, and each run of it.

A job that is no array has one element, of index ``NO_INDEX``. An array is one object until its elements
become rows of the tables; elements that have never been rows take no memory.
"""

import json
import sys
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import chain, islice
from typing import NamedTuple

from molokini.model.facts import NO_INDEX, refusal_in_print
from molokini.model.job_specs import JobSpec
from molokini.model.requests import Request
from molokini.model.run_results import NO_RESULT
from molokini.model.written_specs import SharedSpec, WrittenSpec
from molokini.server.state.loads import Cut, Load

NO_HOLDS: frozenset[str] = frozenset()
NO_JOBS: frozenset[int] = frozenset()
"""One of each: an empty set of its own takes 216 bytes, and a queued job would have three of them."""
NO_AGENTS: tuple[str, ...] = ()


class JobStatus(StrEnum):
    """Where a job stands, as its user sees it."""

    HELD = "held"
    WAITING = "waiting"
    RUNNING = "running"
    SUSPENDED = "suspended"
    COMPLETED = "completed"
    FAILED = "failed"
    TIMED_OUT = "timed-out"
    CANCELLED = "cancelled"
    NODE_LOST = "node-lost"
    NOT_STARTED = "not-started"
    REFUSED = "refused"

    @property
    def over(self) -> bool:
        """Whether nothing more will happen to the job."""
        return self not in _OPEN

    @property
    def active(self) -> bool:
        """Whether an attempt is under way: the job runs, or is suspended."""
        return self in _ACTIVE


_ACTIVE = (JobStatus.RUNNING, JobStatus.SUSPENDED)
_OPEN = frozenset({JobStatus.HELD, JobStatus.WAITING, JobStatus.RUNNING, JobStatus.SUSPENDED})


class Element:
    """One run of a job: the job itself, or one element of an array."""

    __slots__ = (
        "_status",
        "attempt",
        "cause",
        "cut",
        "earliest_deadline_s",
        "end_s",
        "ended_by",
        "first_start_s",
        "holds",
        "index",
        "job",
        "left_at",
        "left_attempt",
        "limit_s",
        "nodes",
        "number",
        "parts",
        "queue",
        "reason",
        "refusal",
        "reserved_s",
        "result",
        "row",
        "start_s",
        "stopping",
        "suspended_from_s",
        "suspended_s",
    )

    def __init__(self, job: "Job", index: int) -> None:
        self.job, self.index = job, index
        self.number = 0
        """Of an element: its own number among those of jobs; 0: it has none yet."""
        self.row = -1
        """Row of the tables, -1 before it is eligible and after its end."""
        self._status = JobStatus.WAITING
        self.holds = NO_HOLDS
        """Holds of this element alone, beside those of its job."""
        self.attempt = 0
        self.first_start_s: float | None = None
        self.start_s: float | None = None
        self.end_s: float | None = None
        self.reserved_s: float | None = None
        self.result = NO_RESULT
        self.refusal = ""
        """A ``Refusal`` by its name where the policy has refused it; *reason* is its limit, if it has one."""
        self.reason = self.stopping = ""
        """``stopping``: the operation (cancel, requeue) that follows when its agent has stopped it."""
        self.cause = ""
        """A ``Cause`` of its end, or empty."""
        self.ended_by = ""
        """The user who cancelled it, or whose cancellation of it is under way; empty: none."""
        self.nodes: tuple[tuple[int, int], ...] = ()
        """(node number, processors) pairs that it holds, or held last."""
        self.parts: tuple[int, ...] = ()
        """Of one that communicates: processors of each cluster on which its attempt has started."""
        self.left_at: tuple[str, ...] = NO_AGENTS
        """Agents that it was taken from and may still run it; no agent gets it before they have let go."""
        self.left_attempt = 0
        """Which attempt they may still run."""
        self.cut: Cut | None = None
        """Of a divisible job: what the policy has made of it, as planned last."""
        self.limit_s = 0.0
        """The limit that the start of its present or last attempt gave it; 0: the estimate holds."""
        self.queue = ""
        """The queue in which that attempt started, of a job that names several; empty: that of its job."""
        self.suspended_s = 0.0
        """Seconds for which its present or last attempt was suspended, until it went on last, or ended."""
        self.suspended_from_s: float | None = None
        """Since when it is suspended; None: it is not."""
        self.earliest_deadline_s = 0.0
        """Of one refused for its deadline: the earliest that could have been met; 0: none is known."""

    def suspended_by(self, at_s: float) -> float:
        """Seconds for which its present or last attempt has been suspended by an instant."""
        since_s = self.suspended_from_s
        return self.suspended_s + (0.0 if since_s is None else max(0.0, at_s - since_s))

    @property
    def status(self) -> JobStatus:
        """Where it stands."""
        return self._status

    @status.setter
    def status(self, status: JobStatus) -> None:
        if self.job.array is not None:
            self.job.array.recount(self._status, status)
        self._status = status

    @property
    def why(self) -> str:
        """The reason in print, that of a refusal as well."""
        return refusal_in_print(self.refusal, self.reason) if self.refusal else self.reason

    @property
    def over(self) -> bool:
        """Whether nothing more will happen to it."""
        return self.status.over

    @property
    def deadline_met(self) -> bool | None:
        """Of an end: whether it came, well, by the deadline; None without a deadline, an end or a start."""
        deadline_s = self.job.deadline_s
        if not deadline_s or self.end_s is None or not self.attempt:
            return None
        return self.status is JobStatus.COMPLETED and self.end_s <= deadline_s

    @property
    def execution_s(self) -> float:
        """Seconds of work after which its agent ends it: its limit, or what its load takes as cut."""
        if self.cut is not None:
            return self.cut.execution_s
        return self.limit_s or self.job.estimate_s


class Array:
    """Which elements an array has, and how far it has come."""

    __slots__ = (
        "apart",
        "back",
        "counts",
        "dropped",
        "elements",
        "elementwise",
        "ended",
        "first",
        "limit",
        "listed",
        "made",
        "numbered",
        "passed",
        "size",
        "step",
    )

    def __init__(self, first: int, last: int, step: int, limit: int, listed: Sequence[int] = ()) -> None:
        self.first, self.step, self.limit = first, step, limit
        self.listed = list(listed)
        """The indices in ascending order, where they are no progression; else none."""
        self.size = len(listed) or (last - first) // step + 1
        self.elementwise = False
        """Whether its elements wait for those of another array one by one."""
        self.numbered = -1
        """So many elements have numbers of their own, or keep that of the array; -1: they get none."""
        self.made = 0
        """So many elements have become rows, or were held or cancelled alone before, or dropped."""
        self.passed = 0
        """The first so many elements are all known: a search begins behind them."""
        self.apart: set[int] = set()
        """Elements that are held alone, and are no rows."""
        self.back: set[int] = set()
        """Elements that were, and are to become rows before any that never was one."""
        self.elements: dict[int, Element] = {}
        self.counts: dict[JobStatus, int] = {}
        """Numbers of elements by where they stand, so that no query loops over all elements."""
        self.ended = 0
        self.dropped = 0
        """So many were cancelled before they became rows."""

    def add(self, element: Element) -> None:
        """Take up an element that becomes a row."""
        self.elements[element.index] = element
        self.made += 1
        while self.passed < self.size and self._at(self.passed) in self.elements:
            self.passed += 1
        self.counts[element.status] = self.counts.get(element.status, 0) + 1

    def drop(self) -> None:
        """Those that have not become rows never will."""
        self.dropped += self.size - self.made
        self.made = self.passed = self.size

    def recount(self, before: JobStatus, after: JobStatus) -> None:
        """One element has gone from *before* to *after*."""
        self.counts[before] -= 1
        self.counts[after] = self.counts.get(after, 0) + 1

    def indices(self, count: int) -> tuple[int, ...]:
        """The next *count* elements that are to become rows."""
        return tuple(islice(chain(sorted(self.back), self.fresh()), count))

    def fresh(self) -> Iterator[int]:
        """Indices of elements that have never been rows, in order."""
        new = (self._at(place) for place in range(self.passed, self.size))
        return (index for index in new if index not in self.elements)

    def keeps(self, element: Element) -> bool:
        """Whether *element* becomes a row later than others: once it is released, and its array has room."""
        return element.index in self.apart or element.index in self.back

    def has(self, index: int) -> bool:
        """Whether there is an element *index*, known or not."""
        if self.listed:
            place = bisect_left(self.listed, index)
            return place < self.size and self.listed[place] == index
        place, rest = divmod(index - self.first, self.step)
        return not rest and 0 <= place < self.size

    def _at(self, place: int) -> int:
        return self.listed[place] if self.listed else self.first + place * self.step

    def counts_with_unmade(self, unmade: JobStatus) -> dict[JobStatus, int]:
        """How many elements stand where; those that have never been rows stand as *unmade*."""
        counts = {status: count for status, count in self.counts.items() if count}
        for status, count in ((unmade, self.size - self.made), (JobStatus.CANCELLED, self.dropped)):
            if count:
                counts[status] = counts.get(status, 0) + count
        return counts

    @property
    def unready(self) -> bool:
        """Whether there are elements that are to become rows."""
        return self.made < self.size or bool(self.back)

    @property
    def open_rows(self) -> int:
        """Elements that are rows of the tables now."""
        return len(self.elements) - self.ended - len(self.apart) - len(self.back)

    @property
    def waiting_rows(self) -> int:
        """Elements that are rows and wait or are held."""
        waiting = self.counts.get(JobStatus.WAITING, 0) + self.counts.get(JobStatus.HELD, 0)
        return waiting - len(self.apart) - len(self.back)


class Columns(NamedTuple):
    """What is looked at all the time of a specification."""

    estimate_s: float
    """Requested seconds of work."""
    name: str
    queue: str
    further_queues: tuple[str, ...]
    """Others in which it may start."""
    account: str
    deadline_s: float
    """Instant by which it should have ended; 0: none."""
    least_s: float
    """The shortest limit with which it may be started; 0: its estimate."""
    user_priority: int
    system_priority: int
    """Added to what a policy finds, or instead of it."""
    may_run_again: bool
    """Whether it goes back to the queue when its node is lost."""
    load: Load | None
    """None: it cannot be divided."""
    communicates: bool
    """Whether its run time depends on its place."""


def _columns_of(shared: SharedSpec) -> Columns:
    """Those of a specification, made once where jobs share it."""
    known: Columns | None = shared.columns
    if known is None:
        spec = shared.spec
        known = shared.columns = Columns(
            float(spec.get("estimate_s", 0.0)),
            sys.intern(spec.get("name", "")),
            sys.intern(spec.get("queue", "")),
            tuple(map(sys.intern, spec.get("further_queues", ()))),
            sys.intern(spec.get("account", "")),
            float(spec.get("deadline_s", 0.0)),
            float(spec.get("least_estimate_s", 0.0)),
            int(spec.get("user_priority", 0)),
            int(spec.get("system_priority", 0)),
            bool(spec.get("requeue", True)),
            Load.of(spec),
            "communication" in spec,
        )
    return known


_READ = json.JSONDecoder().raw_decode
"""Of text that is known to be JSON alone: a listing reads thousands of specifications."""


class Job:
    """What is common to all elements of a job."""

    __slots__ = (
        "_text",
        "account",
        "array",
        "communicates",
        "credential",
        "deadline_s",
        "element",
        "eligible_s",
        "estimate_s",
        "further_queues",
        "holds",
        "id",
        "least_s",
        "load",
        "may_run_again",
        "name",
        "queue",
        "request",
        "submitted_s",
        "system_priority",
        "user",
        "user_priority",
        "version",
        "waits_for",
    )

    def __init__(
        self, number: int, user: str, written: WrittenSpec, submitted_s: float, request: Request
    ) -> None:
        self.id, self.user, self.submitted_s = number, user, submitted_s
        self.request = request
        self.keep(written)
        self.credential = 0
        self.eligible_s: float | None = None
        self.holds = NO_HOLDS
        self.waits_for = NO_JOBS
        """Jobs for whose end or start it waits."""
        self.version = 1
        wanted = written.shared.spec.get("array")
        self.array = None
        if wanted:
            ends = wanted["first"], wanted["last"], wanted["step"], wanted["running_limit"]
            self.array = Array(*ends, wanted.get("indices", ()))
            self.array.numbered = 0 if wanted.get("own_numbers") else -1
            self._note_elementwise(written.shared.spec)
        self.element: Element | None = None if wanted else Element(self, NO_INDEX)

    @property
    def spec(self) -> JobSpec:
        """The specification. Kept as JSON, which takes a quarter of the memory, and parsed at each use."""
        read: JobSpec = _READ(self._text)[0]
        return read

    @property
    def queues(self) -> tuple[str, ...]:
        """All queues in which it may start; the first is the one that counts it."""
        return (self.queue, *self.further_queues)

    @property
    def present_queues(self) -> tuple[str, ...]:
        """The queue in which it was started; all of them before that, and of an array."""
        started = self.element.queue if self.element is not None else ""
        return (started,) if started else self.queues

    def keep(self, written: WrittenSpec) -> None:
        """Its specification is *written* from now on."""
        # Element by element: this is done for each job of a batch.
        (
            self.estimate_s,
            self.name,
            self.queue,
            self.further_queues,
            self.account,
            self.deadline_s,
            self.least_s,
            self.user_priority,
            self.system_priority,
            self.may_run_again,
            self.load,
            self.communicates,
        ) = _columns_of(written.shared)
        # What jobs of a batch may have of their own.
        self._text, self.estimate_s = written.text, float(written.estimate_s)
        if written.name != self.name:
            self.name = sys.intern(written.name)
        if getattr(self, "array", None) is not None:
            self._note_elementwise(written.shared.spec)

    def _note_elementwise(self, spec: JobSpec) -> None:
        assert self.array is not None
        self.array.elementwise = any(one.get("elementwise") for one in spec.get("dependencies", ()))

    def element_of(self, index: int) -> Element | None:
        """The element of *index*; None where there is none, or it has not become a row."""
        if self.array is None:
            return self.element if index == NO_INDEX else None
        return self.array.elements.get(index)

    def unheard(self, index: int) -> Element | None:
        """An element that was no row so far, as it stands with its array; None where there is no such."""
        if self.array is None or not self.array.has(index) or index in self.array.elements:
            return None
        found = Element(self, index)
        # Not by the setter: the array neither keeps this element nor counts it.
        found._status = self.unmade_status if self.array.made < self.array.size else JobStatus.CANCELLED
        return found

    @property
    def unmade_status(self) -> JobStatus:
        """Where elements of an array stand that have never been rows."""
        waits = self.array is not None and self.array.elementwise
        return JobStatus.HELD if self.eligible_s is None or self.holds or waits else JobStatus.WAITING

    def known_elements(self) -> list[Element]:
        """Elements that are or were rows."""
        if self.element is not None:
            return [self.element]
        assert self.array is not None
        return list(self.array.elements.values())

    def part(self) -> None:
        """Let go of the runs, which refer to their job: its memory is free without a garbage collection.

        Code that still holds a run has its job, too.
        """
        self.element = None
        if self.array is not None:
            self.array.elements = {}

    @property
    def status(self) -> JobStatus:
        """Where the job stands; of an array, the liveliest state of its elements."""
        if self.element is not None:
            return self.element.status
        assert self.array is not None
        if self.array.made < self.array.size:
            unmade = self.unmade_status
        else:
            unmade = None
        present = {status for status, count in self.array.counts.items() if count}
        if self.array.dropped:
            present.add(JobStatus.CANCELLED)
        for status in (JobStatus.RUNNING, JobStatus.SUSPENDED, JobStatus.WAITING, JobStatus.HELD):
            if status in present or status is unmade:
                return status
        for status in (JobStatus.FAILED, JobStatus.TIMED_OUT, JobStatus.NODE_LOST, JobStatus.NOT_STARTED):
            if status in present:
                return status
        return JobStatus.CANCELLED if JobStatus.CANCELLED in present or not present else JobStatus.COMPLETED

    @property
    def over(self) -> bool:
        """Whether nothing more will happen to it."""
        return self.status.over
