"""The commands on the bank of a live cluster."""

import typer

from molokini.clients.live.arguments import (
    BalanceArguments,
    BookArguments,
    DepositArguments,
    RefundArguments,
    StatementArguments,
)
from molokini.clients.taking import taking

bank_app = typer.Typer(help="Accounts of the bank: balances, bookings, statements.", rich_markup_mode=None)


@bank_app.command()
@taking(BalanceArguments)
def balance(arguments: BalanceArguments) -> int:
    """Show what accounts have, have set aside and have paid."""
    from molokini.clients.live.bank import balance as run

    return run(arguments)


@bank_app.command()
@taking(DepositArguments)
def deposit(arguments: DepositArguments) -> int:
    """Put processor-seconds into an account."""
    from molokini.clients.live.bank import deposit as run

    return run(arguments)


@bank_app.command()
@taking(BookArguments)
def withdraw(arguments: BookArguments) -> int:
    """Take processor-seconds out of an account: what it has beside its liens."""
    from molokini.clients.live.bank import withdraw as run

    return run(arguments)


@bank_app.command()
@taking(RefundArguments)
def refund(arguments: RefundArguments) -> int:
    """Give an account back what a job has cost."""
    from molokini.clients.live.bank import refund as run

    return run(arguments)


@bank_app.command()
@taking(StatementArguments)
def statement(arguments: StatementArguments) -> int:
    """Show what was booked last, by hand and for jobs."""
    from molokini.clients.live.bank import statement as run

    return run(arguments)
