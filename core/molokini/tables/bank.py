"""The bank: balances of accounts, and liens of the jobs that they pay for.

Before a job starts, a lien is placed for what it would cost at its estimate; at its end it is debited what it
did cost, and the lien is gone (Maui Administrator's Guide, 6.4). So what an account has beside its liens
never falls below zero while jobs are killed at their estimates. All amounts are whole processor-seconds
(``amount_of``), so nothing drifts. Changed by transitions alone; accounts are rows from 1, row 0 is nobody's.
"""

from collections.abc import Mapping

import numpy as np

from molokini.applications import work
from molokini.compiled.compilation import inner, kernel, seldom
from molokini.model.banks import MOST_AMOUNT, UNLIMITED, Accounts, Bank, Booking, Debit
from molokini.tables.requests import processor_equivalents
from molokini.tables.tables import Tables

_EQUIVALENTS = int(Debit.EQUIVALENTS)
_MOST = float(MOST_AMOUNT)
_NOISE = 1e-6
"""Processor-seconds that are rounding errors of instants, and no use of the machine."""

_work_after = inner(work.work_after)


# What a job costs.


@kernel
def price_of(t: Tables, row: int) -> float:
    """What a second of the job of *row* costs, in processor-seconds."""
    return processor_equivalents(t, row) if t.bank_debit == _EQUIVALENTS else float(t.job_width[row])


@kernel
def amount_of(price: float, seconds: float) -> int:
    """*seconds* at *price* in whole processor-seconds: a part of one counts as one."""
    return int(max(0.0, np.ceil(min(price * seconds, _MOST) - _NOISE)))


@kernel
def lien_for(t: Tables, row: int, price: float) -> int:
    """What has to be set aside before the waiting job of *row* starts: all but what it has paid already."""
    return int(max(0, amount_of(price, t.job_estimate_s[row]) - t.lien_billed[row]))


# Transitions.


@kernel
def place_lien(t: Tables, row: int, account: int, price: float, amount: int) -> None:
    """*account* sets *amount* aside for the waiting job of *row*, which is about to start."""
    seldom()
    if t.lien_account[row] == 0:
        t.liens += 1
    t.lien_account[row] = account
    t.lien_price[row] = price
    t.lien_amount[row] = amount
    t.bank_lien[account] += amount


@kernel
def settle(t: Tables, row: int, now: float, successful: bool) -> None:
    """The job of *row*, which has a lien perhaps, is over at *now*: it is debited, and the lien is gone."""
    seldom()
    if t.lien_account[row] == 0:
        return
    _debit(t, row, now, successful)
    forget_lien(t, row)


@kernel
def settle_attempt(t: Tables, row: int, now: float, keeps: bool) -> None:
    """The job of *row* goes back to the queue: an attempt that was no success is over.

    Where it *keeps* its work, what it has paid for that counts when it ends.
    """
    seldom()
    if t.lien_account[row] == 0:
        return
    _debit(t, row, now, False)
    if not keeps:
        forget_lien(t, row)
        return
    t.bank_lien[t.lien_account[row]] -= t.lien_amount[row]
    t.lien_amount[row] = 0


@kernel
def _debit(t: Tables, row: int, now: float, successful: bool) -> None:
    if t.bank_successful and not successful:
        return
    worked_s = _work_after(t.job_work_s[row], t.job_rate[row], t.job_updated_s[row], now)
    if not t.overrun:
        # What it took to end a job at its limit is nobody's use of the machine.
        worked_s = min(worked_s, t.job_estimate_s[row])
    due = max(0, amount_of(t.lien_price[row], worked_s) - t.lien_billed[row])
    account = t.lien_account[row]
    t.lien_billed[row] += due
    t.bank_balance[account] -= due
    t.bank_debited[account] += due


@kernel
def forget_lien(t: Tables, row: int) -> None:
    """The row owes nobody anything."""
    seldom()
    if t.lien_account[row] == 0:
        return
    t.bank_lien[t.lien_account[row]] -= t.lien_amount[row]
    t.lien_account[row] = t.lien_amount[row] = t.lien_billed[row] = 0
    t.lien_price[row] = 0.0
    t.liens -= 1


