"""The model of Lublin and Feitelson (1999; JPDC 2003): sizes, run times that follow them, a daily cycle.

Parameters are those of the authors' program. Batch and interactive jobs are two streams of arrivals of their
own; the untyped model is one. The natural logarithm of the run time is hyper-gamma, its share depending on
the size, and gaps are e to a gamma number, in operational time. What is drawn for one attribute does not
depend on another: sizes choose between two run times that are drawn for every job.
"""

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, replace

import numpy as np

from molokini.model.errors import BadValue, Conflict
from molokini.model.policy import Kind, Parameter, Value
from molokini.workloads.arriving.feeds import Feed
from molokini.workloads.arriving.rhythms import gamma_day
from molokini.workloads.distributions import Gamma
from molokini.workloads.generator import Generated
from molokini.workloads.models.common import (
    OWN,
    Stream,
    TooFew,
    arrived,
    made,
    number,
    others_cycle,
    parameters,
    whole,
)
from molokini.workloads.streams import Streams
from molokini.workloads.workload import Floats, Workload

LONGEST_LOG = 12.0
"""Logarithms of run times (s) above this are drawn again."""
LONGEST_LOG_GAP = 13.0
"""The same of gaps."""
_MODELLED = 7.0
"""log2 of the machine that the sizes were published for."""


@dataclass(frozen=True)
class Kindred:
    """The parameters of jobs of one type, under the names of the authors' program."""

    serial: float
    pow2: float
    ulow: float
    umed: float
    uhi: float
    uprob: float
    a1: float
    b1: float
    a2: float
    b2: float
    pa: float
    pb: float
    aarr: float
    barr: float
    anum: float
    bnum: float
    arar: float

    def on(self, processors: int) -> "Kindred":
        """The same for a machine of so many processors: sizes move with its logarithm (ours)."""
        moved = math.log2(processors) - _MODELLED
        uhi = max(0.0, self.uhi + moved)
        umed = min(uhi, max(0.0, self.umed + moved))
        return replace(self, uhi=uhi, umed=umed, ulow=min(self.ulow, umed))

    def mean_gap_s(self) -> float:
        """The mean gap at mean intensity, with the cut."""
        law = Gamma(self.aarr * self.arar, self.barr)
        check_reachable(law, LONGEST_LOG_GAP)
        logs = np.linspace(1e-9, LONGEST_LOG_GAP, 100_001)
        density = np.exp(law.log_density(logs))
        return float(np.trapezoid(density * np.exp(logs), logs) / np.trapezoid(density, logs))


def check_reachable(law: Gamma, most: float) -> None:
    """Complain where hardly a draw of *law* is below *most*."""
    if float(law.cdf(np.array([most]))[0]) < 1e-6:
        raise BadValue("shape and scale", (law.shape, law.scale), f"such that draws are below {most:g}")


BATCH = Kindred(
    *(0.2927, 0.6686, 1.2, 5.0, 7.0, 0.875, 6.57, 0.823, 639.1, 0.0156, -0.003, 0.6986),
    *(6.0415, 0.8531, 6.1271, 5.2740, 1.0519),
)
INTERACTIVE = Kindred(
    *(0.1541, 0.625, 1.0, 3.0, 5.5, 0.705, 3.8351, 0.6605, 7.073, 0.6856, -0.0118, 0.9156),
    *(6.5510, 0.6621, 8.9186, 3.6680, 0.9797),
)
UNTYPED = Kindred(
    *(0.244, 0.576, 0.8, 4.5, 7.0, 0.86, 4.2, 0.94, 312.0, 0.03, -0.0054, 0.78),
    *(10.2303, 0.4871, 8.1737, 3.9631, 1.0225),
)
_TYPES = {"batch": BATCH, "interactive": INTERACTIVE, "untyped": UNTYPED}
_TYPED = "typed"
_INTERACTIVE_QUEUE, _BATCH_QUEUE = 0.0, 1.0


def _own(name: str, meaning: str, low: float, high: float) -> Parameter:
    told = f"{meaning}; left out: that of the type"
    return Parameter(name, "by type", told, low=low, high=high, rare=True, source="published, ported")


