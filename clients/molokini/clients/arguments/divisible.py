"""What ``molokini divisible`` takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from molokini.clients.arguments.shared import JsonFile
from molokini.model.declared import option


@dataclass(frozen=True, kw_only=True)
class CostArguments:
    """What divisible loads cost."""

    nodes: Annotated[int, option(metavar="N", help="Number of nodes in the cluster.")] = 16
    cms: Annotated[float, option(metavar="S", help="Seconds to send a unit of load.")] = 1.0
    cps: Annotated[float, option(metavar="S", help="Seconds to compute a unit on one node.")] = 100.0
    st: Annotated[float, option(metavar="S", help="Set-up time of each transmission, in seconds.")] = 0.0
    sc: Annotated[float, option(metavar="S", help="Set-up time of each computation, in seconds.")] = 0.0
    sigma: Annotated[float, option(metavar="UNITS", help="Size of the load.")] = 200.0
    json: JsonFile = None


@dataclass(frozen=True, kw_only=True)
class RangeArguments(CostArguments):
    """``molokini divisible range``."""

    k: Annotated[
        str | None, option(metavar="K,K|A:B", help="Numbers of nodes per job (default: all that divide N).")
    ] = None


@dataclass(frozen=True, kw_only=True)
class SplitArguments(CostArguments):
    """``molokini divisible split``."""

    rule: Annotated[str, option(help="opr: all nodes end together; epr: equal chunks.")] = "opr"
    node: Annotated[
        Sequence[str],
        option(
            metavar="CMS,CPS[,ST[,SC]]",
            help="A node with costs of its own, instead of --nodes; may be repeated (beyond the paper).",
        ),
    ] = ()
