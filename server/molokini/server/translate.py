"""Between the wire and the state: this module, and ``batching`` for many jobs at once, alone know both."""

from collections.abc import Callable, Collection
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, TypeAlias

from molokini.applications.divisible_chunks import done_at
from molokini.applications.kinds import RULES
from molokini.applications.placed import chunks, together
from molokini.model.errors import BadValue
from molokini.model.facts import NO_INDEX
from molokini.model.instants import instant
from molokini.model.job_specs import Communication, JobSpec, Resources
from molokini.model.run_results import NO_RESULT, ON_JOB, known_of
from molokini.model.slicing import Slicing
from molokini.proto.v1 import jobs_pb2 as wire
from molokini.server.recent import Recent
from molokini.server.state.causes import cause_of
from molokini.server.state.dependencies import NO_OTHER
from molokini.server.state.jobs import Element, Job, JobStatus
from molokini.server.state.loads import RULE, Cut
from molokini.server.state.pretending import why_nothing_runs
from molokini.server.state.state import State
from molokini.server.state.unplaced import why_unplaced
from molokini.server.turn.asked import AskedSpec

STATE_OF: dict[JobStatus, "wire.JobState"] = {
    JobStatus.HELD: wire.HELD,
    JobStatus.WAITING: wire.WAITING,
    JobStatus.RUNNING: wire.RUNNING,
    JobStatus.SUSPENDED: wire.SUSPENDED,
    JobStatus.COMPLETED: wire.COMPLETED,
    JobStatus.FAILED: wire.FAILED,
    JobStatus.TIMED_OUT: wire.TIMED_OUT,
    JobStatus.CANCELLED: wire.CANCELLED,
    JobStatus.NODE_LOST: wire.NODE_LOST,
    JobStatus.NOT_STARTED: wire.FAILED,
    JobStatus.REFUSED: wire.REFUSED,
}
STATUSES_OF = {
    state: frozenset(status for status, s in STATE_OF.items() if s == state) for state in STATE_OF.values()
}
HOLDS = {wire.HOLD_USER: "user", wire.HOLD_OPERATOR: "operator", wire.HOLD_SYSTEM: "system"}
_HOLD_OF = {name: hold for hold, name in HOLDS.items()}


def _message(value: Any, within: str = "") -> Any:
    """The set fields of *value* by name, as JSON knows them; *within*: what precedes names in errors."""
    known = _fields_of(value.DESCRIPTOR, within)
    made = {}
    for field, part in value.ListFields():
        name, make = known[field.number]
        made[name] = part if make is None else make(part)
    return made


Make = Callable[[Any], Any]


@cache
def _fields_of(descriptor: Any, within: str) -> dict[int, tuple[str, Make | None]]:
    """Name of each field, and what makes JSON of its value; asking the descriptor each time takes longer."""
    return {field.number: (field.name, _make_of(field, within)) for field in descriptor.fields}


def _make_of(field: Any, within: str) -> Make | None:
    place = f"{within}{field.name}"
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        return dict
    if field.message_type is not None and field.is_repeated:
        return lambda values: [_message(one, f"{place}.") for one in values]
    if field.message_type is not None:
        return _MADE.get(field.name) or partial(_message, within=f"{place}.")
    if field.enum_type is not None:
        return partial(_name_of, place, field.enum_type)
    return list if field.is_repeated else None


def _resources(value: Any) -> Resources:
    """Most jobs want what others have wanted: they share one dictionary, which no code changes."""
    key = value.SerializeToString(deterministic=True)
    known = _known_resources.get(key)
    if known is None:
        known = _message(value, "resources.")
        _known_resources.keep(key, known)
    return known


_known_resources: Recent[Resources] = Recent()


def _communication(value: Any) -> Communication:
    pattern = _name_of("communication.pattern", value.DESCRIPTOR.enum_types_by_name["Pattern"], value.pattern)
    made: Communication = _message(value, "communication.")
    made["pattern"] = pattern
    return made


_MADE: dict[str, Make] = {"resources": _resources, "communication": _communication}
"""Parts of a specification that are more than their set fields."""


def _name_of(field: str, kind: Any, value: int) -> str:
    """The name of a value of an enumeration, as the journal keeps it."""
    known = kind.values_by_number.get(value)
    if known is None or not value:
        *names, last = (one.name for one in kind.values if one.number)
        between = " or " if field == "dependencies.kind" else ", "
        raise BadValue(field, value, f"{', '.join(names)}{between}{last}")
    return str(known.name)


def spec_from_wire(spec: wire.JobSpec) -> AskedSpec:
    """The set fields of *spec* as JSON, which may be shared with jobs that ask for just the same."""
    body = spec.SerializeToString()
    known = _known_specs.get(body)
    if known is None:
        made: JobSpec = _message(spec)
        # An array of one element, index 0, has no field set but is one all the same.
        if spec.HasField("array"):
            made.setdefault("array", {})
        known = AskedSpec(made)
        _known_specs.keep(body, known)
    return known


