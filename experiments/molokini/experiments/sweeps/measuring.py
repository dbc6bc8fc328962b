"""What every process of a sweep does with some of its points: a row of figures each, and nothing else."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from molokini.experiments.host import Guard
from molokini.experiments.shipping import let_policies_travel
from molokini.experiments.sweeping import Plan, Replaying
from molokini.experiments.sweeps.space import Key, Space


@dataclass(frozen=True)
class Rows:
    """Rows of some points, in the order of the points."""

    keys: NDArray[np.int64]
    """Three columns: scenario, seed, variant."""
    names: tuple[str, ...]
    """The metrics, in the order of their first appearance."""
    values: NDArray[np.float64]
    """A column a metric; NaN where it is undefined, or is none of this policy's."""
    whole: tuple[bool, ...]
    """Of each metric whether its values here are whole numbers."""

    def __len__(self) -> int:
        return len(self.keys)

    def column(self, name: str) -> NDArray[np.float64]:
        """The values of one metric."""
        if name not in self.names:
            return np.full(len(self), math.nan)
        return self.values[:, self.names.index(name)]


@dataclass(frozen=True)
class Batch:
    """What came of a batch of points."""

    rows: Rows
    elapsed_s: float
    """On its worker; it says how large the next batches should be, and stands in no result."""
    simulated_s: float
    """Of it, what single simulations of the same would take: workloads made, replayed and measured."""


class Measuring:
    """The function that the workers are given, once each."""

    def __init__(self, plan: Plan, space: Space, guard: Guard) -> None:
        let_policies_travel()
        self._space = space
        self._replaying = Replaying(plan, guard)

    def __call__(self, keys: Sequence[tuple[int, int, int]]) -> Batch:
        """The rows of the points *keys*."""
        before, simulated_s, found = perf_counter(), 0.0, []
        for key in keys:
            began = perf_counter()
            _, measures, _ = self._replaying.measured(self._space.point(Key(*key)))
            simulated_s += perf_counter() - began
            found.append({name: one for name, one in measures.items() if not isinstance(one, Mapping)})
        return Batch(rows_of(keys, found), perf_counter() - before, simulated_s)


def rows_of(keys: Sequence[tuple[int, int, int]], found: Sequence[Mapping[str, float | int | None]]) -> Rows:
    """*found* as arrays."""
    names = tuple(dict.fromkeys(name for one in found for name in one))
    values = np.full((len(found), len(names)), math.nan)
    whole = [True] * len(names)
    for at, one in enumerate(found):
        for place, name in enumerate(names):
            value = one.get(name)
            if value is not None:
                values[at, place] = value
                whole[place] &= isinstance(value, int)
    return Rows(np.array(keys, dtype=np.int64).reshape(-1, 3), names, values, tuple(whole))
