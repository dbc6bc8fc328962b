"""The model of Downey (1997): work and parallelism are log-uniform, run times follow the speedup.

Jobs are moldable in the paper: a scheduler chooses their processors. A log has to say on how many each ran,
so a moldable job becomes a rigid one here, by the rule that ``sizes`` names. The archive's page gives the
structure; the numbers of the fit to the SDSC Paragon could not be verified, and the rates of the two halves
of a day could not be read.
"""

from collections.abc import Mapping

import numpy as np

from molokini.model.errors import BadValue
from molokini.model.policy import Kind, Parameter, Value
from molokini.workloads.arriving.cycles import DAY, Cycle
from molokini.workloads.distributions import LogUniform
from molokini.workloads.generator import Generated
from molokini.workloads.models.common import Stream, in_seconds, made, number, one_feed, parameters, whole
from molokini.workloads.speedup import most_useful, speedup
from molokini.workloads.streams import Streams
from molokini.workloads.workload import Workload

_AVERAGE, _USEFUL, _UNIFORM, _LOG_UNIFORM = "average", "useful", "uniform", "log-uniform"

PARAMETERS: tuple[Parameter, ...] = (
    *parameters(processors=128, load=0.75),
    Parameter(
        "least-work", 8.7, "least work of a job", unit="processor s", low=1e-3, high=1e12, source="unverified"
    ),
    Parameter(
        "most-work", 71_000.0, "most work", unit="processor s", low=1e-3, high=1e12, source="unverified"
    ),
    Parameter(
        "least-parallelism", 1.0, "least average parallelism A", low=1.0, high=2**31 - 1, source="published"
    ),
    Parameter(
        "most-parallelism",
        "the machine",
        "largest average parallelism A",
        low=1.0,
        high=2**31 - 1,
        source="published",
        rare=True,
    ),
    Parameter(
        "sigma", 2.0, "its variation is uniform from 0 to this", low=0.0, high=1000.0, source="unverified"
    ),
    Parameter(
        "sizes",
        _AVERAGE,
        "on how many processors a job ran: its average parallelism, all that are of use, or by chance up to "
        "these",
        Kind.CHOICE,
        choices=(_AVERAGE, _USEFUL, _UNIFORM, _LOG_UNIFORM),
        source="ours",
    ),
    Parameter(
        "day-night",
        2.0,
        "arrivals from 8 to 20 h over those of the other half of the day",
        low=1e-3,
        high=1e3,
        source="published: two halves; ours: the ratio",
    ),
)


def make(values: Mapping[str, Value], seed: int) -> Workload:
    """The workload of these *values*. Raises BadInput for values that do not go together."""
    streams, jobs, processors = Streams(seed), whole(values, "jobs"), whole(values, "processors")
    work = _between(values, "least-work", "most-work").sample(streams.of("work"), jobs)
    least, most = number(values, "least-parallelism"), _most(values, processors)
    if least > most:
        raise BadValue("least-parallelism", least, f"at most the largest, {most:g}")
    uniform = streams.of("parallelism").random(jobs)
    parallelism = least * (most / least) ** uniform
    sigma = streams.of("sigma").random(jobs) * number(values, "sigma")
    useful = np.minimum(most_useful(parallelism, sigma), processors)
    chance = streams.of("sizes").random(jobs)
    how = str(values["sizes"])
    if how == _USEFUL:
        sizes = useful
    elif how == _UNIFORM:
        sizes = np.floor(1.0 + chance * useful)
    elif how == _LOG_UNIFORM:
        sizes = np.floor((useful + 1.0) ** chance)
    else:
        sizes = np.rint(parallelism)
    sizes = np.clip(sizes, 1.0, processors)
    run_s = in_seconds(values, work / speedup(sizes, parallelism, sigma))
    ratio = number(values, "day-night")
    # The halves of the day, from midnight on: 8 hours, 12, 4.
    halves = Cycle.of([1.0] * 16 + [ratio] * 24 + [1.0] * (DAY - 40))
    feeds, user = one_feed(values, streams, 600.0, halves)
    return made(f"downey-{seed}", values, streams, [Stream(sizes, run_s)], feeds, user)


def _between(values: Mapping[str, Value], least: str, most: str) -> LogUniform:
    low, high = number(values, least), number(values, most)
    if not low < high:
        raise BadValue(most, high, f"above {least} ({low:g})")
    return LogUniform((low, high))


def _most(values: Mapping[str, Value], processors: int) -> float:
    return number(values, "most-parallelism") if "most-parallelism" in values else float(processors)


MODELS = (
    Generated(
        "downey",
        "work and parallelism log-uniform, run times by a speedup function",
        "Downey 1997, by the archive's page",
        PARAMETERS,
        make,
        note="limits of work and sigma could not be verified, the rates of day and night could not be had",
    ),
)
