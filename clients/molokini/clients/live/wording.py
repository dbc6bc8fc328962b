"""Parts of a job as the options of ``submit`` write them, and how a job ended, in words."""

from molokini.client.quantities import memory_text
from molokini.client.specs import DEPENDENCIES
from molokini.model.text import exact
from molokini.proto.v1.jobs_pb2 import Dependency, Job, JobSpec

_KINDS = {value: name for name, value in DEPENDENCIES.items()}


def outcome_text(spec: JobSpec) -> str:
    """``run=5,exit=137``; empty where nothing is scripted."""
    if not spec.HasField("outcome"):
        return ""
    given = spec.outcome
    parts = [
        f"run={exact(given.run_s)}" if given.HasField("run_s") else "",
        f"exit={given.exit_code}" if given.exit_code else "",
        f"signal={given.signal}" if given.signal else "",
        f"memory={memory_text(given.memory_kb)}" if given.memory_kb else "",
        f"node-dies={exact(given.node_dies_after_s)}" if given.node_dies_after_s else "",
        "never-starts" if given.never_starts else "",
    ]
    return ",".join(filter(None, parts))


def array_text(spec: JobSpec) -> str:
    """``1-100:2%10``; empty for a job of its own."""
    if not spec.HasField("array"):
        return ""
    array = spec.array
    step = f":{array.step}" if array.step > 1 else ""
    listed = ",".join(map(str, array.indices))
    return (listed or f"{array.first}-{array.last}{step}") + (
        f"%{array.running_limit}" if array.running_limit else ""
    )


def queues_text(spec: JobSpec) -> str:
    """All queues in which it may start: ``a,b``."""
    return ",".join((spec.queue, *spec.further_queues))


SIGNS = {
    Dependency.EQUAL: "==",
    Dependency.NOT_EQUAL: "!=",
    Dependency.LESS: "<",
    Dependency.AT_MOST: "<=",
    Dependency.MORE: ">",
    Dependency.AT_LEAST: ">=",
}


def dependencies_text(spec: JobSpec) -> str:
    """``afterok:3 singleton``; alternatives with a stroke between them."""
    groups: dict[int, list[str]] = {}
    for place, one in enumerate(spec.dependencies):
        groups.setdefault(one.group or -1 - place, []).append(_dependency(one))
    return " ".join("|".join(group) for group in groups.values())


def kind_text(one: Dependency) -> str:
    """``afterok``; of counts ``count_done``."""
    return _KINDS.get(one.kind) or Dependency.Kind.Name(one.kind).lower()


def _dependency(one: Dependency) -> str:
    text = ("!" if one.negated else "") + kind_text(one)
    if one.job_id:
        text += f":{one.job_id}"
    if one.elementwise:
        text += "[*]"
    elif one.HasField("array_index"):
        text += f"[{one.array_index}]"
    if one.delay_s:
        text += f"+{one.delay_s:g}s"
    return text + (f"{SIGNS[one.comparison]}{one.value}" if one.comparison else "")


def ended_with(job: Job) -> str:
    """``signal 9`` or ``exit code 3``; empty where it has neither, as when its launch failed."""
    if job.signal:
        return f"signal {job.signal}"
    return f"exit code {job.exit_code}" if job.exit_code else ""
