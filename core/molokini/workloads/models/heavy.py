"""Jobs of heavy-tailed sizes that arrive as a Poisson process: the queue M/G/1 as a workload, or hosts of it.

Crovella (JSSPP 2001) and Harchol-Balter et al. (same volume): run times are bounded Pareto unless another
distribution is named, estimates exact, times fractions of seconds. Jobs are serial unless ``widths`` says
otherwise; how wide they are and how load is shared out are ours.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from molokini.model.errors import BadInput, BadValue
from molokini.model.policy import Kind, Parameter, Value
from molokini.workloads.distributions import BoundedPareto, Distribution
from molokini.workloads.distributions.named import distribution_of
from molokini.workloads.generator import Generated
from molokini.workloads.models.common import Stream, in_seconds, made, number, one_feed, parameters, whole
from molokini.workloads.streams import Streams
from molokini.workloads.workload import Floats, Workload

_SERIAL, _POWERS = "serial", "powers"

_COMMON = tuple(
    replace(one, default="fractions") if one.name == "seconds" else one
    for one in parameters(processors=2, load=0.7)
)

PARAMETERS: tuple[Parameter, ...] = (
    *_COMMON,
    Parameter(
        "alpha", 1.1, "exponent of the tail of run times", low=0.05, high=20.0, source="Crovella 2001: 0 to 2"
    ),
    Parameter("k", 1.0, "least run time", unit="s", low=1e-3, high=1e9, source="ours"),
    Parameter(
        "p", 1e6, "largest run time", unit="s", low=1e-3, high=1e12, source="Crovella 2001: six decades"
    ),
    Parameter(
        "distribution",
        "",
        "of run times, in the place of the bounded Pareto one: NAME:key=value;key=value",
        Kind.TEXT,
        source="ours",
    ),
    Parameter(
        "widths",
        _SERIAL,
        "jobs take one processor, or a power of two up to the machine, each as often",
        Kind.CHOICE,
        choices=(_SERIAL, _POWERS),
        source="ours",
    ),
)


def sizes_of(values: Mapping[str, Value]) -> Distribution:
    """The distribution of run times that *values* ask for. Raises BadInput, or BadValue."""
    named = str(values["distribution"])
    if not named:
        return BoundedPareto(number(values, "k"), number(values, "p"), number(values, "alpha"))
    found = distribution_of(named)
    if not np.isfinite(found.mean):
        raise BadInput(f"distribution {named}: its mean is infinite; jobs of a load need a finite one")
    return found


def make(values: Mapping[str, Value], seed: int) -> Workload:
    """The workload of these *values*; its load is exact for the run times that were drawn."""
    streams, jobs = Streams(seed), whole(values, "jobs")
    law = sizes_of(values)
    run_s = in_seconds(values, law.sample(streams.of("run"), jobs))
    if not (np.isfinite(run_s).all() and float(run_s.max()) < 1e15):
        raise BadValue("distribution", law.NAME, "run times below 1e15 s; bound the tail (bounded-pareto)")
    feeds, user = one_feed(values, streams, max(law.mean, 1e-6))
    sizes = _widths(streams, values, jobs)
    return made(f"heavy-{seed}", values, streams, [Stream(sizes, run_s)], feeds, user)


def _widths(streams: Streams, values: Mapping[str, Value], jobs: int) -> Floats:
    if str(values["widths"]) == _SERIAL:
        return np.ones(jobs)
    powers = whole(values, "processors").bit_length()
    return np.exp2(np.floor(streams.of("sizes").random(jobs) * powers))


MODELS = (
    Generated(
        "heavy",
        "heavy-tailed run times, Poisson arrivals, serial jobs on two hosts (or one: the queue M/G/1)",
        "Crovella 2001; Harchol-Balter et al. 2001",
        PARAMETERS,
        make,
        note="the mean of a heavy tail is itself random: the load is exact for the jobs that were drawn",
    ),
)
