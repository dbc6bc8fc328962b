"""Paying: a job starts when an account can set aside what it would cost (reference, section 15).

Its own account comes first, then the fallback. A job for which neither can pay is deferred (``deferring``);
without DEFERTIME it is out of the list until an iteration finds that one of them can.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.cycle.verbs import because, pledge
from molokini.model.decisions import Rule
from molokini.policies.maui.knowledge.memory import INELIGIBLE, mine
from molokini.policies.maui.selection.deferring import defers, put_off
from molokini.tables.bank_changes import count_spare, lien_for, payer, price_of
from molokini.tables.tables import View


@inner
def ask_balances(view: View) -> None:
    """An iteration begins: what each account has beside its liens."""
    if view.bank.on > 0:
        count_spare(view)


@inner
def cannot_pay(view: View, row: int) -> bool:
    """Whether no account can set aside what *row* would cost."""
    return bool(view.bank.on > 0 and _payer(view, row) == 0)


@kernel
def _payer(view: View, row: int) -> int:
    seldom()
    return payer(view, row, lien_for(view, row, price_of(view, row)))


@kernel
def place_lien(view: View, row: int) -> int:
    """Have an account pay for *row*, which starts next; which one, or 0 where none can."""
    seldom()
    price = price_of(view, row)
    account = payer(view, row, lien_for(view, row, price))
    if account > 0:
        pledge(view, row, account, price)
    return account


@kernel
def put_off_unpaid(view: View, row: int, now: float) -> int:
    """No account can pay for *row*, which has no reservation: it leaves the list; the job's level then."""
    seldom()
    tell_balance(view, row)
    mine(view).level[row] = INELIGIBLE
    return put_off(view, row, now, Rule.CANNOT_DEBIT_ACCOUNT) if defers(view) else INELIGIBLE


@kernel
def some_cannot_pay_now(view: View, count: int) -> bool:
    """Whether any of *count* jobs could pay when they were selected, and cannot after what has started."""
    seldom()
    if view.bank.on == 0 or view.cycle.decided == 0:
        return False
    for k in range(count):
        if mine(view).level[view.cycle.ranked[k]] > INELIGIBLE and cannot_pay(view, view.cycle.ranked[k]):
            return True
    return False


@kernel
def spend(view: View, row: int, account: int) -> None:
    """*row* has started: *account* has so much less for other jobs."""
    seldom()
    view.bank.spare[account] -= lien_for(view, row, price_of(view, row))


@kernel
def tell_balance(view: View, row: int) -> None:
    """The reason: what the richer of the two accounts has, and what the job costs."""
    seldom()
    if not view.cycle.explain:
        return
    own, fallback = view.credentials.payer[view.jobs.credential[row]], view.bank.fallback
    account = own
    if fallback > 0 and (own == 0 or view.bank.spare[fallback] > view.bank.spare[own]):
        account = fallback
    left = max(0, view.bank.spare[account]) if account > 0 else -1
    because(
        view, row, Rule.CANNOT_DEBIT_ACCOUNT, float(left), float(lien_for(view, row, price_of(view, row))), -1
    )
