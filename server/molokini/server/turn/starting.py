"""Starting a job by command, past the policy's order: beside its limits and reservations unless told else.

The verb by which policies start jobs finds the place, on a copy of the tables over which the policy has just
had a pass. So its rules about nodes and partitions hold for such a job, too.
"""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from molokini.cycle.calling import PolicyError
from molokini.cycle.entries import entries
from molokini.cycle.verbs import start
from molokini.model.actors import Actor
from molokini.model.decisions import Rule
from molokini.model.errors import BadInput
from molokini.model.facts import (
    NO_INDEX,
    STARTED_PAST_POLICY,
    CommandTaken,
    JobStarted,
    LienPlaced,
    NodeLost,
    Placed,
)
from molokini.model.resources import Resource
from molokini.reports.why import Surroundings, why
from molokini.server.state.jobs import Element, Job, JobStatus
from molokini.server.state.state import State
from molokini.server.turn.changing import HasEnded, JobCommand, NotNow
from molokini.server.turn.command import Draft, RetryNextTurn
from molokini.server.turn.preempting import shares_processors
from molokini.server.turn.running_policy import RunningPolicy
from molokini.tables.bank_changes import count_spare, lien_for, payer, price_of
from molokini.tables.tables import Tables

_LIMITS = (Rule.OVER_SOFT_LIMIT, Rule.OVER_HARD_LIMIT, Rule.OVER_IDLE_LIMIT, Rule.OVER_FAIRSHARE_CAP)
"""Rules that keep a job from such a start unless its limits are to be ignored."""


