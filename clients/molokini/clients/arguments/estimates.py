"""What ``molokini workload estimates`` takes."""

from dataclasses import dataclass
from typing import Annotated

from molokini.clients.arguments.shared import JsonFile, Setting
from molokini.experiments.asked import InputFormat, Jobs, Seed, Strict
from molokini.model.declared import argument, option


@dataclass(frozen=True, kw_only=True)
class EstimatesArguments:
    """``molokini workload estimates``."""

    log: Annotated[
        str | None, argument(metavar="LOG", help="A log, as for simulate; without, the models are listed.")
    ] = None
    model: Annotated[
        str | None, option(metavar="NAME", help="exact, f, phi, multiple, rounded, tsafrir.")
    ] = None
    output: Annotated[
        str | None,
        option("--output", "-o", metavar="FILE", help="Format by the ending: .swf, .csv, .parquet; .gz."),
    ] = None
    set: Setting = ()
    only_missing: Annotated[bool, option(help="Leave estimates alone that jobs have.")] = False
    jobs: Jobs = None
    seed: Seed = 0
    strict: Strict = False
    input_format: InputFormat = None
    json: JsonFile = None
