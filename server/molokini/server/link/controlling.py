"""Controllers of jobs with target rates: they hear reports, and have a turn carry out what they decide.

What an order says is in the journal. How far a search has come since is not: a server that starts again
goes on from the last order.
"""

from asyncio import Future
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from molokini.feedback.aims import Aim, UseFrom
from molokini.feedback.controlling import Control
from molokini.feedback.deadlines import Goal, bounds_of
from molokini.model.job_specs import LATEST_S
from molokini.proto.v1 import job_service_pb2 as wire
from molokini.proto.v1.jobs_pb2 import Rate
from molokini.server.link.measuring import UseMeter
from molokini.server.state.jobs import Element
from molokini.server.state.rooms import aim_in_force
from molokini.server.state.state import State
from molokini.server.turn.aiming import OrderPair
from molokini.server.turn.aiming_checks import room_of
from molokini.server.turn.reactor import Reactor

KEPT = 500
"""Reports of a job that are kept for those who look."""
MEASURED = 3
"""Iterations over which a full rate is measured, behind the first."""
SILENT = 5.0
"""A program that has not reported for so many iterations is said to be silent."""
UNTOLD = (
    "use not measured, as its agents tell no processor time: slices are all of the target; give --full-use"
)
_WEIGHT = 0.1
"""Of the last report in the mean of what is kept of targets."""


@dataclass(slots=True)
class Heard:
    """What is known of the reports of an attempt."""

    attempt: int
    iteration: int = 0
    at_s: float = 0.0
    first: tuple[int, float] | None = None
    """The first report that measures the full rate, or the use at it: its iteration and instant."""
    meter: UseMeter = field(default_factory=UseMeter)
    """The same reports, of each agent."""
    asked: Aim | None = None
    """What had been asked for, or ordered, when they came; None: what the job was submitted with."""
    control: Control | None = None
    """Since the last order."""
    kept: float = 1.0
    """The part of its targets that was achieved: a mean in which later reports weigh more."""
    posted: bool = False
    trouble: str = ""
    reports: deque[wire.RateReport] = field(default_factory=lambda: deque(maxlen=KEPT))


class RateControllers:
    """All of a server's."""

    def __init__(self, reactor: Reactor, monotonic: Callable[[], float]) -> None:
        self._reactor, self._monotonic = reactor, monotonic
        self._heard: dict[tuple[int, int], Heard] = {}

    def of(self, place: tuple[int, int]) -> Heard | None:
        """What is known of a job."""
        return self._heard.get(place)

    def hear(self, element: Element, rate: Rate, agent: str = "") -> None:
        """A program has reported an iteration to *agent*; older ones than the last count for nothing."""
        place = (element.job.id, element.index)
        aim = aim_of(self._reactor.state, element)
        if aim is None:
            self._heard.pop(place, None)
            return
        known = self._heard.get(place)
        if known is None or known.attempt != element.attempt:
            known = self._heard[place] = Heard(element.attempt)
        if (asked := self._reactor.state.aims.get(place)) is not known.asked:
            # It may have been sliced meanwhile: what is to be measured is measured from here on.
            known.asked, known.first, known.meter = asked, None, UseMeter()
        if aim.control is None and aim.use_from is UseFrom.MEASURING:
            known.meter.take(agent, rate)
        if rate.iteration <= known.iteration or rate.at_s <= known.at_s:
            return
        per_s = rate.per_s
        if known.iteration:
            per_s = (rate.iteration - known.iteration) / (rate.at_s - known.at_s)
        known.iteration, known.at_s = rate.iteration, rate.at_s
        self._write_down(known, aim, per_s)
        if known.posted:
            return
        if aim.control is None:
            self._measure(element, known, aim)
        else:
            self._judge(element, known, aim, per_s)
        self._forget()

    def _write_down(self, known: Heard, aim: Aim, per_s: float) -> None:
        known.reports.append(
            wire.RateReport(
                iteration=known.iteration,
                at_s=known.at_s,
                per_s=per_s,
                rate=aim.rate_of(per_s) / 1e6,
                target=aim.target / 1e6,
                period_s=aim.control.period / 1e9 if aim.control is not None else 0.0,
            )
        )

    def _measure(self, element: Element, known: Heard, aim: Aim) -> None:
        """Begin to control once the full rate, and the use at it, are known: alone, not sliced."""
        full = aim.full
        if full <= 0 or aim.use_from is UseFrom.MEASURING:
            if known.first is None:
                known.first = known.iteration, known.at_s
            if known.iteration - known.first[0] < MEASURED:
                return
            full = full or (known.iteration - known.first[0]) / (known.at_s - known.first[1])
        if aim.use_from is UseFrom.MEASURING:
            state = self._reactor.state
            aim = aim.measured(known.meter.use(full, lambda agent: processors_at(state, element, agent)))
        self._post(element, known, aim.begun(full, known.iteration, known.at_s), 0)

    def _judge(self, element: Element, known: Heard, aim: Aim, per_s: float) -> None:
        control = aim.control
        assert control is not None
        if control.target:
            kept = aim.rate_of(per_s) / control.target
            known.kept += _WEIGHT * (min(kept, 2.0) - known.kept)
        ahead = aim.towards(known.iteration, known.at_s, known.kept)
        if ahead is not aim:
            self._post(element, known, ahead, control.orders)
            return
        if known.control is not None and known.control.orders == control.orders:
            control = known.control
        found = known.control = control.reported(aim.rate_of(per_s))
        if found.orders != control.orders:
            self._post(element, known, replace(aim, control=found), control.orders)

    def _post(self, element: Element, known: Heard, aim: Aim, before: int) -> None:
        known.posted = True
        command = OrderPair(element, aim, before, self._monotonic)

        def done(future: Future[Any]) -> None:
            known.posted = False
            error = future.exception()
            known.trouble = str(error) if error is not None else ""

        self._reactor.post(command).add_done_callback(done)

    def _forget(self) -> None:
        """What is over needs no place."""
        if len(self._heard) > 2 * len(self._reactor.state.aims) + KEPT:
            aims = self._reactor.state.aims
            self._heard = {place: one for place, one in self._heard.items() if place in aims}