class StartJob(JobCommand):
    """Start what waits, now; of an array one element that is named.

    *nodes*: only on these; empty: on any. *tasks*: on these nodes, so many of its tasks on each. With
    *past_limits* the limits of its user, group, ... do not count, with *past_reservations* it may lie where
    administrators keep room for others.
    """

    def __init__(
        self,
        number: int,
        index: int,
        by: Actor,
        policy: RunningPolicy,
        reason: str = "",
        *,
        nodes: Collection[str] = (),
        tasks: Mapping[str, int] | None = None,
        past_limits: bool = False,
        past_reservations: bool = False,
    ) -> None:
        super().__init__(number, index, by, reason)
        self.policy, self.nodes, self.tasks = policy, nodes or tuple(tasks or ()), tasks
        self.past_limits, self.past_reservations = past_limits, past_reservations

    def check(self, state: State, draft: Draft) -> None:
        job = self.job(state, draft)
        element = self._waiting(state, job)
        if draft.resuming or any(isinstance(fact, NodeLost) for fact in draft.facts):
            # Each takes room that the next must not count on.
            draft.touched.discard(job.id)
            raise RetryNextTurn
        allowed = [state.machine.node(name).number for name in self.nodes]
        t = self._after_a_pass(state, job, element, draft.now)
        if self.past_reservations:
            t.reservations.count = t.hosts.count = 0
        if self.nodes:
            elsewhere = np.setdiff1d(np.arange(t.nodes.count), allowed)
            t.nodes.free[elsewhere] = 0.0
        if self.tasks is not None:
            self._confine(state, t, job)
        lien = self._lien(state, t, job, element)
        placed = self._placed(t, job, element)
        draft.resuming = True
        what: dict[str, Any] = {"job": job.id}
        what |= {"index": element.index} if element.index != NO_INDEX else {}
        what |= {"reason": self.reason} if self.reason else {}
        draft.facts.append(CommandTaken(self.by, STARTED_PAST_POLICY, what))
        draft.facts += lien
        queue = queue_with(state, job, [state.machine.nodes[number].name for number, *_ in placed])
        draft.facts.append(JobStarted(job.id, element.index, element.attempt + 1, placed, queue=queue))

    def _confine(self, state: State, t: Tables, job: Job) -> None:
        """Leave each node in *t* with processors for its tasks alone, so that there is one place only."""
        assert self.tasks is not None
        components = job.request.components
        each = int(components[0].need[Resource.PROCESSORS]) if len(components) == 1 else 1
        wanted, given = job.request.processors, each * sum(self.tasks.values())
        if given != wanted:
            raise NotNow(f"job {job.id}: {given} processors are given, and it has {wanted}")
        for name, count in self.tasks.items():
            free = t.nodes.free[state.machine.node(name).number]
            if free[Resource.PROCESSORS] < each * count:
                raise NotNow(f"job {job.id}: node {name} has no room for {count} of its tasks now")
            free[Resource.PROCESSORS] = each * count

    def _waiting(self, state: State, job: Job) -> Element:
        if job.array is not None and self.index == NO_INDEX:
            raise BadInput(
                f"job {job.id} is an array: name one of its elements, as {job.id}[{job.array.first}]"
            )
        element = job.element_of(self.index)
        status = job.status if element is None else element.status
        if status.over:
            raise HasEnded(f"job {job.id} has ended ({status})")
        if element is None or (status is JobStatus.WAITING and element.row < 0):
            raise NotNow(f"job {job.id}[{self.index}] is not a candidate yet: others of its array come first")
        if status is not JobStatus.WAITING:
            raise NotNow(f"job {job.id} does not wait ({status})")
        if job.load is not None:
            raise NotNow(f"job {job.id} is a divisible load, which its policy alone cuts and starts")
        if shares_processors(state):
            raise NotNow(f"policy {self.policy.policy.name} shares processors: it alone starts jobs")
        return element

    def _after_a_pass(self, state: State, job: Job, element: Element, now: float) -> Tables:
        """A copy of the tables with what the policy says of nodes, and nothing of what it would do."""
        try:
            t = self.policy.dry_run(state, now)
        except PolicyError as error:
            raise NotNow(f"the policy cannot be asked: {error}") from None
        rule = Rule(int(t.reasons.rule[element.row]))
        if rule in _LIMITS and not self.past_limits:
            told = why(Surroundings(self.policy.policy.insight), t, element.row)
            raise NotNow(f"job {job.id}: {told.text}")
        rules, choice = t.placing.rules, t.placing.choice
        known = entries()
        known.check_decisions(t)
        for k in range(t.cycle.decided):
            known.take_allocation(t, k)
        t.cycle.decided, t.cycle.complaint, t.cycle.pass_s = 0, 0, now
        t.machine.idle = t.machine.free
        t.placing.rules, t.placing.choice = rules, choice
        return t

    def _lien(self, state: State, t: Tables, job: Job, element: Element) -> list[LienPlaced]:
        """What an account has to set aside first, where there is a bank."""
        if not t.bank.on:
            return []
        count_spare(t)
        price = float(price_of(t, element.row))
        amount = int(lien_for(t, element.row, price))
        account = int(payer(t, element.row, amount))
        if account == 0:
            raise NotNow(f"job {job.id}: no account can pay for it ({amount:,} processor-seconds)")
        return [LienPlaced(job.id, element.index, state.ledger.name_of(account), amount, price)]

    def _placed(self, t: Tables, job: Job, element: Element) -> Placed:
        width = int(t.jobs.width[element.row])
        if width > t.machine.idle:
            raise NotNow(
                f"job {job.id}: there is no room for it now: {int(t.machine.idle)} of {width} processors"
            )
        if not start(t, element.row):
            where = (
                "on these nodes" if self.nodes else "beside reservations" if t.reservations.count else "now"
            )
            raise NotNow(f"job {job.id}: there is no room for it {where}")
        if not t.nodes.count:
            return ()
        count = entries().take_allocation(t, 0)
        columns = (t.placing.node, t.placing.tasks, t.placing.component)
        return tuple(zip(*(column[:count].tolist() for column in columns), strict=True))


def queue_with(state: State, job: Job, nodes: Collection[str]) -> str:
    """The first queue of *job* that has all these nodes; empty: the job names but one."""
    if not job.further_queues:
        return ""
    queues = [state.queues[name] for name in job.queues if name in state.queues]
    own = (queue.name for queue in queues if not queue.nodes or set(nodes) <= set(queue.nodes))
    return next(own, job.queue)