PARAMETERS: tuple[Parameter, ...] = (
    *parameters(processors=128),
    Parameter(
        "type",
        _TYPED,
        "interactive and batch jobs as two streams, one of them alone, or jobs without a type",
        Kind.CHOICE,
        choices=(_TYPED, *_TYPES),
        source="published",
    ),
    _own("serial", "share of jobs of one processor", 0.0, 1.0),
    _own("pow2", "share of jobs whose size is a power of two beside them", 0.0, 1.0),
    _own("ulow", "log2 of the least size", 0.0, 31.0),
    _own("umed", "log2 of the size where the two stages meet; moves with the machine", 0.0, 31.0),
    _own("uhi", "log2 of the largest size; moves with the machine", 0.0, 31.0),
    _own("uprob", "share of the lower stage", 0.0, 1.0),
    _own("a1", "shape of the first branch of ln run time", 1e-3, 1e5),
    _own("b1", "its scale", 1e-5, 10.0),
    _own("a2", "shape of the second branch", 1e-3, 1e5),
    _own("b2", "its scale", 1e-5, 10.0),
    _own("pa", "p = pa size + pb is the share of the first branch", -1.0, 1.0),
    _own("pb", "as pa", -2.0, 2.0),
    _own("aarr", "shape of ln gap, times arar", 1e-3, 1e4),
    _own("barr", "its scale", 1e-5, 10.0),
    _own("anum", "shape of the daily cycle", 1e-2, 1e4),
    _own("bnum", "its scale, in half hours", 1e-3, 1e3),
    _own("arar", "arrivals at rush hour over those of the mean", 1e-2, 100.0),
)
_OWN = tuple(one.name for one in fields(Kindred))


def make(values: Mapping[str, Value], seed: int) -> Workload:
    """The workload of these *values*. Raises BadInput for values that do not go together."""
    streams, processors = Streams(seed), whole(values, "processors")
    types = _asked(values, processors)
    jobs, name = whole(values, "jobs"), f"lublin-{values['type']}-{seed}"
    if str(values["arrivals"]) != OWN:
        return _other_arrivals(name, values, streams, types)
    rates = np.array([1.0 / one.mean_gap_s() for one in types.values()])
    # A tenth more than come on average; all of them in the rare case that these are too few.
    likely = np.minimum(jobs, jobs * 1.1 * rates / rates.sum() + 10_000).astype(np.int64).tolist()
    for counts in (likely, [jobs] * len(types)):
        rows = [(kind, one, count) for (kind, one), count in zip(types.items(), counts, strict=True)]
        feeds = [_feed(kind, one, values, streams, count) for kind, one, count in rows]
        kinds = [_jobs(kind, one, processors, streams, count) for kind, one, count in rows]
        with suppress(TooFew):
            return made(name, values, streams, kinds, feeds)
    raise AssertionError("as many jobs of each type as of all are enough")


def _asked(values: Mapping[str, Value], processors: int) -> dict[str, Kindred]:
    """The parameters of each type of jobs."""
    asked = str(values["type"])
    given = {name: number(values, name) for name in _OWN if name in values}
    if asked == _TYPED:
        if given:
            told = f"it belongs to one type of jobs; say type={', '.join(_TYPES)} with it"
            raise Conflict(min(given), told)
        return {name: _TYPES[name].on(processors) for name in ("interactive", "batch")}
    one = replace(_TYPES[asked].on(processors), **given)
    if not one.ulow <= one.umed <= one.uhi:
        raise BadValue("umed", one.umed, f"from ulow ({one.ulow:g}) to uhi ({one.uhi:g})")
    if one.serial + one.pow2 > 1.0:
        raise BadValue("pow2", one.pow2, f"at most 1 - serial ({1.0 - one.serial:g})")
    return {asked: one}


def _feed(kind: str, one: Kindred, values: Mapping[str, Value], streams: Streams, jobs: int) -> Feed:
    """The arrivals of one type, in operational time."""
    gaps = _truncated(Gamma(one.aarr * one.arar, one.barr), LONGEST_LOG_GAP, streams.of(f"{kind}.gaps"), jobs)
    other = others_cycle(values)
    cycle = gamma_day(one.anum, one.bnum) if other is None else other
    return Feed(np.cumsum(np.exp(gaps)), cycle)


