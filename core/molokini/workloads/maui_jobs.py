"""Maui's workload trace: one job a line, read and written without loss.

The fields are those of Maui's trace format 230 (Maui Administrator's Guide, 16.3); its statistics files hold
the same records, one a finished job. Fields 42 to 44 differ between the guide (node set, application
simulator, reserved) and the program (application simulator, reserved, reserved), and are kept as words. Times
are seconds since 1970, 0 where something did not happen; sizes are MB a task.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path

from molokini.model.errors import BadFile, BadValue
from molokini.workloads.maui_records import (
    NONE,
    bracketed,
    megabytes,
    number,
    parts_of,
    read_words,
    text_of,
    whole,
    word,
    write_words,
)

FIELDS = 44
COMPLETED, REMOVED, NOT_RUN = "Completed", "Removed", "NotRun"


@dataclass(frozen=True)
class MauiJob:
    """A record of 44 fields, in their order. Text and lists are empty where the line has no value."""

    name: str
    nodes: int = 0
    """Nodes asked for; 0: none."""
    tasks: int = 1
    user: str = ""
    group: str = ""
    limit_s: float = 0.0
    state: str = COMPLETED
    queue: tuple[str, ...] = ()
    """Classes with their slots, ``batch:1``."""
    submit_s: float = 0.0
    dispatch_s: float = 0.0
    start_s: float = 0.0
    end_s: float = 0.0
    network: str = ""
    architecture: str = ""
    system: str = ""
    memory_comparison: str = ">="
    node_memory_mb: int = 0
    disk_comparison: str = ">="
    node_disk_mb: int = 0
    features: tuple[str, ...] = ()
    queued_s: float = 0.0
    """System queue time: since when its time in the queue counts."""
    allocated_tasks: int = 0
    tasks_per_node: int = -1
    qos: str = ""
    """Requested and delivered, joined by a colon."""
    flags: tuple[str, ...] = ()
    account: str = ""
    executable: str = ""
    extension: str = ""
    bypass: int = -1
    used_processor_seconds: float = 0.0
    partition: str = ""
    processors_per_task: int = 1
    task_memory_mb: int = 0
    task_disk_mb: int = 0
    task_swap_mb: int = 0
    begin_s: float = 0.0
    finish_by_s: float = 0.0
    hosts: tuple[str, ...] = ()
    """Allocated, one a task."""
    manager: str = ""
    required_hosts: tuple[str, ...] = ()
    reservation: str = ""
    node_set: str = ""
    application: str = ""
    reserved: str = ""

    @property
    def processors(self) -> int:
        """Processors asked for."""
        return self.tasks * self.processors_per_task

    @property
    def run_s(self) -> float:
        """How long it runs when it is simulated: the time it ran, at least 1 s; else its limit."""
        return max(1.0, self.end_s - self.start_s) if self.end_s > 0 < self.start_s else self.limit_s

    @property
    def requested_qos(self) -> str:
        """The QoS asked for; empty: none."""
        return self.qos.partition(":")[0]

    @property
    def first_queue(self) -> str:
        """The class without its slots; empty: none."""
        return self.queue[0].partition(":")[0] if self.queue else ""


_INTEGERS = frozenset(
    {"nodes", "tasks", "allocated_tasks", "tasks_per_node", "bypass", "processors_per_task"}
)
_SIZES = frozenset({"node_memory_mb", "node_disk_mb", "task_memory_mb", "task_disk_mb", "task_swap_mb"})
_BRACKETED = frozenset({"queue", "features", "flags"})
_COLONS = frozenset({"hosts", "required_hosts"})
_NUMBERS = frozenset(
    {one.name for one in fields(MauiJob) if one.name.endswith("_s")} | {"used_processor_seconds"}
)


def job_of(words: tuple[str, ...]) -> MauiJob:
    """The job of a line of 44 words (or 43: the last is reserved); raises ``BadValue``."""
    if len(words) not in (FIELDS - 1, FIELDS):
        raise BadValue("fields", len(words), f"{FIELDS} on a line of a workload trace")
    values: dict[str, object] = {}
    for place, (field, text) in enumerate(zip(fields(MauiJob), words, strict=False), 1):
        values[field.name] = _value(field.name, f"field {place} ({field.name})", text)
    job = MauiJob(**values)  # type: ignore[arg-type]
    if job.tasks < 1 or job.processors_per_task < 1:
        raise BadValue("tasks x processors per task", (job.tasks, job.processors_per_task), "1 or more each")
    return job


def _value(name: str, field: str, text: str) -> object:
    if name in _INTEGERS:
        return whole(field, text)
    if name in _SIZES:
        return megabytes(field, text)
    if name in _NUMBERS:
        return number(field, text)
    if name in _BRACKETED:
        return parts_of(text)
    if name in _COLONS:
        return tuple(filter(None, text_of(text).split(":")))
    return text_of(text)


def words_of(job: MauiJob) -> tuple[str, ...]:
    """The job as the 44 words of its line."""
    return tuple(_word(field.name, getattr(job, field.name)) for field in fields(MauiJob))


def _word(name: str, value: object) -> str:
    if isinstance(value, tuple):
        parts = [word(part) for part in value]
        return bracketed(parts) if name in _BRACKETED else ":".join(parts) or NONE
    if name == "used_processor_seconds":
        return f"{value:.2f}"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return word(str(value))


def read_maui_jobs(path: str | Path) -> list[MauiJob]:
    """All jobs of a workload trace, in the order of the file; the first bad line raises ``BadFile``."""
    path, jobs = Path(path), []
    for record in read_words(path):
        try:
            jobs.append(job_of(record.words))
        except BadValue as error:
            raise BadFile(str(path), str(error), record.line) from None
    return jobs


def write_maui_jobs(jobs: Iterable[MauiJob], path: str | Path) -> None:
    """Write a workload trace, whole or not at all."""
    write_words(path, map(words_of, jobs), "workload trace of Maui, 44 fields")
