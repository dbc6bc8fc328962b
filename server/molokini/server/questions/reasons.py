"""Why a job waits: what keeps it from being looked at, or the first rule of the policy that blocks it."""

from dataclasses import asdict

from molokini.model.decisions import Rule
from molokini.model.requests import Request, Spread
from molokini.model.resources import Resource
from molokini.proto.v1 import job_service_pb2 as wire
from molokini.reports.wording import refusal_in_words, told, wanted, with_verb
from molokini.server.server import Core
from molokini.server.state.jobs import Element, Job, JobStatus
from molokini.server.state.machine import NodeStatus
from molokini.server.state.pretending import why_nothing_runs
from molokini.server.state.state import State
from molokini.server.state.unplaced import why_unplaced
from molokini.server.translate import counts_of, not_before
from molokini.shared.insight import Insight
from molokini.tables.tables import NEVER, Tables

MOST_IN_FRONT = 100
NOT_READY = "it becomes a candidate when others of its array have ended"


def explain(core: Core, job: Job, element: Element | None) -> wire.Explanation:
    """The explanation of one job, or of the array as a whole (None)."""
    status = element.status if element is not None else job.status
    made = wire.Explanation(job_id=job.id)
    if element is None and not status.over and counts_of(job).get(JobStatus.WAITING):
        # Some may run already: it is those that wait that are asked about.
        _array(core, job, made)
        return made
    if status is not JobStatus.WAITING:
        made.rule, made.text = not_waiting(core, job, element, status)
        return made
    if element is None or element.row < 0:
        made.rule, made.text = "not-ready", NOT_READY
    else:
        _blocked(core, element, made)
    return made


def _array(core: Core, job: Job, made: wire.Explanation) -> None:
    """How many of its elements wait and run, and what keeps the first of those that wait."""
    counts = {status: count for status, count in counts_of(job).items() if count}
    told = ", ".join(f"{count:,} {status}" for status, count in sorted(counts.items(), key=_liveliest))
    rows = [one for one in job.known_elements() if one.status is JobStatus.WAITING and one.row >= 0]
    if not rows:
        made.rule, made.text = _not_ready(core, job)
        made.text = f"{told}; {made.text}"
        return
    first = min(rows, key=lambda one: one.index)
    _blocked(core, first, made)
    made.text = f"{told}; the first that waits, {job.id}[{first.index}]: {made.text}"


def _liveliest(counted: tuple[JobStatus, int]) -> int:
    return list(JobStatus).index(counted[0])


def _not_ready(core: Core, job: Job) -> tuple[str, str]:
    """Why no element is a candidate although some wait."""
    array = job.array
    assert array is not None
    if array.limit and array.open_rows >= array.limit:
        return "running-limit", f"at most {array.limit:,} of its elements run at once"
    if core.state.claims.room(job) <= 0:
        return "queue-limit", core.state.claims.why_not(job)
    return "not-ready", "its elements become candidates as others start and end"


def not_waiting(core: Core, job: Job, element: Element | None, status: JobStatus) -> tuple[str, str]:
    """Why a job that does not wait does not: a rule, and a sentence."""
    if status.over:
        return "ended", _ended(job, element, status)
    if status is not JobStatus.HELD:
        pretends = why_nothing_runs(core.state, element) if element is not None else ""
        return status.value, f"it does not wait: {status}" + (f"; {pretends}" if pretends else "")
    if holds := job.holds | (element.holds if element is not None else frozenset()):
        why = element.reason if element is not None and element.status is JobStatus.HELD else ""
        return "held", "held by " + " and ".join(sorted(holds)) + (f": {why}" if why else "")
    if job.id in core.state.timed:
        return "begin-time", not_before(core.state.timed[job.id])
    if job.waits_for:
        return "dependency", "waits for job " + ", ".join(str(n) for n in sorted(job.waits_for)[:10])
    if job.id in core.state.unplaced:
        return "no-nodes", why_unplaced(core.state.rows, job)
    return "held", (element.reason if element is not None else "") or "held"


