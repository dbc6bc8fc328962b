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
    drain: Annotated[bool, option(help="Drain these nodes: no new jobs start on them.")] = False
    resume: Annotated[bool, option(help="Return these nodes to service.")] = False
    down: Annotated[bool, option(help="Mark these nodes as down, and give up the jobs that run there.")] = (
        False
    )
    reason: Annotated[str, option(metavar="TEXT", help="Reason, shown in node listings.")] = ""


@dataclass(frozen=True, kw_only=True)
class AgentsArguments(JsonArguments):
    """``molokini agents``."""

    names: Annotated[Sequence[str], argument(metavar="AGENT", help="Only these agents.")] = ()
    release: Annotated[
        bool,
        option(
            help="Let another agent take these names at once; an agent still connected is disconnected. "
            "First make sure that no job runs there any more."
        ),
    ] = False


@dataclass(frozen=True, kw_only=True)
class QueuesArguments(JsonArguments):
    """``molokini queues``."""

    names: Annotated[Sequence[str], argument(metavar="QUEUE", help="Only these queues.")] = ()
    set: Annotated[
        Sequence[str],
        option(metavar="FIELD=VALUE", help="Change (or create) the named queue; may be repeated."),
    ] = ()
    remove: Annotated[bool, option(help="Remove the named queue, which must be empty.")] = False


@dataclass(frozen=True, kw_only=True)
class PolicyArguments(JsonArguments):
    """``molokini policy``."""

    name: Annotated[str | None, argument(metavar="NAME", help="Policy to use from now on.")] = None
    set: Parameters = ()


@dataclass(frozen=True, kw_only=True)
class ScheduleArguments(JsonArguments):
    """``molokini schedule``."""

    once: Annotated[bool, option(help="Run one iteration now, and report it step by step.")] = False
    dry_run: Annotated[bool, option(help="Only report what the policy would decide.")] = False


@dataclass(frozen=True, kw_only=True)
class ShadowArguments(JsonArguments):
    """``molokini shadow``."""

    json_goes_on = True

    policy: Annotated[
        str | None, option(metavar="NAME", help="Policy to run in shadow mode (default: the one in use).")
    ] = None
    maui_config: Annotated[
        str | None, option(metavar="FILE", help="Run the policy maui with this maui.cfg (or .toml).")
    ] = None
    set: Parameters = ()
    every: Annotated[
        str, option(metavar="TIME", help="Interval between reports, on the scheduling clock.")
    ] = "24:00:00"
    count: Annotated[int | None, option(metavar="N", help="Stop after N reports.")] = None


@dataclass(frozen=True, kw_only=True)
class AdvanceArguments(JsonArguments):
    """``molokini clock advance``."""

    seconds: Annotated[str, argument(metavar="SECONDS", help="Time to advance by: seconds, or H:MM:SS.")]


@dataclass(frozen=True, kw_only=True)
class PauseArguments(JsonArguments):
    """``molokini scheduling pause``."""

    after: Annotated[int, option(metavar="N", help="Pause after N more passes.")] = 0
    at_once: Annotated[bool, option(help="Run these passes now, without waiting for events.")] = False
    reason: Annotated[
        str, option(metavar="TEXT", help="Reason, shown with the scheduler and kept in the audit log.")
    ] = ""


@dataclass(frozen=True, kw_only=True)
class RateArguments(JsonArguments):
    """``molokini clock rate``."""

    rate: Annotated[float, argument(metavar="N", help="Clock seconds per second of real time.")]
