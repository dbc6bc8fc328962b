"""Options that several kinds of commands have."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from molokini.model.declared import argument, option

Setting = Annotated[
    Sequence[str], option(metavar="NAME=VALUE", help="A parameter of policy or workload; may be repeated.")
]
JsonFile = Annotated[str | None, option(metavar="FILE|-", help="Write the results as JSON.")]
PlotFile = Annotated[str | None, option(metavar="FILE", help="Draw a picture (.png, .svg, .pdf).")]
OneJob = Annotated[str, argument(metavar="ID", help="A job, or an element of an array: ID[INDEX].")]
States = Annotated[Sequence[str], option(metavar="STATE", help="In this state; may be repeated.")]


@dataclass(frozen=True, kw_only=True)
class JsonArguments:
    """What commands have that print a table."""

    json: Annotated[bool, option(help="Print JSON.")] = False
