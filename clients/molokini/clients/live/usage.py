"""``molokini job --usage`` and ``molokini jobs --usage``: what jobs have used, as a table and as JSON."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from molokini.client.job_client import JobClient
from molokini.client.quantities import clock_time, memory_text
from molokini.client.specs import ENDED, job_text, state_text
from molokini.client.usage import MARGIN, MORE, Request, RunUsage, Usage, suggested, usage_of
from molokini.clients.show.lines import Column, finite
from molokini.model.text import figure, percent
from molokini.proto.v1.jobs_pb2 import Job, JobState


def _seconds(value_s: float) -> str:
    return f"{figure(value_s)} s"


_MEASURES: Mapping[str, tuple[str, Callable[[Any], str]]] = {
    "elapsed_s": ("elapsed", clock_time),
    "cpu_s": ("cpu used", _seconds),
    "memory_used_kb": ("memory used", memory_text),
    "read_kb": ("read", memory_text),
    "written_kb": ("written", memory_text),
    "cpu_efficiency": ("cpu efficiency", percent),
    "memory_efficiency": ("memory efficiency", percent),
    "time_efficiency": ("time efficiency", percent),
}
"""The fields of ``Usage`` by their names in documents: the heading of each, and its text."""
USAGE_COLUMNS = (
    Column("job"),
    Column("name", cut=True),
    Column("user", cut=True),
    Column("state"),
    Column("procs", figures=True),
    *(Column(heading, figures=True) for heading, _ in _MEASURES.values()),
)


@dataclass(frozen=True)
class JobUsage:
    """What a job has used; of an array, its elements together."""

    used: Usage
    request: Request | None
    elements: int
    """Elements of the array; 0: it is none."""
    over: bool


async def usages(client: JobClient, jobs: Sequence[Job]) -> list[JobUsage]:
    """Those of *jobs*; the elements of arrays are asked for."""
    arrays = [job.id for job in jobs if job.elements]
    elements: dict[int, list[RunUsage]] = defaultdict(list)
    if arrays:
        async for element in client.jobs(ids=arrays, include_ended=True, expand_arrays=True):
            elements[element.id] += runs_of(element)
    return [job_usage(job, elements[job.id] if job.elements else runs_of(job)) for job in jobs]


def job_usage(job: Job, runs: Sequence[RunUsage]) -> JobUsage:
    """What *job* has used, whose *runs* these are."""
    return JobUsage(usage_of(runs), suggested(runs), sum(job.elements.values()), job.state in ENDED)


def runs_of(job: Job) -> list[RunUsage]:
    """The run of a job or element, if it ran and has ended."""
    if job.state not in ENDED or not job.HasField("elapsed_s") or not job.attempt:
        return []
    wanted = job.spec.resources
    processors = sum(part.processors for part in job.allocation) or wanted.processors
    shaped = wanted.nodes or wanted.processors_per_node or wanted.components
    run = RunUsage(
        processors=processors,
        plain=not (shaped or job.spec.HasField("divisible")),
        elapsed_s=job.elapsed_s,
        estimate_s=job.spec.estimate_s,
        memory_asked_kb=wanted.memory_kb * processors,
        cpu_s=job.cpu_s,
        memory_used_kb=_memory_kb(job, processors),
        read_kb=job.read_kb,
        written_kb=job.written_kb,
        well=job.state == JobState.COMPLETED,
        ran_out_of=_ran_out_of(job),
    )
    return [run]


def _memory_kb(job: Job, processors: int) -> int:
    """What all nodes would have used had each processor used as much as on the fullest node."""
    if job.memory_all_kb <= job.memory_used_kb:
        return job.memory_used_kb
    # Memory is bounded node by node, and which node was the fullest is not known.
    least = min((part.processors for part in job.allocation), default=processors)
    return math.ceil(job.memory_used_kb * processors / least)


def _ran_out_of(job: Job) -> str:
    if job.state == JobState.TIMED_OUT:
        return "time"
    return "memory" if job.cause == Job.OUT_OF_MEMORY else ""


def amounts(job: Job) -> Mapping[str, str]:
    """What one run has used, as everything about a job is shown; empty where it is not known."""
    known = job.cpu_s > 0
    return {
        "cpu used": _seconds(job.cpu_s) if known else "",
        "memory used": _memory_text(job),
        "read": memory_text(job.read_kb) if known else "",
        "written": memory_text(job.written_kb) if known else "",
    }


def _memory_text(job: Job) -> str:
    if not job.memory_used_kb:
        return ""
    used = memory_text(job.memory_used_kb)
    together = job.memory_all_kb
    return used if together <= job.memory_used_kb else f"{used} on one node, {memory_text(together)} on all"


def usage_row(job: Job, found: JobUsage, procs: str) -> Sequence[str]:
    """A line of a listing, which says *procs* as other listings do."""
    return (job_text(job), job.spec.name, job.user, state_text(job.state), procs, *_cells(found).values())


def usage_facts(job: Job, found: JobUsage, procs: str) -> dict[str, str]:
    """All about the usage of one job."""
    return {
        "job": job_text(job),
        "name": job.spec.name,
        "user": job.user,
        "state": state_text(job.state),
        "known of": f"{found.used.runs:,} of {found.elements:,} elements" if found.elements else "",
        "processors": procs,
        **_cells(found),
        **_suggestion(found),
    }


def _cells(found: JobUsage) -> dict[str, str]:
    values = ((getattr(found.used, name), *shown) for name, shown in _MEASURES.items())
    return {heading: "" if value is None else text(value) for value, heading, text in values}


def _suggestion(found: JobUsage) -> dict[str, str]:
    request = found.request
    if request is None and not found.over:
        return {"suggested": "nothing yet: what a job used is known when it has ended"}
    if request is None:
        return {"suggested": "nothing: only jobs that completed, or ran out of time or memory, tell"}
    return {"suggested": " ".join(_options(request)), "margin": "; ".join(_margins(request))}


def _options(request: Request) -> Iterable[str]:
    """As ``molokini submit`` takes it."""
    if request.processors is not None:
        yield f"--processors {request.processors}"
    if request.memory_kb is not None:
        yield f"--memory {memory_text(request.memory_kb)}"
    if request.estimate_s is not None:
        yield f"--estimate {clock_time(request.estimate_s)}"


def _margins(request: Request) -> Iterable[str]:
    short = request.ran_out_of
    for word in short:
        yield f"{word}: {MORE:g} times what was asked for, as it ran out"
    with_margin = {"memory": request.memory_kb, "time": request.estimate_s}
    words = [word for word, value in with_margin.items() if value is not None and word not in short]
    if words:
        yield f"{' and '.join(words)}: {percent(MARGIN, 0)} more than was used, at most what was asked for"
    if request.processors is not None:
        yield "processors: as many as were busy, rounded up"


def usage_document(found: JobUsage) -> dict[str, Any]:
    """The key ``usage`` of a job in JSON; null is what is not known, efficiencies are shares of 1."""
    used, request = found.used, found.request
    return {
        "elements": found.elements or None,
        "known_of": used.runs,
        **{name: _finite(getattr(used, name)) for name in _MEASURES},
        "suggested": request
        and {
            "processors": request.processors,
            "memory_kb": request.memory_kb,
            "estimate_s": _finite(request.estimate_s),
            "ran_out_of": list(request.ran_out_of),
            "margin": MARGIN,
        },
    }


def _finite(value: float | None) -> float | None:
    return None if value is None else finite(value)