@kernel
def owe(t: Tables, row: int, account: int, billed: int) -> None:
    """*account* has paid so much already for the waiting job of *row*, which has just got its row."""
    if account > 0 and t.lien_account[row] == 0:
        t.liens += 1
        t.lien_account[row] = account
        t.lien_billed[row] = billed


@kernel
def renew_lien(t: Tables, row: int) -> None:
    """The estimate of the running job of *row* is another one: so is its lien."""
    seldom()
    if t.lien_account[row] == 0:
        return
    amount = lien_for(t, row, t.lien_price[row])
    t.bank_lien[t.lien_account[row]] += amount - t.lien_amount[row]
    t.lien_amount[row] = amount


# What a pass asks.


@kernel
def count_spare(t: Tables) -> None:
    """A pass begins: so much has each account beside its liens."""
    for account in range(t.bank_balance.size):
        t.bank_spare[account] = t.bank_balance[account] - t.bank_lien[account]


@kernel
def payer(t: Tables, row: int, amount: int) -> int:
    """Which account can set *amount* aside for the job of *row*: its own, else the fallback; 0: none."""
    own = t.credential_payer[t.job_credential[row]]
    if own > 0 and _can_pay(t, own, amount):
        return int(own)
    if t.bank_fallback > 0 and _can_pay(t, t.bank_fallback, amount):
        return int(t.bank_fallback)
    return 0


@inner
def _can_pay(t: Tables, account: int, amount: int) -> bool:
    return bool(t.bank_unlimited[account] or t.bank_spare[account] >= amount)


# Accounts, from outside of a pass.


def put_bank(t: Tables, bank: Bank | None, accounts: Mapping[str, int]) -> None:
    """*bank* charges jobs that start from now on; None: nobody does.

    Liens that there are stay, and are settled by the rule of the last bank. *accounts* are rows by name.
    """
    t.banking = int(bank is not None)
    if bank is not None:
        t.bank_debit, t.bank_successful = int(bank.debit), int(bank.successful_only)
        t.bank_fallback = accounts.get(bank.fallback, 0)
        for name, row in accounts.items():
            t.bank_unlimited[row] = int(bank.opening(name) == UNLIMITED)


def open_account(t: Tables, number: int) -> int:
    """A row, empty, for the account that has this *number* among credentials."""
    row = t.bank_number.size
    for name in BANK_COLUMNS:
        old = getattr(t, name)
        t.bind(name, np.append(old, np.zeros(1, dtype=old.dtype)))
    t.bank_number[row] = number
    t.credential_payer[t.credential_account == number] = row
    return row


def find_payers(t: Tables, first: int) -> None:
    """Say of the credentials from *first* on which account theirs is."""
    for row in range(1, t.bank_number.size):
        mine = t.credential_account[first:] == t.bank_number[row]
        t.credential_payer[first:][mine] = row


def book(t: Tables, account: int, booking: Booking, amount: int) -> None:
    """Somebody puts *amount* into *account*, or takes it out."""
    signed = -amount if booking is Booking.WITHDRAWAL else amount
    t.bank_balance[account] += signed
    if booking is Booking.REFUND:
        t.bank_refunded[account] += amount
    else:
        t.bank_deposited[account] += signed


def open_bank(t: Tables, accounts: Accounts) -> dict[str, int]:
    """The accounts of a workload are opened, each with what the bank gives it; their rows by name."""
    bank = accounts.bank
    assert bank is not None
    rows = {name: open_account(t, number) for name, number in accounts.numbers.items()}
    for name, row in rows.items():
        book(t, row, Booking.OPENING, max(0, bank.opening(name)))
    put_bank(t, bank, rows)
    return rows


BANK_COLUMNS = (
    "bank_number",
    "bank_unlimited",
    "bank_balance",
    "bank_lien",
    "bank_deposited",
    "bank_debited",
    "bank_refunded",
    "bank_spare",
)
