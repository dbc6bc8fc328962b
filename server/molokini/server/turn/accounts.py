"""Which account pays for a job, and whether it can pay for more."""

from molokini.model.errors import BadValue
from molokini.model.job_specs import JobSpec
from molokini.server.state.jobs import Job
from molokini.server.state.ledger import Ledger
from molokini.server.state.state import State
from molokini.server.turn.command import Draft
from molokini.tables.bank_changes import amount_of


def account_for(ledger: Ledger, user: str, spec: JobSpec, queue: str) -> str:
    """The account of a job of *user*, as it says, else by the rules. BadValue for one it may not have."""
    rules, account = ledger.rules, str(spec.get("account", ""))
    if rules is None:
        return account
    group = str(spec.get("group", ""))
    account = account or rules.default(user, group, queue)
    allowed = rules.allowed(user, group, queue)
    if account and allowed is not None and account not in allowed:
        told = ", ".join(sorted(allowed)) or "none at all"
        raise BadValue("account", account[:60], f"one that {user} may have: {told}")
    return account


def check_longer(state: State, draft: Draft, job: Job, estimate_s: float) -> None:
    """BadValue where the account of a running *job* cannot set aside what it would cost at *estimate_s*."""
    t = state.tables
    for element in job.known_elements():
        row = element.row
        if not element.status.active or not t.liens.account[row]:
            continue
        account = int(t.liens.account[row])
        more = amount_of(t.liens.price[row], estimate_s) - t.liens.billed[row] - t.liens.amount[row]
        left = int(t.bank.balance[account] - t.bank.lien[account]) - draft.pledged[account]
        if more > 0 and not t.bank.unlimited[account] and more > left:
            name = state.ledger.name_of(account)
            raise BadValue(
                "estimate_s",
                estimate_s,
                f"what account {name} can pay: {more:,} more processor-seconds are needed, it has {left:,}",
            )
        draft.pledged[account] += max(0, int(more))
