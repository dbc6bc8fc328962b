"""Ledgers in tests: what accounts have, and what must be true of them at every instant."""

from dataclasses import dataclass

from molokini.tables.tables import Tables
from tests.kit.maui import NAMES

_CALLED = {number: name for name, number in NAMES.items()}


@dataclass(frozen=True)
class Held:
    """One account."""

    balance: int
    lien: int = 0
    debited: int = 0


def accounts_of(t: Tables) -> dict[str, Held]:
    """Every account by its name."""
    return {
        _CALLED[int(t.bank.number[row])]: Held(
            int(t.bank.balance[row]), int(t.bank.lien[row]), int(t.bank.debited[row])
        )
        for row in range(1, t.bank.number.size)
    }


def assert_balanced(t: Tables) -> None:
    """Nothing comes from nowhere: deposits are balances and debits, liens are those of jobs."""
    for row in range(1, t.bank.number.size):
        given = t.bank.deposited[row] + t.bank.refunded[row]
        assert given == t.bank.balance[row] + t.bank.debited[row]
        mine = t.liens.account == row
        assert t.bank.lien[row] == t.liens.amount[mine].sum()
        assert (t.liens.amount[mine] >= 0).all()
        if not t.bank.unlimited[row]:
            assert t.bank.balance[row] - t.bank.lien[row] >= 0, "more is set aside than there is"
    assert t.liens.count == (t.liens.account > 0).sum()
