"""What the commands take on nodes, agents, queues, the policy and the clock."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from molokini.clients.arguments.shared import JsonArguments, States
from molokini.model.declared import argument, option

Parameters = Annotated[
    Sequence[str], option(metavar="NAME=VALUE", help="A parameter of the policy; may be repeated.")
]


@dataclass(frozen=True, kw_only=True)
class NodesArguments(JsonArguments):
    """``molokini nodes``."""

    names: Annotated[
        Sequence[str], argument(metavar="NODE", help='Names, or patterns: "node[001-064]".')
    ] = ()
    state: States = ()
    drain: Annotated[bool, option(help="Let no new jobs start on these nodes.")] = False
    resume: Annotated[bool, option(help="Let these nodes take work again.")] = False
    down: Annotated[bool, option(help="Give these nodes up, with what runs there.")] = False
    reason: Annotated[str, option(metavar="TEXT", help="Shown with the nodes.")] = ""


@dataclass(frozen=True, kw_only=True)
class AgentsArguments(JsonArguments):
    """``molokini agents``."""

    names: Annotated[Sequence[str], argument(metavar="AGENT", help="Only these agents.")] = ()
    release: Annotated[
        bool,
        option(
            help="Let another agent take these names at once; an agent that is connected is sent away. "
            "Make sure that nothing runs there any more."
        ),
    ] = False


@dataclass(frozen=True, kw_only=True)
class QueuesArguments(JsonArguments):
    """``molokini queues``."""

    names: Annotated[Sequence[str], argument(metavar="QUEUE", help="Only these queues.")] = ()
    set: Annotated[
        Sequence[str],
        option(metavar="FIELD=VALUE", help="Change (or make) the named queue; may be repeated."),
    ] = ()
    remove: Annotated[bool, option(help="Take the named queue away; it must be empty.")] = False


@dataclass(frozen=True, kw_only=True)
class PolicyArguments(JsonArguments):
    """``molokini policy``."""

    name: Annotated[str | None, argument(metavar="NAME", help="Let this policy decide from now on.")] = None
    set: Parameters = ()


@dataclass(frozen=True, kw_only=True)
class ScheduleArguments(JsonArguments):
    """``molokini schedule``."""

    once: Annotated[bool, option(help="One iteration now, told step by step.")] = False
    dry_run: Annotated[bool, option(help="Only tell what would be decided.")] = False


@dataclass(frozen=True, kw_only=True)
class ShadowArguments(JsonArguments):
    """``molokini shadow``."""

    json_goes_on = True

    policy: Annotated[
        str | None, option(metavar="NAME", help="The policy that looks on; else the running one.")
    ] = None
    maui_config: Annotated[
        str | None, option(metavar="FILE", help="The policy maui as this maui.cfg (or .toml) says.")
    ] = None
    set: Parameters = ()
    every: Annotated[str, option(metavar="TIME", help="From report to report, on the scheduling clock.")] = (
        "24:00:00"
    )
    count: Annotated[int | None, option(metavar="N", help="Stop after N reports.")] = None


@dataclass(frozen=True, kw_only=True)
class AdvanceArguments(JsonArguments):
    """``molokini clock advance``."""

    seconds: Annotated[str, argument(metavar="SECONDS", help="Seconds, or H:MM:SS.")]


@dataclass(frozen=True, kw_only=True)
class PauseArguments(JsonArguments):
    """``molokini scheduling pause``."""

    after: Annotated[int, option(metavar="N", help="So many passes are still made.")] = 0
    at_once: Annotated[bool, option(help="Make these passes now, not when something happens.")] = False
    reason: Annotated[str, option(metavar="TEXT", help="Shown with the scheduler, and audited.")] = ""


@dataclass(frozen=True, kw_only=True)
class RateArguments(JsonArguments):
    """``molokini clock rate``."""

    rate: Annotated[float, argument(metavar="N", help="Seconds of the clock a second of real time.")]
