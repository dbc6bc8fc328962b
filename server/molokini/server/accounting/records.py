"""Jobs of the state as records of accounting."""

import pwd
from dataclasses import replace
from functools import cache

from molokini.accounting.record import Record
from molokini.model.facts import Ending
from molokini.server.state.jobs import Array, Element, Job, JobStatus
from molokini.server.state.node_names import Machine

_ENDINGS = {
    JobStatus.COMPLETED: Ending.COMPLETED,
    JobStatus.FAILED: Ending.FAILED,
    JobStatus.TIMED_OUT: Ending.TIMED_OUT,
    JobStatus.CANCELLED: Ending.CANCELLED,
    JobStatus.NODE_LOST: Ending.NODE_LOST,
    JobStatus.NOT_STARTED: Ending.NOT_STARTED,
    JobStatus.REFUSED: Ending.REFUSED,
}


def whole_job(job: Job, at_s: float) -> Record:
    """*job*, or the array as a whole, of which nothing has started, as it is at *at_s*."""
    spec = job.spec
    wanted = spec.get("resources", {})
    array = job.array
    return Record(
        number=job.id,
        indices="" if array is None else _indices(array),
        name=job.name,
        user=job.user,
        uid=_uid(job.user),
        group=spec.get("group", ""),
        account=job.account,
        queue=",".join(job.queues),
        qos=spec.get("qos", ""),
        command=" ".join(spec.get("argv", ())),
        directory=spec.get("working_directory", ""),
        submitted_s=job.submitted_s,
        eligible_s=job.eligible_s,
        end_s=at_s,
        ending=Ending.CANCELLED,
        processors=job.request.processors,
        wanted_nodes=int(wanted.get("nodes", 0)),
        estimate_s=job.estimate_s,
        memory_kb=int(wanted.get("memory_kb", 0)),
        attempt=0,
    )


def run_of(element: Element, machine: Machine, at_s: float, start_s: float | None) -> Record:
    """The run *element* from *start_s* (None: it did not start) to its end, or to *at_s*."""
    job = element.job
    nodes = tuple((machine.nodes[number].name, count) for number, count in element.nodes)
    held = nodes if start_s is not None else ()
    return replace(
        whole_job(job, at_s),
        index=element.index,
        indices="",
        start_s=start_s,
        end_s=at_s if element.end_s is None else element.end_s,
        suspended_s=0.0 if start_s is None else element.suspended_by(at_s),
        ending=_ENDINGS.get(element.status, Ending.COMPLETED),
        exit_code=element.result.exit_code,
        signal=element.result.signal,
        estimate_s=element.limit_s or job.estimate_s,
        queue=element.queue or ",".join(job.queues),
        allocated=sum(count for _, count in held),
        nodes=held,
        used_kb=element.result.memory_kb,
        cpu_s=element.result.cpu_s,
        attempt=element.attempt,
    )


def _indices(array: Array) -> str:
    if array.listed:
        return ",".join(map(str, array.listed))
    last = array.first + (array.size - 1) * array.step
    return f"{array.first}-{last}" + (f":{array.step}" if array.step > 1 else "")


@cache
def _uid(user: str) -> int:
    """The number of *user* on this machine; -1 where it knows none."""
    try:
        return pwd.getpwnam(user).pw_uid
    except (KeyError, ValueError):
        return -1
