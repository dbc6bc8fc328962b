"""Models of estimates by name, and their parameters, for models of workloads and for logs that have none."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import cast

import numpy as np

from molokini.model.errors import BadValue
from molokini.model.policy import Kind, Parameter, Value
from molokini.workloads.estimates.rounding import rounded_up
from molokini.workloads.estimates.simple import f_model, phi_model
from molokini.workloads.estimates.tsafrir import LEAST_S, EstimateCount, given_to, modes
from molokini.workloads.streams import Streams
from molokini.workloads.workload import Floats

MODELS: dict[str, str] = {
    "exact": "the run time",
    "f": "uniform from the run time to 1 + f times it (unverified: the name)",
    "phi": "a share phi ends at the request, others at a uniform part of it (Zhang et al., JSSPP 2001)",
    "multiple": "so many times the run time (ours)",
    "rounded": "the next round value (ours)",
    "tsafrir": "few popular values (Tsafrir, Etsion and Feitelson, JSSPP 2005; constants of their program)",
}
"""What the estimates of each model are."""

OWN_PARAMETERS: tuple[Parameter, ...] = (
    Parameter("f", 4.0, "with f: at most 1 + f times the run time", low=0.0, high=1e6, source="ours"),
    Parameter("phi", 0.2, "with phi: the share of exact requests", low=0.0, high=1.0, source="published"),
    Parameter("multiple", 2.0, "with multiple", low=1.0, high=1e6, source="ours"),
    Parameter(
        "most",
        "the longest run time, rounded up",
        "the largest estimate; others are cut to it, and none below its run time",
        unit="s",
        low=1.0,
        high=1e9,
        source="tsafrir: published; others: ours",
        rare=True,
    ),
    Parameter(
        "bins",
        "",
        "with tsafrir: known numbers of jobs, SECONDS:JOBS separated by commas, up to 20",
        Kind.TEXT,
        source="published",
        rare=True,
    ),
)
"""Of the command that gives estimates to a log."""

_PREFIX = "estimate-"
PARAMETERS: tuple[Parameter, ...] = (
    Parameter(
        "estimates", "exact", "how run times are estimated", Kind.CHOICE, choices=tuple(MODELS), source="ours"
    ),
    *(replace(one, name=_PREFIX + one.name) for one in OWN_PARAMETERS),
)
"""Of every model of a workload."""


def estimated(values: Mapping[str, Value], streams: Streams, run_s: Floats, rounded: bool) -> Floats:
    """An estimate for each run time, as a model's *values* ask for it; whole seconds where *rounded*."""
    own = {name.removeprefix(_PREFIX): value for name, value in values.items() if name.startswith(_PREFIX)}
    return estimates(str(values["estimates"]), own, streams, run_s, rounded)


def estimates(
    model: str, values: Mapping[str, Value], streams: Streams, run_s: Floats, rounded: bool = True
) -> Floats:
    """An estimate by *model* for each run time, s; at least the run time, and 1 s.

    Raises BadInput for values that do not go together, as a largest estimate that some jobs outrun.
    """
    generator = streams.of("estimates")
    most_s = cast("float | None", values.get("most"))
    if model == "tsafrir":
        return _tsafrir(generator, run_s, most_s, str(values.get("bins", "")))
    if model == "f":
        found = f_model(generator, run_s, float(cast(float, values["f"])))
    elif model == "phi":
        found = phi_model(generator, run_s, float(cast(float, values["phi"])))
    elif model == "multiple":
        found = run_s * float(cast(float, values["multiple"]))
    elif model == "rounded":
        found = rounded_up(run_s)
    else:
        return run_s
    if most_s is not None:
        found = np.minimum(found, most_s)
    # Beyond this a float no longer tells neighbouring seconds apart.
    found = np.clip(np.ceil(found) if rounded else found, 1.0, 2.0**53)
    return np.maximum(found, run_s)


def _tsafrir(generator: np.random.Generator, run_s: Floats, most_s: float | None, bins: str) -> Floats:
    if not run_s.size:
        return run_s
    if most_s is None:
        most_s = max(LEAST_S, float(rounded_up(np.array([run_s.max()]))[0]))
    times_s, counts = modes(generator, run_s.size, most_s, _known(bins))
    return given_to(generator, run_s, times_s, counts)


def _known(text: str) -> list[EstimateCount]:
    """The pairs of ``SECONDS:JOBS,...``."""
    found = []
    for part in filter(None, text.split(",")):
        time, colon, jobs = part.partition(":")
        try:
            one = EstimateCount(float(time), int(jobs))
        except ValueError:
            colon = ""
        if not colon or not math.isfinite(one.time_s):
            raise BadValue("bins", part, "SECONDS:JOBS, several separated by commas")
        found.append(one)
    return found
