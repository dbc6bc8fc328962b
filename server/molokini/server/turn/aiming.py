"""Target rates of running jobs: set by command, and kept by orders of (period, slice).

Every order is a fact with the whole state of its control, so that a server that is killed goes on
controlling where it was. A rate for which a node has no room changes nothing.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from molokini.feedback.admission import CAP
from molokini.feedback.aims import Aim
from molokini.feedback.controlling import Rules, share_of
from molokini.feedback.deadlines import bounds_of, goal_of
from molokini.model.actors import Actor, Origin
from molokini.model.errors import Conflict
from molokini.model.facts import JobAimed
from molokini.server.state.jobs import Element
from molokini.server.state.rooms import aim_in_force, aim_submitted
from molokini.server.state.slices import has_real_nodes
from molokini.server.state.state import State
from molokini.server.turn.aiming_checks import (
    check_kept,
    check_not_sliced,
    room_of,
    rules_there,
    with_cores,
)
from molokini.server.turn.changing import JobCommand, NotNow, does_not_run
from molokini.server.turn.command import Command, Draft


@dataclass(frozen=True)
class Asked:
    """What is asked of a job's rate."""

    rate: str
    """Empty: as fast as it can."""
    full: float = 0.0
    """0: what is known."""
    rules: Mapping[str, int] = field(default_factory=dict)
    """Fields of ``Rules`` that are to be others than they are."""
    use: int = 0
    """What is used of the busiest processor at the full rate, millionths; 0: what is known."""
    measures: bool = False
    """Whether that is measured first."""

    def aim_of(self, state: State, element: Element) -> Aim:
        """The aim of *element* from now on. Raises BadValue or Conflict."""
        spec = element.job.spec
        before = state.aims.get((element.job.id, element.index))
        if before is None or not before.rate:
            before = aim_submitted(spec, self.rate)
        if self.use:
            before = before.using(self.use)
        if self.measures:
            check_not_sliced(state, element)
            before = before.measuring()
        if bounds_of("rate", self.rate) is not None:
            return self._bounded(state, element, before)
        rules: Rules = replace(rules_there(state, element, before.rules), **self.rules)
        aim = replace(before, rules=rules, full=self.full or before.full)
        check_kept(state, element, replace(aim, rate=self.rate, goal=None).share, rules)
        rules.check()
        if aim.control is not None:
            period = rules.first_period if self.rules else aim.control.period
            aim = replace(aim, control=replace(aim.control, rules=rules, period=period))
        aim = aim.at(self.rate)
        if aim.target:
            rules.check_target(aim.target, CAP, aim.use)
        return aim

    def _bounded(self, state: State, element: Element, before: Aim) -> Aim:
        """With other bounds for the goal of *element*: the next report chooses within them."""
        spec = element.job.spec
        goal = goal_of(self.rate, spec.get("work", 0), spec.get("deadline_s", 0.0))
        assert goal is not None
        rules: Rules = replace(rules_there(state, element, before.rules), **self.rules)
        check_kept(state, element, share_of(goal.least, before.use), rules)
        rules.check()
        for bound in (goal.least, goal.most):
            rules.check_target(bound, CAP, before.use)
        aim = replace(before, rate=self.rate, goal=goal, rules=rules, full=self.full or before.full)
        if aim.control is None:
            return aim
        target = min(goal.most, max(goal.least, aim.control.target))
        return replace(aim, control=replace(aim.control, rules=rules).aimed(target))


class AimJob(JobCommand):
    """Let what runs go at a rate from now on."""

    def __init__(
        self,
        number: int,
        index: int,
        by: Actor,
        asked: Asked,
        monotonic: Callable[[], float],
    ) -> None:
        super().__init__(number, index, by)
        self.asked, self.monotonic = asked, monotonic

    def check(self, state: State, draft: Draft) -> None:
        job = self.job(state, draft)
        active = [one for one in self.elements(job) if one.status.active and not one.stopping]
        if not active:
            raise does_not_run(job)
        for one in active:
            place = (job.id, one.index)
            if not self.asked.rate:
                if aim_in_force(state, one) is not None:
                    # Else the rate of the submission would count again.
                    off = Aim("").as_json() if job.spec.get("rate") else {}
                    draft.facts.append(JobAimed(*place, off, 0.0, self.by))
                continue
            if not has_real_nodes(state, one):
                raise NotNow(f"job {job.id} does not run on real nodes, where programs report their rates")
            aim = self.asked.aim_of(state, one)
            if aim.control is not None:
                aim = with_cores(state, one, aim)
            draft.facts.append(JobAimed(*place, aim.as_json(), self.monotonic(), self.by))


class OrderPair(Command):
    """Carry out what a controller has decided about an attempt, unless it is over, or has another target."""

    def __init__(self, element: Element, aim: Aim, before: int, monotonic: Callable[[], float]) -> None:
        self.element, self.attempt, self.aim, self.before = element, element.attempt, aim, before
        self.monotonic = monotonic
        self.order = (element.job.id, element.index)

    def check(self, state: State, draft: Draft) -> None:
        one = self.element
        place = (one.job.id, one.index)
        if one.attempt != self.attempt or not one.status.active or one.stopping:
            return
        known = state.aims.get(place)
        orders = known.control.orders if known is not None and known.control is not None else 0
        if orders != self.before:
            return
        aim = self.aim
        if aim.goal is not None:
            aim = aim.within(room_of(state, one))
        if known is not None and aim.target == known.target and aim.target != self.aim.target:
            raise Conflict(
                "rate", f"{self.aim.target / 10_000:g}% is needed to end in time, and there is no more room"
            )
        if self.before == 0 or aim.goal is not None:
            aim.rules.check_target(aim.target, CAP, aim.use)
            aim = with_cores(state, one, aim)
        draft.facts.append(JobAimed(*place, aim.as_json(), self.monotonic(), Origin.SYSTEM))
