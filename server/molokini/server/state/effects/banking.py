"""What facts about accounts make of a state, and what jobs cost when they stop running."""

from dataclasses import replace

from molokini.cycle.entries import Change
from molokini.model import happened as h
from molokini.model.banks import Booking
from molokini.server import policies
from molokini.server.state.jobs import Element
from molokini.server.state.ledger import DEBIT, Entry
from molokini.server.state.state import State
from molokini.tables.bank import place_lien


def put_bank(state: State) -> None:
    """Tell ledger and tables of the bank that the policy asks for."""
    bank, rules = policies.banking(*state.policy) if state.policy else (None, None)
    state.ledger.put(bank, rules, state.rows.accounts)


def account_booked(state: State, fact: h.AccountBooked) -> None:
    """A balance is changed by hand."""
    booking = Booking(fact.booking)
    balance = state.ledger.book(fact.account, booking, fact.amount)
    line = Entry(state.serial, state.now, fact.account, fact.booking, fact.amount, balance, fact.job)
    state.ledger.note(replace(line, by=fact.by, reason=fact.reason))


def lien_placed(state: State, fact: h.LienPlaced) -> None:
    """So much of an account is kept for a job that is about to start."""
    row, account = state.element(fact.job, fact.index).row, state.ledger.accounts[fact.account]
    place_lien(state.tables, row, account, fact.price, fact.amount)


def settle(state: State, element: Element, at_s: float, well: bool) -> None:
    """The account that pays for *element*, if any, is debited for what it did up to *at_s*."""
    t, row = state.tables, element.row
    account = int(t.lien_account[row]) if t.liens else 0
    if not account:
        return
    before = int(t.bank_balance[account])
    until_s = min(state.now, max(at_s, float(t.job_updated_s[row])))
    state.rows.change(element, Change.SETTLE, until_s, float(well))
    note_debit(state, element, account, before)


def note_debit(state: State, element: Element, account: int, before: int) -> None:
    """*account*, which had a balance of *before*, may have been debited for *element*."""
    balance, name = int(state.tables.bank_balance[account]), state.ledger.name_of(account)
    if balance != before:
        line = (state.serial, state.now, name, DEBIT, before - balance, balance)
        state.ledger.note(Entry(*line, element.job.id, element.index))
