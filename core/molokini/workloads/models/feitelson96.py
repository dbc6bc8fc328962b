"""The model of Feitelson (1996, packing): harmonic sizes, run times that follow them a little, repeated runs.

The archive's page gives the structure. The emphasis of small sizes and powers of two was set by hand in the
paper and could not be had: the factors are ours. So are the three stages of run times, chosen so that mean,
median and variation come near those that Feitelson (JSSPP 2001, Table 2) reports of the model.
"""

from collections.abc import Mapping

import numpy as np

from molokini.model.policy import Kind, Parameter, Value
from molokini.workloads.arriving.feeds import Feed
from molokini.workloads.generator import Generated
from molokini.workloads.models.common import (
    Stream,
    finished,
    in_seconds,
    number,
    one_feed,
    parameters,
    whole,
)
from molokini.workloads.streams import Streams
from molokini.workloads.workload import Floats, Ints, Workload

_MOST_RUNS = 1000
_ROUNDS = 30

PARAMETERS: tuple[Parameter, ...] = (
    *parameters(processors=128, load=0.75),
    Parameter("order", 1.5, "the share of size n is as n^-order", low=0.0, high=10.0, source="published"),
    Parameter("small", 2.0, "sizes 1 to 10 are so many times as likely", low=1e-3, high=1e6, source="ours"),
    Parameter("powers", 4.0, "powers of two are so many times as likely", low=1e-3, high=1e6, source="ours"),
    Parameter(
        "stages",
        "3",
        "of the hyper-exponential run times: 2 as in 1996, 3 as in 1997",
        Kind.CHOICE,
        choices=("2", "3"),
        source="published",
    ),
    Parameter(
        "short",
        0.95,
        "share of the first stage for the smallest jobs",
        low=0.0,
        high=1.0,
        source="unverified for 2 stages",
    ),
    Parameter(
        "less",
        0.2,
        "so much less for jobs of the whole machine",
        low=0.0,
        high=1.0,
        source="unverified for 2 stages",
    ),
    Parameter(
        "means",
        (40.0, 3250.0, 26_400.0),
        "mean of each stage; of 2 stages the first and 7 times it unless given",
        Kind.LIST,
        "s",
        1e-3,
        1e9,
        most=3,
        source="ours; 2 stages: unverified ratio",
    ),
    Parameter(
        "repeats",
        2.5,
        "the share of r runs of a job is as r^-repeats",
        low=1.01,
        high=20.0,
        source="unverified",
    ),
    Parameter(
        "rerun",
        "same",
        "the run time of a job that is run again",
        Kind.CHOICE,
        choices=("same", "other"),
        source="ours",
    ),
)


def make(values: Mapping[str, Value], seed: int) -> Workload:
    """The workload of these *values*: a job is run again as soon as it would end without waiting."""
    streams, jobs, processors = Streams(seed), whole(values, "jobs"), whole(values, "processors")
    runs = _runs(values, streams, jobs)
    size = _sizes(values, streams, processors, jobs)
    same = str(values["rerun"]) == "same"
    head_of = np.repeat(np.arange(jobs), runs)[: 4 * jobs]
    run_s = _run_times(values, streams, size if same else size[head_of], processors)
    run_s = in_seconds(values, run_s[head_of] if same else run_s)
    # When each run begins after the first of its job.
    upto = np.cumsum(run_s) - run_s
    first = np.searchsorted(head_of, np.arange(head_of[-1] + 1))
    offset_s = upto - np.repeat(upto[first], np.diff(np.append(first, head_of.size)))
    (feed,), _ = one_feed(values, streams, 600.0)
    sizes = size[head_of]
    submit_s, kept = _submitted(values, feed, head_of, offset_s, sizes * run_s)
    columns = {"executable": (head_of[kept] + 1).astype(np.float64)}
    return finished(
        f"feitelson96-{seed}", values, streams, submit_s, Stream(sizes[kept], run_s[kept], columns)
    )


def _runs(values: Mapping[str, Value], streams: Streams, jobs: int) -> Ints:
    """How often each job is run."""
    weights = np.arange(1.0, _MOST_RUNS + 1.0) ** -number(values, "repeats")
    upto = np.cumsum(weights) / weights.sum()
    drawn = np.searchsorted(upto, streams.of("repeats").random(jobs)) + 1
    return np.asarray(np.minimum(drawn, _MOST_RUNS), dtype=np.int64)


def _sizes(values: Mapping[str, Value], streams: Streams, processors: int, jobs: int) -> Floats:
    every = np.arange(1, processors + 1)
    weights = every ** -number(values, "order")
    weights[:10] *= number(values, "small")
    weights[(every & (every - 1)) == 0] *= number(values, "powers")
    upto = np.cumsum(weights) / weights.sum()
    drawn = np.searchsorted(upto, streams.of("sizes").random(jobs)) + 1.0
    return np.asarray(np.minimum(drawn, processors), dtype=np.float64)


def _run_times(values: Mapping[str, Value], streams: Streams, sizes: Floats, processors: int) -> Floats:
    """Hyper-exponential; the share of the first stage falls with the size, that of the last rises."""
    means = np.asarray(values["means"], dtype=np.float64)
    share = np.clip(number(values, "short") - number(values, "less") * sizes / processors, 0.0, 1.0)
    chance = streams.of("stages").random(sizes.size)
    if str(values["stages"]) == "2":
        mean_s = np.where(chance < share, means[0], means[1] if means.size == 2 else 7.0 * means[0])
    else:
        # Ours: in three stages the first holds 60% of the share, and the second what is left of it.
        means = np.resize(means, 3)
        mean_s = np.where(chance < 0.6 * share, means[0], np.where(chance < share, means[1], means[2]))
    return np.asarray(mean_s * streams.of("runs").standard_exponential(sizes.size))


def _submitted(
    values: Mapping[str, Value], feed: Feed, head_of: Ints, offset_s: Floats, work: Floats
) -> tuple[Floats, Ints]:
    """When the first ``jobs`` runs come, in order, and which they are; at the load asked for."""
    jobs, processors = whole(values, "jobs"), whole(values, "processors")
    load, stretch = number(values, "load"), 1.0
    for _ in range(_ROUNDS):
        at_s = feed.cycle.clock_s(feed.instants_s[: head_of[-1] + 1] * stretch)[head_of] + offset_s
        chosen = np.argpartition(at_s, jobs - 1)[:jobs]
        times = at_s[chosen]
        span_s = float(times.max() - times.min())
        found = float(work[chosen].sum()) / (processors * span_s) if span_s > 0.0 else load
        if abs(found / load - 1.0) < 1e-4:
            break
        stretch *= found / load
    order = np.argsort(times, kind="stable")
    return times[order] - times[order[0]], chosen[order]


MODELS = (
    Generated(
        "feitelson96",
        "harmonic sizes with powers of two, repeated runs",
        "Feitelson 1996 and 1997, by the archive's page",
        PARAMETERS,
        make,
        note="structure published; the emphasis of sizes and the stages of run times are ours",
    ),
)
