"""What becomes of jobs that only pretend to run, by rules that a test adds."""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from molokini.model.errors import BadValue, Conflict
from molokini.model.job_specs import OF_OUTCOME
from molokini.proto.v1.jobs_pb2 import JobSpec, Outcome

Ends = Mapping[str, Any]
"""An outcome by the names of ``Outcomes.add``."""

_NAMES = {
    "after_s": "run_s",
    **{name: name for name in ("exit_code", "signal", "memory_kb", "node_dies_after_s", "never_starts")},
}


@dataclass(frozen=True)
class Submitted:
    """A job as a rule sees it, when it is submitted."""

    name: str
    queue: str
    argv: tuple[str, ...]
    script: str
    environment: Mapping[str, str]


@dataclass
class _Rule:
    name: str
    queue: str
    left: list[Ends] | None
    """What the next jobs get, one each; None: ``call`` says."""
    always: bool
    """Whether the last one of ``left`` is for all that come behind."""
    call: Callable[[Submitted], Ends | None] | None

    def says(self, job: Submitted) -> Ends | None:
        """What becomes of *job*; None where this rule has no say."""
        if not fnmatchcase(job.name, self.name) or not fnmatchcase(job.queue, self.queue):
            return None
        if self.call is not None:
            return self.call(job)
        if not self.left:
            return None
        return self.left[0] if self.always and len(self.left) == 1 else self.left.pop(0)


class Outcomes:
    """Rules; the first that has a say decides. A job that none knows ends well, at its estimate."""

    def __init__(self) -> None:
        self._rules: list[_Rule] = []
        self._lock = threading.Lock()

    def add(
        self,
        *,
        name: str = "*",
        queue: str = "*",
        sequence: Iterable[Ends] | None = None,
        call: Callable[[Submitted], Ends | None] | None = None,
        **ends: Any,
    ) -> None:
        """Set the outcome of jobs whose name and queue match these patterns (``align*``).

        One of: *ends* for all of them; *sequence*, one outcome for each, in the order of submission, and none
        for those that come behind; *call*, a function of the job that returns an outcome, or None for no say.
        An outcome has any of exit_code (0 to 255), signal, after_s (seconds of work; else the estimate),
        memory_kb, node_dies_after_s, never_starts. Raises BadValue for another name, or a value that no job
        may have, Conflict for two of the three.
        """
        if (sequence is not None) + (call is not None) + bool(ends) != 1:
            raise Conflict("outcomes.add", "say one of: what becomes of them, sequence, call")
        said: list[Ends] | None = [ends] if ends else None
        if sequence is not None:
            said = [dict(one) for one in sequence]
        for one in said or ():
            message_of(one)
        with self._lock:
            self._rules.append(_Rule(name, queue, said, sequence is None, call))

    def clear(self) -> None:
        """Forget all rules."""
        with self._lock:
            self._rules.clear()

    def fill(self, spec: JobSpec) -> None:
        """Give *spec* what the rules say; a job that brings an outcome of its own keeps it."""
        if spec.HasField("outcome"):
            return
        job = Submitted(spec.name, spec.queue, tuple(spec.argv), spec.script, dict(spec.environment))
        with self._lock:
            rules: Sequence[_Rule] = tuple(self._rules)
            for rule in rules:
                said = rule.says(job)
                if said is not None:
                    spec.outcome.CopyFrom(message_of(said))
                    return


def message_of(ends: Ends) -> Outcome:
    """*ends* on the wire. Raises BadValue for a name or a value that there is not."""
    made = Outcome()
    for name, value in ends.items():
        if name not in _NAMES:
            raise BadValue("outcome", name, f"one of {', '.join(_NAMES)}")
        try:
            setattr(made, _NAMES[name], value)
        except (TypeError, ValueError):
            raise BadValue(name, value, "a number, or for never_starts True or False") from None
        # Here, where the test says it: the server would refuse the job of the program that is tested.
        allowed = OF_OUTCOME[_NAMES[name]].range
        if allowed is not None and not allowed.holds(value):
            raise BadValue(name, value, allowed.words)
    return made
