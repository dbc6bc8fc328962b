"""What a sweep says as a whole: effects of each axis, of pairs of axes, the front of two objectives, winners.

All of it is over cells: the mean over seeds of one variant in one scenario. Cells come in order, one scenario
after the other, and sums are all that is kept.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from molokini.experiments.choosing import text_of
from molokini.experiments.sweeps.axes import strata
from molokini.experiments.sweeps.measuring import Rows
from molokini.experiments.sweeps.planning import Planned
from molokini.metrics.comparison import HIGHER_IS_BETTER

_MOST_LEVELS = 12
"""An axis of more values is shown in classes."""
_CLASSES = 8
_NONE = -1
"""The level of a policy that does not have the parameter."""


@dataclass(frozen=True)
class Axis:
    """One axis, and the level of each scenario or policy on it."""

    name: str
    levels: tuple[str, ...]
    of: NDArray[np.int64]
    by_policy: bool
    """Whether ``of`` is by policy of the plan, else by (sample, pair of factors) and log."""


@dataclass
class Sums:
    """Sums of the cells of one metric."""

    count: NDArray[np.int64]
    total: NDArray[np.float64]


@dataclass
class Summary:
    """Everything that the report shows."""

    planned: Planned
    axes: tuple[Axis, ...]
    cells: int = 0
    effects: dict[tuple[str, str], Sums] = field(default_factory=dict)
    """By objective and axis."""
    pairs: dict[tuple[str, str, str], Sums] = field(default_factory=dict)
    """By objective and two axes."""
    squares: dict[str, tuple[int, float, float]] = field(default_factory=dict)
    """By objective: how many cells, their sum, the sum of their squares."""
    of_policies: dict[str, Sums] = field(default_factory=dict)
    """By objective, of each policy of the plan."""
    wins: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    losses: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    contests: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def front(self) -> list[int]:
        """The policies that no other beats in one objective without being worse in the other."""
        first, second = (self._oriented(metric) for metric in self.planned.asked.objectives)
        order = [
            int(at)
            for at in np.lexsort((second, first))
            if np.isfinite(first[at]) and np.isfinite(second[at])
        ]
        kept, least = [], np.inf
        for at in order:
            if second[at] < least:
                kept.append(at)
                least = second[at]
        return kept

    def mean(self, metric: str, policy: int) -> float | None:
        """The mean of a policy over all of its scenarios."""
        sums = self.of_policies[metric]
        return float(sums.total[policy] / sums.count[policy]) if sums.count[policy] else None

    def share(self, metric: str, axis: str) -> float | None:
        """The share of the variance between cells that lies between the levels of *axis*."""
        sums = self.effects[metric, axis]
        spread = self._spread(metric)
        return _between(sums.count, sums.total) / spread if spread > 0 else None

    def interaction(self, metric: str, first: str, second: str) -> float | None:
        """What both axes together explain beyond the sum of each by itself, as a share of the variance.

        Of the cells that have both: a policy without the parameter has no part in it.
        """
        spread, sums = self._spread(metric), self.pairs[metric, first, second]
        if spread <= 0:
            return None
        width = next(len(axis.levels) for axis in self.axes if axis.name == second)
        count, total = sums.count.reshape(-1, width), sums.total.reshape(-1, width)
        alone = sum(_between(count.sum(axis=at), total.sum(axis=at)) for at in (0, 1))
        return max(0.0, (_between(sums.count, sums.total) - alone) / spread)

    def _spread(self, metric: str) -> float:
        count, total, squares = self.squares[metric]
        return squares - total * total / count if count else 0.0

    def _oriented(self, metric: str) -> NDArray[np.float64]:
        sums = self.of_policies[metric]
        with np.errstate(invalid="ignore", divide="ignore"):
            means = sums.total / sums.count
        return -means if metric in HIGHER_IS_BETTER else means


def _between(count: NDArray[np.int64], total: NDArray[np.float64]) -> float:
    """The sum of squares between classes, without those that are empty."""
    there = count > 0
    if not there.any():
        return 0.0
    mine, sizes = total[there], count[there]
    return max(0.0, float(np.sum(mine * mine / sizes) - mine.sum() ** 2 / sizes.sum()))


def summary_of(planned: Planned, blocks: Iterator[Rows]) -> Summary:
    """The summary of all rows, which come in order."""
    policies, axes = len(planned.plan.policies), tuple(_axes(planned))
    found = Summary(planned, axes)
    for metric in planned.asked.objectives:
        found.squares[metric] = (0, 0.0, 0.0)
        found.of_policies[metric] = _sums(policies)
        for axis in axes:
            found.effects[metric, axis.name] = _sums(len(axis.levels))
        for first, second in combinations(axes, 2):
            found.pairs[metric, first.name, second.name] = _sums(len(first.levels) * len(second.levels))
    found.wins, found.losses, found.contests = (np.zeros(policies, dtype=np.int64) for _ in range(3))
    for scenario, counts, totals in _cells(planned, blocks):
        _add(found, scenario, counts, totals)
    return found


def _cells(
    planned: Planned, blocks: Iterator[Rows]
) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.float64]]]:
    """Of each scenario the number and the sum of the figures of each of its policies, for each objective."""
    metrics = planned.asked.objectives
    now, counts, totals = -1, np.zeros((0, 0), dtype=np.int64), np.zeros((0, 0))
    places: dict[int, int] = {}
    for rows in blocks:
        scenarios = rows.keys[:, 0]
        columns = np.stack([rows.column(metric) for metric in metrics])
        cuts = [0, *(np.flatnonzero(np.diff(scenarios)) + 1).tolist(), len(scenarios)]
        for low, high in pairwise(cuts):
            if scenarios[low] != now:
                if now >= 0:
                    yield now, counts, totals
                now = int(scenarios[low])
                places = {policy: at for at, policy in enumerate(planned.space.variants_of(now))}
                counts = np.zeros((len(metrics), len(places)), dtype=np.int64)
                totals = np.zeros((len(metrics), len(places)))
            where = np.array([places[policy] for policy in rows.keys[low:high, 2].tolist()])
            for at, column in enumerate(columns):
                there = ~np.isnan(column[low:high])
                np.add.at(counts[at], where[there], 1)
                np.add.at(totals[at], where[there], column[low:high][there])
    if now >= 0:
        yield now, counts, totals


def _add(found: Summary, scenario: int, counts: NDArray[np.int64], totals: NDArray[np.float64]) -> None:
    space = found.planned.space
    policies = np.array(space.variants_of(scenario))
    entry, sample, factor = space.place(scenario)
    pairs = len(space.factors[0])
    levels = {
        axis.name: axis.of[policies]
        if axis.by_policy
        else np.full(len(policies), axis.of[entry if axis.name in _OF_LOGS else sample * pairs + factor])
        for axis in found.axes
    }
    for at, metric in enumerate(found.planned.asked.objectives):
        there = counts[at] > 0
        means = totals[at][there] / counts[at][there]
        mine = policies[there]
        count, total, squares = found.squares[metric]
        found.squares[metric] = (
            count + len(means),
            total + float(means.sum()),
            squares + float((means * means).sum()),
        )
        _count(found.of_policies[metric], mine, means)
        for axis in found.axes:
            level = levels[axis.name][there]
            _count(found.effects[metric, axis.name], level[level >= 0], means[level >= 0])
        for first, second in combinations(found.axes, 2):
            one, two = levels[first.name][there], levels[second.name][there]
            both = (one >= 0) & (two >= 0)
            place = one[both] * len(second.levels) + two[both]
            _count(found.pairs[metric, first.name, second.name], place, means[both])
        if at == 0 and len(means) > 1:
            sign = -1.0 if metric in HIGHER_IS_BETTER else 1.0
            found.wins[mine[sign * means == (sign * means).min()]] += 1
            found.losses[mine[sign * means == (sign * means).max()]] += 1
            found.contests[mine] += 1
    found.cells += len(policies)


_OF_LOGS = ("workload", "processors")


def _axes(planned: Planned) -> Iterator[Axis]:
    """Those on which something differs."""
    plan, space = planned.plan, planned.space
    logs = [log.name for log in plan.logs]
    machines = [machine.processors for machine in plan.machines]
    pairs = [pair for factors in space.factors for pair in factors]
    yield from _axis("workload", logs, False)
    yield from _axis("processors", machines, False)
    yield from _axis("load_factor", [load for load, _ in pairs], False)
    yield from _axis("run_time_factor", [longer for _, longer in pairs], False)
    yield from _axis("policy", [one.name for one in plan.policies], True)
    for name in planned.varied:
        values = [one.values.get(name) for one in plan.policies]
        yield from _axis(name, values, True)


def _axis(name: str, values: Sequence[Any], by_policy: bool) -> Iterator[Axis]:
    there = [value for value in values if value is not None]
    different = list(dict.fromkeys(there))
    if len(different) < 2:
        return
    numbers = all(isinstance(value, int | float) for value in different)
    if numbers and len(different) > _MOST_LEVELS:
        borders = strata(there, _CLASSES)
        told = tuple(f"{low:.6g} to {high:.6g}" for low, high in pairwise(borders))
        place = {
            value: int(np.clip(np.searchsorted(borders, value, side="right") - 1, 0, len(told) - 1))
            for value in different
        }
    else:
        different = sorted(different) if numbers else different
        told = tuple(f"{value:.6g}" if isinstance(value, float) else text_of(value) for value in different)
        place = {value: at for at, value in enumerate(different)}
    of = np.array([_NONE if value is None else place[value] for value in values], dtype=np.int64)
    yield Axis(name, told, of, by_policy)


def _sums(size: int) -> Sums:
    return Sums(np.zeros(size, dtype=np.int64), np.zeros(size))


def _count(sums: Sums, where: NDArray[np.int64], values: NDArray[np.float64]) -> None:
    np.add.at(sums.count, where, 1)
    np.add.at(sums.total, where, values)
