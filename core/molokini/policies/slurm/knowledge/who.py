"""Whose a job is: its association, its QOSes and its partitions, looked up once for each credential.

Rows of the vector are named by where they begin; -1: there is none.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.policies.slurm.configuration.line_layout import LINE, NAME_ROW, PART, Line, Part
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.configuration.words import QosFlag
from molokini.policies.slurm.knowledge.kept_state import mine
from molokini.tables.tables import View

ASSOCIATION, QOS, PLACES, BARRED = 0, 1, 2, 3
"""Columns of ``credentials.scope``: rows of the vector, and bits of partitions."""


@inner
def association_of(view: View, row: int) -> int:
    """The row of the association of a job."""
    return int(view.credentials.scope[view.jobs.credential[row], ASSOCIATION])


@inner
def qos_of(view: View, row: int) -> int:
    """The row of the QOS of a job."""
    return int(view.credentials.scope[view.jobs.credential[row], QOS])


@inner
def places_of(view: View, row: int) -> int:
    """Bits of the partitions that a job asks for."""
    return int(view.credentials.scope[view.jobs.credential[row], PLACES])


@inner
def part_row(view: View, part: int) -> int:
    """The row of a partition."""
    return int(parameters(view).partitions) + part * PART


@inner
def line(view: View, at: int, column: int) -> float:
    """A number of a row; nothing is limited, and nothing counts, where there is no row."""
    return float(view.parameters[at + column])


@inner
def queue_of_part(view: View, part: int) -> int:
    """The number of the queue that a partition is; -1: there is but one, without a name."""
    return int(view.parameters[part_row(view, part) + Part.NUMBER])


@inner
def qos_of_part(view: View, part: int) -> int:
    """The row of the QOS of a partition; -1: it has none."""
    place = int(view.parameters[part_row(view, part) + Part.QOS])
    return int(parameters(view).qos) + place * LINE if place >= 0 else -1


@inner
def first_qos(view: View, row: int, part: int) -> int:
    """The QOS whose limits hide those of the other: the partition's, unless the job's goes over it."""
    own, of_part = qos_of(view, row), qos_of_part(view, part)
    if of_part < 0 or of_part == own:
        return own
    if own >= 0 and int(view.parameters[own + Line.FLAGS]) & QosFlag.OVER_PART_QOS:
        return own
    return of_part


@inner
def second_qos(view: View, row: int, part: int) -> int:
    """The other of the two; -1: there is none."""
    own, of_part = qos_of(view, row), qos_of_part(view, part)
    if own < 0 or of_part < 0 or of_part == own:
        return -1
    return of_part if first_qos(view, row, part) == own else own


@kernel
def find_credentials(view: View) -> None:
    """Look up the credentials that appeared since the last pass."""
    for credential in range(mine(view).resolved, view.credentials.user.size):
        _find(view, credential)
    mine(view).resolved = view.credentials.user.size


@kernel
def _find(view: View, credential: int) -> None:
    seldom()
    places = _places(view, int(view.credentials.queue[credential]))
    view.credentials.scope[credential, PLACES] = places
    association = _association(view, credential, places)
    qos = _named_qos(view, int(view.credentials.qos[credential]))
    if qos < 0 and association >= 0:
        qos = int(view.parameters[association + Line.DEFAULT_QOS])
    if qos < 0:
        qos = int(parameters(view).default_qos)
    known = 0 <= qos < parameters(view).qos_count
    view.credentials.scope[credential, ASSOCIATION] = association
    view.credentials.scope[credential, QOS] = int(parameters(view).qos) + qos * LINE if known else -1
    view.credentials.scope[credential, BARRED] = _barred(view, credential, qos if known else -1)


@kernel
def _named_qos(view: View, number: int) -> int:
    """The place of the QOS that jobs name by *number*; -1: there is none."""
    for place in range(parameters(view).qos_count):
        if (
            number >= 0
            and int(view.parameters[int(parameters(view).qos) + place * LINE + Line.PARTITION]) == number
        ):
            return place
    return -1


@kernel
def _places(view: View, queue: int) -> int:
    """Bits of the partitions that a queue is; the default where it is none."""
    first = int(parameters(view).partitions)
    for part in range(parameters(view).partition_count):
        if queue >= 0 and int(view.parameters[first + part * PART + Part.NUMBER]) == queue:
            return 1 << part
    first = int(parameters(view).names)
    for k in range(parameters(view).name_count):
        if int(view.parameters[first + k * NAME_ROW]) == queue:
            return int(view.parameters[first + k * NAME_ROW + 1])
    return 1 << int(parameters(view).default_partition)


@kernel
def _association(view: View, credential: int, places: int) -> int:
    """The row of account, user and partition; else that of account and user for any partition."""
    user, account = view.credentials.user[credential], view.credentials.account[credential]
    found = -1
    for k in range(parameters(view).association_count):
        at = int(parameters(view).associations) + k * LINE
        if int(view.parameters[at + Line.USER]) != user or int(view.parameters[at + Line.ACCOUNT]) != account:
            continue
        part = int(view.parameters[at + Line.PARTITION])
        if part >= 0 and (1 << part) == places:
            return at
        if part < 0:
            found = at
    return found


@kernel
def _barred(view: View, credential: int, qos: int) -> int:
    """Bits of the partitions that do not take jobs of this account, group or QOS."""
    barred = 0
    account, group = int(view.credentials.account[credential]), int(view.credentials.group[credential])
    for part in range(parameters(view).partition_count):
        at = part_row(view, part)
        if _kept_out(view, at, Part.ALLOW_ACCOUNTS, Part.DENY_ACCOUNTS, account):
            barred |= 1 << part
        if _kept_out(view, at, Part.ALLOW_QOS, Part.DENY_QOS, qos):
            barred |= 1 << part
        allowed = int(view.parameters[at + Part.ALLOW_GROUPS])
        if allowed >= 0 and not _is_in(view, allowed, group):
            barred |= 1 << part
    return barred


@kernel
def _kept_out(view: View, at: int, allow: int, deny: int, number: int) -> bool:
    """Allow goes before Deny."""
    allowed, denied = int(view.parameters[at + allow]), int(view.parameters[at + deny])
    if allowed >= 0:
        return not _is_in(view, allowed, number)
    return denied >= 0 and _is_in(view, denied, number)


@kernel
def _is_in(view: View, first: int, number: int) -> bool:
    for k in range(int(view.parameters[first])):
        if int(view.parameters[first + 1 + k]) == number:
            return True
    return False


@kernel
def why_kept_out(view: View, row: int, part: int) -> int:
    """1: the account is not allowed in a partition; 2: the QOS is not; 0: the job may go there."""
    seldom()
    credential = view.jobs.credential[row]
    if not int(view.credentials.scope[credential, BARRED]) >> part & 1:
        return 0
    at = part_row(view, part)
    account = int(view.credentials.account[credential])
    return 1 if _kept_out(view, at, Part.ALLOW_ACCOUNTS, Part.DENY_ACCOUNTS, account) else 2
