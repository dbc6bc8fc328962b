"""What facts about accounts make of a state, and what jobs cost when they stop running."""

from dataclasses import replace

from molokini.cycle.entries import Change
from molokini.model import facts as h
from molokini.model.banks import Booking
from molokini.model.decisions import Decision
from molokini.server.state.effects.table import Decided, effect_of, maker_of
from molokini.server.state.jobs import Element
from molokini.server.state.ledger import DEBIT, Entry
from molokini.server.state.state import State


def put_bank(state: State) -> None:
    """Tell ledger and tables of the bank that the policy asks for."""
    state.ledger.put(state.site.bank(), state.site.account_rules(), state.rows.accounts)


@effect_of(h.AccountBooked)
def account_booked(state: State, fact: h.AccountBooked) -> None:
    """A balance is changed by hand."""
    booking = Booking(fact.booking)
    balance = state.ledger.book(fact.account, booking, fact.amount)
    line = Entry(state.serial, state.now, fact.account, fact.booking, fact.amount, balance, fact.job)
    state.ledger.note(replace(line, by=str(fact.by), reason=fact.reason))


@maker_of(Decision.LIEN)
def pledge(state: State, d: Decided) -> h.LienPlaced:
    """*argument* is the account's row, *value* the price, *more* the amount."""
    account = state.ledger.name_of(d.argument)
    return h.LienPlaced(*d.whose, account, d.more, d.value)


@effect_of(h.LienPlaced)
def lien_placed(state: State, fact: h.LienPlaced) -> None:
    """So much of an account is kept for a job that is about to start."""
    element, account = state.element(fact.job, fact.index), state.ledger.accounts[fact.account]
    state.rows.change(element, Decision.LIEN, state.now, fact.price, account, fact.amount)


def settle(state: State, element: Element, at_s: float, well: bool) -> None:
    """The account that pays for *element*, if any, is debited for what it did up to *at_s*."""
    t, row = state.tables, element.row
    account = int(t.liens.account[row]) if t.liens.count else 0
    if not account:
        return
    before = int(t.bank.balance[account])
    until_s = min(state.now, max(at_s, float(t.jobs.updated_s[row])))
    state.rows.change(element, Change.SETTLE, until_s, float(well))
    note_debit(state, element, account, before)


def note_debit(state: State, element: Element, account: int, before: int) -> None:
    """*account*, which had a balance of *before*, may have been debited for *element*."""
    balance, name = int(state.tables.bank.balance[account]), state.ledger.name_of(account)
    if balance != before:
        line = (state.serial, state.now, name, DEBIT, before - balance, balance)
        state.ledger.note(Entry(*line, element.job.id, element.index))