def _jobs(kind: str, one: Kindred, processors: int, streams: Streams, count: int) -> Stream:
    """Sizes and run times of *count* jobs of one type."""
    sizes = np.minimum(_sizes(one, streams.of(f"{kind}.sizes"), count), processors)
    first, second = Gamma(one.a1, one.b1), Gamma(one.a2, one.b2)
    inside = [float(branch.cdf(np.array([LONGEST_LOG]))[0]) for branch in (first, second)]
    share = np.clip(one.pa * sizes + one.pb, 0.0, 1.0)
    # Both branches are cut by themselves, so their shares are those after the cut.
    kept = share * inside[0] + (1.0 - share) * inside[1]
    if kept.min() < 1e-6:
        raise BadValue("a1", one.a1, f"such that logarithms of run times are below {LONGEST_LOG:g}")
    which = streams.of(f"{kind}.branches").random(count) < share * inside[0] / kept
    logs = np.where(
        which,
        _truncated(first, LONGEST_LOG, streams.of(f"{kind}.run1"), count),
        _truncated(second, LONGEST_LOG, streams.of(f"{kind}.run2"), count),
    )
    queue = {"interactive": _INTERACTIVE_QUEUE, "batch": _BATCH_QUEUE}.get(kind)
    columns = {} if queue is None else {"queue": np.full(count, queue)}
    return Stream(sizes, np.floor(np.exp(logs)), columns)


def _sizes(one: Kindred, generator: np.random.Generator, count: int) -> Floats:
    """Sizes: one number decides between serial, power of two and any; two-stage uniform logarithms."""
    decide, stage, place = generator.random((3, count))
    lower = stage < one.uprob
    low, high = np.where(lower, one.ulow, one.umed), np.where(lower, one.umed, one.uhi)
    logs = low + place * (high - low)
    logs = np.where(decide <= one.serial + one.pow2, np.rint(logs), logs)
    return np.where(decide <= one.serial, 1.0, np.maximum(1.0, np.rint(np.exp2(logs))))


def _truncated(law: Gamma, most: float, generator: np.random.Generator, count: int) -> Floats:
    """Draws of *law*, again while they are above *most*."""
    check_reachable(law, most)
    drawn = law.sample(generator, count)
    while (beyond := np.flatnonzero(drawn > most)).size:
        drawn[beyond] = law.sample(generator, beyond.size)
    return drawn


def _other_arrivals(
    name: str, values: Mapping[str, Value], streams: Streams, types: Mapping[str, Kindred]
) -> Workload:
    """The model's jobs at the arrivals of another process: types mixed as their mean gaps imply."""
    rates = np.array([1.0 / one.mean_gap_s() for one in types.values()])
    jobs, processors = whole(values, "jobs"), whole(values, "processors")
    coming = arrived(values, streams, 1.0 / float(rates.sum()))
    other = others_cycle(values)
    cycle = gamma_day(UNTYPED.anum, UNTYPED.bnum) if other is None else other
    kinds = [_jobs(kind, one, processors, streams, jobs) for kind, one in types.items()]
    which = np.searchsorted(np.cumsum(rates / rates.sum())[:-1], streams.of("types").random(jobs))
    pick = np.arange(jobs)

    def mixed(columns: list[Floats]) -> Floats:
        return np.choose(which, columns) if len(columns) > 1 else columns[0][pick]

    all_of_them = Stream(
        mixed([kind.processors for kind in kinds]),
        mixed([kind.run_s for kind in kinds]),
        {key: mixed([kind.columns[key] for kind in kinds]) for key in kinds[0].columns},
    )
    return made(name, values, streams, [all_of_them], [Feed(coming.instants_s, cycle)], coming.user)


MODELS = (
    Generated(
        "lublin",
        "parallel jobs, batch and interactive, with a daily cycle",
        "Lublin and Feitelson 1999, JPDC 2003; parameters of the authors' program",
        PARAMETERS,
        make,
    ),
)
