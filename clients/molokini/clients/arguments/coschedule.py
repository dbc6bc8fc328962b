"""What ``molokini coschedule`` takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from molokini.clients.arguments.shared import JsonFile, PlotFile
from molokini.model.declared import argument, option

ScenarioFile = Annotated[str, argument(metavar="SCENARIO.toml", help="Scenario file.")]
Admission = Annotated[
    bool | None, option("--admission/--no-admission", help="With or without admission control.")
]
_LOCAL = (
    "spin, sb, sy, dcs, dcs-sb, dcs-sy, pb, pb-sb, pb-sy, WAIT+ARRIVAL as block+boost, "
    "a named policy as csm (docs/coscheduling.md), or FILE.py"
)
Setting = Annotated[
    Sequence[str],
    option(metavar="NAME=VALUE", help="Parameter of a named policy, as mnod=3; may be repeated."),
]
_SCHEME = "local, 1gs, 2dcs-tdm, 2dcs-ps, or a named policy as dhc"


@dataclass(frozen=True, kw_only=True)
class ExplainArguments:
    """``molokini coschedule explain``."""

    scenario: ScenarioFile
    json: JsonFile = None


@dataclass(frozen=True, kw_only=True)
class OneRunArguments:
    """One way to schedule."""

    scenario: ScenarioFile
    local: Annotated[str | None, option(metavar="NAME", help=f"A local policy: {_LOCAL}.")] = None
    scheme: Annotated[str | None, option(metavar="NAME", help=f"A scheme: {_SCHEME}.")] = None
    set: Setting = ()
    admission: Admission = None
    seed: Annotated[int | None, option(metavar="N", help="Random seed, instead of the scenario's.")] = None
    json: JsonFile = None


@dataclass(frozen=True, kw_only=True)
class RunScenarioArguments(OneRunArguments):
    """``molokini coschedule run``."""

    jobs: Annotated[str | None, option(metavar="FILE", help="Write a table of jobs (.csv, .parquet).")] = None
    cpus: Annotated[str | None, option(metavar="FILE", help="Write a table of CPUs (.csv, .parquet).")] = None
    plot: Annotated[
        str | None,
        option(metavar="FILE", help="Draw rates and targets by iteration, and periods (.png, .svg, .pdf)."),
    ] = None


@dataclass(frozen=True, kw_only=True)
class TimelineArguments(OneRunArguments):
    """``molokini coschedule timeline``."""

    begin: Annotated[float, option("--from", metavar="S", help="Begin at this second.")] = 0.0
    end: Annotated[float | None, option("--to", metavar="S", help="End at this second.")] = None
    plot: PlotFile = None
    html: Annotated[
        str | None,
        option(metavar="FILE", help="Write the timeline as one page that opens in a browser."),
    ] = None


@dataclass(frozen=True, kw_only=True)
class CompareWaysArguments:
    """``molokini coschedule compare``."""

    scenario: ScenarioFile
    local: Annotated[
        Sequence[str], option(metavar="NAME", help=f"A local policy; may be repeated: {_LOCAL}.")
    ] = ()
    scheme: Annotated[
        Sequence[str], option(metavar="NAME", help=f"A scheme; may be repeated: {_SCHEME}.")
    ] = ()
    set: Setting = ()
    admission: Admission = None
    seeds: Annotated[
        int, option(metavar="N", help="Number of runs of each, with seeds from the scenario's on.")
    ] = 3
    rt_rate: Annotated[
        str | None, option(metavar="L,L|A:B:STEP", help="Offered loads of arriving real-time jobs.")
    ] = None
    be_rate: Annotated[
        str | None, option(metavar="L,L|A:B:STEP", help="Offered loads of arriving best-effort jobs.")
    ] = None
    workers: Annotated[
        int | None, option(metavar="N", help="Number of worker processes (default: one per core).")
    ] = None
    json: JsonFile = None
    plot: PlotFile = None
