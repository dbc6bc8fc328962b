"""Accounts of a bank for people: a line an account, of a replay or of a live cluster."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console

from molokini.clients.show.rich_tables import console, lines, row, show, table
from molokini.model.text import figure, plural

_COLUMNS = ("balance", "liens", "available", "deposited", "refunded", "debited")


def show_accounts(out: Console, accounts: Sequence[Mapping[str, Any]]) -> None:
    """What each account has, has set aside and has paid; empty ones are counted."""
    made = table("accounts, in processor-seconds", "account", *_COLUMNS)
    used = [one for one in accounts if any(one[name] for name in _COLUMNS)]
    for one in used:
        row(
            made,
            one["account"],
            *("unlimited" if one[name] is None else figure(one[name]) for name in _COLUMNS),
        )
    show(out, made)
    if len(used) < len(accounts):
        lines(out, [f"{plural(len(accounts) - len(used), 'account')} more without anything"])


def show_bank(found: Mapping[str, Any]) -> None:
    """The bank of a replay, and how many jobs it kept from starting."""
    out = console()
    show_accounts(out, found["accounts"])
    if found["jobs_unpaid"]:
        lines(out, [f"{plural(found['jobs_unpaid'], 'job')} never started: no account could pay"])
