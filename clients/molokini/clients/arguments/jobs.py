"""What the commands take that list, follow and change jobs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from molokini.clients.arguments.shared import JsonArguments, OneJob, States
from molokini.model.declared import Behind, argument, option

SomeJobs = Annotated[Sequence[str], argument(metavar="ID", help="Only these jobs.")]
Users = Annotated[Sequence[str], option(metavar="NAME", help="Only jobs of this user; may be repeated.")]
Jobs = Annotated[Sequence[str], argument(metavar="ID", help="Job ids, or array elements: ID[INDEX].")]

HoldKind = Annotated[str, option(metavar="WHOSE", help="Kind of hold: user, operator or system.")]


@dataclass(frozen=True, kw_only=True)
class JobsArguments(JsonArguments):
    """``molokini jobs``."""

    ids: SomeJobs = ()
    user: Users = ()
    queue: Annotated[
        Sequence[str], option(metavar="NAME", help="Only jobs in this queue; may be repeated.")
    ] = ()
    state: States = ()
    name: Annotated[str | None, option(metavar="TEXT", help="Only jobs with exactly this name.")] = None
    all: Annotated[bool, option(help="Include ended jobs.")] = False
    deadline_met: Annotated[
        bool | None,
        option("--deadline-met/--deadline-missed", help="Only jobs that met, or missed, their deadlines."),
    ] = None
    elements: Annotated[
        bool,
        option(help="Print a line for each array element that is, or was, a candidate to start."),
    ] = False
    usage: Annotated[
        bool, option(help="Show what ended jobs have used, compared with what they asked for.")
    ] = False


@dataclass(frozen=True, kw_only=True)
class OneJobArguments(JsonArguments):
    """``molokini explain``."""

    job: OneJob


@dataclass(frozen=True, kw_only=True)
class ForecastArguments(OneJobArguments):
    """``molokini forecast``."""

    alternatives: Annotated[
        bool, option(help="Show, too, when it would start with fewer processors, or a shorter estimate.")
    ] = False


@dataclass(frozen=True, kw_only=True)
class LogsArguments:
    """``molokini logs``."""

    job: OneJob
    follow: Annotated[bool, option(help="Follow the output on all its nodes until the job has ended.")] = (
        False
    )
    error: Annotated[bool, option(help="Print standard error, if it goes to a separate file.")] = False
    node: Annotated[str | None, option(metavar="NAME", help="Print only the output on this node.")] = None


@dataclass(frozen=True, kw_only=True)
class JobArguments(OneJobArguments):
    """``molokini job``."""

    usage: Annotated[
        bool, option(help="Show what the job has used, what it asked for, and what would be enough.")
    ] = False


@dataclass(frozen=True, kw_only=True)
class ChangeArguments:
    """``molokini cancel``, ``requeue``, ``suspend`` and ``resume``."""

    jobs: Jobs
    reason: Annotated[str, option(metavar="TEXT", help="Reason, kept with the job and in the audit log.")] = (
        ""
    )


@dataclass(frozen=True, kw_only=True)
class StartArguments(ChangeArguments):
    """``molokini start``."""

    node: Annotated[
        Sequence[str],
        option(
            metavar="NODE",
            help='Start on these nodes: names or patterns, such as "node[001-064]"; may be repeated.',
        ),
    ] = ()
    ignore_limits: Annotated[
        bool, option(help="Exceed limits of user, group, account, queue or QOS if necessary.")
    ] = False
    ignore_reservations: Annotated[
        bool, option(help="Use processors that administrators have reserved for others, too.")
    ] = False


@dataclass(frozen=True, kw_only=True)
class HoldArguments(ChangeArguments):
    """``molokini hold``."""

    hold: HoldKind = "user"


@dataclass(frozen=True, kw_only=True)
class ReleaseArguments(ChangeArguments):
    """``molokini release``."""

    hold: Annotated[HoldKind, Behind("reason")] = "user"
    all_holds: Annotated[bool, option(help="Release all holds; requires the role administrator.")] = False


@dataclass(frozen=True, kw_only=True)
class SignalArguments:
    """``molokini signal``."""

    signal: Annotated[str, argument(metavar="SIGNAL", help="A number from 1 to 64, or a name such as TERM.")]
    jobs: Jobs


@dataclass(frozen=True, kw_only=True)
class WaitArguments(JsonArguments):
    """``molokini wait``."""

    jobs: Jobs
    timeout: Annotated[
        float | None, option(metavar="SECONDS", help="Give up after this time, with exit code 124.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class WatchArguments(JsonArguments):
    """``molokini watch``."""

    json_goes_on = True

    ids: SomeJobs = ()
    user: Users = ()
    after: Annotated[
        int | None,
        option(metavar="N", help="Print changes after change number N; 0: all that the server keeps."),
    ] = None
    count: Annotated[int | None, option(metavar="N", help="Stop after N changes.")] = None
