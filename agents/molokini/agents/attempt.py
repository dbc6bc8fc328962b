"""One attempt of a job on emulated nodes: what is scripted for it, and how much of its work is done."""

from dataclasses import dataclass
from enum import Enum
from math import inf, isfinite
from signal import SIGTERM

from molokini.applications.work import end_of, work_after
from molokini.model.errors import BadValue
from molokini.proto.v1.agent_service_pb2 import AttemptRef, Launch
from molokini.proto.v1.jobs_pb2 import JobSpec


class Fate(Enum):
    """What happens to an attempt that nobody interferes with."""

    ENDS = "ends"
    TIMES_OUT = "times out"
    NODE_DIES = "its first node dies"


@dataclass(slots=True)
class Attempt:
    """*fate* comes when *fate_work_s* seconds of work are done; *work_s* were done at *updated_s*."""

    job: int
    index: int
    number: int
    nodes: tuple[str, ...]
    start_s: float
    fate: Fate
    fate_work_s: float
    exit_code: int
    signal: int
    memory_kb: int
    scripted: bool
    """Whether its outcome was given; one that was not ends well at its estimate."""
    work_s: float
    updated_s: float
    rate: float
    suspended: bool

    @property
    def ref(self) -> AttemptRef:
        """Its name on the wire."""
        return AttemptRef(job_id=self.job, array_index=self.index, attempt=self.number)

    def fate_s(self) -> float | None:
        """The instant at which its fate comes, as things are; None: not while it stands still."""
        if self.suspended or self.rate <= 0:
            return None
        # As the simulator does it, operation by operation, so that both agree to the last bit.
        at_s = end_of(self.updated_s, max(0.0, self.fate_work_s - self.work_s), self.rate)
        return at_s if isfinite(at_s) else None

    def suspend(self, at_s: float) -> None:
        """Stop at *at_s*; the work done is kept."""
        self._account(at_s)
        self.suspended = True

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

    def _account(self, at_s: float) -> None:
        now = max(at_s, self.updated_s)
        self.work_s = work_after(self.work_s, self.rate, self.updated_s, now)
        self.updated_s = now


def launched(launch: Launch) -> Attempt:
    """The attempt that begins with *launch*. Raises BadValue where it cannot be run."""
    return _attempt(launch, launch.start_s, launch.rate or 1.0, suspended=False)


def taken_up(launch: Launch) -> Attempt:
    """The attempt that a welcome names: work, rate and suspension are the server's word. Raises BadValue."""
    return _attempt(launch, launch.updated_s, launch.rate, launch.suspended)


def _attempt(launch: Launch, updated_s: float, rate: float, suspended: bool) -> Attempt:
    fate, fate_work_s = _fate(launch)
    outcome = launch.spec.outcome
    timed_out = fate is Fate.TIMES_OUT
    return Attempt(
        job=launch.attempt.job_id,
        index=launch.attempt.array_index,
        number=launch.attempt.attempt,
        nodes=tuple(part.node for part in launch.allocation),
        start_s=launch.start_s,
        fate=fate,
        fate_work_s=fate_work_s,
        exit_code=0 if timed_out else outcome.exit_code,
        signal=int(SIGTERM) if timed_out else outcome.signal,
        memory_kb=outcome.memory_kb,
        scripted=launch.spec.HasField("outcome"),
        work_s=_counted("work_s", launch.work_s),
        updated_s=_instant("updated_s", updated_s),
        rate=_counted("rate", rate),
        suspended=suspended,
    )


def _fate(launch: Launch) -> tuple[Fate, float]:
    """What happens first. A job whose run time equals its limit has ended by itself."""
    run_s = _run_s(launch.spec)
    limit_s = launch.limit_s if launch.limit_s > 0 else inf
    dies_s = launch.spec.outcome.node_dies_after_s
    if 0 < dies_s < min(run_s, limit_s):
        return Fate.NODE_DIES, dies_s
    if run_s > limit_s:
        return Fate.TIMES_OUT, limit_s
    return Fate.ENDS, run_s


def _run_s(spec: JobSpec) -> float:
    if spec.outcome.HasField("run_s"):
        return _counted("outcome.run_s", spec.outcome.run_s)
    return _counted("estimate_s", spec.estimate_s)


def _counted(field: str, value: float) -> float:
    if not value >= 0:
        raise BadValue(field, value, "a number of 0 or more")
    return value


def _instant(field: str, value: float) -> float:
    if not isfinite(value):
        raise BadValue(field, value, "a finite number of seconds")
    return value
