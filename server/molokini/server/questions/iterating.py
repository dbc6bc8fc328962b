"""One iteration of the policy maui, told: what each of its eight steps did, to which jobs, and why.

Jackson, Snell and Clement, JSSPP 2001, section 3. It is the policy's own, over a copy of the tables.
"""

from molokini.model.decisions import Decision, Refusal, Rule
from molokini.model.errors import BadValue
from molokini.model.instants import instant
from molokini.policies.maui.explaining import ranked_rows
from molokini.policies.maui.trace import Step, steps_of
from molokini.proto.v1 import cluster_service_pb2 as wire
from molokini.reports.wording import cause_of_deferral, refused_because, told
from molokini.server.policies import POLICY
from molokini.server.server import Core
from molokini.tables.tables import Tables

MOST_JOBS = 1000
"""Jobs that one step tells of."""

_STEPS = (
    "read the state of nodes and jobs",
    "charge usage",
    "keep or forget reservations, start what is due",
    "select jobs that are eligible",
    "compute priorities and sort jobs",
    "start jobs by priority, reserve for those that find no room",
    "backfill within soft limits",
    "backfill within hard limits",
)
_COUNTED = {
    3: (Step.RESERVATIONS_KEPT, Step.RESERVED_STARTED),
    4: (Step.ELIGIBLE_SOFT, Step.ELIGIBLE_HARD, Step.INELIGIBLE),
    5: (Step.PRIORITIZED,),
    6: (Step.PRIORITY_STARTED, Step.RESERVED),
    7: (Step.SOFT_WINDOWS, Step.SOFT_BACKFILLED),
    8: (Step.HARD_WINDOWS, Step.HARD_BACKFILLED),
}
_STARTING = (
    (3, Step.RESERVED_STARTED, "its reservation is due"),
    (6, Step.PRIORITY_STARTED, "the next by priority, and there is room"),
    (7, Step.SOFT_BACKFILLED, "it fits a window and delays no reservation"),
    (8, Step.HARD_BACKFILLED, "it fits a window; only soft limits were in its way"),
)
_INELIGIBLE = (
    Rule.NEGATIVE_PRIORITY,
    Rule.OVER_HARD_LIMIT,
    Rule.OVER_IDLE_LIMIT,
    Rule.OVER_FAIRSHARE_CAP,
    Rule.WIDER_THAN_PARTITIONS,
    Rule.CANNOT_DEBIT_ACCOUNT,
    Rule.DEFERRED,
)
_TOLD_ELSEWHERE = (Decision.BYPASS, Decision.ACCRUE, Decision.LIEN)


def traced(core: Core) -> wire.IterationTrace:
    """What an iteration would do now. Raises BadValue under another policy."""
    thinker = core.reactor.thinker
    if thinker.policy.name != POLICY:
        raise BadValue("policy", thinker.policy.name, f"{POLICY}, whose iterations have steps")
    state = core.state
    now = max(core.clock.now(), state.now)
    t = thinker.think_aloud(state, now)
    made = wire.IterationTrace(now_s=now)
    for number, name in enumerate(_STEPS, 1):
        made.steps.add(number=number, name=name)
    counts = steps_of(t)
    for number, steps in _COUNTED.items():
        for step in steps:
            made.steps[number - 1].counts.add(what=_word(step.name), count=counts[step.name.lower()])
    made.steps[0].counts.add(what="jobs-waiting", count=state.tables.waiting_tail - state.tables.waiting_head)
    made.steps[0].counts.add(what="jobs-running", count=state.tables.running_count)
    made.steps[0].counts.add(what="processors-free", count=int(state.tables.free))
    made.steps[1].counts.add(what="credentials-charged", count=int((state.tables.usage_rate > 0).sum()))
    _tell_decisions(core, t, made, counts)
    _tell_waiting(core, t, made)
    return made


def _tell_decisions(core: Core, t: Tables, made: wire.IterationTrace, counts: dict[str, int]) -> None:
    """Starts, in the order in which steps make them; and what else was decided."""
    phases = [(number, why) for number, step, why in _STARTING for _ in range(counts[step.name.lower()])]
    for k in range(t.decided):
        kind, row = Decision(int(t.decisions[k, 0])), int(t.decisions[k, 1])
        number, why = 6, ""
        if kind is Decision.START:
            number, why = phases.pop(0) if phases else (6, "")
        elif kind is Decision.REFUSE:
            number, why = 4, refused_because(Refusal(int(t.decisions[k, 2])))
        elif kind is Decision.DEFER:
            until = instant(float(t.decision_time_s[k]))
            number, why = 4, f"until {until}: {cause_of_deferral(t.decisions[k, 2])}"
        elif kind is Decision.HOLD:
            number, why = 4, f"it has been deferred too often: {cause_of_deferral(t.decisions[k, 2])}"
        elif kind is Decision.RESERVE:
            at_s = float(t.decision_time_s[k])
            # One that cannot be kept is given back before another is made.
            kept = at_s < 1e300
            why = f"at {instant(at_s)}" if kept else "its reservation is given back"
        elif kind in _TOLD_ELSEWHERE:
            continue
        _add(core, t, made.steps[number - 1], row, _word(kind.name), why)


def _tell_waiting(core: Core, t: Tables, made: wire.IterationTrace) -> None:
    """The jobs by priority in step 5; in steps 4 and 8 those that still wait, and why."""
    started = {int(t.decisions[k, 1]) for k in range(t.decided) if t.decisions[k, 0] == Decision.START}
    for row in ranked_rows(t):
        _add(core, t, made.steps[4], row, "weigh", "")
        if row in started or row not in core.state.by_row:
            continue
        rule = Rule(int(t.reason_rule[row]))
        element = core.state.by_row[row]
        why = told(t, row, rule, element.job.request.processors, core.state.tables.processors)
        _add(core, t, made.steps[3 if rule in _INELIGIBLE else 7], row, "wait", why.text)


def _add(core: Core, t: Tables, step: wire.IterationStep, row: int, decision: str, reason: str) -> None:
    element = core.state.by_row.get(row)
    if element is None or len(step.jobs) >= MOST_JOBS:
        return
    step.jobs.add(
        job_id=element.job.id,
        array_index=element.index,
        decision=decision,
        reason=reason,
        priority=float(t.rank_key[row]),
    )


def _word(name: str) -> str:
    return name.lower().replace("_", "-")
