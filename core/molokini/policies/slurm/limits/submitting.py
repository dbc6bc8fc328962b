"""Limits at submission: reference, section 5.2. A job that one of them refuses leaves the queue at once.

Pending jobs count, and those that run. Jobs are looked at in the order of the queue, when a pass sees them
first.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.cycle.verbs import refuse
from molokini.model.decisions import Refusal
from molokini.model.states import JobState
from molokini.policies.slurm.configuration.line_layout import Line
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.counting.counting import line_at, lines_of_all, parent_of
from molokini.policies.slurm.counting.licenses import counts_licenses, never_has_licenses
from molokini.policies.slurm.knowledge.active import active_count, active_row
from molokini.policies.slurm.knowledge.kept_state import REFUSED, mine
from molokini.policies.slurm.knowledge.who import association_of, first_qos, places_of, second_qos
from molokini.tables.tables import NEVER, View


@kernel
def refuse_over_submit(view: View) -> None:
    """Refuse new jobs that are over a limit on jobs submitted, or ask for more licences than there are."""
    if counts_licenses(view):
        _refuse_unlicensed(view)
    if parameters(view).enforce_limits == 0 or not _any_limit(view):
        return
    seldom()
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        if _is_new(view, row) and _is_over(view, row, k):
            _refuse(view, row)


@kernel
def _refuse_unlicensed(view: View) -> None:
    seldom()
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        if _is_new(view, row) and never_has_licenses(view, row):
            _refuse(view, row)


@inner
def _is_new(view: View, row: int) -> bool:
    return bool(mine(view).listed[row] == 0 and view.jobs.state[row] == JobState.WAITING)


@kernel
def _refuse(view: View, row: int) -> None:
    mine(view).listed[row] = REFUSED
    mine(view).refused += 1
    refuse(view, row, Refusal.OVER_CEILING)


@kernel
def _any_limit(view: View) -> bool:
    for k in range(lines_of_all(view)):
        at = line_at(view, k)
        for column in (Line.GRP_SUBMIT, Line.MAX_SUBMIT, Line.MAX_SUBMIT_ACCOUNT):
            if view.parameters[at + column] < NEVER:
                return True
    return False


@kernel
def _is_over(view: View, row: int, place: int) -> bool:
    """Whether the job at this place of the queue is one too many for a QOS, its association or one above."""
    part = first_part(view, row)
    first, second = first_qos(view, row, part), second_qos(view, row, part)
    if first >= 0 and _over_line(view, row, place, first, -1, -1, True):
        return True
    if second >= 0 and _over_line(view, row, place, second, first, -1, True):
        return True
    own = association_of(view, row)
    at = own
    while at >= 0:
        if _over_line(view, row, place, at, first, second, at == own):
            return True
        at = parent_of(view, at)
    return False


@kernel
def first_part(view: View, row: int) -> int:
    """The first partition that a job asks for."""
    places, part = places_of(view, row), 0
    while places > 1 and not places & 1:
        places >>= 1
        part += 1
    return part


@kernel
def _over_line(view: View, row: int, place: int, at: int, first: int, second: int, own: bool) -> bool:
    """Whether one job more is over a limit of a row that no QOS before it hides."""
    for column in (Line.GRP_SUBMIT, Line.MAX_SUBMIT, Line.MAX_SUBMIT_ACCOUNT):
        limit = view.parameters[at + column]
        if not limit < NEVER or (column != Line.GRP_SUBMIT and not own):
            continue
        if _sets(view, first, column) or _sets(view, second, column):
            continue
        if _submitted(view, row, place, at, column) + 1 > limit:
            return True
    return False


@inner
def _sets(view: View, at: int, column: int) -> bool:
    return bool(at >= 0 and view.parameters[at + column] < NEVER)


@kernel
def _submitted(view: View, row: int, place: int, at: int, column: int) -> int:
    """Jobs of a row, of the same user or account where the limit is theirs, that were submitted before."""
    found = 0
    for k in range(view.queue.head, view.queue.tail):
        other = view.queue.waiting[k]
        here = mine(view).listed[other] not in (0, REFUSED) or (k < place and mine(view).listed[other] == 0)
        if here and counts_for(view, row, other, at, column):
            found += 1
    for k in range(active_count(view)):
        if counts_for(view, row, active_row(view, k), at, column):
            found += 1
    return found


@kernel
def counts_for(view: View, row: int, other: int, at: int, column: int) -> bool:
    """Whether a job counts for a limit of a row by which another job is judged."""
    one, two = view.jobs.credential[row], view.jobs.credential[other]
    of_qos = view.parameters[at + Line.USER] < 0 and view.parameters[at + Line.PARENT] < 0
    by_user = of_qos and column in (Line.MAX_SUBMIT, Line.MAX_ACCRUE)
    if by_user and view.credentials.user[one] != view.credentials.user[two]:
        return False
    by_account = column in (Line.MAX_SUBMIT_ACCOUNT, Line.MAX_ACCRUE_ACCOUNT)
    if by_account and view.credentials.account[one] != view.credentials.account[two]:
        return False
    part = first_part(view, other)
    if first_qos(view, other, part) == at or second_qos(view, other, part) == at:
        return True
    above = association_of(view, other)
    while above >= 0:
        if above == at:
            return True
        above = parent_of(view, above)
    return False
