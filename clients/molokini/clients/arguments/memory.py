"""What ``molokini memory`` takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from molokini.clients.arguments.shared import JsonFile, PlotFile
from molokini.model.declared import argument, option


@dataclass(frozen=True, kw_only=True)
class CurvesArguments:
    """``molokini memory curves``."""

    sources: Annotated[
        Sequence[str],
        argument(
            metavar="TRACE|synthetic",
            help="Traces (an address per line, or .npy), synthetic (the six programs), or "
            "'knee?theta=400&footprint=2000', 'cliff?at=800&footprint=1000&above=0.1'.",
        ),
    ] = ()
    block: Annotated[int, option(metavar="BYTES", help="Size of a block of a trace.")] = 4096
    sizes: Annotated[
        str | None, option(metavar="N,N", help="Memory sizes to list, in blocks (default: powers of two).")
    ] = None
    plot: PlotFile = None
    json: JsonFile = None


@dataclass(frozen=True, kw_only=True)
class PackArguments:
    """``molokini memory pack``."""

    jobs: Annotated[str, argument(metavar="JOBS.toml", help="Jobs with their miss-rate curves; see docs.")]
    processors: Annotated[
        int, option("--processors", "--procs", metavar="P", help="Processors that share the memory.")
    ] = 3
    slices: Annotated[
        int | None, option(metavar="S", help="Time slices (default: as many as the idle time asks for).")
    ] = None
    blocks: Annotated[
        int | None, option(metavar="N", help="Blocks of memory (default: blocks in the file).")
    ] = None
    latency: Annotated[
        float | None,
        option(
            metavar="L", help="Time of a miss, in slices, for the idle time (default: of the file, or 0)."
        ),
    ] = None
    quantum: Annotated[
        float | None,
        option(metavar="REFS", help="References of a slice (default: so many that switching is free)."),
    ] = None
    hull: Annotated[
        bool, option("--hull/--greedy", help="Gains of the convex hull, or of the curve as in the paper.")
    ] = True
    json: JsonFile = None
