"""One attempt of a job on emulated nodes: what is scripted for it, and how much of its work is done."""

from collections.abc import Container, Iterable
from dataclasses import dataclass
from enum import Enum
from math import inf, isfinite
from signal import SIGTERM

from molokini.applications.kinds import PATTERNS
from molokini.applications.placed import over, run_s
from molokini.applications.rows import end_in_rows, work_between
from molokini.applications.work import end_of, work_after
from molokini.model.errors import BadValue
from molokini.proto.v1.agent_service_pb2 import AttemptRef, Launch, Rows
from molokini.proto.v1.jobs_pb2 import Allocation, Communication


class Fate(Enum):
    """How an attempt ends that no order or lease ends before."""

    ENDS = "ends"
    TIMES_OUT = "times out"
    NODE_DIES = "its first node dies"


@dataclass(slots=True)
class Attempt:
    """What is scripted comes after so many seconds of work; *work_s* were done at *updated_s*."""

    job: int
    index: int
    number: int
    nodes: tuple[str, ...]
    start_s: float
    run_s: float | None
    """Work after which it ends by itself; None: at its estimate, which is its limit."""
    estimate_s: float
    limit_s: float
    """Work after which the agent ends it."""
    dies_s: float
    """Work after which its first node dies; 0: never."""
    ends_with: tuple[int, int]
    """Exit code and signal of an end by itself."""
    memory_kb: int
    scripted: bool
    """Whether its outcome was given; one that was not ends well at its estimate."""
    work_s: float
    updated_s: float
    rate: float
    suspended: bool
    rows: Rows | None = None
    """Where it stands in the matrix of gang scheduling, if there is one."""
    stall_s: float = 0.0
    """Slice time that it has still to lose at *updated_s*."""

    @property
    def ref(self) -> AttemptRef:
        """Its name on the wire."""
        return AttemptRef(job_id=self.job, array_index=self.index, attempt=self.number)

    @property
    def fate(self) -> Fate:
        """What happens to it, as things are."""
        return self._fate()[0]

    @property
    def exit_code(self) -> int:
        """The exit code with which it ends."""
        return 0 if self.fate is Fate.TIMES_OUT else self.ends_with[0]

    @property
    def signal(self) -> int:
        """The signal that ends it; 0: none."""
        return int(SIGTERM) if self.fate is Fate.TIMES_OUT else self.ends_with[1]

    def _fate(self) -> tuple[Fate, float]:
        """What happens first, and after how much work. At its limit it has ended by itself."""
        run_s = self.estimate_s if self.run_s is None else self.run_s
        if 0 < self.dies_s < min(run_s, self.limit_s):
            return Fate.NODE_DIES, self.dies_s
        if run_s > self.limit_s:
            return Fate.TIMES_OUT, self.limit_s
        return Fate.ENDS, run_s

    def fate_s(self) -> float | None:
        """The instant at which its fate comes, as things are; None: not while it stands still."""
        if self.suspended or self.rate <= 0:
            return None
        # As the simulator does it, operation by operation, so that both agree to the last bit.
        left_s = max(0.0, self._fate()[1] - self.work_s)
        if self.rows is None or not self.rows.exact:
            at_s = end_of(self.updated_s, left_s + self.stall_s, self.rate)
        else:
            at_s = end_in_rows(*numbers_of(self.rows), self.updated_s, left_s + self.stall_s)
        return at_s if isfinite(at_s) else None

    def suspend(self, at_s: float) -> None:
        """Stop at *at_s*; the work done is kept."""
        self._account(at_s)
        self.suspended = True
        self.leave_rows()

    def resume(self, at_s: float, rate: float) -> None:
        """Go on at *at_s*; a *rate* of 0 means the one before (1, where that is not known)."""
        self.updated_s = max(at_s, self.updated_s)
        self.rate = max(0.0, rate) or self.rate or 1.0
        self.suspended = False

    def set_rate(self, at_s: float, rate: float) -> None:
        """Go on at another rate; at 0 it stands still. A suspended one stays so."""
        if not self.suspended:
            self._account(at_s)
        self.rate = max(0.0, rate)

    def set_rows(self, at_s: float, rows: Rows, rate: float) -> None:
        """Go on in these rows, at *rate* in the mean; what they lose comes to what it had to lose."""
        if not self.suspended:
            self._account(at_s)
        self.rows, self.rate = rows, rate
        self.stall_s += rows.stall_s

    def leave_rows(self) -> None:
        """Stand in no rows from now on."""
        self.rows, self.stall_s = None, 0.0

    def set_limit(self, at_s: float, limit_s: float, estimate_s: float = 0.0) -> None:
        """The agent ends it after so much work (0: never).

        One without a scripted run time needs *estimate_s*, or as much.
        """
        if not self.suspended:
            # What is done by now is done: an end by a limit that lies behind comes now.
            self._account(at_s)
        self.estimate_s = estimate_s or limit_s or self.estimate_s
        self.limit_s = limit_s or inf

    def _account(self, at_s: float) -> None:
        now = max(at_s, self.updated_s)
        if self.rows is None:
            self.work_s = work_after(self.work_s, self.rate, self.updated_s, now)
        else:
            had_s = self._had_s(self.rows, now)
            lost_s = min(self.stall_s, had_s)
            self.stall_s -= lost_s
            self.work_s += had_s - lost_s
        self.updated_s = now

    def _had_s(self, rows: Rows, now: float) -> float:
        """Slice time that it has had in these rows since it was updated."""
        if not rows.exact:
            return work_after(0.0, self.rate, self.updated_s, now)
        return work_between(*numbers_of(rows), self.updated_s, now)