def _ended(job: Job, element: Element | None, status: JobStatus) -> str:
    """What became of it, and why, where a reason was given."""
    found = {(one.refusal, one.reason) for one in job.known_elements() if one.status is status}
    if element is None and len(found) != 1:
        return f"it has ended: {status}"
    refusal, reason = (element.refusal, element.reason) if element is not None else found.pop()
    if refusal:
        reason = refusal_in_words(refusal, reason)
    return f"it has ended: {status}" + (f": {reason}" if reason else "")


def _blocked(core: Core, element: Element, made: wire.Explanation) -> None:
    state = core.state
    now = max(core.clock.now(), state.now)
    t = core.reactor.running_policy.dry_run(state, now)
    row = element.row
    rule = Rule(int(t.reasons.rule[row]))
    made.rule = rule.name.lower().replace("_", "-")
    made.limit, made.value = float(t.reasons.limit[row]), float(t.reasons.value[row])
    insight = core.reactor.running_policy.policy.insight
    why = told(insight, t, row, rule, element.job.request.processors, state.tables.machine.processors)
    made.text, made.what_would_help[:] = why.text, why.helps
    if rule is Rule.NOT_ENOUGH_FREE and element.job.request.processors <= made.limit:
        made.text, made.what_would_help[:] = _scattered(state, element.job.request, made.limit)
    if state.paused:
        _tell_pause(state, rule, made)
    _weigh(insight, t, row, now, made)
    ranked = insight.ranked(t)
    in_front = ranked[: ranked.index(row)] if row in ranked else []
    made.in_front_count = len(in_front)
    made.in_front.extend(int(t.jobs.number[other]) for other in in_front[-MOST_IN_FRONT:])


def _tell_pause(state: State, rule: Rule, made: wire.Explanation) -> None:
    """That no job starts comes before what keeps this one from starting."""
    because = f" ({state.paused_because})" if state.paused_because else ""
    others, helps = f"; besides, {made.text}", list(made.what_would_help)
    if rule is Rule.NONE:
        others, helps = "", []
    made.text = f"scheduling is paused{because}{others}"
    made.what_would_help[:] = ["resuming scheduling", *helps]


def _scattered(state: State, request: Request, idle: float) -> tuple[str, list[str]]:
    """Why as many free processors as a job wants are none for it, and what would help."""
    text, helps = f"{wanted(request.processors)}, {with_verb(idle)} free", ["ends of running jobs"]
    if request.components[0].spread is Spread.NODES:
        return f"{text}, but not on nodes that hold it as it asks", helps
    by_cluster = ", ".join(
        f"{count} of {name or 'the cluster without a name'}" for name, count in _idle(state).items()
    )
    if request.components[0].spread is Spread.ONE_CLUSTER:
        helps = [*helps, "components that are smaller, or a flexible request"]
    return f"{text}, but not in clusters as it asks: {by_cluster}", helps


def _idle(state: State) -> dict[str, int]:
    """Free processors of each cluster, on nodes that take work."""
    found = dict.fromkeys(state.machine.clusters, 0)
    for node in state.machine.nodes:
        if node.status is NodeStatus.UP:
            found[node.cluster] += int(state.tables.nodes.free[node.number, Resource.PROCESSORS])
    return found


def _weigh(insight: Insight, t: Tables, row: int, now: float, made: wire.Explanation) -> None:
    """The parts of its priority, and its reservation, where the policy weighs jobs."""
    if not insight.weighs:
        return
    [found] = insight.explained(t, [row], now)
    made.priority = found.priority
    for part in found.parts:
        made.priority_parts.add(**asdict(part), product=part.product)
    at_s = insight.reserved_s(t, row)
    if at_s < NEVER:
        made.reserved_s = at_s
