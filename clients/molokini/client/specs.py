"""What is sent and read, in the words of Python: job specifications, references, states."""

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypedDict

from google.protobuf.message import Message

from molokini.client.coallocation import request_value
from molokini.client.quantities import (
    ArrayRange,
    JobName,
    array_range,
    job_name,
    memory_kb,
    whole,
)
from molokini.model.errors import BadValue, UnknownName
from molokini.model.spans import seconds
from molokini.proto.v1.jobs_pb2 import (
    ArraySpec,
    Communication,
    Dependency,
    Divisible,
    Hold,
    Job,
    JobRef,
    JobSpec,
    JobState,
    Outcome,
    Resources,
)

JobId: TypeAlias = int | str | JobName | JobRef | Job
"""How a job is named: its number, ``"12[3]"``, or what a call answered."""

DEPENDENCIES = {
    "afterok": Dependency.AFTER_OK,
    "afternotok": Dependency.AFTER_NOT_OK,
    "afterany": Dependency.AFTER_ANY,
    "after": Dependency.AFTER,
    "singleton": Dependency.SINGLETON,
}

STATES: dict[str, JobState] = {name.lower(): value for name, value in JobState.items() if value}  # type: ignore[misc]
"""The states of a job by the words of the commands."""

ENDED = frozenset(
    {
        JobState.COMPLETED,
        JobState.FAILED,
        JobState.TIMED_OUT,
        JobState.CANCELLED,
        JobState.NODE_LOST,
        JobState.REFUSED,
    }
)
"""The states that nothing follows upon."""

HOLDS = {"user": Hold.HOLD_USER, "operator": Hold.HOLD_OPERATOR, "system": Hold.HOLD_SYSTEM}

_RESOURCES = ("processors", "nodes", "processors_per_node", "components")


class SpecFields(TypedDict, total=False):
    """What a job is made of, as keyword arguments: the fields of JobSpec, in plain values."""

    name: str
    argv: Sequence[str]
    script: str
    environment: Mapping[str, str]
    annotations: Mapping[str, str]
    working_directory: str | os.PathLike[str]
    stdin_path: str
    stdout_path: str
    stderr_path: str
    processors: int
    nodes: int
    processors_per_node: int
    components: Sequence[int]
    """Processors of each component of a job over several clusters."""
    request: str
    """What they say: ``"ordered"``, ``"unordered"``, ``"flexible"``, ``"total"``."""
    communication: Communication | Mapping[str, Any]
    """``{"pattern": Communication.ALL_TO_ALL, "inside_s": 0.001, "between_s": 0.05}``."""
    memory: str
    """Memory a processor, with its unit: ``"4G"``."""
    memory_kb: int
    gpus: int
    generic: Mapping[str, int]
    licenses: Mapping[str, int]
    features: Sequence[str]
    constraint: str
    """Features as one expression: ``"a|b"``, ``"[a|b]"``, ``"a*2&b*4"``."""
    estimate_s: float
    estimate: str
    """The same as text: ``"1:30:00"``."""
    least_estimate_s: float
    """The shortest limit with which it may be started, by policies that shorten limits."""
    queue: str
    further_queues: Sequence[str]
    """The others in which it may start, where the policy chooses among queues (slurm)."""
    account: str
    group: str
    qos: str
    user_priority: int
    system_priority: int
    """An operator's: added to the priority that a policy finds; from 10^9 on, in its place."""
    begin_at_s: float
    deadline_s: float
    after: Mapping[str, int | Iterable[int]] | Sequence[tuple[str, int]]
    """``{"afterok": [3, 4]}``, or pairs; ``("singleton", 0)`` waits for earlier jobs of the same name."""
    keep_if_never_met: bool
    array: str | ArrayRange
    """``"1-100:2%10"``."""
    held: bool
    requeue: bool
    first_node_alone: bool
    """Of several real nodes the first one alone starts it."""
    keep_going: bool
    """What runs on other nodes goes on when one has failed."""
    mail_events: Sequence[str]
    mail_to: Sequence[str]
    notify: str
    comment: str
    submission_key: str
    outcome: Outcome | Mapping[str, Any]
    """For emulated nodes: ``{"run_s": 5, "exit_code": 137}``."""
    rate: str
    """Of a program that reports iterations: ``"50%"`` of its full rate, or ``"0.5/s"``."""
    full_rate: float
    """Iterations a second; measured at its start where it is not given."""
    full_use: float
    """What it uses of its busiest processor at its full rate; 1 where it is neither given nor measured."""
    measure_full_use: bool
    """``full_use`` is measured at its start."""
    work: int
    """Iterations by ``deadline_s``, where ``rate`` is bounds: ``"20%-80%"``."""
    divisible: Divisible | Mapping[str, float]
    """A load that can be cut: ``{"load": 200, "send_s": 1, "compute_s": 100, "deadline_after_s": 2718}``."""


def job_spec(fields: Mapping[str, Any]) -> JobSpec:
    """The specification that *fields* (see SpecFields) describe.

    UnknownName for a field that there is not; BadValue where a value cannot even be sent. What may be asked
    for is the server's to judge.
    """
    spec = JobSpec()
    for name, value in fields.items():
        if value is None:
            continue
        if name in _SPECIAL:
            _SPECIAL[name](spec, value)
        elif name in _RESOURCES or name in ("features", "constraint", "memory_kb", "generic", "licenses"):
            put(spec.resources, name, value)
        elif name in _PLAIN:
            put(spec, name, value)
        else:
            raise UnknownName("field of a job", name, SpecFields.__annotations__)
    return spec


