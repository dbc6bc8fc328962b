"""A stand-in for the base workload of a study of gang scheduling, and for its variants.

Zhang, Franke, Moreira and Sivasubramaniam (JSSPP 2001) fit hyper-Erlang distributions of common order to gaps
and run times of ASCI Blue-Pacific, by classes of sizes, and print neither parameters nor the log. What they
say is kept: classes of sizes up to 1, 2, 4, ..., 256 processors of 320, each a renewal stream of its own; 30%
of the jobs above 32 processors, with more than 80% of the work; a load of 0.55; longer run times at the same
gaps for the other eight workloads. The rest is ours: docs/decisions/0047.
"""

from collections.abc import Mapping

import numpy as np

from molokini.model.errors import BadInput
from molokini.model.policy import Parameter, Value
from molokini.workloads.arriving.cycles import EVEN
from molokini.workloads.arriving.feeds import Feed
from molokini.workloads.distributions import HyperErlang
from molokini.workloads.generator import Generated
from molokini.workloads.models.common import (
    OWN,
    Stream,
    TooFew,
    in_seconds,
    made,
    number,
    one_feed,
    others_cycle,
    parameters,
    whole,
)
from molokini.workloads.streams import Streams
from molokini.workloads.workload import Floats, Workload

SHARES = (0.16, 0.08, 0.10, 0.14, 0.12, 0.10, 0.15, 0.10, 0.05)
"""Of the jobs, by class: up to 1, 2, 4, ..., 256 processors."""
AT_THE_BOUND = 0.75
"""The share of a class whose size is its upper bound, a power of two; the others are uniform in the class."""
PROCESSORS, LOAD = 320, 0.55

_LOAD = Parameter(
    "load",
    LOAD,
    "offered load at factor 1; the workload offers factor times it",
    low=1e-6,
    high=100.0,
    source="published: 0.55",
)

PARAMETERS: tuple[Parameter, ...] = (
    *(_LOAD if one.name == "load" else one for one in parameters(processors=PROCESSORS)),
    Parameter(
        "factor",
        1.0,
        "run times are so many times as long, at the same gaps: 1, 1.1, ... 1.8 are workloads 0 to 8",
        low=0.01,
        high=100.0,
        source="published",
    ),
    Parameter(
        "median",
        453.0,
        "median run time at factor 1; the paper's 680 s fits its workload 5",
        unit="s",
        low=1.0,
        high=1e6,
        source="published: 680 s; ours: of factor 1.5",
    ),
    Parameter("mean", 5.0, "mean run time in medians", low=1.5, high=100.0, source="ours: set by one figure"),
    Parameter("run-cv", 2.0, "variation of run times", low=1.01, high=20.0, source="ours"),
    Parameter("class-gap-cv", 1.7, "variation of the gaps of a class", low=1.01, high=20.0, source="ours"),
)


def make(values: Mapping[str, Value], seed: int) -> Workload:
    """The workload of these *values*. Raises BadInput for values that do not go together."""
    streams, jobs, factor = Streams(seed), whole(values, "jobs"), number(values, "factor")
    runs = run_times(number(values, "median"), number(values, "mean"), number(values, "run-cv"))
    # Gaps are those of factor 1: the load grows with the run times.
    values = {**values, "load": number(values, "load") * factor}
    name = f"zhang2001-{factor:g}-{seed}"
    gap_s = runs.mean
    if str(values["arrivals"]) != OWN:
        which = np.searchsorted(np.cumsum(SHARES)[:-1], streams.of("classes").random(jobs), side="right")
        kinds = [_jobs(values, streams, place, runs, jobs) for place in range(len(SHARES))]
        sizes = np.choose(which, [kind.processors for kind in kinds])
        mixed = Stream(sizes, np.choose(which, [kind.run_s for kind in kinds]))
        feeds, user = one_feed(values, streams, gap_s)
        return made(name, values, streams, [mixed], feeds, user)
    other = others_cycle(values)
    cycle = EVEN if other is None else other
    for more in (1.3, len(SHARES) / min(SHARES)):
        counts = [min(jobs, int(more * share * jobs) + 500) for share in SHARES]
        kinds = [_jobs(values, streams, place, runs, count) for place, count in enumerate(counts)]
        laws = [gaps(gap_s / share, number(values, "class-gap-cv")) for share in SHARES]
        feeds = [
            Feed(np.cumsum(law.sample(streams.of(f"{place}.gaps"), count)), cycle)
            for place, (law, count) in enumerate(zip(laws, counts, strict=True))
        ]
        try:
            return made(name, values, streams, kinds, feeds)
        except TooFew:
            continue
    raise AssertionError("as many jobs of each class as of all are enough")


def run_times(median_s: float, mean_medians: float, cv: float) -> HyperErlang:
    """The hyper-Erlang distribution of order 1 with this median, mean and variation.

    Two moments are given; the third is the one that has the median. Raises BadInput where none has it.
    """
    from scipy.optimize import brentq  # it takes as long to load as all the rest

    second = 1.0 + cv * cv
    least = 1.5 * second * second

    def law(excess: float) -> HyperErlang:
        return HyperErlang.from_moments(1.0, second, least * excess, 1)

    def beside(log_excess: float) -> float:
        return float(law(1.0 + np.exp(log_excess)).quantile(0.5)) * mean_medians - 1.0

    ends = (-12.0, 12.0)
    if beside(ends[0]) * beside(ends[1]) >= 0.0:
        raise BadInput(
            f"zhang2001: no distribution has a mean of {mean_medians:g} medians and a variation of {cv:g}: "
            "more of one goes with more of the other"
        )
    found = law(1.0 + float(np.exp(brentq(beside, *ends, xtol=1e-10))))
    mean_s = median_s * mean_medians
    return HyperErlang(found.share, found.rate1 / mean_s, found.rate2 / mean_s, found.order)


def gaps(mean_s: float, cv: float) -> HyperErlang:
    """The hyper-Erlang distribution with this mean and variation, and the third moment of a gamma one."""
    square = cv * cv
    found = HyperErlang.from_moments(1.0, 1.0 + square, (1.0 + square) * (1.0 + 2.0 * square))
    return HyperErlang(found.share, found.rate1 / mean_s, found.rate2 / mean_s, found.order)


def _jobs(values: Mapping[str, Value], streams: Streams, place: int, runs: HyperErlang, count: int) -> Stream:
    """Sizes and run times of *count* jobs of the class at *place*."""
    bound = 2**place
    chance = streams.of(f"{place}.sizes").random((2, count))
    inside = bound // 2 + 1.0 + np.floor(chance[1] * (bound - bound // 2))
    sizes: Floats = np.where(chance[0] < AT_THE_BOUND, float(bound), inside)
    run_s = number(values, "factor") * runs.sample(streams.of(f"{place}.runs"), count)
    return Stream(np.minimum(sizes, whole(values, "processors")), in_seconds(values, run_s))


MODELS = (
    Generated(
        "zhang2001",
        "the base workload of a study of gang scheduling, and eight with longer run times",
        "Zhang, Franke, Moreira, Sivasubramaniam, JSSPP 2001: classes of sizes, load; the rest is ours",
        PARAMETERS,
        make,
        note="a stand-in: the fit to ASCI Blue-Pacific was not published",
    ),
)
