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
        _CALLED[int(t.bank_number[row])]: Held(
            int(t.bank_balance[row]), int(t.bank_lien[row]), int(t.bank_debited[row])
        )
        for row in range(1, t.bank_number.size)
    }


def assert_balanced(t: Tables) -> None:
    """Nothing comes from nowhere: deposits are balances and debits, liens are those of jobs."""
    for row in range(1, t.bank_number.size):
        given = t.bank_deposited[row] + t.bank_refunded[row]
        assert given == t.bank_balance[row] + t.bank_debited[row]
        mine = t.lien_account == row
        assert t.bank_lien[row] == t.lien_amount[mine].sum()
        assert (t.lien_amount[mine] >= 0).all()
        if not t.bank_unlimited[row]:
            assert t.bank_balance[row] - t.bank_lien[row] >= 0, "more is set aside than there is"
    assert t.liens == (t.lien_account > 0).sum()
