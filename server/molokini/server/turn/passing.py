"""One pass of the policy over the live tables, and its decisions as facts."""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from molokini.applications.divisible import RULES
from molokini.applications.work import work_after
from molokini.cycle.calling import PolicyError, PythonView, compiled_function, nothing
from molokini.cycle.dry_run import decide_on, think_aloud
from molokini.cycle.entries import entries
from molokini.cycle.ports import PolicyFunction
from molokini.cycle.verbs import COMPLAINTS
from molokini.model.decisions import Decision, Refusal, Rule
from molokini.model.happened import (
    Ending,
    Happened,
    JobAccrues,
    JobBypassed,
    JobDeferred,
    JobEnded,
    JobHeld,
    JobMolded,
    JobMoved,
    JobRequeued,
    JobReserved,
    JobResumed,
    JobShared,
    JobStarted,
    JobSuspended,
    LienPlaced,
    Placed,
)
from molokini.model.policy import Value
from molokini.policies import LoadedPolicy, load_policy
from molokini.policies.maui.configured import Configured
from molokini.policies.maui.labels import ceiling_label
from molokini.policies.maui.node_vector import NOT_YET
from molokini.policies.maui.vector import NumberOf
from molokini.reports.wording import held_in_words
from molokini.server.policies import configured
from molokini.server.state.machine import Machine
from molokini.server.state.state import NO_PROMISE_S, POLICY, State
from molokini.server.turn.bounding import PassBound, PassTooLong
from molokini.server.turn.sharing import SharedNodes
from molokini.tables.bank import lien_for
from molokini.tables.tables import Tables

log = logging.getLogger("molokini.server.policy")


