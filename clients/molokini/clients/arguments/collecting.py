"""What ``molokini collect`` takes."""

from dataclasses import dataclass
from typing import Annotated

from molokini.model.declared import option


@dataclass(frozen=True, kw_only=True)
class CollectSlurmArguments:
    """``molokini collect slurm``."""

    days: Annotated[int, option(metavar="N", help="Days of jobs, up to now.")] = 90
    output: Annotated[str, option("--output", "-o", metavar="FILE", help="The file to write.")] = (
        "site.tar.gz"
    )
    conf: Annotated[
        str | None, option(metavar="FILE", help="The slurm.conf, where it is not found by itself.")
    ] = None
    keep_names: Annotated[bool, option(help="Keep the names of users, groups and accounts.")] = False
