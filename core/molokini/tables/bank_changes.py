"""The bank: balances of accounts, and liens of the jobs that they pay for.

Before a job starts, a lien is placed for what it would cost at its estimate; at its end it is debited what it
did cost, and the lien is gone (Maui Administrator's Guide, 6.4). So what an account has beside its liens
never falls below zero while jobs are killed at their estimates. All amounts are whole processor-seconds
(``amount_of``), so nothing drifts. Changed by transitions alone; accounts are rows from 1, row 0 is none.
"""

from collections.abc import Mapping

import numpy as np

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.model.banks import MOST_AMOUNT, UNLIMITED, Accounts, Bank, Booking, Debit
from molokini.tables.declared import Axis
from molokini.tables.requests import processor_equivalents
from molokini.tables.rows import work_by
from molokini.tables.tables import Tables

_MOST = float(MOST_AMOUNT)
_NOISE = 1e-6
"""So few processor-seconds are a rounding error of instants, and no use of the machine."""


# What a job costs.


@kernel
def price_of(t: Tables, row: int) -> float:
    """What a second of the job of *row* costs, in processor-seconds."""
    return processor_equivalents(t, row) if t.bank.debit == Debit.EQUIVALENTS else float(t.jobs.width[row])


@kernel
def amount_of(price: float, seconds: float) -> int:
    """*seconds* at *price* in whole processor-seconds: a part of one counts as one."""
    return int(max(0.0, np.ceil(min(price * seconds, _MOST) - _NOISE)))


@kernel
def lien_for(t: Tables, row: int, price: float) -> int:
    """What has to be set aside before the waiting job of *row* starts: all but what it has paid already."""
    return int(max(0, amount_of(price, t.jobs.estimate_s[row]) - t.liens.billed[row]))


# Transitions.


@kernel
def place_lien(t: Tables, row: int, account: int, price: float, amount: int) -> None:
    """*account* sets *amount* aside for the waiting job of *row*, which is about to start."""
    seldom()
    if t.liens.account[row] == 0:
        t.liens.count += 1
    t.liens.account[row] = account
    t.liens.price[row] = price
    t.liens.amount[row] = amount
    t.bank.lien[account] += amount


@kernel
def settle(t: Tables, row: int, now: float, successful: bool) -> None:
    """The job of *row* is over at *now*: if it has a lien, its account is debited, and the lien is gone."""
    seldom()
    if t.liens.account[row] == 0:
        return
    _debit(t, row, now, successful)
    forget_lien(t, row)


@kernel
def settle_attempt(t: Tables, row: int, now: float, keeps: bool) -> None:
    """The job of *row* goes back to the queue: an attempt without success is over.

    Where the job *keeps* its work, what its account has paid for that work counts when the job ends.
    """
    seldom()
    if t.liens.account[row] == 0:
        return
    _debit(t, row, now, False)
    if not keeps:
        forget_lien(t, row)
        return
    t.bank.lien[t.liens.account[row]] -= t.liens.amount[row]
    t.liens.amount[row] = 0


@kernel
def _debit(t: Tables, row: int, now: float, successful: bool) -> None:
    if t.bank.successful and not successful:
        return
    worked_s = work_by(t, row, now)
    if not t.machine.overrun:
        # The time that it took to end a job at its limit is not charged.
        worked_s = min(worked_s, t.jobs.estimate_s[row])
    due = max(0, amount_of(t.liens.price[row], worked_s) - t.liens.billed[row])
    account = t.liens.account[row]
    t.liens.billed[row] += due
    t.bank.balance[account] -= due
    t.bank.debited[account] += due


@kernel
def forget_lien(t: Tables, row: int) -> None:
    """The job of *row* has no lien, and no account has paid for it."""
    seldom()
    if t.liens.account[row] == 0:
        return
    t.bank.lien[t.liens.account[row]] -= t.liens.amount[row]
    t.liens.account[row] = t.liens.amount[row] = t.liens.billed[row] = 0
    t.liens.price[row] = 0.0
    t.liens.count -= 1


