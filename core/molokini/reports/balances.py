"""Balances: what each account of the bank has, has set aside, and has paid. Whole processor-seconds."""

from collections.abc import Callable
from typing import Any

from molokini.model.states import JobState
from molokini.policies.maui.words import CredentialType
from molokini.reports.picture import Asked, Picture, in_order
from molokini.tables.bank import lien_for, price_of
from molokini.tables.tables import Tables


def balances(p: Picture, asked: Asked) -> dict[str, Any]:
    """Every account, or the one that is asked for."""
    lines = account_lines(p.tables, lambda number: p.name(CredentialType.ACCOUNT, number))
    return {
        "banking": bool(p.tables.banking),
        "accounts": [one for one in lines if asked.account in ("", one["account"])],
    }


def account_lines(t: Tables, name: Callable[[int], str]) -> list[dict[str, Any]]:
    """A line an account, by name. *available* is what is not set aside; null: it can always pay."""
    lines = [
        {
            "account": name(int(t.bank_number[row])),
            "balance": int(t.bank_balance[row]),
            "liens": int(t.bank_lien[row]),
            "available": None if t.bank_unlimited[row] else int(t.bank_balance[row] - t.bank_lien[row]),
            "deposited": int(t.bank_deposited[row]),
            "refunded": int(t.bank_refunded[row]),
            "debited": int(t.bank_debited[row]),
            "jobs_with_liens": int(((t.lien_account == row) & (t.lien_amount > 0)).sum()),
        }
        for row in range(1, t.bank_number.size)
    ]
    return sorted(lines, key=lambda one: in_order(one["account"]))


def paying(p: Picture, row: int) -> dict[str, Any]:
    """Who pays for the job of *row*, what that account has left, and what the job wants or has set aside."""
    t = p.tables
    account = int(t.lien_account[row]) or int(t.credential_payer[t.job_credential[row]])
    waits = t.job_state[row] == JobState.WAITING
    left = int(t.bank_balance[account] - t.bank_lien[account])
    return {
        "account": _name(p, account),
        "available": None if account == 0 or t.bank_unlimited[account] else left,
        "fallback_account": _name(p, int(t.bank_fallback)),
        "wanted": int(lien_for(t, row, price_of(t, row))) if waits else 0,
        "lien": int(t.lien_amount[row]),
    }


def _name(p: Picture, account: int) -> str | None:
    return p.name(CredentialType.ACCOUNT, int(p.tables.bank_number[account])) if account else None
