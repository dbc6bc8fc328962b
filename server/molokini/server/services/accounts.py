"""Accounts of the bank on the wire: bookings, statements, and which accounts a caller may see."""

from collections.abc import Container

from molokini.model.banks import Booking
from molokini.model.errors import BadValue, UnknownName
from molokini.proto.v1 import cluster_service_pb2 as wire
from molokini.server.security.permissions import Action, require
from molokini.server.security.roles import Role, caller
from molokini.server.server import Server
from molokini.server.state.ledger import Entry
from molokini.server.turn.banking import BookAccount

_BOOKINGS = {
    wire.DEPOSIT: Booking.DEPOSIT,
    wire.WITHDRAWAL: Booking.WITHDRAWAL,
    wire.REFUND: Booking.REFUND,
}
_ENTRIES = 1000
MOST_ENTRIES = 10_000


class _All:
    def __contains__(self, name: object) -> bool:
        return True


async def booked(server: Server, request: wire.BookAccountRequest) -> wire.Account:
    """Book it; the account as it is then. Raises BadValue, UnknownName, NotAllowed."""
    who, booking = caller(), _BOOKINGS.get(request.booking)
    if booking is None:
        raise BadValue("booking", request.booking, "one of DEPOSIT, WITHDRAWAL, REFUND")
    require(who, Action.REFUND if booking is Booking.REFUND else Action.BOOK)
    command = BookAccount(
        request.account, booking, request.amount, who.name, request.reason, request.job_id, request.open
    )
    await server.reactor.post(command)
    t, row = server.state.tables, server.state.ledger.accounts[request.account]
    return wire.Account(
        name=request.account,
        balance=int(t.bank.balance[row]),
        liens=int(t.bank.lien[row]),
        unlimited=bool(t.bank.unlimited[row]),
        deposited=int(t.bank.deposited[row]),
        refunded=int(t.bank.refunded[row]),
        debited=int(t.bank.debited[row]),
    )


def stated(server: Server, request: wire.GetStatementRequest) -> wire.Statement:
    """The latest entries that the caller may see. Raises BadValue, UnknownName."""
    limit = request.limit or _ENTRIES
    if not 1 <= limit <= MOST_ENTRIES:
        raise BadValue("limit", request.limit, f"from 1 to {MOST_ENTRIES:,}")
    seen, ledger = accounts_seen(server), server.state.ledger
    known = [name for name in ledger.accounts if name in seen]
    if request.account and request.account not in known:
        raise UnknownName("account", request.account, known)
    found: list[Entry] = []
    for entry in reversed(ledger.entries):
        if entry.account in seen and request.account in ("", entry.account):
            if len(found) == limit:
                return wire.Statement(entries=map(_entry, reversed(found)), truncated=True)
            found.append(entry)
    return wire.Statement(entries=map(_entry, reversed(found)), truncated=ledger.forgotten > 0)


def accounts_seen(server: Server) -> Container[str]:
    """The accounts that the caller may know of: all, or where jobs are private the caller's own.

    A user's own are those of the user's jobs that have not ended, and those that the configuration gives.
    """
    who, state = caller(), server.state
    if not server.settings.privacy or who.is_at_least(Role.OPERATOR):
        return _All()
    jobs = state.open_by_user.get(who.name, {}).values()
    own = {job.account for job in jobs if job.account}
    if (rules := state.ledger.rules) is not None:
        queue = next(iter(state.queues))
        own |= {rules.default(who.name, "", queue)} | (rules.allowed(who.name, "", queue) or set())
    return own


def _entry(one: Entry) -> wire.StatementEntry:
    return wire.StatementEntry(
        sequence=one.serial,
        at_s=one.time_s,
        account=one.account,
        what=one.what,
        amount=one.amount,
        balance=one.balance,
        job_id=one.job,
        array_index=one.index,
        by=one.by,
        reason=one.reason,
    )
