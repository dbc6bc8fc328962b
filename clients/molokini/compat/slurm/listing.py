"""Jobs as squeue and sacct list them: arrays are split into what has started and what waits."""

from __future__ import annotations

from molokini.compat import listing
from molokini.compat._types import Any, Invocation, Iterable, JobRef, Sequence
from molokini.compat.failures import Refused
from molokini.compat.job import Job
from molokini.compat.slurm import arrays, states
from molokini.compat.slurm.hosts import ranges
from molokini.compat.slurm.jobs import View

_PENDING = ("HELD", "WAITING")
MOST_EXPECTED = 100
"""Of so many jobs the expected starts are asked for, one by one, where a listing merely shows them."""


def views(
    run: Invocation, asked: dict[str, Any], fields: Sequence[str], split: bool, refs: Sequence[JobRef] = ()
) -> list[View]:
    """The lines for the jobs that *asked* (fields of ListJobsRequest) names.

    *fields*: the parts of jobs that are needed (needs.py). *split*: a line for each element that waits.
    *refs*: of arrays only these elements, where it names elements of them.
    """
    if refs:
        asked = {**asked, "job_ids": sorted({ref["id"] for ref in refs})}
    found = list(listing.jobs(run, fields, **asked))
    numbers = [job.id for job in found if job.array is not None]
    elements: dict[int, list[Job]] = {number: [] for number in numbers}
    if numbers:
        for job in listing.jobs(run, fields, job_ids=numbers, expand_arrays=True):
            elements[job.id].append(job)
    made: list[View] = []
    cluster = run.transport.cluster
    for job in found:
        if job.id in elements:
            made += _of_array(job, elements[job.id], split, cluster)
        else:
            made.append(View(job, cluster))
    return [_narrowed(one, refs) for one in made if _is_named(one, refs)] if refs else made


def by_partition(view: View) -> list[View]:
    """*view* once for each partition in which it waits."""
    if view.state != "PENDING" or len(view.job.queues) == 1:
        return [view]
    made = []
    for name in view.job.queues:
        one = View(Job({**view.job.answer, "chosen_queue": name}), view.cluster, view.pending, view.state)
        one.narrowed = view.narrowed
        made.append(one)
    return made


def _narrowed(view: View, refs: Sequence[JobRef]) -> View:
    """*view* with those of its waiting elements alone that *refs* name, where they name any."""
    if not view.pending or any(ref["id"] == view.job.id and "array_index" not in ref for ref in refs):
        return view
    asked = {ref.get("array_index") for ref in refs if ref["id"] == view.job.id}
    left = [index for index in _indices(view) if index in asked]
    made = View(view.job, view.cluster, ranges(left))
    made.narrowed = True
    return made


def _is_named(view: View, refs: Sequence[JobRef]) -> bool:
    index = view.job.index
    for ref in refs:
        if ref["id"] != view.job.id:
            if index is not None and ref["id"] == view.job.element_number:
                return True
            continue
        wanted = ref.get("array_index")
        if wanted is None or wanted == index:
            return True
        if view.pending and wanted in _indices(view):
            return True
    return False


def _indices(view: View) -> Iterable[int]:
    from molokini.compat.slurm.ids import indices_of

    return indices_of(view.pending.partition("%")[0])


def _of_array(job: Job, elements: list[Job], split: bool, cluster: str) -> list[View]:
    """The lines of one array: those elements that wait in one, or each by itself."""
    state = "HELD" if job.holds or job.state == "HELD" else "WAITING"
    alone = [
        one for one in elements if one.state not in _PENDING or (one.state == "HELD" and state != "HELD")
    ]
    over = job.state not in (*_PENDING, "RUNNING", "SUSPENDED")
    made: list[View] = []
    if not over or not elements:
        gone = [one.index for one in alone if one.index is not None]
        waits = Job({**job.answer, "state": job.state if over else state})
        if _at_its_limit(job, elements):
            waits.answer["waits_for"] = "JobArrayTaskLimit"
        elif (why := next((one.waiting for one in elements if one.waiting), None)) is not None:
            # Why the first of those wait that the policy has as candidates.
            waits.answer["waiting"] = why
            if (rank := next((one.priority for one in elements if one.waiting), None)) is not None:
                waits.answer["priority"] = rank
        if over:
            # It ended before any of its elements had been looked at.
            made.append(View(waits, cluster, arrays.waiting(job, ()), states.state_of(waits)))
        elif split or _is_parted(job):
            left = sorted(set(job.indices).difference(gone))
            made += [View(Job({**waits.answer, "array_index": index}), cluster) for index in left]
        elif text := arrays.waiting(job, gone):
            made.append(View(waits, cluster, text))
    return made + [View(one, cluster) for one in alone]


def _is_parted(job: Job) -> bool:
    """Whether its elements wait one by one, for those of another array."""
    return any(one.get("elementwise") for one in job.dependencies)


def _at_its_limit(job: Job, elements: list[Job]) -> bool:
    """Whether no more elements may run at once."""
    limit = (job.array or {}).get("running_limit", 0)
    return bool(limit) and sum(one.state in ("RUNNING", "SUSPENDED") for one in elements) >= limit


def measure(run: Invocation, lines: Iterable[View]) -> None:
    """Tell those that wait, and count no nodes, how large the nodes of their partitions are."""
    from molokini.compat.slurm.cluster import nodes, nodes_of, partitions

    unsized = [
        one for one in lines if one.state == "PENDING" and not one.job.node_count and one.job.processors > 1
    ]
    if not unsized:
        return
    every = nodes(run)
    largest = {
        queue["name"]: max((int(one.get("processors", 0)) for one in nodes_of(run, queue, every)), default=0)
        for queue in partitions(run)
    }
    for view in unsized:
        view.size_of_nodes = max(largest.get(name, 0) for name in view.job.queues)


def mark_first(run: Invocation, lines: Iterable[View]) -> None:
    """Find out which of those that wait in each partition has nothing in front of it."""
    heads: dict[str, View] = {}
    for view in lines:
        waits = view.job.state == "WAITING" and "waits_for" not in view.job.answer
        if view.job.waiting.get("word"):
            continue
        if view.state == "PENDING" and waits:
            heads.setdefault(view.partition, view)
            if view.job.id < heads[view.partition].job.id:
                heads[view.partition] = view
    for view in heads.values():  # One question a partition; the others are behind.
        ref = {"id": view.job.id} if view.pending else view.job.ref
        told = run.transport.call("JobService", "ExplainJob", ref)
        view.first = not told.get("in_front_count")


def expect(run: Invocation, lines: Iterable[View]) -> None:
    """Ask for the starts of waiting jobs without a promised start, if running jobs use their full limits."""
    import json

    for view in lines:
        if view.job.state != "WAITING" or view.job.reserved_s is not None or view.pending:
            continue
        if view.job.waiting.get("word"):
            # The policy plans by itself, as Slurm does: what it has not planned has no expected start.
            continue
        asked = {"name": "start", "job": view.job.number}
        try:
            told = run.transport.call("ClusterService", "GetReport", asked)
        except Refused:
            # It has started meanwhile, or the policy has not looked at this element yet.
            continue
        start_s = json.loads(told["json"]).get("start_s")
        if start_s is not None:
            view.job.answer["reserved_s"] = start_s
