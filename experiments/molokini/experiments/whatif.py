"""What may come of a present state under several policies: ``whatif`` of the command, and of Python."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import numpy as np

from molokini.experiments.choosing import choose
from molokini.experiments.maui_files import ConfiguredPolicy, choose_configured
from molokini.model.credentials import queues_in
from molokini.model.errors import BadInput, BadValue, UnknownName
from molokini.model.reservations import Reservation, Terms
from molokini.model.resources import Resource
from molokini.model.text import plural
from molokini.policies import load_policy
from molokini.whatif.compared import FIGURES, Band, Curve, Judged, judged, moved_before
from molokini.whatif.drawing import Arrivals, Arriving, Draw, by_estimates, drawn, no_arrivals
from molokini.whatif.present import Present
from molokini.whatif.scenarios import Outcome, Scenario, check, outcome
from molokini.workloads.workload import Workload

SCHEMA = "molokini.whatif/1"
AS_IT_IS = "as it is"
MOST_HOURS = 24 * 366.0
MOST_SEEDS = 1000


@dataclass(frozen=True)
class Drain:
    """Nodes that take no job which would run into the time from ``from_s`` up to ``to_s``."""

    nodes: tuple[str, ...]
    from_s: float
    to_s: float


@dataclass(frozen=True)
class Kept:
    """A reservation of so many processors, or of nodes by name, from ``from_s`` up to ``to_s``."""

    what: int | tuple[str, ...]
    from_s: float
    to_s: float
    access: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Who may use it, by kind: ``{"user": ("ann",)}``; one that fits is enough."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked about a present state."""

    policies: Sequence[str] = ()
    """Each ``NAME?key=value``."""
    maui_configs: Sequence[str] = ()
    hours: float = 24.0
    arrivals: Arriving | Workload = Arriving.NONE
    """A workload: its jobs, the first of which arrives now."""
    seeds: int = 0
    """How many draws of run times and arrivals; 0: every job takes its estimate."""
    drains: Sequence[Drain] = ()
    reserved: Sequence[Kept] = ()
    nodes: Sequence[int] = ()
    """Other numbers of nodes, each a scenario of its own."""

    @property
    def begins_s(self) -> float | None:
        """When the first drain or reservation begins; None: there is none."""
        begins_s = [drain.from_s for drain in self.drains] + [kept.from_s for kept in self.reserved]
        return min(begins_s, default=None)

    def __post_init__(self) -> None:
        if not (isfinite(self.hours) and 0 < self.hours <= MOST_HOURS):
            raise BadValue("--hours", self.hours, f"above 0, and at most {MOST_HOURS:,.0f}")
        if not 0 <= self.seeds <= MOST_SEEDS:
            raise BadValue("--seeds", self.seeds, f"a whole number from 0 to {MOST_SEEDS:,}")
        if self.arrivals is Arriving.RESAMPLED and self.seeds == 0:
            raise BadInput("--arrivals resampled is drawn by chance: give --seeds N, such as 10")


@dataclass(frozen=True)
class Answer:
    """What was found, as values and as the JSON document."""

    present: Present
    question: Question
    scenarios: tuple[Judged, ...]
    outcomes: tuple[tuple[Outcome, ...], ...]
    until_s: float

    @property
    def document(self) -> dict[str, Any]:
        """``molokini.whatif/1``."""
        now_s = self.present.now_s
        given, begins_s = self.question.arrivals, self.question.begins_s
        early = [
            0.0 if begins_s is None else moved_before(self.outcomes[0], one, begins_s)
            for one in self.outcomes
        ]
        return {
            "schema": SCHEMA,
            "now_s": now_s,
            "until_s": self.until_s,
            "policy": self.present.policy,
            "running_jobs": int(self.present.tables.queue.running_count),
            "waiting_jobs": self.present.waiting,
            "left_out_jobs": self.present.left_out,
            "arrivals": str(given) if isinstance(given, Arriving) else given.name,
            "seeds": self.question.seeds,
            "begins_s": begins_s,
            "at_s": np.linspace(now_s, self.until_s, self.scenarios[0].waiting.middle.size).tolist(),
            "scenarios": [_part(one, moved) for one, moved in zip(self.scenarios, early, strict=True)],
        }


def what_if(present: Present, question: Question) -> Answer:
    """Run *present* on under each scenario with each draw. Raises BadInput for what cannot be."""
    until_s = present.now_s + question.hours * 3600.0
    scenarios = scenarios_of(present, question)
    for one in scenarios:
        check(present, one)
    draws = _draws(present, question)
    found = tuple(tuple(outcome(present, one, draw, until_s) for draw in draws) for one in scenarios)
    names = [one.name for one in scenarios]
    return Answer(present, question, tuple(judged(present, names, found, until_s)), found, until_s)


def scenarios_of(present: Present, question: Question) -> list[Scenario]:
    """The present policy first, as it is; then each change."""
    running = load_policy(present.policy)
    values = running.site(present.parameters).values
    drained, told = _changes(present, question)
    found = [Scenario(AS_IT_IS, running, values)]
    if drained:
        found.append(Scenario(", ".join(told), running, values, None, drained))
    found += [
        Scenario(", ".join((f"with {plural(nodes, 'node')}", *told)), running, values, None, drained, nodes)
        for nodes in question.nodes
    ]
    plain = choose(list(question.policies), {}, ()) if question.policies else []
    for text, chosen in zip(question.policies, plain, strict=True):
        vector = chosen.policy.declaration.vector(chosen.values)
        found.append(Scenario(text, chosen.policy, chosen.values, tuple(vector), drained))
    for configured in choose_configured(list(question.maui_configs), {}) if question.maui_configs else ():
        vector = _numbered(present, configured)
        found.append(Scenario(configured.name, configured.policy, configured.values, tuple(vector), drained))
    names = [one.name for one in found]
    if len(set(names)) < len(names):
        raise BadInput(f"two scenarios are called alike: {', '.join(names)}; give each once")
    for one in found[1:]:
        machine = present.tables.machine.processors_in_all
        one.policy.declaration.check_machine(one.values, machine, len(present.nodes))
    return found


