"""Divisible loads with deadlines as a model makes them: Lin, Lu, Deogun and Goddard, section 5.

Arrivals are a Poisson process, sizes normal with a deviation equal to the mean, relative deadlines uniform
from half to three halves of their mean, which is ``dcratio`` times what an average load takes on all nodes.
Where the paper is silent, or what it prints must be a slip:

- The mean gap is E(sigma, N) / load. The paper prints its inverse.
- Sizes of 0 or less, one in six, are drawn again, so that the mean is 1.29 times sigma. ``load``
  keeps to the nominal sigma; ``delivered_load`` is the load of the jobs that were drawn.
- A deadline below E(sigma_i, N), one in four, which no algorithm could meet, is raised to it. To draw only
  the deadline again would not end: 2.7% of the sizes take longer than the longest deadline. With
  ``deadlines=redraw-pair`` size and deadline are drawn again together.

Gaps, sizes and deadlines come from streams of their own: the same seed gives the same sizes at every load.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from molokini.applications.divisible import Costs, opr_s
from molokini.model.errors import BadInput, BadValue
from molokini.model.policy import Kind, Parameter, Value
from molokini.workloads.generator import Generated
from molokini.workloads.rules import from_records
from molokini.workloads.swf import make_header
from molokini.workloads.workload import SWF_FIELDS, Floats, Loads, Workload

NAME = "divisible"
SOURCE = "Lin, Lu, Deogun and Goddard, UNL-CSE-2006-0016, section 5"

_EXPONENTIAL, _UNIFORM, _PERIODIC = "exponential", "uniform", "periodic"
_NORMAL, _FIXED = "normal", "fixed"
_RAISE, _REDRAW = "raise", "redraw-pair"
_MOST_JOBS = 20_000_000
_MOST_DRAWS = 10_000
"""Rounds of drawing again before the parameters are refused, as they leave no jobs."""


def _cost(name: str, default: float, meaning: str, low: float = 0.0) -> Parameter:
    return Parameter(name, default, meaning, low=low, high=1e12, unit="s", source="section 3; appendix")


PARAMETERS: tuple[Parameter, ...] = (
    Parameter(
        "nodes", 16, "N: nodes of the cluster", Kind.INTEGER, "nodes", 1, 2**20, source="section 5.1.1"
    ),
    _cost("cms", 1.0, "C_ms: to send a unit of load to a node", 1e-9),
    _cost("cps", 100.0, "C_ps: to compute a unit of load on a node", 1e-9),
    _cost("st", 0.0, "ST: before each transmission"),
    _cost("sc", 0.0, "SC: before each computation"),
    Parameter(
        "load", 0.5, "SystemLoad: E(sigma, N) over the mean gap", low=1e-6, high=100.0, source="section 5"
    ),
    Parameter(
        "interarrival",
        0.0,
        "mean gap between arrivals, instead of load; 0: from load",
        low=0.0,
        high=1e15,
        unit="s",
        source="1/lambda, section 5",
    ),
    Parameter(
        "gaps",
        _EXPONENTIAL,
        "how gaps are distributed: uniform from gap-low to gap-high, or all equal",
        Kind.CHOICE,
        choices=(_EXPONENTIAL, _UNIFORM, _PERIODIC),
        source="section 5; 5.2.2",
    ),
    Parameter("gap-low", 0.0, "least gap, with gaps=uniform", low=0.0, high=1e15, unit="s", source="Table 1"),
    Parameter(
        "gap-high",
        0.0,
        "gaps are below this, with gaps=uniform",
        low=0.0,
        high=1e15,
        unit="s",
        source="Table 1",
    ),
    Parameter(
        "sigma",
        200.0,
        "Avg sigma: mean size before drawing again",
        low=1e-9,
        high=1e12,
        unit="units",
        source="section 5.1.1",
    ),
    Parameter(
        "sizes",
        _NORMAL,
        "how sizes are distributed: normal, deviation = mean; or all equal",
        Kind.CHOICE,
        choices=(_NORMAL, _FIXED),
        source="section 5; 5.2.2",
    ),
    Parameter(
        "dcratio",
        2.0,
        "DCRatio: mean relative deadline over E(sigma, N)",
        low=1e-6,
        high=1e9,
        source="section 5.1.1",
    ),
    Parameter(
        "deadlines",
        _RAISE,
        "what becomes of a deadline that no algorithm could meet",
        Kind.CHOICE,
        choices=(_RAISE, _REDRAW),
        source="the paper does not say",
    ),
    Parameter(
        "deadline-least",
        0.0,
        "a relative deadline below this is raised to it",
        low=0.0,
        high=1e15,
        unit="s",
        source="section 5.2.2",
    ),
    Parameter(
        "time",
        10_000_000.0,
        "TotalSimulationTime: jobs arrive before this",
        low=1.0,
        high=1e15,
        unit="s",
        source="section 5",
    ),
)


def make(values: Mapping[str, Value], seed: int) -> Workload:
    """The workload of these *values* (one for each parameter); submit times from 0 to ``time``.

    Each job asks for all nodes and the time that it takes on them, and carries its load, from which policies
    that divide choose something better. Raises BadInput for values that do not go together.
    """
    if seed < 0:
        raise BadValue("seed", seed, "a whole number of 0 or more")
    asked = _Asked.of(values)
    gaps, sizes, deadlines = (
        np.random.default_rng(stream) for stream in np.random.SeedSequence(seed).spawn(3)
    )
    submit_s = asked.arrivals(gaps)
    size, deadline_s, alone_s = asked.pairs(len(submit_s), sizes, deadlines)
    name = f"{NAME}-{asked.nodes}-{seed}"
    workload = _workload(name, asked.nodes, submit_s, alone_s)
    return replace(workload, loads=Loads(size, deadline_s, asked.costs))


def nominal_load(values: Mapping[str, Value]) -> float:
    """SystemLoad as the paper defines it: E(Avg sigma, N) over the mean gap."""
    asked = _Asked.of(values)
    return asked.average_s / asked.mean_gap_s()


def delivered_load(values: Mapping[str, Value], workload: Workload) -> float:
    """The load of the jobs that were drawn: the times that they take on all nodes, over ``time``."""
    return float(workload.run_s.sum() / float(cast(float, values["time"])))


def loads_told(values: Mapping[str, Value], workload: Workload) -> dict[str, float]:
    """Both loads, by name."""
    return {
        "nominal_load": nominal_load(values),
        "delivered_load": delivered_load(values, workload),
    }


@dataclass(frozen=True)
class _Asked:
    """The parameters with their types, and what follows from them."""

    nodes: int
    costs: Costs
    average_s: float
    """E(Avg sigma, N)."""
    sigma: float
    numbers: Mapping[str, float]
    words: Mapping[str, str]

    @staticmethod
    def of(values: Mapping[str, Value]) -> "_Asked":
        numbers = {name: float(value) for name, value in values.items() if isinstance(value, int | float)}
        words = {name: value for name, value in values.items() if isinstance(value, str)}
        costs = Costs(numbers["cms"], numbers["cps"], numbers["st"], numbers["sc"])
        nodes, sigma = int(numbers["nodes"]), numbers["sigma"]
        return _Asked(nodes, costs, costs.execution_s("opr", sigma, nodes), sigma, numbers, words)

    def mean_gap_s(self) -> float:
        if self.words["gaps"] == _UNIFORM:
            return (self.numbers["gap-low"] + self.numbers["gap-high"]) / 2.0
        return self.numbers["interarrival"] or self.average_s / self.numbers["load"]

    def arrivals(self, generator: np.random.Generator) -> Floats:
        """Submit times; a periodic task's first job comes at 0."""
        low, high, until_s = (self.numbers[name] for name in ("gap-low", "gap-high", "time"))
        uniform = self.words["gaps"] == _UNIFORM
        if uniform and not low < high:
            raise BadValue("gap-high", high, f"above gap-low ({low:g}) with gaps=uniform")
        mean_s = self.mean_gap_s()
        expected = until_s / mean_s
        if expected > _MOST_JOBS:
            raise BadValue(
                "time", until_s, f"short enough for {_MOST_JOBS:,} jobs; this makes {expected:,.0f}"
            )
        if self.words["gaps"] == _PERIODIC:
            return np.arange(0.0, np.ceil(expected)) * mean_s
        block = int(expected + 6.0 * np.sqrt(expected)) + 16
        draw: Callable[[], Floats] = (
            (lambda: generator.uniform(low, high, block))
            if uniform
            else (lambda: generator.exponential(mean_s, block))
        )
        submit_s = np.cumsum(draw())
        while submit_s[-1] < until_s:
            submit_s = np.concatenate([submit_s, submit_s[-1] + np.cumsum(draw())])
        return submit_s[submit_s < until_s]

    def pairs(
        self, count: int, sizes: np.random.Generator, deadlines: np.random.Generator
    ) -> tuple[Floats, Floats, Floats]:
        """(size, relative deadline, time on all nodes) of each of *count* jobs."""
        size = self._sizes(count, sizes)
        deadline_s = self._deadlines(count, deadlines)
        alone_s = self._alone_s(size)
        if self.words["deadlines"] == _RAISE:
            return size, np.maximum(deadline_s, alone_s), alone_s
        for _ in range(_MOST_DRAWS):
            bad = np.flatnonzero(deadline_s < alone_s)
            if not bad.size:
                return size, deadline_s, alone_s
            size[bad] = self._sizes(bad.size, sizes)
            deadline_s[bad] = self._deadlines(bad.size, deadlines)
            alone_s[bad] = self._alone_s(size[bad])
        raise BadInput(
            f"deadlines={_REDRAW}: with dcratio {self.numbers['dcratio']:g} no drawn deadline can be met; "
            "give a larger one, or deadlines=raise"
        )

    def _sizes(self, count: int, generator: np.random.Generator) -> Floats:
        if self.words["sizes"] == _FIXED:
            return np.full(count, self.sigma)
        size = generator.normal(self.sigma, self.sigma, count)
        while (bad := np.flatnonzero(size <= 0.0)).size:
            size[bad] = generator.normal(self.sigma, self.sigma, bad.size)
        return size

    def _deadlines(self, count: int, generator: np.random.Generator) -> Floats:
        mean_s = self.numbers["dcratio"] * self.average_s
        drawn = generator.uniform(mean_s / 2.0, 3.0 * mean_s / 2.0, count)
        return np.maximum(drawn, self.numbers["deadline-least"])

    def _alone_s(self, size: Floats) -> Floats:
        # By the policies' own function, not by numpy's logarithm: a raised deadline must be met exactly.
        numbers = self.costs.numbers
        return np.array([opr_s(one, self.nodes, *numbers) for one in size.tolist()])


def _workload(name: str, nodes: int, submit_s: Floats, run_s: Floats) -> Workload:
    jobs = len(submit_s)
    records = np.full((jobs, len(SWF_FIELDS)), -1.0)
    columns: dict[str, Floats | float] = {
        "number": np.arange(1.0, jobs + 1),
        "submit_s": submit_s,
        "run_s": run_s,
        "allocated_processors": nodes,
        "requested_processors": nodes,
        "requested_s": run_s,
        "status": 1.0,
    }
    for field, column in columns.items():
        records[:, SWF_FIELDS.index(field)] = column
    header = make_header(
        Version="2.2", Computer=f"generated: {name}", MaxJobs=jobs, MaxRecords=jobs, MaxProcs=nodes
    )
    return from_records(name, records, header)


MODELS = (
    Generated(
        NAME,
        "divisible loads with deadlines, arriving at a cluster of equal nodes",
        SOURCE,
        PARAMETERS,
        make,
        loads_told,
        rigid=False,
    ),
)