_known_specs: Recent[AskedSpec] = Recent()


def spec_to_wire(spec: JobSpec) -> wire.JobSpec:
    """*spec* on the wire. Its parts have the names and the values that the wire has."""
    return wire.JobSpec(**spec)


JobFields: TypeAlias = dict[str, Any]
"""What ``wire.Job`` is made of, by name."""
JOB_KIND = wire.Job.DESCRIPTOR
EVERY_FIELD = frozenset(JOB_KIND.fields_by_name)


@dataclass(frozen=True, slots=True)
class JobLines:
    """The page of a listing before it is written: as messages for gRPC, as documents by the gateway.

    To make messages only to take them apart again is half of what a page of 10,000 jobs takes there.
    """

    lines: list[JobFields]
    next_page_token: str


def job_to_wire(job: Job, element: Element | None, state: State, without: Collection[str] = ()) -> wire.Job:
    """*job* as its user sees it: one element of it, or (None) the array as a whole."""
    return wire.Job(**fields_of_job(job, element, state, without))


def fields_of_job(
    job: Job,
    element: Element | None,
    state: State,
    without: Collection[str] = (),
    wanted: AbstractSet[str] = EVERY_FIELD,
    spec: JobSpec | None = None,
) -> JobFields:
    """What ``wire.Job`` is made of, which is quicker in one go: *wanted* fields, and id and index.

    The specification is *spec*, where that is given, else the job's *without* the fields named.
    """
    made: JobFields = {"id": job.id}
    if element is not None and element.index != NO_INDEX:
        made["array_index"] = element.index
        if element.number and "element_number" in wanted:
            made["element_number"] = element.number
    if "state" in wanted:
        made["state"] = STATE_OF[element.status if element is not None else job.status]
    if "spec" in wanted:
        made["spec"] = without_fields(job.spec, without) if spec is None else spec
    for name in _OF_JOBS:
        if name in wanted:
            made[name] = getattr(job, name)
    if "holds" in wanted and (holds := _holds(job, element)):
        made["holds"] = [_HOLD_OF[hold] for hold in sorted(holds)]
    if element is not None:
        if not wanted <= _COMMON:
            _fill(made, element, state, wanted)
    elif job.array is not None and "elements" in wanted:
        made["elements"] = {status.value: count for status, count in counts_of(job).items()}
    if "cause" in wanted and (cause := cause_of(job, element, state)):
        made["cause"] = cause
    if element is not None and element.ended_by and "ended_by" in wanted and element.over:
        made["ended_by"] = element.ended_by
    if "reason" in wanted:
        made["reason"] = (element.why if element is not None else "") or _reason(job, element, state)
    return made


def without_fields(spec: JobSpec, names: Collection[str]) -> JobSpec:
    """*spec*, or a copy without the fields of these *names*."""
    if not names:
        return spec
    kept: Any = {name: value for name, value in spec.items() if name not in names}
    made: JobSpec = kept
    return made


_OF_JOBS = ("user", "submitted_s", "version", "eligible_s")
_COMMON = frozenset(
    {
        *_OF_JOBS,
        "id",
        "array_index",
        "element_number",
        "state",
        "spec",
        "holds",
        "reason",
        "cause",
        "ended_by",
    }
)
"""Fields that are not an element's alone."""


def _holds(job: Job, element: Element | None) -> frozenset[str]:
    return job.holds | element.holds if element is not None else job.holds


def _fill(made: JobFields, element: Element, state: State, wanted: AbstractSet[str]) -> None:
    """Add what an element has of its own."""
    if element.attempt and "attempt" in wanted:
        made["attempt"] = element.attempt
    for name in _INSTANTS:
        if name in wanted and (instant_s := getattr(element, name)) is not None:
            made[name] = instant_s
    if element.result is not NO_RESULT:
        figures = known_of(element.result)
        if "memory_kb" in figures:
            # Where one node ran all of it, what that used is what all have used.
            figures.setdefault("memory_all_kb", figures["memory_kb"])
        made.update((ON_JOB[name], value) for name, value in figures.items() if ON_JOB[name] in wanted)
    if element.limit_s and "limit_s" in wanted:
        made["limit_s"] = element.limit_s
    if element.queue and "chosen_queue" in wanted:
        made["chosen_queue"] = element.queue
    if element.job.deadline_s and "deadline_met" in wanted:
        made["deadline_met"] = deadline_met(element, state.present_s())
    if element.nodes and "allocation" in wanted:
        known = state.machine.nodes
        made["allocation"] = [
            {"node": known[number].name, "processors": processors, "cluster": known[number].cluster}
            for number, processors in element.nodes
        ]
    promise = promise_of(element) if element.job.load is not None else None
    if promise is not None and "promise" in wanted:
        made["promise"] = promise
    if element.start_s is not None or element.row >= 0:
        _fill_times(made, element, state, wanted, promise.end_s if promise is not None else 0.0)


