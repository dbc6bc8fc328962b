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
        str | None, argument(metavar="LOG", help="A log, as for simulate (default: list the models).")
    ] = None
    model: Annotated[
        str | None, option(metavar="NAME", help="Model: exact, f, phi, multiple, rounded, tsafrir.")
    ] = None
    output: Annotated[
        str | None,
        option(
            "--output", "-o", metavar="FILE", help="File to write: .swf, .csv or .parquet; .gz compresses."
        ),
    ] = None
    set: Setting = ()
    only_missing: Annotated[bool, option(help="Keep the estimates that jobs already have.")] = False
    jobs: Jobs = None
    seed: Seed = 0
    strict: Strict = False
    input_format: InputFormat = None
    json: JsonFile = None
