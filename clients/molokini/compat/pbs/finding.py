"""The jobs that a command line names, as the server has them, and what is wrong with those names."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation, Iterable, Job, JobId, Sequence
from molokini.compat.listing import jobs
from molokini.compat.pbs.arrays import indices
from molokini.compat.pbs.failing import UNKNOWN_JOB, code_of, line
from molokini.compat.pbs.ids import read, written
from molokini.compat.pbs.states import is_array, over

GOES_ON = "array goes on"
"""Whether the array of an element has not ended."""


class Complaints:
    """What was wrong, told on the stream of errors; the exit code is that of the last."""

    def __init__(self, run: Invocation) -> None:
        self._run, self.code = run, 0

    def unknown(self, text: str) -> None:
        """There is no such job."""
        self.tell(line(self._run, UNKNOWN_JOB, text), code_of(UNKNOWN_JOB))

    def illegal(self, text: str) -> None:
        """That is no name of a job."""
        self.tell(f"{self._run.name}: illegally formed job identifier: {text}", 1)

    def tell(self, text: str, code: int) -> None:
        """Anything else."""
        self._run.complain(text)
        self.code = code


def named(run: Invocation, words: Sequence[str], complaints: Complaints) -> list[tuple[str, JobId]]:
    """The words that can be names of jobs, with what they name; *complaints* has the others."""
    found = []
    for text in words:
        one = read(text.partition("@")[0])
        if one is None:
            complaints.illegal(text)
        else:
            found.append((text, one))
    return found


def listed(
    run: Invocation, wanted: Sequence[tuple[str, JobId]], fields: Sequence[str], complaints: Complaints
) -> list[Job]:
    """The jobs *wanted*, each once, in their order; elements by themselves."""
    numbers = sorted({one.number for _, one in wanted})
    if any(one.index >= 0 for _, one in wanted):
        fields = (*fields, "spec.array")
    whole = {job["id"]: job for job in jobs(run, fields, job_ids=numbers)} if numbers else {}
    split = sorted({one.number for _, one in wanted if one.index >= 0} & whole.keys())
    elements: dict[int, dict[int, Job]] = {number: {} for number in whole}
    for job in jobs(run, fields, job_ids=split, expand_arrays=True, include_ended=True) if split else ():
        elements[job["id"]][job.get("array_index", -1)] = job
    found: dict[tuple[int, int], Job] = {}
    for text, one in wanted:
        if one.number not in whole or not _is_there(whole[one.number], one):
            complaints.unknown(text)
            continue
        job = whole[one.number]
        if one.index >= 0:
            element = elements[one.number].get(one.index) or to_come(job, one.index)
            found[one.number, one.index] = {**element, GOES_ON: not over(job)}
        else:
            found[one.number, -1] = job
    return list(found.values())


def _is_there(job: Job, one: JobId) -> bool:
    if one.index >= 0:
        return is_array(job) and one.index in indices(job["spec"]["array"])
    return not one.array or is_array(job)


def to_come(array: Job, index: int) -> Job:
    """An element that has not become a candidate: it stands where its array stands, and waits."""
    kept: dict[str, Any] = {
        name: array[name]
        for name in ("id", "user", "spec", "submitted_s", "holds", "reason")
        if name in array
    }
    state = array["state"] if over(array) or array["state"] == "HELD" else "WAITING"
    return {**kept, "array_index": index, "state": state}


def with_elements(run: Invocation, found: Iterable[Job], fields: Sequence[str]) -> list[Job]:
    """*found*, each array followed by all its elements."""
    made = []
    for job in found:
        made.append(job)
        if not is_array(job):
            continue
        known = {
            one["array_index"]: one
            for one in jobs(run, fields, job_ids=[job["id"]], expand_arrays=True, include_ended=True)
            if "array_index" in one
        }
        goes_on = {GOES_ON: not over(job)}
        for index in indices(job["spec"]["array"]):
            made.append({**(known.get(index) or to_come(job, index)), **goes_on})
    return made


def id_of(one: JobId, server: str) -> str:
    """The whole name of what *one* names."""
    return written(one.number, server, one.index, one.array)
