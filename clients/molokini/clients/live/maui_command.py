"""What Maui's commands are called here, in the order in which help lists them."""

import typer

from molokini.clients.live.arguments import (
    ChangeParamArguments,
    CheckJobArguments,
    CheckNodeArguments,
    DeleteReservationArguments,
    DiagnoseArguments,
    ReportArguments,
    SetResArguments,
    ShowConfigArguments,
    ShowGridArguments,
    ShowQueueArguments,
    ShowStartArguments,
    ShowStatisticsArguments,
    ShowWindowsArguments,
)
from molokini.clients.taking import taking

maui_app = typer.Typer(help="What Maui's commands show and do.", rich_markup_mode=None)


@maui_app.command()
@taking(ChangeParamArguments)
def changeparam(arguments: ChangeParamArguments) -> int:
    """Change one parameter until the configuration is read again."""
    from molokini.clients.live.maui import changeparam as run

    return run(arguments)


@maui_app.command()
@taking(ShowConfigArguments)
def showconfig(arguments: ShowConfigArguments) -> int:
    """Show each parameter of the configuration with its value."""
    from molokini.clients.live.maui_config import showconfig as run

    return run(arguments)


@maui_app.command()
@taking(DiagnoseArguments)
def diagnose(arguments: DiagnoseArguments) -> int:
    """Show priorities, fairshare, nodes, blocked jobs, reservations, partitions, or limits and their use."""
    from molokini.clients.live.maui import diagnose as run

    return run(arguments)


@maui_app.command()
@taking(ShowQueueArguments)
def showq(arguments: ShowQueueArguments) -> int:
    """Show active, idle and blocked jobs."""
    from molokini.clients.live.maui import showq as run

    return run(arguments)


@maui_app.command()
@taking(ShowStartArguments)
def showstart(arguments: ShowStartArguments) -> int:
    """Show when a job, or one of such a size, could start at the earliest."""
    from molokini.clients.live.maui import showstart as run

    return run(arguments)


@maui_app.command()
@taking(ShowWindowsArguments)
def showbf(arguments: ShowWindowsArguments) -> int:
    """Show what could start now, and for how long."""
    from molokini.clients.live.maui import showbf as run

    return run(arguments)


@maui_app.command()
@taking(ReportArguments)
def showres(arguments: ReportArguments) -> int:
    """Show the reservations of jobs and of administrators."""
    from molokini.clients.live.maui import showres as run

    return run(arguments)


@maui_app.command()
@taking(ShowStatisticsArguments)
def showstats(arguments: ShowStatisticsArguments) -> int:
    """Show what has been finished, and what is left to do."""
    from molokini.clients.live.maui import showstats as run

    return run(arguments)


@maui_app.command()
@taking(ShowGridArguments)
def showgrid(arguments: ShowGridArguments) -> int:
    """Show a statistic of jobs that have ended by their size and wall clock limit."""
    from molokini.clients.live.maui import showgrid as run

    return run(arguments)


@maui_app.command()
@taking(CheckJobArguments)
def checkjob(arguments: CheckJobArguments) -> int:
    """Show all that is known of an open job, and why it does not run."""
    from molokini.clients.live.maui import checkjob as run

    return run(arguments)


@maui_app.command()
@taking(CheckNodeArguments)
def checknode(arguments: CheckNodeArguments) -> int:
    """Show a node, its jobs and its reservations."""
    from molokini.clients.live.maui import checknode as run

    return run(arguments)


@maui_app.command()
@taking(SetResArguments)
def setres(arguments: SetResArguments) -> int:
    """Reserve processors for some."""
    from molokini.clients.live.setres import setres as run

    return run(arguments)


@maui_app.command()
@taking(DeleteReservationArguments)
def releaseres(arguments: DeleteReservationArguments) -> int:
    """Give reservations up."""
    from molokini.clients.live.setres import releaseres as run

    return run(arguments)
