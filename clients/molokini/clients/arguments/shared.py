"""Options that several kinds of commands have."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from molokini.model.declared import argument, option

STANDARD_OUTPUT = "-"
"""In the place of a file's name."""

Setting = Annotated[
    Sequence[str], option(metavar="NAME=VALUE", help="Parameter of the policy or workload; may be repeated.")
]
JsonFile = Annotated[
    str | None,
    option(
        alone=STANDARD_OUTPUT,
        metavar="[FILE|-]",
        help="Write the results as JSON; without FILE, to standard output.",
    ),
]
PlotFile = Annotated[str | None, option(metavar="FILE", help="Draw a picture (.png, .svg, .pdf).")]
OneJob = Annotated[str, argument(metavar="ID", help="Job id, or array element: ID[INDEX].")]
States = Annotated[Sequence[str], option(metavar="STATE", help="Only those in this state; may be repeated.")]


@dataclass(frozen=True, kw_only=True)
class JsonArguments:
    """What commands have that print a table."""

    json_file: Annotated[
        str | None,
        option(
            "--json",
            alone=STANDARD_OUTPUT,
            endings=(".json",),
            metavar="[FILE.json|-]",
            help="Print JSON instead, or write it to FILE.json.",
        ),
    ] = None

    json_goes_on = False
    """Whether it comes piece by piece, without an end of its own."""

    @property
    def json(self) -> bool:
        """Whether JSON is asked for."""
        return self.json_file is not None


@dataclass(frozen=True, kw_only=True)
class CompletionArguments:
    """``molokini completion``."""

    shell: Annotated[str, argument(metavar="SHELL", help="Shell: bash, zsh or fish.")]


SlurmAccounts = Annotated[
    Sequence[str],
    option(metavar="FILE", help="Beside it, output of sacctmgr dump, show assoc, show qos, or sshare."),
]
