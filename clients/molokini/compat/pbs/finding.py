"""The jobs that a command line names, as the server has them, and what is wrong with those names."""

from __future__ import annotations

from molokini.compat._types import Invocation, Iterable, JobId, Sequence
from molokini.compat.job import Job
from molokini.compat.listing import jobs
from molokini.compat.pbs.failing import UNKNOWN_JOB, code_of, line
from molokini.compat.pbs.ids import read

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
    whole = {job.id: job for job in jobs(run, fields, job_ids=numbers)} if numbers else {}
    split = sorted({one.number for _, one in wanted if one.index >= 0} & whole.keys())
    elements: dict[int, dict[int, Job]] = {number: {} for number in whole}
    for job in jobs(run, fields, job_ids=split, expand_arrays=True, include_ended=True) if split else ():
        elements[job.id][-1 if job.index is None else job.index] = job
    found: dict[tuple[int, int], Job] = {}
    for text, one in wanted:
        if one.number not in whole or not _is_there(whole[one.number], one):
            complaints.unknown(text)
            continue
        job = whole[one.number]
        if one.index >= 0:
            element = elements[one.number].get(one.index) or to_come(job, one.index)
            found[one.number, one.index] = Job({**element.answer, GOES_ON: not job.over})
        else:
            found[one.number, -1] = job
    return list(found.values())


def _is_there(job: Job, one: JobId) -> bool:
    if one.index >= 0:
        return job.is_array and one.index in job.indices
    return not one.array or job.is_array


def to_come(array: Job, index: int) -> Job:
    """An element that has not become a candidate: it stands where its array stands, and waits."""
    names = ("id", "user", "spec", "submitted_s", "holds", "cause", "reason")
    kept = {name: array.answer[name] for name in names if name in array.answer}
    state = array.state if array.over or array.state == "HELD" else "WAITING"
    return Job({**kept, "array_index": index, "state": state})


def with_elements(run: Invocation, found: Iterable[Job], fields: Sequence[str]) -> list[Job]:
    """*found*, each array followed by all its elements."""
    made = []
    for job in found:
        made.append(job)
        if not job.is_array:
            continue
        known = {
            one.index: one
            for one in jobs(run, fields, job_ids=[job.id], expand_arrays=True, include_ended=True)
            if one.index is not None
        }
        for index in job.indices:
            element = known.get(index) or to_come(job, index)
            made.append(Job({**element.answer, GOES_ON: not job.over}))
    return made
