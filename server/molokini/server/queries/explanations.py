"""Why a job waits: what keeps it from being looked at, or the first rule of the policy that blocks it."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import asdict

from molokini.model.decisions import Rule
from molokini.model.reservations import Reservation
from molokini.proto.v1 import job_service_pb2 as wire
from molokini.proto.v1 import jobs_pb2
from molokini.reports.snapshot import word
from molokini.reports.why import PassReasons, Surroundings, why
from molokini.reports.wording import Explanation, refusal_in_words
from molokini.server.server import Server
from molokini.server.state.jobs import Element, Job, JobStatus
from molokini.server.state.pretending import why_nothing_runs
from molokini.server.state.rooms import why_no_room
from molokini.server.state.state import State
from molokini.server.state.unplaced import why_unplaced
from molokini.server.translate import JobFields, counts_of, not_before, waits_in_words
from molokini.shared.introspection import PolicyReport
from molokini.tables.tables import NEVER, Tables

MOST_IN_FRONT = 100
MOST_NODES = 1_000
_FIELDS = frozenset({"reason", "waiting", "priority"})
RATE = "rate"
"""The rule of a job that waits for room for its target rate."""
_OF_ROOM = frozenset(
    {Rule.NOT_ENOUGH_FREE, Rule.NODES_UNAVAILABLE, Rule.WOULD_DELAY_THE_HEAD, Rule.KEPT_OUT, Rule.NONE}
)
_OF_PLANS = frozenset({Rule.RESERVED_LATER, Rule.PARTITION_FULL})
"""Of policies that count processors: also what a job waits for that finds enough of them, and no node."""
NOT_READY = "it becomes a candidate when others of its array have ended"


def explain(server: Server, job: Job, element: Element | None) -> wire.Explanation:
    """The explanation of one job, or of the array as a whole (None)."""
    status = element.status if element is not None else job.status
    made = wire.Explanation(job_id=job.id)
    if element is None and not status.over and counts_of(job).get(JobStatus.WAITING):
        # Some may run already: it is those that wait that are asked about.
        _array(server, job, made)
        return made
    if status is not JobStatus.WAITING:
        made.rule, made.text = not_waiting(server, job, element, status)
        return made
    if element is None or element.row < 0:
        made.rule, made.text = "not-ready", NOT_READY
    else:
        _blocked(server, element, made)
    return made


def _array(server: Server, job: Job, made: wire.Explanation) -> None:
    """How many of its elements wait and run, and what keeps the first of those that wait."""
    counts = {status: count for status, count in counts_of(job).items() if count}
    counted = ", ".join(f"{count:,} {status}" for status, count in sorted(counts.items(), key=_liveliest))
    rows = [one for one in job.known_elements() if one.status is JobStatus.WAITING and one.row >= 0]
    if not rows:
        made.rule, made.text = _not_ready(server, job)
        made.text = f"{counted}; {made.text}"
        return
    first = min(rows, key=lambda one: one.index)
    _blocked(server, first, made)
    made.text = f"{counted}; the first that waits, {job.id}[{first.index}]: {made.text}"


def _liveliest(counted: tuple[JobStatus, int]) -> int:
    return list(JobStatus).index(counted[0])


def _not_ready(server: Server, job: Job) -> tuple[str, str]:
    """Why no element is a candidate although some wait."""
    array = job.array
    assert array is not None
    if array.limit and array.open_rows >= array.limit:
        return "running-limit", f"at most {array.limit:,} of its elements run at once"
    if server.state.claims.room(job) <= 0:
        return "queue-limit", server.state.claims.why_not(job)
    return "not-ready", "its elements become candidates as others start and end"


def not_waiting(server: Server, job: Job, element: Element | None, status: JobStatus) -> tuple[str, str]:
    """Why a job that does not wait does not: a rule, and a sentence."""
    if status.over:
        return "ended", _ended(job, element, status)
    if status is not JobStatus.HELD:
        pretends = why_nothing_runs(server.state, element) if element is not None else ""
        return status.value, f"it does not wait: {status}" + (f"; {pretends}" if pretends else "")
    if holds := job.holds | (element.holds if element is not None else frozenset()):
        why = element.reason if element is not None and element.status is JobStatus.HELD else ""
        return "held", "held by " + " and ".join(sorted(holds)) + (f": {why}" if why else "")
    if job.id in server.state.timed:
        return "begin-time", not_before(server.state.timed[job.id])
    if job.waits_for:
        return "dependency", waits_in_words(job, 10)
    if job.id in server.state.unplaced:
        return "no-nodes", why_unplaced(server.state.rows, job)
    if server.state.claims.waits(job):
        queue = server.state.queues[job.queue]
        return "queue-limit" if queue.started else "queue-stopped", server.state.claims.why_not(job)
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


def _blocked(server: Server, element: Element, made: wire.Explanation) -> None:
    state = server.state
    now = max(server.clock.now(), state.now)
    t = server.reactor.running_policy.dry_run(state, now)
    row = element.row
    insight = server.reactor.running_policy.policy.insight
    explanation = why(surroundings_of(server), t, row)
    made.rule = word(explanation.rule.name)
    made.limit, made.value = float(t.reasons.limit[row]), float(t.reasons.value[row])
    made.text, made.what_would_help[:] = explanation.text, explanation.helps
    if no_room := _no_room(state, t, element, explanation.rule):
        made.rule, made.text = RATE, no_room
        made.what_would_help[:] = ["the end of jobs with target rates there, or lower rates", "a lower rate"]
    _weigh(insight, t, row, now, made)
    ranked = insight.ranked(t)
    in_front = ranked[: ranked.index(row)] if row in ranked else []
    made.in_front_count = len(in_front)
    made.in_front.extend(int(t.jobs.number[other]) for other in in_front[-MOST_IN_FRONT:])


def _no_room(state: State, t: Tables, element: Element, rule: Rule) -> str:
    """Why *element*, which waits by *rule*, finds no room for its rate; empty: that is not why."""
    counted = rule in _OF_PLANS and t.jobs.width[element.row] <= t.machine.idle
    return why_no_room(state, element) if rule in _OF_ROOM or counted else ""


def asked_now(server: Server, now: float) -> PassReasons | None:
    """What a pass at *now* says of all that wait; None: the policy cannot be asked."""
    with suppress(Exception):
        # A policy of the site's own may fail: jobs are listed all the same.
        return PassReasons(surroundings_of(server), server.reactor.running_policy.dry_run(server.state, now))
    return None


class Reasons:
    """Why jobs wait, by one pass for all that one caller asks about."""

    def __init__(self, server: Server, ask: Callable[[], Awaitable[PassReasons | None]]) -> None:
        self._server, self._ask = server, ask
        self._of_pass: PassReasons | None = None
        self._ranks: Mapping[int, float] = {}
        self._plain = dict[tuple[Rule, str], jobs_pb2.Waiting]()
        """What is sent where a rule says it all; a listing has few of these, and thousands of jobs."""

    async def prepare(self, wanted: Collection[str]) -> None:
        """Ask, where what is *wanted* of some job that waits depends on it; ``fill`` comes after."""
        queue = self._server.state.tables.queue
        if not _FIELDS.isdisjoint(wanted) and queue.tail > queue.head:
            self._of_pass = await self._ask()
            if self._of_pass is not None and "priority" in wanted:
                self._ranks = self._insight.priorities(self._of_pass.tables)

    def fill(self, made: JobFields, element: Element, wanted: Collection[str]) -> None:
        """Add what keeps *element* waiting to what is *made* of it; nothing where it does not wait."""
        if _FIELDS.isdisjoint(wanted):
            return
        if element.status is JobStatus.HELD and not element.over:
            rule, text = not_waiting(self._server, element.job, element, element.status)
            _say(made, wanted, made.get("reason") or text, jobs_pb2.Waiting(rule=rule))
        if element.row < 0:
            return
        if element.status is not JobStatus.WAITING:
            if element.status is JobStatus.RUNNING and "priority" in wanted:
                tables = self._server.state.tables
                _rank(made, wanted, self._insight.priority_at_start(tables, element.row))
            return
        of_pass = self._of_pass
        # A job may have come since the pass.
        if of_pass is not None and of_pass.has(element.row, element.job.id):
            t, explanation = of_pass.tables, of_pass.why(element.row)
            _rank(made, wanted, self._ranks.get(element.row))
            if no_room := _no_room(self._server.state, t, element, explanation.rule):
                _say(made, wanted, no_room, jobs_pb2.Waiting(rule=RATE))
                return
            own, planned_s = self._insight.word(t, element.row), self._insight.planned_s(t, element.row)
            _say(made, wanted, explanation.text, self._waiting(explanation, own, planned_s))

    @property
    def _insight(self) -> PolicyReport:
        return self._server.reactor.running_policy.policy.insight

    def _waiting(self, explanation: Explanation, own: str, planned_s: float) -> jobs_pb2.Waiting:
        rule, around = explanation.rule, explanation.reservation
        key = rule, own
        if around is None and not explanation.nodes and not planned_s < NEVER:
            found = self._plain.get(key)
            if found is None:
                found = self._plain[key] = jobs_pb2.Waiting(rule=word(rule.name), word=own)
            return found
        made = jobs_pb2.Waiting(rule=word(rule.name), word=own, nodes=explanation.nodes[:MOST_NODES])
        if around is not None:
            made.reservation, made.reservation_admits = around.name, bool(around.access)
        if planned_s < NEVER:
            made.planned_s = planned_s
        return made


def _say(made: JobFields, wanted: Collection[str], text: str, waiting: jobs_pb2.Waiting) -> None:
    if "reason" in wanted:
        made["reason"] = text
    if "waiting" in wanted:
        made["waiting"] = waiting


def _rank(made: JobFields, wanted: Collection[str], priority: float | None) -> None:
    if "priority" in wanted and priority is not None:
        made["priority"] = priority


def surroundings_of(server: Server) -> Surroundings:
    """The names that reasons need, as they are now."""
    state = server.state
    return Surroundings(
        server.reactor.running_policy.policy.insight,
        state.machine.nodes,
        tuple(state.machine.clusters),
        reservations_of(state),
        state.paused,
        state.paused_because,
    )


def reservations_of(state: State) -> tuple[Reservation, ...]:
    """Reservations as they are in the tables, and in their order."""
    single = [one for one in state.reservations.values() if isinstance(one, Reservation)]
    return (*single, *state.instances)


def _weigh(insight: PolicyReport, t: Tables, row: int, now: float, made: wire.Explanation) -> None:
    """Its reservation; where the policy weighs jobs, the parts of its priority."""
    at_s = insight.reserved_s(t, row)
    if at_s < NEVER:
        made.reserved_s = at_s
    for found in insight.explained(t, [row], now):
        made.priority = found.priority
        for part in found.parts:
            made.priority_parts.add(**asdict(part), product=part.product)
