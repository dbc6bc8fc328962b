"""Fields of jobs that are changed: the same for each that a command line names."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation, JobId, Sequence
from molokini.compat.pbs.changing import each
from molokini.compat.pbs.finding import Complaints, named


def alter(run: Invocation, words: Sequence[str], changes: dict[str, Any]) -> int:
    """Give the jobs *words* the fields *changes* of a JobSpec; the exit code of the last that was refused."""
    complaints = Complaints(run)
    for text, one in named(run, words, complaints):
        if one.index >= 0:
            complaints.tell(f"{run.name}: {text}: elements are changed with their array", 1)
        else:
            _one(run, text, one, changes, complaints)
    return complaints.code


def _one(run: Invocation, text: str, one: JobId, changes: dict[str, Any], complaints: Complaints) -> None:
    def call() -> None:
        asked = {"job": one.reference, "spec": changes, "fields": list(changes)}
        run.transport.call("JobService", "AlterJob", asked)

    each(run, text, call, complaints)
