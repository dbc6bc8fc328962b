"""Jobs that have been over for so long that they have left the memory: what is known of each, and its record.

The record lies in a table beside the journal and is read when a caller asks for the job. It is a file format
like the facts: ``VERSION`` is raised with every change, and each version stays readable.
"""

import json
from array import array
from base64 import b64decode, b64encode
from collections.abc import Collection, Iterator
from typing import NamedTuple

import numpy as np

from molokini.model.canonical import text_of
from molokini.model.codec import canceller_of, cause_of, refusal_of
from molokini.model.facts import NO_INDEX
from molokini.model.requests import plain
from molokini.model.run_results import known_of, read_result
from molokini.model.written_specs import WrittenSpec
from molokini.server.journal.port import Finished, Runs
from molokini.server.state.jobs import Element, Job, JobStatus
from molokini.server.state.kept import Kept
from molokini.server.state.loads import Cut
from molokini.server.state.node_names import Machine

VERSION = 4
"""Version 1 had the refusal of a job as a sentence in its reason, version 2 the cause of an end and who
cancelled it, and some figures as a list; before version 4 elements of arrays had no number of their own."""
_LOOKED_AT = 4096
PART = 500
"""Elements of an array that are kept, and read, together."""


class Past(NamedTuple):
    """What is known of such a job without a look at its record: enough for permissions and dependencies."""

    user: str
    well: bool
    """Whether all of it has ended well."""

    @property
    def over(self) -> bool:
        """It is."""
        return True


class Pasts:
    """Every such job, in four bytes each."""

    def __init__(self) -> None:
        self._codes = array("i")
        """By job id: 0, or 1 and more for a place in the list."""
        self._list: list[Past] = []
        self._places: dict[Past, int] = {}
        self.count = 0

    def add(self, number: int, past: Past) -> None:
        """Job *number* has left the memory."""
        if past not in self._places:
            self._list.append(past)
            self._places[past] = len(self._list)
        if number >= len(self._codes):
            self._codes.extend([0] * (number + 1 - len(self._codes)))
        self.count += self._codes[number] == 0
        self._codes[number] = self._places[past]

    def get(self, number: int) -> Past | None:
        """Job *number*, if it is one of these."""
        code = self._codes[number] if 0 <= number < len(self._codes) else 0
        return self._list[code - 1] if code else None

    def numbers(self, after: int, users: Collection[str], most: int) -> list[int]:
        """The first ids above *after*, in order, *most* of them; of these *users* alone if there are any."""
        wanted = np.array([False, *(not users or past.user in users for past in self._list)])
        found: list[int] = []
        for first in range(max(0, after + 1), len(self._codes), _LOOKED_AT):
            codes = np.array(self._codes[first : first + _LOOKED_AT])
            found += (wanted[codes].nonzero()[0] + first).tolist()
            if len(found) >= most:
                break
        return found[:most]

    def kept(self) -> Kept:
        """All of it as plain values, for a snapshot."""
        codes = b64encode(self._codes.tobytes()).decode()
        return {"codes": codes, "list": [list(one) for one in self._list], "count": self.count}

    def restore(self, kept: Kept) -> None:
        """Become what was kept."""
        self._codes = array("i", b64decode(kept["codes"]))
        self._list = [Past(user, well) for user, well in kept["list"]]
        self._places = {past: place for place, past in enumerate(self._list, 1)}
        self.count = kept["count"]


def past_of(job: Job) -> Past:
    """What stays known of *job*, which is over."""
    if job.array is None:
        return Past(job.user, job.status is JobStatus.COMPLETED)
    return Past(job.user, job.array.counts.get(JobStatus.COMPLETED, 0) >= job.array.size)


class PastJob(Job):
    """A job made of its record, to be looked at: part of no state, and without the elements of an array."""

    __slots__ = ("last",)
    last: int
    """Index of the last element that was a row; less than any where none was."""


