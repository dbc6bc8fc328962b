"""A job as one line of a listing: in JSON and in print, from one table.

Keys and units are those of ``molokini.jobs/1``, which stay as they are whatever the wire becomes.
"""

from collections.abc import Callable, Iterable

from molokini.client.coallocation import request_text
from molokini.client.quantities import clock_time
from molokini.client.specs import ENDED, HOLDS, STATES, job_text, state_text
from molokini.clients.live.documents import plain
from molokini.clients.live.promises import promise_document
from molokini.clients.live.wording import ended_with, queues_text
from molokini.clients.show.field_tables import Field, Fields
from molokini.clients.show.lines import finite
from molokini.model.instants import instant
from molokini.model.run_results import FIGURES, ON_JOB
from molokini.model.text import counted, plural
from molokini.proto.v1.jobs_pb2 import Allocation, Job, JobState

_LIFE = [*(name.replace("_", "-") for name in STATES), "not-started"]
"""States in words, in the order in which a job comes to them."""
HOLDERS = {value: name for name, value in HOLDS.items()}
"""Whose a hold is, by its number on the wire."""
_CAUSES: dict[int, str | None] = {
    number: name.lower().replace("_", "-") if number else None for name, number in Job.Cause.items()
}


def processors(job: Job) -> str:
    """How wide a job is, in processors where that is known."""
    wanted = job.spec.resources
    if job.promise.processors:
        return str(job.promise.processors)
    if wanted.processors:
        return str(wanted.processors)
    if wanted.nodes and wanted.processors_per_node:
        return str(wanted.nodes * wanted.processors_per_node)
    held = sum(part.processors for part in job.allocation)
    return str(held) if held else plural(wanted.nodes, "node") if wanted.nodes else ""


def estimate(job: Job) -> str:
    """How long it takes by its plan, if it has one, or at most."""
    planned_s = job.promise.end_s - job.promise.start_s
    found_s = planned_s or job.limit_s or job.spec.estimate_s
    return clock_time(found_s) if found_s else ""


def work(job: Job) -> str:
    """What is done; of a job that has ended, only where the server knows it."""
    known = bool(job.attempt) and (job.work_s > 0 or job.state not in ENDED)
    return clock_time(job.work_s) if known else ""


def reason(job: Job) -> str:
    """Why it waits, or how it ended; of an array how many elements are in which state."""
    if job.elements:
        return counted(dict(sorted(job.elements.items(), key=_place)))
    if job.reason:
        return job.reason
    return ended_with(job) if job.state == JobState.FAILED else ""


def has_exit_code(job: Job) -> bool:
    """Whether it came to an end of its own: a launch that failed has none, what was cancelled, an array."""
    if job.elements:
        return False
    return job.state == JobState.COMPLETED or (job.state == JobState.FAILED and bool(ended_with(job)))


def _place(element: tuple[str, int]) -> int:
    return _LIFE.index(element[0]) if element[0] in _LIFE else len(_LIFE)


def at(job: Job, name: str) -> str:
    """The instant *name*; empty where it has not come, or is not known."""
    present = name == "submitted_s" or job.HasField(name)
    return instant(getattr(job, name)) if present else ""


def elapsed(job: Job) -> str:
    """How long it runs, or ran."""
    return clock_time(job.elapsed_s) if job.HasField("elapsed_s") else ""


def _instant(name: str) -> Callable[[Job], float | None]:
    return lambda job: finite(getattr(job, name)) if job.HasField(name) else None


def _figure(name: str) -> Field:
    """A figure of how it ended; None is what is not known."""
    known_by, on_job = FIGURES[name].known_by, ON_JOB[name]
    if not known_by:
        return Field(on_job)
    return Field(on_job, value=lambda job: finite(getattr(job, on_job)) if getattr(job, known_by) else None)


def _allocation(parts: Iterable[Allocation]) -> list[dict[str, str | int]]:
    return [{"node": part.node, "processors": part.processors, "cluster": part.cluster} for part in parts]


JOBS = Fields(
    Field("job", "job", job_text),
    Field("id"),
    Field("index", value=lambda job: job.array_index if job.HasField("array_index") else None),
    Field("name", "name", "spec.name", cut=True),
    Field("user", "user", cut=True),
    Field("state", "state", made=state_text),
    Field("cause", made=lambda cause: _CAUSES.get(cause, str(cause))),
    Field("ended_by", made=lambda user: user or None),
    Field("reason", "reason", text=reason, cut=True),
    Field("queue", "queue", "spec.queue", lambda job: job.chosen_queue or queues_text(job.spec), cut=True),
    Field("further_queues", value="spec.further_queues", made=list),
    Field("chosen_queue", made=lambda name: name or None),
    *(Field(name, value=f"spec.{name}") for name in ("account", "group", "qos")),
    Field("priority", value="spec.user_priority"),
    Field("processors", "procs", "spec.resources.processors", processors, figures=True),
    *(Field(name, value=f"spec.resources.{name}") for name in ("nodes", "processors_per_node")),
    Field("components", value="spec.resources.components", made=list),
    Field("request", value="spec.resources", made=lambda wanted: request_text(wanted) or None),
    Field("memory_kb", value="spec.resources.memory_kb"),
    Field("generic", value="spec.resources.generic", made=dict),
    Field("licenses", value="spec.resources.licenses", made=dict),
    Field("features", value="spec.resources.features", made=list),
    Field("constraint", value="spec.resources.constraint"),
    Field("estimate_s", "estimate", "spec.estimate_s", estimate, figures=True, made=finite),
    Field("submitted_s", made=finite),
    *(Field(name, value=_instant(name)) for name in ("eligible_s", "reserved_s", "first_start_s")),
    Field("start_s", "start", _instant("start_s"), lambda job: at(job, "start_s"), figures=True),
    # Of a running job that by its limit.
    Field(
        "end_s",
        "end",
        _instant("end_s"),
        lambda job: at(job, "end_s") or at(job, "expected_end_s"),
        figures=True,
    ),
    *(Field(name, value=_instant(name)) for name in ("limit_s", "expected_end_s")),
    Field("elapsed_s", "elapsed", _instant("elapsed_s"), elapsed, figures=True),
    Field("suspended_s", made=finite),
    Field("work_s", "work", text=work, figures=True, made=finite),
    Field("attempt"),
    *map(_figure, FIGURES),
    Field("holds", made=lambda holds: [HOLDERS.get(hold, str(hold)) for hold in holds]),
    Field("allocation", made=_allocation),
    Field("elements", made=dict),
    Field("version"),
    Field("deadline_met", value=lambda job: job.deadline_met if job.HasField("deadline_met") else None),
    Field("promise", value=lambda job: promise_document(job.promise) if job.HasField("promise") else None),
    Field("chunks", value=lambda job: plain(job.chunks) if job.HasField("chunks") else None),
)
LISTED = JOBS.columns(
    *("job", "name", "user", "queue", "state", "procs", "start", "end", "elapsed", "work", "estimate"),
    "reason",
)
"""The columns of a listing in their order."""
job_document = JOBS.document
