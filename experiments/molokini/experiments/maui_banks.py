"""Accounts in replays: which one each job has by a configuration, and what became of the bank."""

from typing import Any

import numpy as np

from molokini.model.banks import Accounts
from molokini.model.numbering import Numbering
from molokini.model.site import Site
from molokini.model.states import JobState
from molokini.reports.balances import account_lines
from molokini.sim.replay import Replay
from molokini.tables.bank_changes import count_spare, lien_for, payer, price_of
from molokini.workloads.workload import Workload


def accounts_in(site: Site, workload: Workload, numbers: Numbering) -> Accounts | None:
    """The accounts of the jobs of *workload*; None where nothing speaks of any.

    *numbers* are those of accounts by name; names that are new get the next ones.
    """
    bank, rules = site.bank(), site.account_rules()
    recorded = None if workload.recorded is None else workload.recorded.account
    if bank is None and rules is None and (recorded is None or not (recorded > 0).any()):
        return None
    columns = np.stack([workload.user, workload.group, workload.queue])
    _, rows = np.unique(columns, axis=1, return_index=True)
    of = {}
    for row in rows.tolist():
        user, group, queue = (workload.name_of(column, row) for column in ("user", "group", "queue"))
        if rules is not None and (name := rules.default(user, group, queue)):
            whose = tuple(columns[:, row].tolist())
            of[whose[0], whose[1], whose[2]] = numbers.of(name)
    for name in () if bank is None else (*bank.openings, *filter(None, [bank.fallback])):
        numbers.of(name)
    return Accounts(numbers, of, bank, None if recorded is None else np.maximum(recorded, -1))


def bank_part(replay: Replay) -> dict[str, Any] | None:
    """What results say of the bank: its accounts, and the jobs that it kept from starting; None without."""
    accounts, t = replay.options.accounts, replay.tables
    if accounts is None or accounts.bank is None:
        return None
    bank = accounts.bank
    names = {number: name for name, number in accounts.numbers.items()}
    count_spare(t)
    # A job that no account could pay for long is held by now.
    waiting = np.flatnonzero((t.jobs.state == JobState.WAITING) | (t.jobs.state == JobState.HELD)).tolist()
    unpaid = [row for row in waiting if not payer(t, row, lien_for(t, row, price_of(t, row)))]
    return {
        "debit": bank.debit.name.lower(),
        "successful_only": bank.successful_only,
        "fallback_account": bank.fallback or None,
        "unit": "processor-seconds",
        "accounts": account_lines(t, lambda number: names.get(number, str(number))),
        "jobs_unpaid": len(unpaid),
    }
