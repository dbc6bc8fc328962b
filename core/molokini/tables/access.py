"""Access to what is reserved: which reservations admit a job, and how much it wants them.

The answer is the same for all jobs of a credential, but where reservations ask for the length of a job. It is
found once a pass, as bits of the reservations that are open to the credential.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.model.reservations import Credential
from molokini.tables.tables import View

NO_ACCESS = 0
ADMITS, DENIES, REQUIRES = 0, 1, 2
"""What an element of a reservation's access list does."""
MOST_BITS = 62
"""With more reservations than this the answer is not remembered: a number has no more bits."""


@inner
def has_access(view: View, row: int, r: int) -> bool:
    """Whether reservation *r* admits *row*, if it lists anything that it admits, and does not keep it out."""
    if view.reservations.count > MOST_BITS:
        return affinity_of(view, row, r) > NO_ACCESS
    return bool((open_to(view, row) >> r) & 1)


@inner
def open_to(view: View, row: int) -> int:
    """Bits of the reservations that *row* may use, of which there are no more than ``MOST_BITS``."""
    credential = view.jobs.credential[row]
    if view.credentials.opened[credential] != view.cycle.room_epoch:
        _find_open(view, row, credential)
    return int(view.credentials.open[credential])


@kernel
def _find_open(view: View, row: int, credential: int) -> None:
    """One walk over all elements; in each set of bits a reservation has one."""
    seldom()
    admitted, listed, required, kept_out = 0, 0, 0, 0
    for k in range(view.access.kind.size):
        bit, rule = 1 << view.access.reservation[k], view.access.rule[k]
        fits = _fits(view, row, view.access.kind[k], view.access.number[k])
        if rule == ADMITS:
            listed |= bit
            admitted |= bit if fits else 0
        elif fits != (rule == REQUIRES):
            kept_out |= bit
        elif rule == REQUIRES:
            required |= bit
    view.credentials.open[credential] = (admitted | (required & ~listed)) & ~kept_out
    view.credentials.opened[credential] = -1 if view.access.by_job else view.cycle.room_epoch


@kernel
def affinity_of(view: View, row: int, r: int) -> int:
    """How much *row* wants what *r* keeps: the highest affinity that fits; NO_ACCESS: it may not have it."""
    seldom()
    admitted, listed, required, best = False, False, False, NO_ACCESS
    for k in range(view.access.kind.size):
        if view.access.reservation[k] != r:
            continue
        rule = view.access.rule[k]
        if rule == ADMITS:
            listed = True
            if _fits(view, row, view.access.kind[k], view.access.number[k]):
                admitted = True
                best = max(best, view.access.affinity[k])
        elif _fits(view, row, view.access.kind[k], view.access.number[k]) != (rule == REQUIRES):
            return NO_ACCESS
        elif rule == REQUIRES:
            required = True
            best = max(best, view.access.affinity[k])
    return best if admitted or (required and not listed) else NO_ACCESS


@kernel
def _fits(view: View, row: int, kind: int, number: int) -> bool:
    """Whether *row* has this credential, or is as short as this."""
    credential = view.jobs.credential[row]
    own = -1
    if kind == Credential.USER:
        own = view.credentials.user[credential]
    elif kind == Credential.GROUP:
        own = view.credentials.group[credential]
    elif kind == Credential.ACCOUNT:
        own = view.credentials.account[credential]
    elif kind == Credential.QUEUE:
        own = view.credentials.queue[credential]
    elif kind == Credential.QOS:
        own = view.credentials.qos[credential]
    elif kind == Credential.SERVICE:
        own = view.scopes.key[view.credentials.scope[credential, Credential.QOS], 1]
    else:
        return bool(view.jobs.estimate_s[row] <= number)
    return bool(own == number)