_INSTANTS = ("first_start_s", "start_s", "end_s", "reserved_s")
_OF_TIME = frozenset({"work_s", "elapsed_s", "suspended_s", "expected_end_s"})


def _fill_times(
    made: JobFields, element: Element, state: State, wanted: AbstractSet[str], promised_s: float
) -> None:
    """How much of its work is done, how long it has run, and when it ends at the latest."""
    jobs, row = state.tables.jobs, element.row
    work_s = float(jobs.work_s[row]) if row >= 0 else 0.0
    if element.start_s is not None and not _OF_TIME.isdisjoint(wanted):
        now_s = state.present_s()
        ended_s = now_s if element.end_s is None else element.end_s
        times = {"elapsed_s": max(0.0, ended_s - element.start_s)}
        if suspended_s := element.suspended_by(ended_s):
            times["suspended_s"] = suspended_s
        if row >= 0 and element.status is JobStatus.RUNNING:
            rate = float(jobs.rate[row])
            work_s = state.work_of(element)
            if promised_s:
                times["expected_end_s"] = promised_s
            elif rate > 0:
                times["expected_end_s"] = now_s + max(0.0, float(jobs.estimate_s[row]) - work_s) / rate
        made.update((name, value) for name, value in times.items() if name in wanted)
    if work_s and "work_s" in wanted:
        made["work_s"] = work_s


def deadline_met(element: Element, now: float) -> bool | None:
    """Whether it has met its deadline; None where that is open, or it has none, or never ran."""
    deadline_s = element.job.deadline_s
    if deadline_s and element.attempt and element.end_s is None:
        # Late is late, whatever is still to come.
        return False if now > deadline_s else None
    return element.deadline_met


def promise_of(element: Element) -> wire.Promise:
    """What a divisible job was promised about its deadline."""
    made = wire.Promise(deadline_s=element.job.deadline_s)
    start_s = element.reserved_s if element.start_s is None else element.start_s
    if element.status is JobStatus.REFUSED:
        made.verdict = wire.Promise.REFUSED
        made.refusal = element.refusal
        made.earliest_deadline_s = element.earliest_deadline_s
    elif element.cut is not None and start_s is not None:
        made.verdict = wire.Promise.ADMITTED
        made.start_s, made.processors = start_s, element.cut.processors
        made.end_s = start_s + element.cut.execution_s
    return made


def chunks_of(element: Element, work_s: float) -> wire.Chunks:
    """How far the chunks of a divisible job have come that has done *work_s* seconds of its work."""
    load, cut = element.job.load, cut_of(element)
    assert load is not None
    made = chunks(RULES[cut.rule], load.size, together(cut.processors), load.costs.numbers)
    sent, computed = done_at(made, work_s)
    return wire.Chunks(rule=cut.rule, chunks=len(made), sent=sent, computed=computed)


def cut_of(element: Element) -> Cut:
    """How the load of *element* is cut: as the policy said, else for all of its processors at once."""
    job = element.job
    return element.cut or Cut(RULE, job.request.processors, job.estimate_s)


def counts_of(job: Job) -> dict[JobStatus, int]:
    """How many elements of an array stand where, those included that have never been rows."""
    assert job.array is not None
    return job.array.counts_with_unmade(job.unmade_status)


def _reason(job: Job, element: Element | None, state: State) -> str:
    pretends = why_nothing_runs(state, element) if element is not None else ""
    return pretends or _why_held(job, element, state)


def _why_held(job: Job, element: Element | None, state: State) -> str:
    if job.over or (element is not None and element.over):
        return ""
    if holds := _holds(job, element):
        return "held by " + " and ".join(sorted(holds))
    if job.waits_for:
        return waits_in_words(job)
    if job.id in state.timed:
        return not_before(state.timed[job.id])
    if job.id in state.unplaced:
        return why_unplaced(state.rows, job)
    return ""


def waits_in_words(job: Job, most: int = 1) -> str:
    """For which jobs a job waits, the first *most* of them by number."""
    named = sorted(job.waits_for - {NO_OTHER})
    if not named:
        return "waits until its dependencies are altered"
    more = f" and {len(named) - most} more" if len(named) > most else ""
    return "waits for job " + ", ".join(map(str, named[:most])) + more


def not_before(begin_s: float) -> str:
    """Why a job whose begin time has not come is held."""
    return f"not before {instant(begin_s)} of the scheduling clock"


def slicing_to_wire(slicing: Slicing) -> wire.Slicing:
    """When a job computes, as clients and agents see it."""
    cores = [wire.CoresOfNode(node=node, core=cores) for node, cores in slicing.cores.items()]
    return wire.Slicing(**{**slicing.as_json(), "cores": cores})


def slicing_from_wire(given: wire.Slicing) -> Slicing:
    """The same as it was asked for, unchecked."""
    return Slicing(
        period_s=given.period_s,
        slice_s=given.slice_s,
        rows=given.rows,
        row=tuple(given.row),
        quantum_s=given.quantum_s,
        origin_s=given.origin_s,
        real_time=given.real_time,
    )