def put(message: Message, name: str, value: Any) -> None:
    """Set a field, or BadValue with a line that names it."""
    target = getattr(message, name)
    try:
        if isinstance(value, float) and math.isnan(value):
            raise ValueError
        if isinstance(value, Mapping):
            target.update(value)
        elif not isinstance(value, str) and isinstance(value, Iterable):
            target.extend(value)
        else:
            setattr(message, name, value)
    except (TypeError, ValueError, AttributeError):
        raise BadValue(name, value, _allowed(target)) from None


def _allowed(present: Any) -> str:
    if isinstance(present, bool):
        return "True or False"
    if isinstance(present, int):
        return "a whole number of 64 bits"
    if isinstance(present, float):
        return "a number"
    return "text in Unicode" if isinstance(present, str) else "a collection of what the field holds"


def _gpus(spec: JobSpec, value: int) -> None:
    spec.resources.generic["gpu"] = whole("gpus", value)


def _after(spec: JobSpec, value: Any) -> None:
    pairs = value.items() if isinstance(value, Mapping) else value
    for kind, ids in pairs:
        if kind not in DEPENDENCIES:
            raise UnknownName("kind of dependency", str(kind), DEPENDENCIES)
        if kind == "singleton":
            # It is about no job in particular, whatever stands there.
            ids = (0,)
        for job_id in ids if isinstance(ids, Iterable) else (ids,):
            spec.dependencies.add(kind=DEPENDENCIES[kind], job_id=whole("after", job_id))


def _array(spec: JobSpec, value: str | ArrayRange) -> None:
    made = array_range("array", value) if isinstance(value, str) else ArrayRange(*value)
    first, last, step, limit = (whole("array", part) for part in made)
    spec.array.CopyFrom(ArraySpec(first=first, last=last, step=step, running_limit=limit))


def _outcome(spec: JobSpec, value: Outcome | Mapping[str, Any]) -> None:
    _fill(spec.outcome, value, "part of an outcome")


def _divisible(spec: JobSpec, value: Divisible | Mapping[str, Any]) -> None:
    _fill(spec.divisible, value, "part of a divisible load")


def _communication(spec: JobSpec, value: Communication | Mapping[str, Any]) -> None:
    _fill(spec.communication, value, "part of a communication")


def _request(spec: JobSpec, value: str) -> None:
    put(spec.resources, "request", request_value(value))


def _fill(target: Any, value: Any, what: str) -> None:
    target.SetInParent()
    if isinstance(value, type(target)):
        target.CopyFrom(value)
        return
    for name, part in value.items():
        if name not in target.DESCRIPTOR.fields_by_name:
            raise UnknownName(what, name, target.DESCRIPTOR.fields_by_name)
        put(target, name, part)


def _memory(spec: JobSpec, value: str) -> None:
    spec.resources.memory_kb = memory_kb("memory", value)


def _estimate(spec: JobSpec, value: str) -> None:
    spec.estimate_s = seconds("estimate", value)


def _directory(spec: JobSpec, value: str | os.PathLike[str]) -> None:
    put(spec, "working_directory", os.fspath(value))


_SPECIAL = {
    "gpus": _gpus,
    "after": _after,
    "array": _array,
    "outcome": _outcome,
    "divisible": _divisible,
    "communication": _communication,
    "request": _request,
    "memory": _memory,
    "estimate": _estimate,
    "working_directory": _directory,
}
_PLAIN = frozenset(JobSpec.DESCRIPTOR.fields_by_name) - {"resources", "dependencies", *_SPECIAL}
assert set(Resources.DESCRIPTOR.fields_by_name) == {
    *_RESOURCES,
    "memory_kb",
    "generic",
    "licenses",
    "features",
    "constraint",
    "request",
}


def job_ref(job: JobId, index: int | None = None) -> JobRef:
    """The reference that the wire wants; *index* names an element where *job* is only a number."""
    if isinstance(job, Job):
        return JobRef(id=job.id, array_index=job.array_index if job.HasField("array_index") else index)
    if isinstance(job, JobRef):
        return job
    name = job_name(job) if isinstance(job, str) else job if isinstance(job, JobName) else JobName(job)
    number = whole("job", name.id, 1)
    at = index if name.index is None else name.index
    return JobRef(id=number, array_index=None if at is None else whole("index", at))


def job_text(job: Job | JobRef) -> str:
    """``12``, ``12[3]``, and ``12[]`` for an array as a whole."""
    if job.HasField("array_index"):
        return f"{job.id}[{job.array_index}]"
    whole_array = isinstance(job, Job) and (job.spec.HasField("array") or len(job.elements) > 0)
    return f"{job.id}[]" if whole_array else str(job.id)


def state_text(state: int) -> str:
    """A state in the words of the commands: ``waiting``; a number where this client is too old."""
    return next((name for name, value in STATES.items() if value == state), str(state))


def state_value(name: str) -> JobState:
    """The state called *name*; UnknownName with the nearest one."""
    if name.lower() not in STATES:
        raise UnknownName("state", name, STATES)
    return STATES[name.lower()]
