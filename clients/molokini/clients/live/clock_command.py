"""The commands on the clock of a live cluster."""

import typer

from molokini.clients.live.arguments import (
    AdvanceArguments,
    ClockArguments,
    RateArguments,
)
from molokini.clients.taking import taking

clock_app = typer.Typer(help="Look at the cluster's clock, and turn it.", rich_markup_mode=None)


@clock_app.command()
@taking(ClockArguments)
def status(arguments: ClockArguments) -> int:
    """Show the clock."""
    from molokini.clients.live.clock import status as run

    return run(arguments)


@clock_app.command()
@taking(AdvanceArguments)
def advance(arguments: AdvanceArguments) -> int:
    """Turn a stepped clock forward.

    Prints the clock when everything on the way has happened."""
    from molokini.clients.live.clock import advance as run

    return run(arguments)


@clock_app.command()
@taking(RateArguments)
def rate(arguments: RateArguments) -> int:
    """Let a scaled clock run at another rate."""
    from molokini.clients.live.clock import rate as run

    return run(arguments)


@clock_app.command()
@taking(ClockArguments)
def pause(arguments: ClockArguments) -> int:
    """Stop the clock."""
    from molokini.clients.live.clock import pause as run

    return run(arguments)


@clock_app.command(name="resume")
@taking(ClockArguments)
def resume_clock(arguments: ClockArguments) -> int:
    """Let the clock go on."""
    from molokini.clients.live.clock import resume as run

    return run(arguments)
