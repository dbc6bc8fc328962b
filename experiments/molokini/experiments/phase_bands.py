"""Comparisons over drawn phases of timers (``compare --seeds``): a band for each figure and each difference.

A log does not tell the phase in which a site's timers ran, so a policy with such timers is replayed with
others, too. Figures have bands then: the least and the most over all of its replays. So has a difference: any
replay of the policy less any replay of the baseline. Where 0 lies in it, phases alone would explain it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from molokini.experiments.choosing import Chosen
from molokini.experiments.host import Host
from molokini.experiments.phases import (
    NEAR_FIGURES,
    band_of,
    lengths_of,
    near_figures,
    phases_in,
    unset_phases,
    with_phases,
)
from molokini.experiments.sweeping import OF_LOADS, REPLICATED, Outcome, Plan, Point, outcomes_of
from molokini.metrics.comparison import BELOW, UNCLEAR, WITHIN
from molokini.metrics.measures import number
from molokini.parallel.executors import Executor

Place = tuple[str, float, float, str]
"""A workload, its two factors, and a policy."""
Distances = Mapping[str, float]
_FIGURES = (*REPLICATED, *OF_LOADS, *NEAR_FIGURES)


def draws_phases(plan: Plan) -> bool:
    """Whether seeds draw phases: where a policy has timers, and no model makes jobs by seed."""
    return any(map(lengths_of, plan.policies)) and not any(plan.makers)


@dataclass
class Bands:
    """What replays with the phases that were given, and with others, came to."""

    plan: Plan
    seeds: Sequence[int]
    runs: dict[Place, list[dict[str, Any]]] = field(default_factory=dict)
    """Of each policy at each place, the replay with the phases that were given first."""
    distances: dict[Place, list[Distances]] = field(default_factory=dict)
    """How far each of them is from what the log records."""

    elapsed_s: float = 0.0
    jobs: int = 0

    def take(self, outcome: Outcome, policy: str, seed: int | None, chosen: Chosen | None = None) -> None:
        """Take in a replay under *policy*, with the phases of *chosen* where they are drawn."""
        point = outcome.point
        place = self.plan.logs[point.log].name, point.load_factor, point.run_time_factor, policy
        phases = phases_in((chosen or self.plan.policies[point.policy]).values)
        measured = {name: number(outcome.measures, name) for name in REPLICATED}
        measured |= {name: number(outcome.measures, name) for name in OF_LOADS if name in outcome.measures}
        near = {}
        if outcome.near is not None:
            near = near_figures(outcome.near.document)
            self.distances.setdefault(place, []).append(outcome.near.distances)
        self.runs.setdefault(place, []).append({"seed": seed, **phases, **measured, **near})

    def band(self, place: Place) -> dict[str, dict[str, float]]:
        """The least, the mean and the most of each figure."""
        return band_of(self.runs[place], _FIGURES)

    def parts(self) -> list[dict[str, Any]]:
        """What results say: of each policy at each place its band and its replays."""
        return [
            {**_named(place), "seeds": len(runs) - 1, "band": self.band(place), "runs": runs}
            for place, runs in self.runs.items()
        ]

    def compared(self, comparison: Mapping[str, Any]) -> dict[str, Any]:
        """*comparison* with a band for each difference, and no verdict inside it or below the distance."""
        here = comparison["workload"], comparison["load_factor"], comparison["run_time_factor"]
        base = (*here, comparison["baseline"])
        mine, theirs = self.band((*here, comparison["policy"])), self.band(base)
        differences = []
        for one in comparison["differences"]:
            name = one["metric"]
            band = _between(mine.get(name), theirs.get(name))
            found = {**one, "band": band}
            differences.append({**found, "verdict": self._verdict(found, base)})
        return {**comparison, "differences": differences}

    def _verdict(self, one: Mapping[str, Any], base: Place) -> str:
        said: str = one["verdict"]
        if said in (UNCLEAR, BELOW):
            return said
        band = one["band"]
        if band is not None and band["low"] <= 0 <= band["high"]:
            return WITHIN
        distances = [found[one["metric"]] for found in self.distances.get(base, ()) if one["metric"] in found]
        return BELOW if distances and abs(one["difference"]) <= max(distances) else said


def draw_bands(
    bands: Bands, names: Sequence[str], factors: Sequence[tuple[float, float]], executor: Executor, host: Host
) -> None:
    """Replay everything once more for each seed of *bands* under each policy with timers of unknown phase."""
    plan, made, whose = bands.plan, [], []
    for name, chosen in zip(names, plan.policies, strict=True):
        if unset_phases(chosen):
            made += [with_phases(chosen, plan.seed, place) for place in range(1, len(bands.seeds) + 1)]
            whose += [(name, seed) for seed in bands.seeds]
    others = replace(plan, policies=made, by=(), whole=False, paired=False)
    points = [
        Point(log, load, None, policy, longer)
        for log, (load, longer), policy in product(range(len(plan.logs)), factors, range(len(made)))
    ]
    with host.bar("phases") as progress:
        for done, outcome in enumerate(outcomes_of(others, points, executor, host), 1):
            name, seed = whose[outcome.point.policy]
            bands.take(outcome, name, seed, made[outcome.point.policy])
            bands.elapsed_s += outcome.schedule.elapsed_s
            bands.jobs += outcome.jobs
            if progress is not None:
                progress(done, len(points))


def _named(place: Place) -> dict[str, Any]:
    return dict(zip(("workload", "load_factor", "run_time_factor", "policy"), place, strict=True))


def _between(mine: Mapping[str, float] | None, theirs: Mapping[str, float] | None) -> dict[str, float] | None:
    """The least and the most difference of any two replays."""
    if mine is None or theirs is None:
        return None
    return {"low": mine["low"] - theirs["high"], "high": mine["high"] - theirs["low"]}
