"""The outcomes of a sweep become one result: rows, cells of a table, comparisons with the baseline."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from molokini.experiments.distances import beyond, part
from molokini.experiments.phase_bands import Bands
from molokini.experiments.sweeping import COMPARED, OF_LOADS, REPLICATED, Outcome, Plan
from molokini.metrics import Cell, aggregate_cells, compare_replications, compare_schedules, labels
from molokini.metrics.measures import number
from molokini.sim.schedule import Schedule


@dataclass
class Gathered:
    """What has come in so far; groups of outcomes come in order, one outcome a policy."""

    plan: Plan
    bands: Bands | None = None
    """Where phases of timers are drawn, what they come to."""
    names: Sequence[str] = ()
    """The policies, told apart by the parameters in which they differ."""
    rows: list[dict[str, Any]] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)
    paired: list[dict[str, Any]] = field(default_factory=list)
    breakdowns: list[dict[str, Any]] = field(default_factory=list)
    """One a workload, load factor and kind of part: its classes under every policy."""
    schedules: list[Schedule] = field(default_factory=list)
    """Under each policy, where the plan keeps them."""
    elapsed_s: float = 0.0
    jobs: int = 0
    near: list[dict[str, Any]] = field(default_factory=list)
    """How near each replay of a log comes to what the log records, the baseline first."""

    def add(self, group: Sequence[Outcome]) -> None:
        """Take in the outcomes of one workload, load factor and seed, under every policy."""
        self.names = labels([outcome.schedule for outcome in group])
        for name, outcome in zip(self.names, group, strict=True):
            point = outcome.point
            place = {**self._place(outcome), "seed": point.seed, "policy": name}
            self.rows.append({**place, "metrics": outcome.measures})
            self.cells += [replace(cell, policy=name) for cell in outcome.cells]
            self.elapsed_s += outcome.schedule.elapsed_s
            self.jobs += outcome.jobs
            if self.bands is not None:
                self.bands.take(outcome, name, None)
        for name, outcome in zip(self.names, group, strict=True):
            if outcome.near is not None:
                self.near.append(part(outcome.near, name, self._place(outcome)["workload"]))
        for by in self.plan.by:
            of = {name: outcome.breakdowns[by] for name, outcome in zip(self.names, group, strict=True)}
            self.breakdowns.append({**self._place(group[0]), "by": by, "policies": of})
        if self.plan.whole:
            self.schedules += [
                replace(one.schedule, policy=name) for name, one in zip(self.names, group, strict=True)
            ]
        if self.plan.paired:
            self.paired += self._job_by_job(group)

    @property
    def spent(self) -> tuple[float, int]:
        """Seconds of all replays, those with other phases included, and the jobs of all."""
        if self.bands is None:
            return self.elapsed_s, self.jobs
        return self.elapsed_s + self.bands.elapsed_s, self.jobs + self.bands.jobs

    def table(self) -> list[Cell]:
        """One cell a policy and metric, seeds taken together."""
        return aggregate_cells(self.cells)

    def comparisons(self) -> list[dict[str, Any]]:
        """Each policy but the first against the first."""
        found = self.paired if self.plan.paired else self._seed_by_seed()
        return found if self.bands is None else [self.bands.compared(one) for one in found]

    def _place(self, outcome: Outcome) -> dict[str, Any]:
        log = self.plan.logs[outcome.point.log]
        point = outcome.point
        return {
            "workload": log.name,
            "load_factor": point.load_factor,
            "run_time_factor": point.run_time_factor,
        }

    def _job_by_job(self, group: Sequence[Outcome]) -> list[dict[str, Any]]:
        first, *others = [outcome.schedule for outcome in group]
        tau_s, batch_size = self.plan.tau_s, self.plan.batch_size
        found = compare_schedules(first, others, COMPARED, tau_s, batch_size)
        place = self._place(group[0])
        told = [
            {**place, **one.as_dict(), "policy": name, "baseline": self.names[0]}
            for one, name in zip(found, self.names[1:], strict=True)
        ]
        near = group[0].near
        return told if near is None else [beyond(one, near.distances) for one in told]

    def _seed_by_seed(self) -> list[dict[str, Any]]:
        values: dict[tuple[str, float, float, str], dict[str, dict[int, float | None]]] = {}
        for row in self.rows:
            key = row["workload"], row["load_factor"], row["run_time_factor"], row["policy"]
            by_metric = values.setdefault(key, {})
            for metric in [*REPLICATED, *(each for each in OF_LOADS if each in row["metrics"])]:
                by_metric.setdefault(metric, {})[row["seed"]] = number(row["metrics"], metric)
        found = []
        for (workload, factor, longer, policy), mine in values.items():
            if policy == self.names[0]:
                continue
            base = values[workload, factor, longer, self.names[0]]
            differences = [compare_replications(metric, base[metric], mine[metric]) for metric in mine]
            place = {"workload": workload, "load_factor": factor, "run_time_factor": longer}
            whose = {"policy": policy, "baseline": self.names[0]}
            found.append({**place, **whose, "differences": [asdict(one) for one in differences]})
        return found