def processors_at(state: State, element: Element, agent: str) -> int:
    """How many processors *element* has on the nodes of *agent*."""
    nodes = state.machine.nodes
    return sum(count for number, count in element.nodes if nodes[number].agent == agent)


def aim_of(state: State, element: Element) -> Aim | None:
    """The aim of what runs: by command, or as it was submitted."""
    aim, spec = aim_in_force(state, element), element.job.spec
    if aim is None or (bounds := bounds_of("rate", aim.rate)) is None:
        return aim
    # The deadline of a job that runs can be altered, and taken away: then there is time enough.
    return replace(aim, goal=Goal(*bounds, spec.get("work", 1), spec.get("deadline_s") or LATEST_S))


def controlled(state: State, element: Element, known: Heard | None) -> wire.ControlledJob | None:
    """How a job with a target rate goes, for those who look; None: it has none."""
    aim = aim_of(state, element)
    if aim is None:
        return None
    found = wire.ControlledJob(rate=aim.rate, full_rate=aim.full, target=aim.target / 1e6)
    found.full_use, found.full_use_from = aim.use / 1e6, aim.use_from
    found.job.id = element.job.id
    if element.index >= 0:
        found.job.array_index = element.index
    control = aim.control
    if control is not None:
        found.period_s, found.slice_s = control.period / 1e9, control.slice / 1e9
        found.orders = control.orders
        if known is not None and known.control is not None and known.control.orders == control.orders:
            control = known.control
    if aim.goal is not None:
        found.work, found.deadline_s = aim.goal.work, aim.goal.deadline_s
        if known is not None and aim.full > 0:
            found.needed = aim.goal.needed(known.iteration, known.at_s, aim.full) / 1e6
    found.status = _status(control, known)
    if aim.use_from is UseFrom.UNTOLD and not (known is not None and known.trouble):
        found.status = UNTOLD
    if known is not None and known.attempt == element.attempt and aim.full > 0 and known.at_s:
        silent_s = state.present_s() - known.at_s
        if silent_s > SILENT * 1e6 / (aim.full * (aim.target or 1e6)):
            found.status = f"no report for {silent_s:.0f} s: period and slice stay"
    if (
        known is not None
        and known.reports
        and aim.rate_of(known.reports[-1].per_s) > 1_000_000 + aim.rules.threshold
    ):
        found.status = f"faster than its full rate of {aim.full:.4g}/s: give a higher one (--full-rate)"
    if aim.control is not None and (left := room_of(state, element)) < aim.target:
        # An agent that came again has fewer cores.
        found.status = f"no room for it any more: its nodes have {left / 1e4:g}% left; ask for less"
    if aim.goal is not None and 1e6 * found.needed > aim.goal.most:
        found.status = f"late: {100 * found.needed:.4g}% needed, {aim.goal.most / 1e4:g}% allowed"
    if known is not None and known.attempt == element.attempt:
        found.reports.extend(known.reports)
    return found


def _status(control: Control | None, known: Heard | None) -> str:
    if known is not None and known.trouble:
        return known.trouble
    if control is None:
        return "measuring" if known is not None else "no report yet"
    if control.is_stuck:
        return "not reachable at this share"
    return "within" if control.within else "searching"