class Thinker:
    """The running policy with its parameters."""

    def __init__(self, name: str, parameters: Mapping[str, str]) -> None:
        self.policy: LoadedPolicy = load_policy(name)
        self.given = dict(parameters)
        self.configured: Configured | None = configured(name, parameters)
        """What Maui's configuration says; None for policies that are all said by their parameters."""
        self.values: Mapping[str, Value] = (
            self.policy.declaration.values(parameters) if self.configured is None else self.configured.values
        )
        self._functions: tuple[PolicyFunction, PolicyFunction] | None = None
        self._entries = entries()
        self.bound: PassBound | None = None
        """How long a pass of a policy from a file may take; None: as long as it does."""
        self._nodes_known = 0
        """Nodes that had joined when the parameters were bound."""

    def vector(self, number_of: NumberOf, machine: Machine) -> Sequence[float]:
        """The whole vector of the policy where names and nodes have these numbers."""
        if self.configured is None:
            return self.policy.declaration.vector(self.values)
        nodes = machine.by_name
        return self.configured.vector(
            number_of, lambda name: nodes[name].number if name in nodes else NOT_YET
        )

    def _bind(self, state: State) -> None:
        vector = self.vector(lambda _, name: state.rows.number(name), state.machine)
        state.tables.bind("parameters", np.array(vector, dtype=np.float64))
        self._nodes_known = len(state.machine.nodes)

    def take_over(self, state: State) -> None:
        """From now on this policy decides over the tables of *state*; it plans anew at its first pass."""
        tables = state.tables
        self._bind(state)
        tables.planning = int(self.policy.begin is not None)
        for name in ("memory_f", "memory_i", "global_f", "global_i"):
            getattr(tables, name)[...] = 0
        tables.replan = 1
        tables.offering = 1
        self._functions = self._made(tables)

    def compile(self) -> None:
        """Have the policy's functions compiled, or taken from the disk, before they are needed."""
        try:
            compiled_function(self.policy.begin or nothing)
            compiled_function(self.policy.schedule)
        except Exception:
            log.debug("policy %s runs as plain Python", self.policy.name)

    def _made(self, tables: Tables) -> tuple[PolicyFunction, PolicyFunction]:
        begin = self.policy.begin or nothing
        try:
            return compiled_function(begin), compiled_function(self.policy.schedule)
        except Exception:
            # Not compilable: plain Python sees tables that refuse to be written.
            view = PythonView(tables)
            schedule = self.policy.schedule
            return (lambda _, now: begin(view.get(), now)), (lambda _, now: schedule(view.get(), now))

    def think(self, state: State, now: float) -> list[Happened]:
        """What the policy wants done now, as facts; the tables are as before.

        Raises PolicyError, with nothing decided, when the policy fails or does what no policy may.
        """
        t = state.tables
        if self._functions is None:
            self.take_over(state)
        assert self._functions is not None
        if self.configured is not None and len(state.machine.nodes) != self._nodes_known:
            # What is said of particular nodes is said by their numbers, and more have joined.
            self._bind(state)
            t.replan = 1
        begin, schedule = self._functions
        try:
            with self._bounded():
                if self._entries.ready(t, now):
                    begin(t, now)
                schedule(t, now)
        except Exception as error:
            self._entries.judge(t)
            self._drop(t)
            raise PolicyError(self.policy.origin, self._cause(error)) from error
        self._entries.judge(t)
        if t.complaint:
            raise self._complained(t)
        return self._facts(state, now)

    def think_aloud(self, state: State, now: float) -> Tables:
        """A copy of the tables, on which the policy has just said why each job waits."""
        assert self._functions is not None
        with self._bounded():
            return think_aloud(state.tables, self.policy.begin, self.policy.schedule, now)

    def decide_on(self, t: Tables, now: float) -> None:
        """A pass over tables that are nobody's truth."""
        with self._bounded():
            decide_on(t, self.policy.begin, self.policy.schedule, now)

    def _bounded(self) -> AbstractContextManager[None]:
        if self.bound is None or not self.policy.from_file:
            return nullcontext()
        return self.bound.over(self.policy.origin)

    def _cause(self, error: Exception) -> str:
        if isinstance(error, PassTooLong) and self.bound is not None:
            return f"did not return within {self.bound.bound_s:g} s"
        return f"failed: {type(error).__name__}: {error}"

    def _drop(self, t: Tables) -> None:
        for k in range(t.decided):
            self._entries.lift(t, k)
        t.decided = 0
        t.complaint = 0
        t.replan = 1

    def _complained(self, t: Tables) -> PolicyError:
        row, known = t.complaint_row, 0 <= t.complaint_row < t.job_state.size
        text = COMPLAINTS[t.complaint].format(
            row=row,
            job=t.job_number[row] if known else "?",
            width=t.job_width[row] if known else "?",
            idle=t.complaint_idle,
        )
        t.complaint = 0
        t.replan = 1
        return PolicyError(self.policy.origin, text)

    def _facts(self, state: State, now: float) -> list[Happened]:
        t, facts = state.tables, list[Happened]()
        shared: SharedNodes | None = None
        self._refuse_unknown(t)
        for k in range(t.decided):
            kind, row, argument, more = t.decisions[k].tolist()
            element = state.by_row[row]
            placed = self._placed(t, k) if t.nodes and kind in _PLACED else ()
            if kind == Decision.START and argument == 0:
                shared = shared or SharedNodes(state)
                placed = shared.place(element.job.request.processors)
                if not placed:
                    # No node takes work, and no agent would hear of it: it waits for one.
                    continue
            if kind == Decision.MOLD:
                facts.append(_mold(element, float(t.decision_time_s[k]), argument, more))
                continue
            if kind == Decision.LIEN:
                price = float(t.decision_time_s[k])
                account, amount = state.ledger.name_of(argument), lien_for(t, row, price)
                facts.append(LienPlaced(element.job.id, element.index, account, amount, price))
                continue
            if kind == Decision.REFUSE:
                facts.append(_refuse(element, now, float(t.decision_time_s[k]), argument, more))
                continue
            make: Callable[..., Happened] = _FACTS[kind]
            value = _done_s(t, row, now) if kind == Decision.REQUEUE else float(t.decision_time_s[k])
            facts.append(make(element, now, value, argument, placed))
        t.decided = 0
        return facts

    def _refuse_unknown(self, t: Tables) -> None:
        """Nothing is decided by a pass that wants what only the simulator can do."""
        for kind in set(t.decisions[: t.decided, 0].tolist()) - _FACTS.keys() - _MADE_HERE:
            self._drop(t)
            verb = Decision(kind).name.lower().replace("_", " ")
            raise PolicyError(self.policy.origin, f"decided to {verb}, which a live cluster cannot do")

    def _placed(self, t: Tables, k: int) -> Placed:
        count = self._entries.lift(t, k)
        columns = (t.placed_node, t.placed_tasks, t.placed_component)
        return tuple(zip(*(column[:count].tolist() for column in columns), strict=True))


