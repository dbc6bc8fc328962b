"""What ``molokini config`` takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from molokini.clients.arguments.shared import JsonFile
from molokini.model.declared import argument, option

KnownNodes = Annotated[
    str | None,
    option(
        metavar="NAMES",
        help="Names of all nodes, such as node[001-064],io1; a maui.cfg with others is refused.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class CheckConfigArguments:
    """``molokini config check``."""

    file: Annotated[
        str,
        argument(
            metavar="FILE",
            help="A maui.cfg, its TOML form (name ends in .toml), a slurm.conf, or a pack of 'collect'.",
        ),
    ]
    nodes: KnownNodes = None
    slurm_accounts: Annotated[
        Sequence[str],
        option(metavar="FILE", help="Of a slurm.conf: output of sacctmgr dump, show assoc or show qos."),
    ] = ()
    json: JsonFile = None


@dataclass(frozen=True, kw_only=True)
class ConvertConfigArguments:
    """``molokini config convert``."""

    source: Annotated[str, argument(metavar="IN", help="A maui.cfg, or TOML (.toml).")]
    target: Annotated[
        str, argument(metavar="OUT", help="File to write: TOML if its name ends in .toml, else maui.cfg.")
    ]
    nodes: KnownNodes = None


@dataclass(frozen=True, kw_only=True)
class ParametersArguments:
    """``molokini config parameters``."""

    name: Annotated[
        str | None, argument(metavar="NAME", help="Only this parameter, or this object's attributes.")
    ] = None
    json: JsonFile = None
