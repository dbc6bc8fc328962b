"""Who may use what is reserved: which reservations admit a job, and how much it wants them.

The answer is the same for all jobs of a credential, but where reservations ask for the length of a job. It is
found once a pass, as bits of the reservations that are open to the credential.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.model.reservations import Credential
from molokini.tables.tables import View

_USER = int(Credential.USER)
_GROUP = int(Credential.GROUP)
_ACCOUNT = int(Credential.ACCOUNT)
_QUEUE = int(Credential.QUEUE)
_QOS = int(Credential.QOS)
_SERVICE = int(Credential.SERVICE)
NO_ACCESS = 0
ADMITS, DENIES, REQUIRES = 0, 1, 2
"""What an element of a reservation's access list does."""
MOST_BITS = 62
"""Of more reservations nothing is remembered: a number has no more bits."""


@inner
def has_access(view: View, row: int, r: int) -> bool:
    """Whether *row* may use reservation *r*: one of those admitted, if any is, and not kept out."""
    if view.reservations > MOST_BITS:
        return affinity_of(view, row, r) > NO_ACCESS
    return bool((open_to(view, row) >> r) & 1)


@inner
def open_to(view: View, row: int) -> int:
    """Bits of the reservations that *row* may use, of which there are no more than ``MOST_BITS``."""
    credential = view.job_credential[row]
    if view.credential_opened[credential] != view.room_epoch:
        _find_open(view, row, credential)
    return int(view.credential_open[credential])


@kernel
def _find_open(view: View, row: int, credential: int) -> None:
    """One walk over all elements, a bit of each set a reservation."""
    seldom()
    admitted, listed, required, kept_out = 0, 0, 0, 0
    for k in range(view.access_kind.size):
        bit, rule = 1 << view.access_reservation[k], view.access_rule[k]
        fits = _fits(view, row, view.access_kind[k], view.access_number[k])
        if rule == ADMITS:
            listed |= bit
            admitted |= bit if fits else 0
        elif fits != (rule == REQUIRES):
            kept_out |= bit
        elif rule == REQUIRES:
            required |= bit
    view.credential_open[credential] = (admitted | (required & ~listed)) & ~kept_out
    view.credential_opened[credential] = -1 if view.access_by_job else view.room_epoch


@kernel
def affinity_of(view: View, row: int, r: int) -> int:
    """How much *row* wants what reservation *r* keeps, by what fits best; NO_ACCESS: it may not have it."""
    seldom()
    admitted, listed, required, best = False, False, False, NO_ACCESS
    for k in range(view.access_kind.size):
        if view.access_reservation[k] != r:
            continue
        rule = view.access_rule[k]
        if rule == ADMITS:
            listed = True
            if _fits(view, row, view.access_kind[k], view.access_number[k]):
                admitted = True
                best = max(best, view.access_affinity[k])
        elif _fits(view, row, view.access_kind[k], view.access_number[k]) != (rule == REQUIRES):
            return NO_ACCESS
        elif rule == REQUIRES:
            required = True
            best = max(best, view.access_affinity[k])
    return best if admitted or (required and not listed) else NO_ACCESS


@kernel
def _fits(view: View, row: int, kind: int, number: int) -> bool:
    """Whether *row* is of this credential."""
    credential = view.job_credential[row]
    own = -1
    if kind == _USER:
        own = view.credential_user[credential]
    elif kind == _GROUP:
        own = view.credential_group[credential]
    elif kind == _ACCOUNT:
        own = view.credential_account[credential]
    elif kind == _QUEUE:
        own = view.credential_queue[credential]
    elif kind == _QOS:
        own = view.credential_qos[credential]
    elif kind == _SERVICE:
        own = view.scope_key[view.credential_scope[credential, _QOS], 1]
    else:
        return bool(view.job_estimate_s[row] <= number)
    return bool(own == number)