def _numbered(present: Present, chosen: ConfiguredPolicy) -> Sequence[float]:
    """The vector of a configuration in the numbers of the present state."""
    numbers = {name: number for number, name in enumerate(present.names)}
    nodes = {name: number for number, name in enumerate(present.nodes)}
    # Names of several queues are among all names; of what stands for no queue the site makes nothing.
    lists = {name: queues_in(name) for name in present.names if "," in name}
    return chosen.site.with_queues(lists).vector(
        lambda _, name: numbers.setdefault(name, len(numbers)),
        lambda name: nodes.get(name, chosen.other_nodes),
    )


def _changes(present: Present, question: Question) -> tuple[tuple[Reservation, ...], tuple[str, ...]]:
    """Drains and reservations as policies know them, and what they are called.

    A drain is what it is to a policy: its nodes are kept for no job.
    """
    kept = [Kept(one.nodes, one.from_s, one.to_s) for one in question.drains]
    made = [_reservation(present, f"whatif-{k}", one) for k, one in enumerate((*kept, *question.reserved), 1)]
    told = []
    if kept:
        told.append(f"without {plural(sum(len(one.nodes) for one in question.drains), 'node')}")
    if question.reserved:
        reserved = sum(one.processors for one in made[len(kept) :])
        told.append(f"{plural(reserved, 'processor')} reserved")
    return tuple(made), tuple(told)


def _reservation(present: Present, name: str, kept: Kept) -> Reservation:
    t, known = present.tables, {node: number for number, node in enumerate(present.nodes)}
    if not kept.from_s < kept.to_s or kept.to_s <= present.now_s:
        raise BadValue("--from", kept.from_s, "such that it ends later than it begins, and than now")
    from_s = max(kept.from_s, present.now_s)
    if isinstance(kept.what, int):
        most = t.machine.processors_in_all
        if not 1 <= kept.what <= most:
            raise BadValue("--reserve", kept.what, f"names of nodes, or from 1 to the machine's {most:,}")
        return Reservation(name, kept.what, from_s, kept.to_s, kept.access)
    for node in kept.what:
        if node not in known:
            raise UnknownName("node", node, known)
    sizes = {node: int(t.nodes.total[known[node], Resource.PROCESSORS]) for node in kept.what}
    return Reservation(name, sum(sizes.values()), from_s, kept.to_s, kept.access, Terms(hosts=sizes))


def _draws(present: Present, question: Question) -> list[Draw]:
    given, hours = question.arrivals, question.hours
    if isinstance(given, Arriving):
        if question.seeds == 0:
            return [by_estimates(present)]
        return [drawn(present, hours, seed, given) for seed in range(question.seeds)]
    arrivals = arriving(present, given, hours)
    if question.seeds == 0:
        return [Draw(by_estimates(present).run_s, arrivals)]
    draws = [drawn(present, hours, seed, Arriving.NONE) for seed in range(question.seeds)]
    return [Draw(one.run_s, arrivals) for one in draws]


def arriving(present: Present, workload: Workload, hours: float) -> Arrivals:
    """The jobs of *workload* whose first is submitted now, as far as *hours* go."""
    if not len(workload):
        return no_arrivals()
    submit_s = workload.submit_s - workload.submit_s[0] + present.now_s
    rows = np.flatnonzero(submit_s <= present.now_s + hours * 3600.0)
    numbers = {name: number for number, name in enumerate(present.names)}

    def numbered(kind: str) -> np.ndarray:
        names = [workload.name_of(kind, int(row)) for row in rows]
        return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)

    return Arrivals(
        submit_s[rows],
        np.minimum(workload.run_s, workload.estimate_s)[rows],
        workload.estimate_s[rows],
        workload.processors[rows],
        numbered("user"),
        numbered("group"),
        numbered("queue"),
    )


def _part(one: Judged, moved_early: float) -> dict[str, Any]:
    return {
        "name": one.name,
        "figures": {name: _band(one.figures[name]) for name in FIGURES},
        "refused_jobs": one.refused_jobs,
        "moved_before_jobs": moved_early,
        "waiting": _curve(one.waiting),
        "busy_processors": _curve(one.busy),
        "changes": [
            {
                "by": each.by,
                "name": each.name,
                "jobs": each.jobs,
                "mean_wait_s": each.mean_wait_s,
                "mean_change_s": each.mean_change_s,
                "sooner_jobs": each.sooner,
                "later_jobs": each.later,
            }
            for each in one.changes
        ],
        "moved": [
            {"job": each.job, "user": each.user, "processors": each.processors, "change_s": each.change_s}
            for each in one.moved
        ],
    }


def _band(band: Band) -> Mapping[str, float]:
    return {"middle": band.middle, "low": band.low, "high": band.high}


def _curve(curve: Curve) -> Mapping[str, list[float]]:
    return {"middle": curve.middle.tolist(), "low": curve.low.tolist(), "high": curve.high.tolist()}
