"""Limits on how many waiting jobs gain age at a time: reference, section 1.2.

The first level with such a limit decides: the QOSes, the association, each account above. A job that comes
while its level has as many as it may begins to gain age when a place is free.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.model.states import JobState
from molokini.policies.slurm.configuration.line_layout import Line
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.counting.counting import line_at, lines_of_all, parent_of
from molokini.policies.slurm.knowledge.kept_state import REFUSED, mine
from molokini.policies.slurm.knowledge.who import association_of, first_qos, second_qos
from molokini.policies.slurm.limits.submitting import counts_for, first_part
from molokini.tables.tables import NEVER, View

OPEN, FULL, UNLIMITED = 0, 1, 2


@kernel
def _any_limit(view: View) -> bool:
    for k in range(lines_of_all(view)):
        at = line_at(view, k)
        for column in (Line.GRP_ACCRUE, Line.MAX_ACCRUE, Line.MAX_ACCRUE_ACCOUNT):
            if view.parameters[at + column] < NEVER:
                return True
    return False


@kernel
def let_accrue(view: View, now: float) -> None:
    """Let jobs gain age, as many as may: new ones from when they could begin, those that waited for a place
    from now on. Until then ``accrue_s`` is ``NEVER``.
    """
    if parameters(view).enforce_limits == 0 or parameters(view).accrue_always:
        return
    seldom()
    limited = _any_limit(view)
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        since_s = mine(view).accrue_s[row]
        if 0.0 <= since_s < NEVER or not _waits(view, row):
            continue
        if limited and not _may_accrue(view, row):
            mine(view).accrue_s[row] = NEVER
        elif since_s == NEVER:
            mine(view).accrue_s[row] = max(now, mine(view).begin_s[row])
        else:
            mine(view).accrue_s[row] = -1.0 - since_s


@inner
def _waits(view: View, row: int) -> bool:
    return bool(view.jobs.state[row] == JobState.WAITING and mine(view).listed[row] not in (0, REFUSED))


@kernel
def _may_accrue(view: View, row: int) -> bool:
    """Whether one job more may gain age at the first level that limits it."""
    part = first_part(view, row)
    first, second = first_qos(view, row, part), second_qos(view, row, part)
    of_first = _room(view, row, first, True) if first >= 0 else UNLIMITED
    of_second = _room(view, row, second, True) if second >= 0 else UNLIMITED
    if of_first != UNLIMITED or of_second != UNLIMITED:
        return of_first != FULL and of_second != FULL
    own = association_of(view, row)
    at = own
    while at >= 0:
        found = _room(view, row, at, at == own)
        if found != UNLIMITED:
            return found == OPEN
        at = parent_of(view, at)
    return True


@kernel
def _room(view: View, row: int, at: int, own: bool) -> int:
    """Whether a row has a place for one more: OPEN, FULL, or UNLIMITED where it sets no limit."""
    found = UNLIMITED
    for column in (Line.GRP_ACCRUE, Line.MAX_ACCRUE, Line.MAX_ACCRUE_ACCOUNT):
        limit = view.parameters[at + column]
        if not limit < NEVER or (column != Line.GRP_ACCRUE and not own):
            continue
        if _accruing(view, row, at, column) + 1 > limit:
            return FULL
        found = OPEN
    return found


@kernel
def _accruing(view: View, row: int, at: int, column: int) -> int:
    """Waiting jobs of a row that gain age, of the same user or account where the limit is theirs."""
    found = 0
    for k in range(view.queue.head, view.queue.tail):
        other = view.queue.waiting[k]
        if _waits(view, other) and 0.0 <= mine(view).accrue_s[other] < NEVER:
            found += 1 if counts_for(view, row, other, at, column) else 0
    return found
