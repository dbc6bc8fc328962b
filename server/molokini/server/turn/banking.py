"""Money: what operators book by hand, and what the configuration gives to new accounts."""

from molokini.model.actors import Actor, Origin
from molokini.model.banks import MOST_AMOUNT, Booking
from molokini.model.errors import BadValue, UnknownName
from molokini.model.facts import AccountBooked, Fact, PolicySet
from molokini.server.state.state import State
from molokini.server.turn.checks import printable
from molokini.server.turn.command import Command, Draft, RetryNextTurn

_MOST_CHARACTERS = 255
_BY_HAND = (Booking.DEPOSIT, Booking.WITHDRAWAL, Booking.REFUND)


class BookAccount(Command):
    """Put processor-seconds into an account, or take them out; the answer is None."""

    def __init__(
        self,
        account: str,
        booking: Booking,
        amount: int,
        by: Actor,
        reason: str = "",
        job: int = 0,
        new: bool = False,
    ) -> None:
        self.account, self.booking, self.amount, self.by = account, booking, amount, by
        self.reason, self.job, self.new = reason, job, new

    def check(self, state: State, draft: Draft) -> None:
        ledger = state.ledger
        if any(isinstance(fact, AccountBooked | PolicySet) for fact in draft.facts):
            # Each has to see what the one before has left.
            raise RetryNextTurn
        if self.booking not in _BY_HAND:
            raise BadValue("booking", self.booking, "one of " + ", ".join(_BY_HAND))
        _check_text("account", self.account, least=1)
        _check_text("reason", self.reason)
        known = self.account in ledger.accounts
        if not known and not (self.new and self.booking is Booking.DEPOSIT):
            raise UnknownName("account", self.account, ledger.accounts)
        if not 1 <= self.amount <= MOST_AMOUNT:
            raise BadValue("amount", self.amount, f"a whole number from 1 to {MOST_AMOUNT:,}")
        if known:
            self._check_amount(state, ledger.accounts[self.account])
        draft.facts.append(
            AccountBooked(self.account, str(self.booking), self.amount, self.by, self.reason, self.job)
        )

    def _check_amount(self, state: State, row: int) -> None:
        t = state.tables
        if self.booking is Booking.WITHDRAWAL:
            most, what = int(t.bank.balance[row] - t.bank.lien[row]), "what it has beside its liens"
        elif self.booking is Booking.REFUND:
            most, what = int(t.bank.debited[row] - t.bank.refunded[row]), "what it has paid and not got back"
        else:
            most, what = MOST_AMOUNT - int(t.bank.deposited[row]), "what may still be deposited in it"
        if self.amount > most:
            raise BadValue("amount", self.amount, f"at most {max(0, most):,}, {what}")


def _check_text(field: str, text: str, least: int = 0) -> None:
    if not least <= len(text) <= _MOST_CHARACTERS or not printable(text):
        raise BadValue(field, text[:60], f"{least} to {_MOST_CHARACTERS} characters, no control characters")


def openings(state: State) -> list[Fact]:
    """What the configuration gives to accounts that are new: once each."""
    ledger = state.ledger
    if not ledger.unlooked:
        return []
    ledger.unlooked = False
    bank = ledger.bank
    if bank is None:
        return []
    return [
        AccountBooked(name, str(Booking.OPENING), amount, Origin.CONFIGURATION)
        for name in ledger.accounts
        if name not in ledger.opened and (amount := bank.opening(name)) > 0
    ]
