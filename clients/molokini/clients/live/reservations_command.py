"""The commands on reservations of a live cluster."""

import typer

from molokini.clients.live.arguments import (
    DeleteReservationArguments,
    ReservationsArguments,
    ReserveArguments,
)
from molokini.clients.taking import taking

reservations_app = typer.Typer(help="Keep processors for some, for a while.", rich_markup_mode=None)


@reservations_app.command(name="list")
@taking(ReservationsArguments)
def list_reservations(arguments: ReservationsArguments) -> int:
    """List what is reserved."""
    from molokini.clients.live.reservations import listed as run

    return run(arguments)


@reservations_app.command()
@taking(ReserveArguments)
def create(arguments: ReserveArguments) -> int:
    """Reserve processors, once or again and again.

    Jobs without access start only if they are over before, or leave them free."""
    from molokini.clients.live.reservations import create as run

    return run(arguments)


@reservations_app.command()
@taking(DeleteReservationArguments)
def delete(arguments: DeleteReservationArguments) -> int:
    """Give reservations up."""
    from molokini.clients.live.reservations import delete as run

    return run(arguments)
