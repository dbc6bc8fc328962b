"""``molokini bank balance``, ``deposit``, ``withdraw``, ``refund`` and ``statement``."""

from typing import Any

from molokini.client.client import Client
from molokini.client.quantities import MOST_AT_ONCE, whole
from molokini.clients.arguments.bank import (
    BalanceArguments,
    BookArguments,
    DepositArguments,
    RefundArguments,
    StatementArguments,
)
from molokini.clients.live.connection import with_client
from molokini.clients.live.documents import plain
from molokini.clients.show.lines import Column, show_facts, show_json, show_things
from molokini.clients.show.report_tables import show_report
from molokini.clients.show.rich_tables import console, lines
from molokini.model.banks import MOST_AMOUNT
from molokini.model.errors import BadInput
from molokini.model.instants import instant
from molokini.model.text import figure
from molokini.proto.v1.cluster_service_pb2 import (
    DEPOSIT,
    REFUND,
    WITHDRAWAL,
    Account,
    Booking,
    Statement,
)

_COLUMNS = (
    Column("sequence", figures=True, of=lambda one: str(one.sequence)),
    Column("at", of=lambda one: instant(one.at_s)),
    Column("account", of=lambda one: one.account),
    Column("what", of=lambda one: one.what),
    Column("amount", figures=True, of=lambda one: figure(one.amount)),
    Column("balance", figures=True, of=lambda one: figure(one.balance)),
    Column("job", of=lambda one: _job(one.job_id, one.array_index)),
    Column("by", of=lambda one: one.by),
    Column("reason", cut=True, of=lambda one: one.reason),
)


def balance(arguments: BalanceArguments) -> int:
    """Show what accounts have; or lines of a configuration that gives it to them in a simulation."""

    async def work(client: Client) -> dict[str, Any]:
        return await client.report("balances", account=arguments.account)

    found = with_client(work)
    if arguments.account and not found["accounts"]:
        raise BadInput(f"account {arguments.account!r} is unknown to the cluster")
    if arguments.config:
        for one in found["accounts"]:
            left = "INFINITY" if one["available"] is None else str(max(0, one["balance"]))
            lines(console(), [f"ACCOUNTCFG[{one['account']}] ALLOCATION={left}"])
    elif arguments.json:
        show_json("molokini.maui.balances/1", {k: v for k, v in found.items() if k != "schema"})
    else:
        show_report(found)
    return 0


def deposit(arguments: DepositArguments) -> int:
    """Put processor-seconds into an account."""
    return _booked(arguments, DEPOSIT, new=arguments.new)


def withdraw(arguments: BookArguments) -> int:
    """Take processor-seconds out of an account."""
    return _booked(arguments, WITHDRAWAL)


def refund(arguments: RefundArguments) -> int:
    """Give back what a job has cost."""
    return _booked(arguments, REFUND, job=whole("--job", arguments.job))


def _booked(arguments: BookArguments, booking: Booking, **more: Any) -> int:
    amount = whole("AMOUNT", arguments.amount, 1, MOST_AMOUNT)

    async def work(client: Client) -> Account:
        return await client.book(arguments.account, booking, amount, reason=arguments.reason, **more)

    found = with_client(work)
    if arguments.json:
        show_json("molokini.account/1", plain(found))
    else:
        left = "unlimited" if found.unlimited else figure(found.balance - found.liens)
        show_facts(
            {
                "account": found.name,
                "balance": f"{figure(found.balance)} processor-seconds",
                "liens": figure(found.liens),
                "available": left,
            }
        )
    return 0


def statement(arguments: StatementArguments) -> int:
    """Show what was booked last."""

    limit = whole("--limit", arguments.limit, 0, MOST_AT_ONCE)

    async def work(client: Client) -> Statement:
        return await client.statement(arguments.account or "", limit)

    found = with_client(work)
    if arguments.json:
        told = {"entries": [plain(one) for one in found.entries], "truncated": found.truncated}
        show_json("molokini.statement/1", told, rows="entries")
        return 0
    show_things(_COLUMNS, found.entries)
    if found.truncated:
        lines(console(), ["older entries are left out"])
    return 0


def _job(number: int, index: int) -> str:
    if not number:
        return ""
    return str(number) if index < 0 else f"{number}[{index}]"
