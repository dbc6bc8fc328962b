"""Workloads from a seed: the two that the benchmarks use.

The same arguments give the same jobs. Every workload's gaps between arrivals are
exponential (a Poisson process), stretched as a whole until the offered load is the one asked for.
"""

import math
from collections.abc import Callable, Mapping

import numpy as np

from molokini.model.errors import BadValue
from molokini.model.policy import Kind, Parameter, Value
from molokini.workloads.generator import Generated
from molokini.workloads.header import LARGEST_MACHINE
from molokini.workloads.rules import from_records
from molokini.workloads.swf import make_header
from molokini.workloads.workload import SWF_FIELDS, Floats, Workload

MOST_JOBS = 20_000_000
"""Of a generated workload."""

LONGEST_RUN_S = 2 * 86400.0
"""The hard trace's cap on run times, s."""


def benchmark_workload(
    jobs: int = 1_000_000, processors: int = 1024, load: float = 0.85, seed: int = 1
) -> Workload:
    """Many plain jobs: sizes 1, 2, 4 ... 256, each as likely; run times short and long.

    Four run times in five are exponential with a mean of 200 s, the fifth with 5,000 s; estimates
    are 1 to 5 times the run time. Times are not whole seconds. Sizes above the machine are left out.
    """
    _check(jobs, processors, load)
    generator = np.random.default_rng(seed)
    exponent = generator.integers(0, min(8, processors.bit_length() - 1), jobs, endpoint=True)
    sizes = np.exp2(exponent.astype(np.float64))
    run = generator.exponential(np.where(generator.random(jobs) < 0.8, 200.0, 5000.0))
    estimate = run * generator.uniform(1.0, 5.0, jobs)
    submit = _arrivals(generator, sizes * run, processors, load)
    return _workload(f"benchmark-{jobs}-{load:g}-{seed}", processors, submit, run, sizes, estimate)


def hard_workload(jobs: int = 50_000, processors: int = 1024, load: float = 0.85, seed: int = 1) -> Workload:
    """A trace with long queues: a few jobs need all of the machine, run times vary widely.

    A quarter of the jobs is serial; of all, 88% are powers of two, 3% need half of the machine or
    more, 1% all of it. Run times: means of 60, 1,200 and 14,400 s for 40, 40 and 20% of the jobs, at
    most two days; estimates 1 to 5 times as long. All in whole seconds, from 1 on.
    """
    _check(jobs, processors, load)
    generator = np.random.default_rng(seed)
    sizes = _two_stage_sizes(generator, jobs, processors)
    means = generator.choice((60.0, 1200.0, 14400.0), jobs, p=(0.4, 0.4, 0.2))
    run = np.ceil(np.clip(generator.exponential(means), 1.0, LONGEST_RUN_S))
    estimate = np.ceil(run * generator.uniform(1.0, 5.0, jobs))
    submit = np.rint(_arrivals(generator, sizes * run, processors, load))
    return _workload(f"hard-{jobs}-{load:g}-{seed}", processors, submit, run, sizes, estimate)


def _two_stage_sizes(generator: np.random.Generator, jobs: int, processors: int) -> Floats:
    """Sizes whose logarithm is uniform in two stages, a large and a small one near the top."""
    top = math.log2(processors)
    middle, low = 0.75 * top, min(0.8, top)
    upper = generator.random(jobs) < 0.074
    exponent = np.where(
        upper, generator.uniform(middle, top, jobs), generator.uniform(low, max(middle, low), jobs)
    )
    power = generator.random(jobs) < 0.81  # and some of the others by chance
    sizes = np.where(power, 2.0 ** np.rint(exponent), np.rint(2.0**exponent))
    sizes[generator.random(jobs) < 0.25] = 1.0
    return np.clip(sizes, 1.0, processors)


def _arrivals(generator: np.random.Generator, work: Floats, processors: int, load: float) -> Floats:
    """Submit times from 0 on, over a span that *work* (processor-seconds a job) fills to *load*."""
    submit = np.cumsum(generator.exponential(1.0, len(work)))
    submit -= submit[0]
    if len(submit) > 1:
        submit *= work.sum() / (processors * load) / submit[-1]
    return submit


def _workload(
    name: str, processors: int, submit: Floats, run: Floats, sizes: Floats, estimate: Floats
) -> Workload:
    jobs = len(submit)
    records = np.full((jobs, len(SWF_FIELDS)), -1.0)
    columns = {
        "number": np.arange(1.0, jobs + 1),
        "submit_s": submit,
        "run_s": run,
        "allocated_processors": sizes,
        "requested_processors": sizes,
        "requested_s": estimate,
        "status": np.ones(jobs),
    }
    for field, column in columns.items():
        records[:, SWF_FIELDS.index(field)] = column
    header = make_header(
        Version="2.2", Computer=f"generated: {name}", MaxJobs=jobs, MaxRecords=jobs, MaxProcs=processors
    )
    return from_records(name, records, header)


def _check(jobs: int, processors: int, load: float) -> None:
    if jobs < 1:
        raise BadValue("jobs", jobs, "a whole number of 1 or more")
    if processors < 1:
        raise BadValue("processors", processors, "a whole number of 1 or more")
    if not (math.isfinite(load) and load > 0):
        raise BadValue("load", load, "a number above 0")


def _make(maker: Callable[..., Workload]) -> Callable[[Mapping[str, Value], int], Workload]:
    def make(values: Mapping[str, Value], seed: int) -> Workload:
        if seed < 0:
            raise BadValue("seed", seed, "a whole number of 0 or more")
        return maker(seed=seed, **values)

    return make


_OURS = "ours: the workload that measures the speed of replays"
PARAMETERS: tuple[Parameter, ...] = (
    Parameter("jobs", 10_000, "how many jobs", Kind.INTEGER, "jobs", 1, MOST_JOBS, source=_OURS),
    Parameter(
        "processors", 1024, "of the machine", Kind.INTEGER, "processors", 1, LARGEST_MACHINE, source=_OURS
    ),
    Parameter("load", 0.85, "offered load", low=1e-6, high=1000.0, source=_OURS),
)

MODELS = (
    Generated(
        "benchmark",
        "many plain jobs: powers of two, run times short and long",
        "ours",
        PARAMETERS,
        _make(benchmark_workload),
    ),
    Generated(
        "hard",
        "jobs that make long queues: some need the whole machine",
        "ours",
        PARAMETERS,
        _make(hard_workload),
    ),
)
