"""Jobs that ask for processors of several clusters, as a model makes them: Bucur and Epema, JSSPP 2001.

Arrivals are a Poisson process, computation is exponential (mean 1 s), component sizes are drawn from D on
[smallest, largest]: proportional to q^i, three times as likely for powers of two (section 2.3). A job
asks for one size a component, or for their sum. What communication adds depends on the placement and is
not drawn here. Where the paper is silent:

- ``load`` counts computation and communication as the jobs would be placed in an empty system (flexible
  requests balanced over the fewest clusters), so that it is near the utilization that is measured.
- Estimates, which FCFS does not use, are ``estimate`` times the longest time of the job under any
  placement.
- A measured run of the application of section 4 is its iterations times a time of one iteration that is
  uniform in the measured range, the same for all its iterations; both sizes of jobs are equally likely.
  The time to agree on the error, which the paper does not tell, is left out.

Gaps, sizes, computation and kinds come from streams of their own, so the same seed gives the same jobs
for every ratio, mix and load.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from molokini.applications.communicating import extension_s
from molokini.applications.kinds import JobKind
from molokini.model.coallocation import RequestKind
from molokini.model.errors import BadInput, BadValue
from molokini.model.platforms import Cluster, Platform
from molokini.model.policy import Kind, Parameter, Value
from molokini.model.requests import ANYWHERE, Spread
from molokini.workloads.components import Communication, Components
from molokini.workloads.generator import Generated
from molokini.workloads.measured import BORDERS_4X2, BORDERS_4X4, Measured
from molokini.workloads.rules import from_records
from molokini.workloads.swf import make_header
from molokini.workloads.workload import SWF_FIELDS, Floats, Ints, Workload

NAME = "das"
SOURCE = "Bucur and Epema, JSSPP 2001"
KINDS = tuple(RequestKind)
_ORDERED, _UNORDERED, _FLEXIBLE, _TOTAL = range(4)

_DECAY, _UNIFORM = "decay", "uniform"
_ONE, _EACH_SECOND, _GIVEN_UP = "one", "each-second", "given-up"
_PATTERNS = {
    _ONE: JobKind.ALL_TO_ALL,
    _EACH_SECOND: JobKind.ALL_TO_ALL_EACH_SECOND,
    _GIVEN_UP: JobKind.ALL_TO_ALL_GIVEN_UP,
}
_ALL_TO_ALL, _GAUSS_SEIDEL = "all-to-all", "gauss-seidel"

PARAMETERS: tuple[Parameter, ...] = (
    Parameter("jobs", 10_000, "how many jobs", Kind.INTEGER, "jobs", 1, 20_000_000),
    Parameter(
        "load", 0.5, "offered load, communication included", low=1e-6, high=1000.0, source="figures 1 to 7"
    ),
    Parameter("clusters", 4, "C: clusters", Kind.INTEGER, "clusters", 1, 1000, source="section 3"),
    Parameter(
        "nodes",
        8,
        "N: nodes of a cluster, with one processor each",
        Kind.INTEGER,
        "nodes",
        1,
        10_000,
        source="section 3",
    ),
    Parameter(
        "components",
        0,
        "how many sizes a job draws; 0: one per cluster",
        Kind.INTEGER,
        "components",
        0,
        1000,
        source="section 2.3",
    ),
    Parameter(
        "mix",
        RequestKind.ORDERED.value,
        "what jobs ask for; total alone is for one cluster of as many processors",
        Kind.SHARES,
        choices=KINDS,
        source="sections 2.3, 3.4",
    ),
    Parameter(
        "message", 0.001, "a message inside a cluster", unit="s", low=0.0, high=1e9, source="section 3"
    ),
    Parameter(
        "ratio",
        50.0,
        "time of a message between clusters over that of one inside",
        low=1.0,
        high=1e9,
        source="section 3.1",
    ),
    Parameter(
        "sizes",
        _DECAY,
        "how component sizes are distributed: D, or all alike",
        Kind.CHOICE,
        choices=(_DECAY, _UNIFORM),
        source="sections 2.3, 3.4",
    ),
    Parameter("q", 0.95, "q of D", low=1e-6, high=1.0, source="section 2.3"),
    Parameter("smallest", 1, "least component", Kind.INTEGER, "processors", 1, 10_000, source="section 3"),
    Parameter("largest", 8, "largest component", Kind.INTEGER, "processors", 1, 10_000, source="section 3"),
    Parameter(
        "application",
        _ALL_TO_ALL,
        "what jobs do: a message to every task, then compute; or the measured application",
        Kind.CHOICE,
        choices=(_ALL_TO_ALL, _GAUSS_SEIDEL),
        source="sections 2.4, 4",
    ),
    Parameter(
        "iterations",
        _ONE,
        "when tasks exchange messages: once a job, once for every second that they compute, or so within "
        "the time that was drawn, with processors given up meanwhile",
        Kind.CHOICE,
        choices=tuple(_PATTERNS),
        source="one: section 3; given-up: section 3.2",
    ),
    Parameter(
        "estimate",
        1.0,
        "estimates over the longest run time under any placement",
        low=1.0,
        high=1e6,
        source="the paper has no estimates",
    ),
)


def make(values: Mapping[str, Value], seed: int) -> Workload:
    """The workload of these *values* (one for each parameter), the first job at 0.

    Raises BadInput for values that do not go together, above all for sizes that no cluster holds.
    """
    if seed < 0:
        raise BadValue("seed", seed, "a whole number of 0 or more")
    asked = _Asked.of(values)
    asked.check()
    gaps, sizes, services, kinds = (
        np.random.default_rng(stream) for stream in np.random.SeedSequence(seed).spawn(4)
    )
    jobs = asked.jobs(sizes, services, kinds)
    submit_s = np.cumsum(gaps.exponential(1.0, asked.count)) * asked.mean_gap_s(jobs)
    longest_s = jobs.run_s + np.maximum(jobs.extension_s(*asked.worst_parts(jobs)), 0.0)
    made = _workload(f"{NAME}-{seed}", asked, submit_s - submit_s[0], jobs, longest_s)
    return replace(
        made,
        platform=asked.platform,
        components=asked.components(jobs),
        communication=Communication(jobs.pattern, jobs.inside_s, jobs.between_s),
    )


def loads_told(values: Mapping[str, Value], workload: Workload) -> dict[str, float]:
    """The load of the computation alone, as it was drawn."""
    span_s = float(workload.submit_s[-1] - workload.submit_s[0]) if len(workload) > 1 else 0.0
    if span_s <= 0 or workload.platform is None:
        return {}
    work = float(workload.processors @ workload.run_s)
    return {"computation_load": work / workload.platform.processors / span_s}


@dataclass(frozen=True)
class _Jobs:
    """The drawn values, one element a job; ``sizes`` has a row for each job and a column a component."""

    sizes: Ints
    kind: Ints
    run_s: Floats
    pattern: JobKind
    inside_s: Floats
    between_s: Floats

    @property
    def processors(self) -> Ints:
        return np.asarray(self.sizes.sum(axis=1), dtype=np.int64)

    def extension_s(self, fewest: Ints, most: Ints) -> Floats:
        """What communication adds to each if its clusters hold at least *fewest*, at most *most* tasks."""
        columns = (self.run_s, self.processors, fewest, most, self.inside_s, self.between_s)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return np.array([extension_s(int(self.pattern), *row) for row in rows])


@dataclass(frozen=True)
class _Asked:
    """The parameters with their types, and what follows from them."""

    count: int
    clusters: int
    nodes: int
    components_each: int
    shares: tuple[float, ...]
    numbers: Mapping[str, float]
    words: Mapping[str, str]

    @staticmethod
    def of(values: Mapping[str, Value]) -> "_Asked":
        numbers = {name: float(value) for name, value in values.items() if isinstance(value, int | float)}
        words = {name: value for name, value in values.items() if isinstance(value, str)}
        mix = next(parameter for parameter in PARAMETERS if parameter.name == "mix")
        shares = tuple(mix.shares(words["mix"]).values())
        clusters, nodes = int(numbers["clusters"]), int(numbers["nodes"])
        each = int(numbers["components"]) or clusters
        if shares[_TOTAL] == 1.0:
            clusters, nodes = 1, clusters * nodes
        return _Asked(int(numbers["jobs"]), clusters, nodes, each, shares, numbers, words)

    @property
    def platform(self) -> Platform:
        inside_s = self.numbers["message"]
        return Platform((Cluster(self.nodes),) * self.clusters, inside_s, inside_s * self.numbers["ratio"])

    @property
    def limits(self) -> tuple[int, int]:
        if self.words["application"] == _GAUSS_SEIDEL:
            return 2, 4
        return int(self.numbers["smallest"]), int(self.numbers["largest"])

    def check(self) -> None:
        """Refuse sizes that no cluster, or not all clusters together, could ever hold."""
        least, most = self.limits
        if least > most:
            raise BadValue("smallest", least, f"at most largest ({most})")
        apart = self.shares[_ORDERED] + self.shares[_UNORDERED] > 0
        if apart and most > self.nodes:
            raise BadValue("largest", most, f"at most nodes ({self.nodes}): a component lies in one cluster")
        if apart and self.components_each > self.clusters:
            raise BadValue(
                "components", self.components_each, f"at most clusters ({self.clusters}): each gets its own"
            )
        widest = most * self.components_each
        if self.shares[_TOTAL] > 0 and widest > self.nodes:
            raise BadInput(
                f"mix: no cluster of {self.nodes} nodes can hold a total request of up to {widest}; "
                "give larger clusters, or mix=total alone for one cluster of all processors"
            )
        if widest > self.nodes * self.clusters:
            raise BadValue(
                "largest",
                most,
                f"small enough for {self.components_each} of them on {self.nodes * self.clusters} processors",
            )
        if self.words["application"] == _GAUSS_SEIDEL and self.components_each != 4:
            raise BadValue(
                "components", self.components_each, "4: the application was measured on 4 clusters"
            )

    def jobs(
        self, sizes: np.random.Generator, services: np.random.Generator, kinds: np.random.Generator
    ) -> _Jobs:
        """Draw what each job asks for and computes."""
        bounds = np.cumsum(self.shares)[:-1]
        kind = np.searchsorted(bounds, kinds.random(self.count), side="right").astype(np.int64)
        if self.words["application"] == _GAUSS_SEIDEL:
            return self._measured(sizes, services, kind)
        drawn = sizes.choice(self._values(), (self.count, self.components_each), p=self._chances())
        inside = np.full(self.count, self.platform.inside_s)
        between = np.full(self.count, self.platform.between_s)
        run = services.exponential(1.0, self.count)
        pattern = _PATTERNS[self.words["iterations"]]
        return _Jobs(drawn.astype(np.int64), kind, run, pattern, inside, between)

    def _values(self) -> Ints:
        least, most = self.limits
        return np.arange(least, most + 1)

    def _chances(self) -> Floats:
        values = self._values()
        if self.words["sizes"] == _UNIFORM:
            return np.full(values.size, 1.0 / values.size)
        weight = self.numbers["q"] ** (values - values[0]) * np.where(values & (values - 1), 1.0, 3.0)
        return np.asarray(weight / weight.sum())

    def _measured(self, sizes: np.random.Generator, services: np.random.Generator, kind: Ints) -> _Jobs:
        larger = sizes.random(self.count) < 0.5
        drawn = np.repeat(np.where(larger, 4, 2)[:, None], 4, axis=1).astype(np.int64)
        place = services.random((3, self.count))

        def times(which: str, row: int) -> Floats:
            def of(runs: Measured) -> Floats:
                low, high = getattr(runs, which)
                return np.asarray(runs.iterations * (low + place[row] * (high - low)))

            return np.where(larger, of(BORDERS_4X4), of(BORDERS_4X2))

        columns = [times(which, row) for row, which in enumerate(("update_s", "inside_s", "between_s"))]
        return _Jobs(drawn, kind, columns[0], JobKind.BORDERS, columns[1], columns[2])

    def mean_gap_s(self, jobs: _Jobs) -> float:
        """The mean gap that makes the load the one asked for."""
        work = jobs.processors * (jobs.run_s + jobs.extension_s(*self._empty_parts(jobs)))
        return float(work.mean()) / (self.nodes * self.clusters) / self.numbers["load"]

    def _empty_parts(self, jobs: _Jobs) -> tuple[Ints, Ints]:
        """(fewest, most) tasks of a cluster for each job in an empty system."""
        total = jobs.processors
        needed = -(-total // self.nodes)
        flexible = jobs.kind == _FLEXIBLE
        return self._parts(
            jobs,
            np.where(flexible, total // needed, total),
            np.where(flexible, -(-total // needed), total),
        )

    def worst_parts(self, jobs: _Jobs) -> tuple[Ints, Ints]:
        """The same where a flexible request finds the worst place: one task alone in a cluster."""
        total = jobs.processors
        alone = (jobs.kind == _FLEXIBLE) & (total > 1) & (self.clusters > 1)
        return self._parts(jobs, np.where(alone, 1, total), np.where(alone, total - 1, total))

    def _parts(self, jobs: _Jobs, fewest: Ints, most: Ints) -> tuple[Ints, Ints]:
        apart = jobs.kind <= _UNORDERED
        return np.where(apart, jobs.sizes.min(axis=1), fewest), np.where(apart, jobs.sizes.max(axis=1), most)

    def components(self, jobs: _Jobs) -> Components:
        """What each job asks for, in the order in which it is placed."""
        apart, ordered = jobs.kind <= _UNORDERED, jobs.kind == _ORDERED
        largest_first = -np.sort(-jobs.sizes, axis=1)
        by_cluster = np.broadcast_to(np.arange(self.components_each), jobs.sizes.shape)
        tasks = np.where(ordered[:, None], jobs.sizes, largest_first)
        where = np.where(ordered[:, None], by_cluster, ANYWHERE)
        # One component, of all tasks, where only the sum is asked for.
        tasks[~apart, 0] = jobs.processors[~apart]
        kept = apart[:, None] | (by_cluster == 0)
        count = kept.sum(axis=1)
        spread = np.where(jobs.kind == _FLEXIBLE, int(Spread.CLUSTERS), int(Spread.ONE_CLUSTER))
        return Components(
            first=np.cumsum(count) - count,
            count=count,
            tasks=tasks[kept],
            where=where[kept],
            spread=np.repeat(spread, count),
        )


def _workload(name: str, asked: _Asked, submit_s: Floats, jobs: _Jobs, longest_s: Floats) -> Workload:
    records = np.full((asked.count, len(SWF_FIELDS)), -1.0)
    columns: dict[str, Floats | Ints | float] = {
        "number": np.arange(1.0, asked.count + 1),
        "submit_s": submit_s,
        "run_s": jobs.run_s,
        "allocated_processors": jobs.processors,
        "requested_processors": jobs.processors,
        "requested_s": asked.numbers["estimate"] * longest_s,
        "status": 1.0,
    }
    for field, column in columns.items():
        records[:, SWF_FIELDS.index(field)] = column
    header = make_header(
        Version="2.2",
        Computer=f"generated: {name}",
        MaxJobs=asked.count,
        MaxRecords=asked.count,
        MaxProcs=asked.platform.processors,
    )
    return from_records(name, records, header)


MODELS = (
    Generated(
        NAME,
        "jobs that ask for processors of several clusters and communicate",
        SOURCE,
        PARAMETERS,
        make,
        loads_told,
        rigid=False,
    ),
)
