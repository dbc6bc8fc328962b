"""What ``molokini theory`` takes."""

from dataclasses import dataclass
from typing import Annotated

from molokini.clients.arguments.shared import JsonFile, PlotFile
from molokini.experiments.asked import Seed
from molokini.model.declared import option

Distribution = Annotated[
    str,
    option(
        metavar="NAME?key=value",
        help="Distribution of sizes, such as 'bounded-pareto?k=1&p=1e6&alpha=1.1', exponential?scale=1, "
        "'scipy.lognorm?s=2'.",
    ),
]
Loads = Annotated[str, option(metavar="L,L", help="Loads, above 0 and below 1.")]
DEFAULT = "bounded-pareto?k=1&p=1e6&alpha=1.1"


@dataclass(frozen=True, kw_only=True)
class SrptArguments:
    """``molokini theory srpt``."""

    distribution: Distribution = DEFAULT
    load: Loads = "0.5,0.7,0.9"
    simulate: Annotated[
        int | None,
        option(metavar="JOBS", help="Simulate so many jobs of each load beside the formula, by size."),
    ] = None
    seed: Seed = 0
    plot: PlotFile = None
    json: JsonFile = None


@dataclass(frozen=True, kw_only=True)
class SitaArguments:
    """``molokini theory sita``."""

    distribution: Distribution = DEFAULT
    load: Loads = "0.5,0.7,0.9"
    hosts: Annotated[int, option(metavar="H", help="Number of hosts, each FCFS.")] = 2
    json: JsonFile = None


@dataclass(frozen=True, kw_only=True)
class TailArguments:
    """``molokini theory tail``."""

    distribution: Distribution = DEFAULT
    json: JsonFile = None