@kernel
def owe(t: Tables, row: int, account: int, billed: int) -> None:
    """*account* has paid *billed* already for the waiting job of *row*, which has just got its row."""
    if account > 0 and t.liens.account[row] == 0:
        t.liens.count += 1
        t.liens.account[row] = account
        t.liens.billed[row] = billed


@kernel
def renew_lien(t: Tables, row: int) -> None:
    """The estimate of the job of *row*, which runs or is suspended, has changed: adapt its lien."""
    seldom()
    if t.liens.account[row] == 0:
        return
    amount = lien_for(t, row, t.liens.price[row])
    t.bank.lien[t.liens.account[row]] += amount - t.liens.amount[row]
    t.liens.amount[row] = amount


# What a pass asks.


@kernel
def count_spare(t: Tables) -> None:
    """A pass begins: compute what each account has beside its liens."""
    for account in range(t.bank.balance.size):
        t.bank.spare[account] = t.bank.balance[account] - t.bank.lien[account]


@kernel
def payer(t: Tables, row: int, amount: int) -> int:
    """Which account can set *amount* aside for the job of *row*: its own, else the fallback; 0: none."""
    own = t.credentials.payer[t.jobs.credential[row]]
    if own > 0 and _can_pay(t, own, amount):
        return int(own)
    if t.bank.fallback > 0 and _can_pay(t, t.bank.fallback, amount):
        return int(t.bank.fallback)
    return 0


@inner
def _can_pay(t: Tables, account: int, amount: int) -> bool:
    return bool(t.bank.unlimited[account] or t.bank.spare[account] >= amount)


# Accounts, from outside of a pass.


def put_bank(t: Tables, bank: Bank | None, accounts: Mapping[str, int]) -> None:
    """*bank* charges jobs that start from now on; None: no bank does.

    Present liens stay, and are settled by the rule of the last bank. *accounts* are rows by name.
    """
    t.bank.on = int(bank is not None)
    if bank is not None:
        t.bank.debit, t.bank.successful = int(bank.debit), int(bank.successful_only)
        t.bank.fallback = accounts.get(bank.fallback, 0)
        for name, row in accounts.items():
            t.bank.unlimited[row] = int(bank.opening(name) == UNLIMITED)


def open_account(t: Tables, number: int) -> int:
    """Add an empty row for the account that has this *number* among credentials; which row."""
    sizes = t.sizes()
    row = sizes[Axis.ACCOUNT]
    sizes[Axis.ACCOUNT] += 1
    t.grow(frozenset({Axis.ACCOUNT}), sizes)
    t.bank.number[row] = number
    t.credentials.payer[t.credentials.account == number] = row
    return row


def find_payers(t: Tables, first: int) -> None:
    """Note the account of each credential from *first* on."""
    for row in range(1, t.bank.number.size):
        mine = t.credentials.account[first:] == t.bank.number[row]
        t.credentials.payer[first:][mine] = row


def book(t: Tables, account: int, booking: Booking, amount: int) -> None:
    """*booking* puts *amount* into *account*, or takes it out."""
    signed = -amount if booking is Booking.WITHDRAWAL else amount
    t.bank.balance[account] += signed
    if booking is Booking.REFUND:
        t.bank.refunded[account] += amount
    else:
        t.bank.deposited[account] += signed


def open_bank(t: Tables, accounts: Accounts) -> dict[str, int]:
    """Open the accounts of a workload, each with what the bank gives it; their rows by name."""
    bank = accounts.bank
    assert bank is not None
    rows = {name: open_account(t, number) for name, number in accounts.numbers.items()}
    for name, row in rows.items():
        book(t, row, Booking.OPENING, max(0, bank.opening(name)))
    put_bank(t, bank, rows)
    return rows
