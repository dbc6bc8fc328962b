"""The workload: what was submitted, as arrays in order of submission.

It stands between the readers and generators that make it and the engine, the metrics and the
writers that use it. Nothing here knows a file format but the numbering of SWF's eighteen fields,
which is the field's common vocabulary.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from molokini.applications.divisible import Costs
from molokini.model.platforms import Platform
from molokini.workloads.components import Communication, Components
from molokini.workloads.recorded import Recorded

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Rows: TypeAlias = NDArray[np.intp] | NDArray[np.bool_]

SWF_FIELDS: tuple[str, ...] = (
    "number",
    "submit_s",
    "wait_s",
    "run_s",
    "allocated_processors",
    "cpu_s",
    "used_memory_kb",
    "requested_processors",
    "requested_s",
    "requested_memory_kb",
    "status",
    "user",
    "group",
    "executable",
    "queue",
    "partition",
    "preceding",
    "think_s",
)
"""SWF's fields 1 to 18 under the names that CSV and Parquet files use; -1 is *unknown*."""


@dataclass(frozen=True)
class Header:
    """A log's header comments: labels in their order, and the lines as they stood in the file.

    ``labels`` may repeat (Note, Queue, Partition); values are kept to the letter, whatever
    characters they hold.
    """

    labels: tuple[tuple[str, str], ...] = ()
    lines: tuple[str, ...] = ()

    def first(self, label: str) -> str | None:
        """The first value under *label* (case counts as in the file's standard), or None."""
        return next((value for name, value in self.labels if name == label), None)


@dataclass(frozen=True)
class Loads:
    """Divisible loads: how large each is, when it must be done, and what a unit costs."""

    size: Floats
    """sigma, units of load; above 0."""
    deadline_s: Floats
    """D, seconds from the submission; above 0."""
    costs: Costs

    def take(self, rows: "Rows | slice") -> "Loads":
        """The loads of these jobs."""
        return replace(self, size=self.size[rows], deadline_s=self.deadline_s[rows])


@dataclass(frozen=True)
class Workload:
    """Jobs in order of (submit time, job number), with what they asked for and what they did.

    All arrays have one element a job. ``run_s`` is the true run time in the log, not capped; a
    policy never sees it. ``records`` holds the eighteen SWF fields of each kept job as read, so that
    nothing is lost on the way from one format to another.
    """

    name: str
    number: Ints
    submit_s: Floats
    run_s: Floats
    estimate_s: Floats
    processors: Ints
    user: Ints
    group: Ints
    queue: Ints
    records: Floats
    header: Header = field(default_factory=Header)
    skipped: Mapping[str, int] = field(default_factory=dict)
    """Records that were read and left out, counted by reason."""
    machine_processors: int | None = None
    """The machine that the log names (MaxProcs, else MaxNodes), or None."""
    notes: Mapping[str, int] = field(default_factory=dict)
    """Oddities of kept records, by name: jobs out of order or too wide, a header's false count."""
    loads: Loads | None = None
    """Set where every job is a divisible load; ``processors``, ``run_s`` and ``estimate_s`` are then those of
    a job that is given the whole machine."""
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Names of users, groups, queues, ... by their number, where the file had names."""
    platform: Platform | None = None
    """The clusters that the jobs are made for."""
    components: Components | None = None
    """What the jobs ask for, where it is more than ``processors`` processors anywhere."""
    communication: Communication | None = None
    """How the jobs communicate, where their run time depends on their place."""
    recorded: Recorded | None = None
    """Accounts, QoSes and what became of the jobs, where a site's accounting says so."""

    def __len__(self) -> int:
        return int(self.number.size)

    @property
    def failed(self) -> Rows:
        """Whether the log says that a job failed or was cancelled (status 0 or 5) before its limit."""
        status = self.records[:, SWF_FIELDS.index("status")]
        return np.isin(status, (0.0, 5.0)) & (self.run_s < self.estimate_s)

    @property
    def estimated(self) -> NDArray[np.bool_]:
        """Whether a job gave an estimate; where it did not, its run time stands in its place."""
        given: NDArray[np.bool_] = self.records[:, SWF_FIELDS.index("requested_s")] > 0
        return given

    def with_estimates(self, estimate_s: Floats) -> "Workload":
        """The same jobs, as if these had been their estimates; 0: one's own stays. Itself where all are 0."""
        changed = estimate_s > 0
        if not changed.any():
            return self
        records = self.records.copy()
        records[changed, SWF_FIELDS.index("requested_s")] = estimate_s[changed]
        return replace(self, estimate_s=np.where(changed, estimate_s, self.estimate_s), records=records)

    def with_queues(self, names: Iterable[str]) -> "Workload":
        """The same jobs, with a number for the queues *names*, too. Itself where all have one."""
        known = self.names.get("queue", ())
        new = dict.fromkeys(name for name in names if name not in known)
        return replace(self, names={**self.names, "queue": (*known, *new)}) if new else self

    def name_of(self, kind: str, row: int) -> str:
        """The name of the job's user, group or queue: its number where it has none, "" if unknown."""
        return self.name_of_number(kind, int(getattr(self, kind)[row]))

    def name_of_number(self, kind: str, number: int) -> str:
        """The name of the user, group or queue *number*: the number where it has none, "" if unknown."""
        known = self.names.get(kind, ())
        return "" if number < 0 else known[number] if number < len(known) else str(number)

    def take(self, rows: Rows | slice) -> "Workload":
        """The workload of these rows only; the order stays that of *rows*."""
        names = (
            "number",
            "submit_s",
            "run_s",
            "estimate_s",
            "processors",
            "user",
            "group",
            "queue",
            "records",
        )
        beside: dict[str, Any] = {
            name: getattr(self, name) and getattr(self, name).take(rows)
            for name in ("loads", "components", "communication", "recorded")
        }
        return replace(self, **beside, **{name: getattr(self, name)[rows] for name in names})
