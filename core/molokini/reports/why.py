"""Why a job waits, for every command that tells it: one sentence, what would help, and what it is about.

``why`` reads what the policy, asked for its reasons in a pass, has noted about the job (``cycle.reasons``),
and the nodes and reservations as they were in that pass.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import numpy as np

from molokini.availability.node_capacity import features_asked, has_features
from molokini.availability.reserved import lasts
from molokini.cycle.reasons import usable
from molokini.model.decisions import BEGINS, Rule
from molokini.model.hostlists import folded
from molokini.model.instants import instant
from molokini.model.requests import Spread
from molokini.model.reservations import Reservation
from molokini.model.resources import Resource
from molokini.model.states import NodeState
from molokini.reports.wording import LIMITS, Explanation, in_words, requested, with_verb
from molokini.shared.introspection import PLAIN, PolicyReport
from molokini.tables.access import has_access
from molokini.tables.tables import NEVER, Tables

_STATES = {NodeState.DRAINING: "draining", NodeState.DOWN: "down"}


class NamedNode(Protocol):
    """What is said of a node."""

    @property
    def name(self) -> str:
        """As users call it."""

    @property
    def reason(self) -> str:
        """Why it takes no work; empty where that is not known."""


@dataclass(frozen=True)
class Surroundings:
    """The names of what the tables have by number, and whether the policy starts jobs at all."""

    insight: PolicyReport = PLAIN
    nodes: Sequence[NamedNode] = ()
    """By number; empty where processors are only counted."""
    clusters: Sequence[str] = ()
    """By number."""
    reservations: Sequence[Reservation] = ()
    """In the order of the tables."""
    paused: bool = False
    paused_because: str = ""


class PassReasons:
    """Why the jobs of *t* wait, by the pass that *t* has had; a sentence that holds for many is made once."""

    def __init__(self, around: Surroundings, t: Tables) -> None:
        self.tables = t
        self._around = around
        decisions = t.cycle.decisions[: t.cycle.decided, :2].tolist()
        self._starting = {row for kind, row in decisions if BEGINS >> kind & 1}
        self._shared: dict[tuple[float, ...], Explanation] = {}
        self._placed = t.nodes.count > 0
        self._rows, self._number, self._entries = t.jobs.state.size, t.jobs.number.item, t.jobs.entries.item
        # All that a sentence says of a job. A listing reads it of each job, so the arrays are looked up once.
        noted, jobs, components = t.reasons, t.jobs, t.components
        self._rule, self._limit, self._value = noted.rule.item, noted.limit.item, noted.value.item
        self._narrower, self._width, self._component = (
            noted.narrower.item,
            jobs.width.item,
            jobs.components.item,
        )
        self._spread, self._features, self._where = (
            components.spread.item,
            partial(features_asked, t),
            components.where.item,
        )

    def has(self, row: int, number: int) -> bool:
        """Whether *row* was that of job *number* in the pass."""
        return row < self._rows and self._number(row) == number

    def why(self, row: int) -> Explanation:
        """Why *row*, which waits, has not started."""
        if row in self._starting or (self._placed and self._entries(row) >= 0):
            return _why(self._around, self.tables, row, starts=True)
        rule = self._rule(row)
        if rule in _OF_ONE_JOB:
            return _why(self._around, self.tables, row, starts=False)
        component = self._component(row)
        key = (
            rule,
            self._limit(row),
            self._value(row),
            self._narrower(row),
            self._width(row),
            self._spread(component),
            *self._features(component),
            self._where(component),
        )
        found = self._shared.get(key)
        if found is None:
            found = self._shared[key] = _why(self._around, self.tables, row, starts=False)
        return found


def why(around: Surroundings, t: Tables, row: int) -> Explanation:
    """Why *row*, which waits, has not started, by the pass that *t* has had."""
    return PassReasons(around, t).why(row)


_OF_ONE_JOB = frozenset({*map(int, LIMITS), int(Rule.RESERVED_FOR_OTHERS), int(Rule.KEPT_OUT)})
"""Rules about the credentials of a job: their sentences are made for each job."""


def _why(around: Surroundings, t: Tables, row: int, starts: bool) -> Explanation:
    rule, limit, value = _noted(t, row)
    if starts:
        # It has a place already, by this pass or by one whose decisions are being carried out.
        rule, told = Rule.NONE, Explanation("it is about to start", [])
    elif rule in _ABOUT:
        told = _ABOUT[rule](around, t, row)
    else:
        told = _by_rule(around, t, row, rule, limit, value)
    told = replace(told, rule=rule)
    if not around.paused:
        return told
    because = f" ({around.paused_because})" if around.paused_because else ""
    others, helps = (f"; besides, {told.text}", told.helps) if rule is not Rule.NONE else ("", [])
    text = f"scheduling is paused{because}{others}"
    return replace(told, text=text, helps=["resuming scheduling", *helps])


def _noted(t: Tables, row: int) -> tuple[Rule, float, float]:
    return Rule(int(t.reasons.rule[row])), float(t.reasons.limit[row]), float(t.reasons.value[row])


def _by_rule(
    around: Surroundings, t: Tables, row: int, rule: Rule, limit: float, value: float
) -> Explanation:
    """The rule in words, with the figures of a limit."""
    if (own := around.insight.told(t, row, rule)) is not None:
        return Explanation(*own)
    text, helps = in_words(rule, limit, value, int(t.jobs.width[row]), around.insight)
    if rule is Rule.WOULD_DELAY_THE_HEAD:
        helps += _narrower(t, row)
    figures = around.insight.limit(t, row, rule, int(limit)) if rule in LIMITS else None
    if figures is None:
        return Explanation(text, helps)
    most, used, needed = figures
    if needed > most:
        name = f"{LIMITS[rule]} {around.insight.limit_name(int(limit))}"
        text = f"never: the job alone needs {needed:,.15g}, {name} is {most:,.15g}"
        return Explanation(text, [f"raising {name} to {needed:,.15g} or more", "asking for less"], never=True)
    word = "eligible" if rule is Rule.OVER_IDLE_LIMIT else "in use"
    return Explanation(f"{text} ({most:,.15g}, {used:,.15g} {word}, {needed:,.15g} requested)", helps)


def _too_little(around: Surroundings, t: Tables, row: int) -> Explanation:
    """Too few processors are free, or not on the nodes or in the clusters that the job asks for."""
    width, free = int(t.jobs.width[row]), float(t.reasons.limit[row])
    helps = ["the end of running jobs"] if _any_runs(t) else []
    text = f"{requested(width)}, {with_verb(free)} free"
    if width > free:
        if beside := int(t.machine.idle) - usable(t):
            text += f", and {beside} on nodes that take no new work: {_list(_unavailable(around, t, row))}"
        return Explanation(text, [*helps, *_narrower(t, row)])
    spread = Spread(int(t.components.spread[t.jobs.components[row]]))
    if spread is Spread.NODES:
        return Explanation(f"{text}, but not on nodes that could hold its tasks", helps)
    if spread is Spread.ONE_CLUSTER:
        helps.append("smaller components, or a flexible request")
    by_cluster = ", ".join(
        f"{count} of {name or 'the cluster without a name'}" for name, count in _idle(around, t).items()
    )
    return Explanation(
        f"{text}, but not in the clusters that it asks for" + (f": {by_cluster}" if by_cluster else ""), helps
    )


def _no_nodes(around: Surroundings, t: Tables, row: int) -> Explanation:
    """The nodes that it needs are down or draining."""
    out = _unavailable(around, t, row)
    names = tuple(one for group in out.values() for one in group)
    width, accepting = int(t.jobs.width[row]), float(t.reasons.limit[row])
    if accepting == 0 and len(out) == 1:
        text = f"all nodes are {next(iter(out))}"
    elif width > accepting:
        text = f"{requested(width)}, {with_verb(accepting)} on nodes that take new work; {_list(out)}"
    else:
        text = f"none of the nodes that take new work could hold it; {_list(out)}"
    return Explanation(text, ["the return of nodes", *_narrower(t, row)], nodes=names)


def _reserved(around: Surroundings, t: Tables, row: int) -> Explanation:
    """It would take, now or before its end, processors that are reserved for others."""
    now, r = float(t.cycle.pass_s), int(t.reasons.reservation[row]) - 1
    if r < 0:
        # A policy has said so by itself.
        return Explanation("it would need processors that an administrator has reserved for others", [])
    from_s, until_s = float(t.reservations.from_s[r]), float(t.reservations.until_s[r])
    known = around.reservations[r] if r < len(around.reservations) else None
    name = f"reservation {known.name}" if known is not None else "a reservation"
    kept = f"{name} keeps {int(t.reservations.processors[r])} processors"
    at_s = max(now, from_s)
    others = [
        around.reservations[k].name
        for k in range(min(int(t.reservations.count), len(around.reservations)))
        if k != r and lasts(t, k, at_s) and not has_access(t, row, k)
    ]
    beside = f", beside {', '.join(others[:3])}{' and others' if len(others) > 3 else ''}" if others else ""
    until = f"until {instant(until_s)}" if until_s < NEVER else "without an end"
    helps = _narrower(t, row)
    if from_s > now:
        end_s = now + float(t.jobs.estimate_s[row]) - float(t.jobs.work_s[row])
        text = (
            f"{kept} from {instant(from_s)} {until}{beside}, and this job, which may run until "
            f"{instant(end_s)}, would overlap it"
        )
        if (longest_s := int(from_s - now)) > 0:
            helps.insert(0, f"an estimate of at most {_clock(longest_s)}, until the reservation begins")
    else:
        most = f"{requested(int(t.jobs.width[row]))}, {with_verb(float(t.reasons.limit[row]))} free"
        text = f"{most} and not reserved for others: {kept} {until}{beside}"
    if known is not None and known.access:
        helps.append("access to the reservation")
    helps.append("the end of the reservation")
    return Explanation(text, helps, reservation=known)


_ABOUT = {
    Rule.NOT_ENOUGH_FREE: _too_little,
    Rule.NODES_UNAVAILABLE: _no_nodes,
    Rule.RESERVED_FOR_OTHERS: _reserved,
}


def _narrower(t: Tables, row: int) -> list[str]:
    most = int(t.reasons.narrower[row])
    return [f"asking for at most {most} processor{'s' if most != 1 else ''}"] if most > 0 else []


def _any_runs(t: Tables) -> bool:
    """Whether a job runs, or would once the decisions of the pass are carried out."""
    kinds = t.cycle.decisions[: t.cycle.decided, 0].tolist()
    return bool(t.queue.running_count) or any(BEGINS >> kind & 1 for kind in kinds)


def _unavailable(around: Surroundings, t: Tables, row: int) -> dict[str, list[str]]:
    """The nodes that take no work and that the job could use otherwise, by their state with its reason."""
    component = int(t.jobs.components[row])
    cluster = int(t.components.where[component])
    found: dict[str, list[str]] = {}
    for number in np.flatnonzero(t.nodes.state[: t.nodes.count] != NodeState.UP).tolist():
        if not has_features(t, number, component) or cluster not in (-1, int(t.nodes.group[number])):
            continue
        known = around.nodes[number] if number < len(around.nodes) else None
        state = _STATES[NodeState(int(t.nodes.state[number]))]
        state += f" ({known.reason})" if known is not None and known.reason else ""
        found.setdefault(state, []).append(known.name if known is not None else f"node {number + 1}")
    return found


def _list(out: Mapping[str, Iterable[str]]) -> str:
    """``node[001-003] are draining (firmware), node004 is down``."""
    return ", ".join(
        f"{folded(names := list(group))} {'is' if len(names) == 1 else 'are'} {state}"
        for state, group in out.items()
    )


def _idle(around: Surroundings, t: Tables) -> dict[str, int]:
    """Free processors of each cluster, on nodes that take work."""
    up = t.nodes.state[: t.nodes.count] == NodeState.UP
    free = np.where(up, t.nodes.free[: t.nodes.count, Resource.PROCESSORS], 0.0)
    counts = np.bincount(t.nodes.group[: t.nodes.count], weights=free, minlength=len(around.clusters))
    return {name: int(count) for name, count in zip(around.clusters, counts, strict=False)}


def _clock(seconds: int) -> str:
    """As estimates are given: ``0:58:00``."""
    minutes, rest = divmod(seconds, 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"