_MADE_HERE = frozenset({int(Decision.MOLD), int(Decision.LIEN), int(Decision.REFUSE)})
_PLACED = frozenset({int(Decision.START), int(Decision.RESUME), int(Decision.MIGRATE)})


def _start(e: Any, now: float, rate: float, exclusive: int, placed: Placed) -> Happened:
    return JobStarted(e.job.id, e.index, e.attempt + 1, placed, rate, exclusive == 1)


def _mold(e: Any, execution_s: float, processors: int, rule: int) -> Happened:
    return JobMolded(e.job.id, e.index, processors, execution_s, _RULE_NAMES[rule])


_RULE_NAMES = {number: name for name, number in RULES.items()}


def _resume(e: Any, now: float, rate: float, exclusive: int, placed: Placed) -> Happened:
    return JobResumed(e.job.id, e.index, placed, rate, exclusive == 1)


def _refuse(e: Any, now: float, value: float, refusal: int, ceiling: int) -> Happened:
    reason = Refusal(refusal).name.lower().replace("_", " ")
    if ceiling:
        # By the only policy that has ceilings.
        reason, value = f"{reason}: {ceiling_label(ceiling)} is {value:g}", 0.0
    return JobEnded(
        e.job.id,
        e.index,
        0,
        Ending.REFUSED,
        now,
        by=POLICY,
        reason=reason,
        earliest_deadline_s=value if 0.0 < value < NO_PROMISE_S else 0.0,
    )


def _requeue(e: Any, now: float, value: float, argument: int, placed: Placed) -> Happened:
    """Back into the queue, with its work (*value*) where *argument* says so.

    What somebody is ending already, or what must not run again, is over instead.
    """
    if e.stopping == "cancel" or not e.job.may_run_again:
        return _cancel(e, now, value, argument, placed)
    return JobRequeued(
        e.job.id, e.index, e.attempt, POLICY, "it gave way to others", value if argument == 1 else 0.0
    )


def _done_s(t: Tables, row: int, now: float) -> float:
    """Seconds of work that the running job of *row* has done."""
    done_s, rate, since_s = t.job_work_s[row], t.job_rate[row], t.job_updated_s[row]
    return float(work_after(done_s, rate, since_s, now))


def _cancel(e: Any, now: float, value: float, argument: int, placed: Placed) -> Happened:
    reason = e.reason if e.stopping == "cancel" else "it gave way to others"
    return JobEnded(e.job.id, e.index, e.attempt, Ending.CANCELLED, now, by=POLICY, reason=reason)


def _hold(e: Any, now: float, value: float, rule: int, placed: Placed) -> Happened:
    return JobHeld(e.job.id, "system", POLICY, held_in_words(rule), e.index)


def _rule(rule: int) -> str:
    return Rule(rule).name.lower().replace("_", "-")


_FACTS: dict[int, Callable[..., Happened]] = {
    Decision.START: _start,
    Decision.RESUME: _resume,
    Decision.RESERVE: lambda e, now, at_s, a, p: JobReserved(e.job.id, e.index, min(at_s, NO_PROMISE_S)),
    Decision.SUSPEND: lambda e, now, v, a, p: JobSuspended(e.job.id, e.index),
    Decision.MIGRATE: lambda e, now, v, a, placed: JobMoved(e.job.id, e.index, placed),
    Decision.SET_SHARE: lambda e, now, rate, a, p: JobShared(e.job.id, e.index, rate),
    Decision.BYPASS: lambda e, now, v, times, p: JobBypassed(e.job.id, e.index, times),
    Decision.ACCRUE: lambda e, now, s, a, p: JobAccrues(e.job.id, e.index, min(s, NO_PROMISE_S)),
    Decision.DEFER: lambda e, now, at_s, rule, p: JobDeferred(e.job.id, e.index, at_s, _rule(rule)),
    Decision.HOLD: _hold,
    Decision.REQUEUE: _requeue,
    Decision.CANCEL: _cancel,
}
