"""One iteration of a policy in words: what each of its steps did, to which jobs, and why.

The steps are those of Jackson, Snell and Clement, JSSPP 2001, section 3, numbered from 1. The iteration is
the policy's own, over a copy of the tables.
"""

from collections.abc import Sequence

from molokini.model.decisions import DECISION_RULES, Decision, Refusal
from molokini.model.errors import BadValue
from molokini.model.instants import instant
from molokini.model.site import CONFIGURABLE
from molokini.proto.v1 import cluster_service_pb2 as wire
from molokini.reports.waiting import INELIGIBLE
from molokini.reports.why import why
from molokini.reports.wording import cause_of_deferral, refused_because
from molokini.server.queries.explanations import surroundings_of
from molokini.server.server import Server
from molokini.shared.introspection import StepTold
from molokini.tables.tables import Tables

MOST_JOBS = 1000
"""Jobs that one step tells of."""


def traced(server: Server) -> wire.IterationTrace:
    """What an iteration would do now. Raises BadValue under another policy."""
    running_policy = server.reactor.running_policy
    if not running_policy.policy.insight.weighs:
        raise BadValue("policy", running_policy.policy.name, f"{CONFIGURABLE}, whose iterations have steps")
    state = server.state
    now = max(server.clock.now(), state.now)
    t = running_policy.dry_run(state, now)
    made = wire.IterationTrace(now_s=now)
    steps = running_policy.policy.insight.steps(t)
    for number, step in enumerate(steps, 1):
        added = made.steps.add(number=number, name=step.name)
        for what, count in step.counts.items():
            added.counts.add(what=what, count=count)
    made.steps[0].counts.add(what="jobs-waiting", count=state.tables.queue.tail - state.tables.queue.head)
    made.steps[0].counts.add(what="jobs-running", count=state.tables.queue.running_count)
    made.steps[0].counts.add(what="processors-free", count=int(state.tables.machine.free))
    made.steps[1].counts.add(what="credentials-charged", count=int((state.tables.usage.rate > 0).sum()))
    _tell_decisions(server, t, made, steps)
    _tell_waiting(server, t, made)
    return made


def _tell_decisions(server: Server, t: Tables, made: wire.IterationTrace, steps: Sequence[StepTold]) -> None:
    """Starts, in the order in which steps make them; and what else was decided."""
    phases = [(number, step.why) for number, step in enumerate(steps, 1) for _ in range(step.starts)]
    for k in range(t.cycle.decided):
        kind, row = Decision(int(t.cycle.decisions[k, 0])), int(t.cycle.decisions[k, 1])
        number, why = 6, ""
        if kind is Decision.START:
            number, why = phases.pop(0) if phases else (6, "")
        elif kind is Decision.REFUSE:
            number, why = 4, refused_because(Refusal(int(t.cycle.decisions[k, 2])))
        elif kind is Decision.DEFER:
            until = instant(float(t.cycle.decision_time_s[k]))
            number, why = 4, f"until {until}: {cause_of_deferral(t.cycle.decisions[k, 2])}"
        elif kind is Decision.HOLD:
            number, why = 4, f"it has been deferred too often: {cause_of_deferral(t.cycle.decisions[k, 2])}"
        elif kind is Decision.RESERVE:
            at_s = float(t.cycle.decision_time_s[k])
            # One that cannot be kept is given back before another is made.
            kept = at_s < 1e300
            why = f"at {instant(at_s)}" if kept else "its reservation is given back"
        elif DECISION_RULES[kind].auxiliary:
            continue
        _add(server, t, made.steps[number - 1], row, _word(kind.name), why)


def _tell_waiting(server: Server, t: Tables, made: wire.IterationTrace) -> None:
    """The jobs by priority in step 5; in steps 4 and 8 those that still wait, and why."""
    insight, around = server.reactor.running_policy.policy.insight, surroundings_of(server)
    decided = t.cycle.decisions[: t.cycle.decided].tolist()
    # A job that starts, or is refused or held for good, waits no longer.
    settled = {row for kind, row, *_ in decided if DECISION_RULES[Decision(kind)].leaves is not None}
    for row in insight.ranked(t):
        _add(server, t, made.steps[4], row, "weigh", "")
        if row in settled or row not in server.state.by_row:
            continue
        explanation = why(around, t, row)
        _add(server, t, made.steps[3 if explanation.rule in INELIGIBLE else 7], row, "wait", explanation.text)


def _add(server: Server, t: Tables, step: wire.IterationStep, row: int, decision: str, reason: str) -> None:
    element = server.state.by_row.get(row)
    if element is None or len(step.jobs) >= MOST_JOBS:
        return
    step.jobs.add(
        job_id=element.job.id,
        array_index=element.index,
        decision=decision,
        reason=reason,
        priority=float(t.cycle.rank_key[row]),
    )


def _word(name: str) -> str:
    return name.lower().replace("_", "-")
