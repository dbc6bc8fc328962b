"""Other run times and estimates for the same jobs, as studies of gang scheduling vary them.

Zhang, Franke, Moreira, Sivasubramaniam, JSSPP 2001: load is made by longer run times at the same gaps
(section 2.1), unlike ``scaling.scale_load``; estimates exceed run times by the model of section 3.
"""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from molokini.model.errors import BadValue
from molokini.workloads.workload import SWF_FIELDS, Floats, Workload

_RUN, _ESTIMATE = SWF_FIELDS.index("run_s"), SWF_FIELDS.index("requested_s")


def lengthen(workload: Workload, factor: float) -> Workload:
    """The same jobs with all run times and estimates *factor* times as long; gaps stay."""
    if not (math.isfinite(factor) and factor > 0):
        raise BadValue("run-time factor", factor, "a number above 0")
    return (
        workload
        if factor == 1
        else _of_lengths(workload, workload.run_s * factor, workload.estimate_s * factor)
    )


def overestimate(workload: Workload, phi: float, seed: int) -> Workload:
    """The same jobs with other estimates: right for a share *phi* of them, for the others too long.

    The run time of these, as a share of the estimate, is uniform on (0, 1]; the factor has no finite mean.
    What a job draws depends on its number and *seed* alone: leaving out jobs changes no other's estimate.
    """
    if not 0 <= phi <= 1:
        raise BadValue("phi", phi, "a number from 0 to 1")
    return _of_lengths(
        workload, workload.run_s, workload.run_s * factors(uniform(workload.number, seed), phi)
    )


def factors(drawn: Floats, phi: float) -> Floats:
    """By how much estimates exceed run times, for numbers *drawn* uniformly from [0, 1)."""
    return np.where(drawn < phi, 1.0, (1.0 - phi) / (1.0 - drawn))


def uniform(numbers: NDArray[np.int64], seed: int) -> Floats:
    """A number in [0, 1) for each of *numbers*, by *seed*: the mixing function of SplitMix64.

    Steele, Lea, Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014.
    """
    once = _mixed(np.array([seed], dtype=np.uint64))
    return np.asarray((_mixed(numbers.astype(np.uint64) ^ once) >> np.uint64(11)) * 2.0**-53, np.float64)


def _mixed(state: NDArray[np.uint64]) -> NDArray[np.uint64]:
    state = (state + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        state = (state ^ (state >> np.uint64(shift))) * np.uint64(factor)
    return state ^ (state >> np.uint64(31))


def _of_lengths(workload: Workload, run_s: Floats, estimate_s: Floats) -> Workload:
    records = workload.records.copy()
    records[:, _RUN], records[:, _ESTIMATE] = run_s, estimate_s
    return replace(workload, run_s=run_s, estimate_s=estimate_s, records=records)
