"""Sizes and run times uniform in log space, gaps exponential, as Zhou and Brent have it (JSSPP 2001).

They take it from Downey (1997), where the total work of moldable jobs is log-uniform, and change it a little
without saying how. The bounds of run times are not in their paper.
"""

from collections.abc import Mapping

import numpy as np

from molokini.model.errors import BadValue
from molokini.model.policy import Kind, Parameter, Value
from molokini.workloads.distributions import LogUniform
from molokini.workloads.generator import Generated
from molokini.workloads.models.common import Stream, in_seconds, made, number, one_feed, parameters, whole
from molokini.workloads.streams import Streams
from molokini.workloads.workload import Floats, Workload

_NEAREST, _POWERS = "nearest", "powers"

PARAMETERS: tuple[Parameter, ...] = (
    *parameters(processors=128, load=0.7),
    Parameter("least-run", 1.0, "least run time", unit="s", low=1e-3, high=1e12, source="ours"),
    Parameter("most-run", 100_000.0, "largest run time", unit="s", low=1e-3, high=1e12, source="ours"),
    Parameter(
        "sizes",
        _NEAREST,
        "log-uniform from 1 to the machine: rounded to the nearest whole number, or powers of two alone, "
        "each as often",
        Kind.CHOICE,
        choices=(_NEAREST, _POWERS),
        source="published: log-uniform; ours: the rounding",
    ),
)


def make(values: Mapping[str, Value], seed: int) -> Workload:
    """The workload of these *values*. Raises BadValue for bounds the wrong way round."""
    streams, jobs = Streams(seed), whole(values, "jobs")
    low, high = number(values, "least-run"), number(values, "most-run")
    if not low < high:
        raise BadValue("most-run", high, f"above least-run ({low:g})")
    run_s = in_seconds(values, LogUniform((low, high)).sample(streams.of("run"), jobs))
    sizes = _sizes(streams.of("sizes").random(jobs), whole(values, "processors"), str(values["sizes"]))
    feeds, user = one_feed(values, streams, 600.0)
    return made(f"uniform-log-{seed}", values, streams, [Stream(sizes, run_s)], feeds, user)


def _sizes(chance: Floats, processors: int, how: str) -> Floats:
    """Processors of jobs, by numbers that are uniform from 0 to 1."""
    if how == _POWERS:
        return np.exp2(np.floor(chance * processors.bit_length()))
    return np.rint(processors**chance)


MODELS = (
    Generated(
        "uniform-log",
        "sizes and run times log-uniform, gaps exponential",
        "Zhou and Brent 2001, after Downey 1997",
        PARAMETERS,
        make,
        note="bounds of run times and the rounding of sizes are ours",
    ),
)
