"""Balances: what each account of the bank has, has set aside, and has paid. Whole processor-seconds."""

from collections.abc import Callable
from typing import Any

from molokini.model.credentials import CredentialType
from molokini.model.states import JobState
from molokini.reports.snapshot import ClusterSnapshot, ReportRequest, in_order
from molokini.tables.bank_changes import lien_for, price_of
from molokini.tables.tables import Tables


def balances(p: ClusterSnapshot, asked: ReportRequest) -> dict[str, Any]:
    """Every account, or the *account* that the caller names."""
    lines = account_lines(p.tables, lambda number: p.name(CredentialType.ACCOUNT, number))
    return {
        "banking": bool(p.tables.bank.on),
        "accounts": [one for one in lines if asked.account in ("", one["account"])],
    }


def account_lines(t: Tables, name: Callable[[int], str]) -> list[dict[str, Any]]:
    """A line for each account, by name. *available* is what is not set aside; null: it can always pay."""
    lines = [
        {
            "account": name(int(t.bank.number[row])),
            "balance": int(t.bank.balance[row]),
            "liens": int(t.bank.lien[row]),
            "available": None if t.bank.unlimited[row] else int(t.bank.balance[row] - t.bank.lien[row]),
            "deposited": int(t.bank.deposited[row]),
            "refunded": int(t.bank.refunded[row]),
            "debited": int(t.bank.debited[row]),
            "jobs_with_liens": int(((t.liens.account == row) & (t.liens.amount > 0)).sum()),
        }
        for row in range(1, t.bank.number.size)
    ]
    return sorted(lines, key=lambda one: in_order(one["account"]))


def paying(p: ClusterSnapshot, row: int) -> dict[str, Any]:
    """The account that pays for the job of *row*, what it has left, and what the job needs or its lien is."""
    t = p.tables
    account = int(t.liens.account[row]) or int(t.credentials.payer[t.jobs.credential[row]])
    waits = t.jobs.state[row] == JobState.WAITING
    left = int(t.bank.balance[account] - t.bank.lien[account])
    return {
        "account": _name(p, account),
        "available": None if account == 0 or t.bank.unlimited[account] else left,
        "fallback_account": _name(p, int(t.bank.fallback)),
        "wanted": int(lien_for(t, row, price_of(t, row))) if waits else 0,
        "lien": int(t.liens.amount[row]),
    }


def _name(p: ClusterSnapshot, account: int) -> str | None:
    return p.name(CredentialType.ACCOUNT, int(p.tables.bank.number[account])) if account else None