def launched(launch: Launch, own: Container[str]) -> Attempt:
    """What begins with *launch* on the nodes *own*. Raises BadValue where it cannot be run."""
    return _attempt(launch, own, launch.start_s, launch.rate or 1.0, suspended=False)


def taken_up(launch: Launch, own: Container[str]) -> Attempt:
    """The same for what a welcome names: work, rate and suspension are the server's word. Raises BadValue."""
    return _attempt(launch, own, launch.updated_s, launch.rate, launch.suspended)


def _attempt(launch: Launch, own: Container[str], updated_s: float, rate: float, suspended: bool) -> Attempt:
    outcome = launch.spec.outcome
    # Of the first attempt alone: a job that may run again would take one node after the other with it.
    if launch.HasField("rows"):
        numbers_of(launch.rows)
    dies = launch.attempt.attempt <= 1 and all(part.node in own for part in launch.allocation[:1])
    return Attempt(
        job=launch.attempt.job_id,
        index=launch.attempt.array_index,
        number=launch.attempt.attempt,
        nodes=nodes_of(launch.allocation, own),
        start_s=launch.start_s,
        run_s=_run_of(launch) if outcome.HasField("run_s") else None,
        estimate_s=_counted("estimate_s", _work_of(launch)),
        limit_s=launch.limit_s if launch.limit_s > 0 else inf,
        dies_s=outcome.node_dies_after_s if dies else 0.0,
        ends_with=(outcome.exit_code, outcome.signal),
        memory_kb=outcome.memory_kb,
        scripted=launch.spec.HasField("outcome"),
        work_s=_counted("work_s", launch.work_s),
        updated_s=_instant("updated_s", updated_s),
        rate=_counted("rate", rate),
        suspended=suspended,
        rows=launch.rows if launch.HasField("rows") else None,
        stall_s=_counted("rows.stall_s", launch.rows.stall_s),
    )


def numbers_of(rows: Rows) -> tuple[int, int, float, float, int, int]:
    """As the functions of ``applications.rows`` take them. Raises BadValue for what can be no rows."""
    # Evenly shared, the rate says all; rows behind those for which there are bits are not named.
    named = rows.bits > 0 or not rows.exact
    if not (rows.count >= 1 and named and rows.bits < 1 << rows.count and rows.quantum_s > 0):
        raise BadValue("rows", rows.bits, "bits of as many rows as there are")
    switch, changed = rows.context_switch, int(rows.changed)
    return rows.bits, rows.count, rows.quantum_s, switch, changed, int(rows.exact)


def _run_of(launch: Launch) -> float:
    """Seconds after which it ends by itself where it lies."""
    amount = _counted("outcome.run_s", launch.spec.outcome.run_s)
    parts, asked = launch.processors_by_cluster, launch.spec.communication
    if not parts:
        return amount
    kind = _KINDS.get(asked.pattern)
    if kind is None:
        raise BadValue("communication.pattern", asked.pattern, "one that this agent knows")
    return run_s(kind, amount, over(parts), (asked.inside_s, asked.between_s, 0.0, 0.0))


_KINDS = {Communication.Pattern.Value(name): kind for name, kind in PATTERNS.items()}
"""The kinds of jobs whose place decides how long they run, by their numbers on the wire."""


def _work_of(launch: Launch) -> float:
    """Seconds that a job takes of which nothing else is scripted."""
    if launch.HasField("division"):
        # The policy has it from ``run_s``, too; the limit on the launch is this very number.
        return launch.division.execution_s
    return launch.spec.estimate_s


def nodes_of(allocation: Iterable[Allocation], own: Container[str]) -> tuple[str, ...]:
    """The names of those nodes of *allocation* that are *own*, in its order."""
    return tuple(part.node for part in allocation if part.node in own)


def _counted(field: str, value: float) -> float:
    if not value >= 0:
        raise BadValue(field, value, "a number of 0 or more")
    return value


def _instant(field: str, value: float) -> float:
    if not isfinite(value):
        raise BadValue(field, value, "a finite number of seconds")
    return value
