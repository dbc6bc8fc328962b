"""The bank of a live cluster: accounts by name, which jobs may have which, and what has been booked last.

The balances of accounts are in the tables; here is what the tables do not hold.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from molokini.model.banks import Bank, Booking
from molokini.model.facts import NO_INDEX
from molokini.model.site import AccountRules
from molokini.server.state.kept import Kept
from molokini.server.state.rows import Rows
from molokini.tables.bank_changes import book, open_account, put_bank

MOST_ENTRIES = 20_000
"""Entries of statements in memory; the journal has all."""
DEBIT = "debit"
NO_BILL = (0, 0)


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a statement."""

    serial: int
    """Of the journalled fact."""
    time_s: float
    account: str
    what: str
    """A ``Booking``, or a debit."""
    amount: int
    balance: int
    """After it."""
    job: int = 0
    index: int = NO_INDEX
    by: str = ""
    reason: str = ""


class Ledger:
    """Accounts, and the bank that the configuration asks for."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self.accounts: dict[str, int] = {}
        """Their rows in the tables, by name."""
        self.opened: set[str] = set()
        """Those that have got what the configuration gives them."""
        self.bank: Bank | None = None
        self.rules: AccountRules | None = None
        """Which accounts jobs have and may have; None: any."""
        self.unlooked = False
        """Whether accounts are new since openings were looked for."""
        self.entries: deque[Entry] = deque(maxlen=MOST_ENTRIES)
        self.bills: dict[tuple[int, int], tuple[int, int]] = {}
        """By job and index, of jobs that wait with work done: the account that has paid, and how much."""
        self.forgotten = 0
        """Entries that are in the journal alone."""

    def put(self, bank: Bank | None, rules: AccountRules | None, known: Iterable[str]) -> None:
        """Use this bank from now on; *known* are the accounts that jobs have named."""
        self.bank, self.rules = bank, rules
        if bank is not None:
            for name in (*sorted(bank.openings), bank.fallback, *sorted(set(known))):
                self._open(name)
        put_bank(self._rows.tables, bank, self.accounts)
        self.unlooked = True

    def open(self, name: str) -> None:
        """*name* is an account, if it is any name at all."""
        if self._open(name):
            put_bank(self._rows.tables, self.bank, self.accounts)

    def _open(self, name: str) -> bool:
        if not name or name in self.accounts:
            return False
        self.accounts[name] = open_account(self._rows.tables, self._rows.number(name))
        self.unlooked = True
        return True

    def book(self, name: str, booking: Booking, amount: int) -> int:
        """Put *amount* in, or take it out; the balance after that."""
        self.open(name)
        row = self.accounts[name]
        book(self._rows.tables, row, booking, amount)
        if booking is Booking.OPENING:
            self.opened.add(name)
        return int(self._rows.tables.bank.balance[row])

    def name_of(self, row: int) -> str:
        """The name of the account of this row."""
        return next(name for name, other in self.accounts.items() if other == row)

    def note(self, entry: Entry) -> None:
        """Keep *entry* for statements."""
        self.forgotten += len(self.entries) == MOST_ENTRIES
        self.entries.append(entry)

    def kept(self) -> Kept:
        """All but bank and rules, which follow from the policy, as plain values for a snapshot."""
        return {
            "accounts": dict(self.accounts),
            "opened": sorted(self.opened),
            "entries": [asdict(one) for one in self.entries],
            "forgotten": self.forgotten,
            "bills": [[*job, *bill] for job, bill in self.bills.items()],
        }

    def restore(self, kept: Kept) -> None:
        """Become what was kept."""
        self.accounts, self.opened = dict(kept["accounts"]), set(kept["opened"])
        self.entries = deque((Entry(**one) for one in kept["entries"]), maxlen=MOST_ENTRIES)
        self.forgotten = kept["forgotten"]
        self.bills = {(job, index): (account, paid) for job, index, account, paid in kept["bills"]}
