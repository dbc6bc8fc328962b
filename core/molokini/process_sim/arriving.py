"""The workload of Zhang and Sivasubramaniam 2001: pipelines and best-effort jobs keep arriving.

Poisson arrivals, whose rates come from the offered loads (section 2.2). Every number is drawn by its name
and the seed, so that two loads see the same jobs, only closer together.
"""

from dataclasses import dataclass, field
from math import log

from molokini.process_sim.kinds import (
    DEFAULT_ZETA,
    Dice,
    layered_edges,
    looping,
    mean_ns,
    pipeline,
    rounds_of,
)
from molokini.process_sim.scenario import MS, Dist, Job, Pipeline, Prices, Process, S
from molokini.process_sim.words import Draw, Pattern

_RT, _BE, _SIZE, _WORK, _KIND, _GRAPH = 11, 12, 13, 14, 15, 1000
_EACH = 65_536
"""Numbers that the graph of one job may draw."""
BE_WORK = Dist(Draw.ERLANG, 120 * S, 4)
BE_COMPUTE = Dist(Draw.EXPONENTIAL, 5 * MS)
BE_IO = Dist(Draw.CONSTANT, 10 * MS)


@dataclass(frozen=True)
class Arrivals:
    """What arrives, and for how long."""

    rt_load: float = 0.4
    """Of the whole cluster: rate * duration * mean zeta / d."""
    be_load: float = 0.2
    """Rate * mean work * mean size / nodes."""
    for_ns: int = 600 * S
    pipeline: Pipeline = field(default_factory=Pipeline)
    zeta_ns: tuple[int, int] = DEFAULT_ZETA
    stages: int | None = None
    """None: one for each node."""
    be_work: Dist = BE_WORK
    be_compute: Dist = BE_COMPUTE
    io: Dist = BE_IO
    io_chance: float = 0.02
    skew: float = 0.0
    message: int = 1000
    patterns: tuple[Pattern, ...] = (Pattern.RING, Pattern.NEIGHBOUR, Pattern.ALL_TO_ALL, Pattern.RANDOM)

    def rt_rate(self, nodes: int) -> float:
        """Jobs a second."""
        mean = (self.zeta_ns[0] + self.zeta_ns[1]) / 2
        duration_s = (self.pipeline.duration_ns or 180 * S) / S
        stages = self.stages or nodes
        return self.rt_load / (duration_s * mean / float(self.pipeline.frame_ns) * stages / nodes)

    def be_rate(self, nodes: int) -> float:
        """Jobs a second."""
        return self.be_load / (mean_ns(self.be_work) / S * ((2 + nodes) / 2) / nodes)

    def expected(self, nodes: int) -> tuple[int, int]:
        """How many processes and channels come on average."""
        rt, be = (rate * self.for_ns / S for rate in (self.rt_rate(nodes), self.be_rate(nodes)))
        stages, wide = self.stages or nodes, (2 + nodes) / 2
        return round(rt * stages + be * wide), round(rt * stages**2 + be * wide**2)


def arriving_jobs(made: Arrivals, nodes: int, seed: int, prices: Prices) -> list[Job]:
    """All jobs that arrive, real-time ones first."""
    found = [
        _rt_job(made, number, at_ns, nodes, seed, prices)
        for number, at_ns in enumerate(_instants(made.rt_rate(nodes), made.for_ns, Dice(seed, _RT)))
    ]
    found += [
        _be_job(made, number, at_ns, nodes, seed)
        for number, at_ns in enumerate(_instants(made.be_rate(nodes), made.for_ns, Dice(seed, _BE)))
    ]
    return found


def _instants(rate: float, for_ns: int, dice: Dice) -> list[int]:
    """Poisson arrivals: a gap is the same share of the mean gap at any rate."""
    found: list[int] = []
    if rate <= 0:
        return found
    at = 0.0
    while True:
        at += -log(dice.share(len(found))) / rate * S
        if at >= for_ns:
            return found
        found.append(int(at))


def _rt_job(made: Arrivals, number: int, at_ns: int, nodes: int, seed: int, prices: Prices) -> Job:
    stages = made.stages or nodes
    dice = Dice(seed, (_GRAPH + number) * _EACH)
    low, high = made.zeta_ns
    zetas = [low + int(dice.share(10_000 + j) * (high - low)) for j in range(stages)]
    edges = layered_edges(stages, dice)
    processes = pipeline(zetas, edges, made.pipeline, prices, [None] * stages)
    return Job(f"R{number + 1}", processes, at_ns, made.pipeline)


def _be_job(made: Arrivals, number: int, at_ns: int, nodes: int, seed: int) -> Job:
    size = 2 + Dice(seed, _SIZE).below(number, max(1, nodes - 1))
    io = (made.io, made.io_chance)
    rounds = rounds_of(int(_work_of(made.be_work, number, Dice(seed, _WORK))), made.be_compute, io)
    pattern = made.patterns[Dice(seed, _KIND).below(number, len(made.patterns))]
    programs = looping(min(size, nodes), made.be_compute, pattern, made.message, rounds, io, made.skew)
    return Job(f"B{number + 1}", [Process(program) for program in programs], at_ns)


def _work_of(work: Dist, number: int, dice: Dice) -> float:
    """What a process of best-effort job *number* has to do, ns."""
    first = number * max(64, work.b if work.kind is Draw.ERLANG else 1)
    if work.kind is Draw.CONSTANT:
        return float(work.a)
    if work.kind is Draw.UNIFORM:
        return work.a + dice.share(first) * (work.b - work.a)
    order = work.b if work.kind is Draw.ERLANG else 1
    return sum(-log(dice.share(first + k)) for k in range(order)) * work.a / order