def records_of(job: Job, machine: Machine) -> Iterator[Finished | Runs]:
    """*job*, which is over, as it is kept; the elements of an array before itself."""
    if job.array is not None:
        elements = sorted(job.known_elements(), key=lambda element: element.index)
        last = NO_INDEX
        for first in range(0, len(elements), PART):
            part = elements[first : first + PART]
            # With the end of the part before, so that it is seen if that is missing.
            text = text_of({"after": last, "runs": [_run(one, machine) for one in part]})
            last = part[-1].index
            yield Runs(job.id, last, VERSION, text)
    body: Kept = {
        "spec": job.spec,
        "submitted_s": job.submitted_s,
        "eligible_s": job.eligible_s,
        "version": job.version,
        "processors": job.request.processors,
    }
    if job.holds:
        body["holds"] = sorted(job.holds)
    if job.element is not None:
        body["run"] = _run(job.element, machine)
    elif job.array is not None:
        body["counts"] = {str(status): n for status, n in job.array.counts.items() if n}
        body["dropped"] = job.array.dropped
        body["last"] = max(job.array.elements, default=NO_INDEX)
    queue = (job.element.queue if job.element is not None else "") or job.queue
    yield Finished(job.id, job.user, queue, job.name, VERSION, text_of(body))


_INSTANTS = ("first_start_s", "start_s", "end_s")
"""Zero is an instant."""
_FIELDS = (
    *_INSTANTS,
    "attempt",
    "reason",
    "refusal",
    "earliest_deadline_s",
    "limit_s",
    "suspended_s",
    "queue",
    "cause",
    "ended_by",
    "number",
)


def _run(run: Element, machine: Machine) -> Kept:
    values = ((name, getattr(run, name)) for name in _FIELDS)
    made = {name: value for name, value in values if value or (name in _INSTANTS and value is not None)}
    made["standing"] = str(run.status)
    if run.index != NO_INDEX:
        made["index"] = run.index
    if run.holds:
        made["holds"] = sorted(run.holds)
    if run.nodes:
        made["nodes"] = [[machine.nodes[number].name, count] for number, count in run.nodes]
    if run.cut is not None:
        made["cut"] = list(run.cut)
    return made | known_of(run.result)


def job_of(record: Finished, machine: Machine) -> PastJob:
    """The job of *record*."""
    body = json.loads(record.body)
    job = PastJob(
        record.number,
        record.user,
        WrittenSpec(body["spec"]),
        body["submitted_s"],
        plain(body["processors"]),
    )
    job.eligible_s, job.version = body["eligible_s"], body["version"]
    job.holds = frozenset(body.get("holds", ()))
    if job.element is not None:
        _filled(job.element, _present(body["run"], record.version, record.user), machine)
    elif job.array is not None:
        job.array.counts = {JobStatus(name): count for name, count in body["counts"].items()}
        job.array.made = job.array.passed = job.array.size
        job.array.ended = sum(job.array.counts.values())
        job.array.dropped, job.last = body["dropped"], body["last"]
    return job


def elements_of(job: PastJob, runs: Runs, machine: Machine) -> tuple[int, list[Element]]:
    """The index that elements of array *job* in *runs* are above, and these elements in order."""
    body = json.loads(runs.body)
    stored = [_present(one, runs.version, job.user) for one in body["runs"]]
    return body["after"], [_filled(Element(job, one["index"]), one, machine) for one in stored]


def _present(stored: Kept, version: int, user: str) -> Kept:
    """What is *stored* of a job of *user*, as the present version has it."""
    if version < 3:
        stored = _with_cause(stored, user)
    if version > 1 or stored["standing"] != JobStatus.REFUSED:
        return stored
    refusal, detail = refusal_of(stored.get("reason", ""))
    return {**stored, "refusal": refusal, "reason": detail} if refusal else stored


def _with_cause(stored: Kept, user: str) -> Kept:
    standing, reason = stored["standing"], stored.get("reason", "")
    by = canceller_of(reason, user) if standing == JobStatus.CANCELLED else ""
    found = {"ended_by": by, "cause": cause_of(standing, reason)}
    return stored | {name: value for name, value in found.items() if value}


def _filled(run: Element, stored: Kept, machine: Machine) -> Element:
    for name in _FIELDS:
        if name in stored:
            setattr(run, name, stored[name])
    run._status = JobStatus(stored["standing"])
    run.holds = frozenset(stored.get("holds", ()))
    run.cut = Cut(*stored["cut"]) if "cut" in stored else None
    run.result = read_result(stored)
    run.nodes = tuple((machine.by_name[name].number, count) for name, count in stored.get("nodes", ()))
    return run
