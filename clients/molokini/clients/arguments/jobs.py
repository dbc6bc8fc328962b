"""What the commands take that list, follow and change jobs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from molokini.clients.arguments.shared import JsonArguments, OneJob, States
from molokini.model.declared import Behind, argument, option

SomeJobs = Annotated[Sequence[str], argument(metavar="ID", help="Only these jobs.")]
Users = Annotated[Sequence[str], option(metavar="NAME", help="Of this user; may be repeated.")]
Jobs = Annotated[Sequence[str], argument(metavar="ID", help="Jobs, or elements of arrays: ID[INDEX].")]

HoldKind = Annotated[str, option(metavar="WHOSE", help="user, operator or system.")]


@dataclass(frozen=True, kw_only=True)
class JobsArguments(JsonArguments):
    """``molokini jobs``."""

    ids: SomeJobs = ()
    user: Users = ()
    queue: Annotated[Sequence[str], option(metavar="NAME", help="In this queue; may be repeated.")] = ()
    state: States = ()
    name: Annotated[str | None, option(metavar="TEXT", help="With exactly this name.")] = None
    all: Annotated[bool, option(help="Ended ones, too.")] = False
    deadline_met: Annotated[
        bool | None,
        option(
            "--deadline-met/--deadline-missed", help="Only those that have met, or missed, their deadlines."
        ),
    ] = None
    elements: Annotated[
        bool,
        option(
            help="A line for each element of an array that is a candidate, or has been; others have none."
        ),
    ] = False
    usage: Annotated[
        bool, option(help="What ended jobs have used, and how that fits what they asked for.")
    ] = False


@dataclass(frozen=True, kw_only=True)
class OneJobArguments(JsonArguments):
    """``molokini explain`` and ``forecast``."""

    job: OneJob


@dataclass(frozen=True, kw_only=True)
class LogsArguments:
    """``molokini logs``."""

    job: OneJob
    follow: Annotated[bool, option(help="Wait for more until the job has ended; of all its nodes.")] = False
    error: Annotated[bool, option(help="Its standard error, where that is another file.")] = False
    node: Annotated[str | None, option(metavar="NAME", help="What it writes on this one of its nodes.")] = (
        None
    )


@dataclass(frozen=True, kw_only=True)
class JobArguments(OneJobArguments):
    """``molokini job``."""

    usage: Annotated[
        bool, option(help="What it has used, how that fits what it asked for, and what would be enough.")
    ] = False


@dataclass(frozen=True, kw_only=True)
class ChangeArguments:
    """``molokini cancel``, ``requeue``, ``suspend`` and ``resume``."""

    jobs: Jobs
    reason: Annotated[str, option(metavar="TEXT", help="Kept with the job and in the audit log.")] = ""


@dataclass(frozen=True, kw_only=True)
class StartArguments(ChangeArguments):
    """``molokini start``."""

    node: Annotated[
        Sequence[str],
        option(metavar="NODE", help='On these nodes: names, or patterns: "node[001-064]"; may be repeated.'),
    ] = ()
    ignore_limits: Annotated[
        bool, option(help="Although a limit of user, group, account, queue or QOS would be exceeded.")
    ] = False
    ignore_reservations: Annotated[bool, option(help="Also where administrators keep room for others.")] = (
        False
    )


@dataclass(frozen=True, kw_only=True)
class HoldArguments(ChangeArguments):
    """``molokini hold``."""

    hold: HoldKind = "user"


@dataclass(frozen=True, kw_only=True)
class ReleaseArguments(ChangeArguments):
    """``molokini release``."""

    hold: Annotated[HoldKind, Behind("reason")] = "user"
    all_holds: Annotated[bool, option(help="All of them, as an administrator.")] = False


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
        float | None, option(metavar="SECONDS", help="Give up after so long, with exit code 124.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class WatchArguments(JsonArguments):
    """``molokini watch``."""

    json_goes_on = True

    ids: SomeJobs = ()
    user: Users = ()
    after: Annotated[
        int | None, option(metavar="N", help="Changes after this number; 0: all that are kept.")
    ] = None
    count: Annotated[int | None, option(metavar="N", help="Stop after N changes.")] = None
