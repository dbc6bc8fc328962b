"""Limits of QOSes and associations: before a placement is tried, and after one is found.

A limit that the first QOS sets hides the same limit of the second and of all associations; one of the second
those of associations. "The same" is by kind, and by TRES.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.policies.slurm.configuration.line_layout import TRES, Count, Line
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.configuration.words import QosFlag, Tres
from molokini.policies.slurm.counting.counting import is_of, parent_of
from molokini.policies.slurm.counting.decaying import used_minutes
from molokini.policies.slurm.knowledge.active import active_count, active_row
from molokini.policies.slurm.knowledge.kept_state import mine
from molokini.policies.slurm.knowledge.time_limits import limit_of
from molokini.policies.slurm.knowledge.tres import tres_of
from molokini.policies.slurm.knowledge.waiting_reasons import Reason
from molokini.policies.slurm.knowledge.who import association_of, first_qos, second_qos
from molokini.policies.slurm.nodes.demand import cpus_held, nodes_held
from molokini.tables.tables import NEVER, View


@inner
def _set(view: View, at: int, column: int) -> bool:
    """Whether a row has a limit."""
    return bool(at >= 0 and view.parameters[at + column] < NEVER)


@kernel
def over_before(view: View, row: int, part: int) -> int:
    """The first limit that keeps a job from being tried, a ``Reason``; 0: none."""
    if parameters(view).enforce_limits == 0:
        return 0
    seldom()
    first, second = first_qos(view, row, part), second_qos(view, row, part)
    if first >= 0:
        found = _qos_before(view, row, first, -1)
        if found > 0:
            return found
    if second >= 0:
        found = _qos_before(view, row, second, first)
        if found > 0:
            return found
    return _association_before(view, row, first, second)


@kernel
def _qos_before(view: View, row: int, at: int, hider: int) -> int:
    """Limits of a QOS, but for those that *hider* has, too."""
    limits = view.parameters
    if (
        not _set(view, hider, Line.GRP_JOBS)
        and view.site.tallies[at + Count.JOBS] + 1 > limits[at + Line.GRP_JOBS]
    ):
        return Reason.QOS_GRP_JOBS
    if not _set(view, hider, Line.GRP_WALL_S) and _over_wall(view, row, at):
        return Reason.QOS_GRP_WALL
    if _over_jobs(view, row, at, hider, Line.MAX_JOBS_ACCOUNT, False):
        return Reason.QOS_MAX_JOBS_ACCOUNT
    if _over_jobs(view, row, at, hider, Line.MAX_JOBS, True):
        return Reason.QOS_MAX_JOBS_USER
    if not _set(view, hider, Line.MAX_WALL_S) and limit_of(view, row) > limits[at + Line.MAX_WALL_S]:
        return Reason.QOS_MAX_WALL
    return _below_threshold(view, row, at)


@kernel
def _over_jobs(view: View, row: int, at: int, hider: int, column: int, by_user: bool) -> bool:
    """Whether one job more is over a limit of a QOS for each user, or each account."""
    if not _set(view, at, column) or _set(view, hider, column):
        return False
    return bool(_jobs_of(view, row, at, by_user) + 1 > view.parameters[at + column])


@kernel
def _below_threshold(view: View, row: int, at: int) -> int:
    association = association_of(view, row)
    if association < 0 or not int(view.parameters[at + Line.FLAGS]) & QosFlag.ENFORCE_USAGE_THRESHOLD:
        return 0
    below = view.site.tallies[association + Count.FACTOR] < view.parameters[at + Line.USAGE_THRESHOLD]
    return Reason.QOS_USAGE_THRESHOLD if below else 0


@kernel
def _over_wall(view: View, row: int, at: int) -> bool:
    limit_s = view.parameters[at + Line.GRP_WALL_S]
    used_s = view.site.tallies[at + Count.WALL_S]
    if used_s >= limit_s:
        return True
    return bool(parameters(view).enforce_safe and used_s + limit_of(view, row) > limit_s)


@kernel
def _jobs_of(view: View, row: int, at: int, by_user: bool) -> int:
    """Running jobs of a QOS of the same user, or account, those that this pass has started included."""
    found = 0
    for k in range(active_count(view)):
        other = active_row(view, k)
        if _is_same(view, row, other, by_user) and is_of(view, other, at):
            found += 1
    for k in range(view.cycle.decided):
        other = view.cycle.decisions[k, 1]
        if view.cycle.decisions[k, 0] == 1 and _is_same(view, row, other, by_user) and is_of(view, other, at):
            found += 1
    return found


@inner
def _is_same(view: View, row: int, other: int, by_user: bool) -> bool:
    one, two = view.jobs.credential[row], view.jobs.credential[other]
    if by_user:
        return bool(view.credentials.user[one] == view.credentials.user[two])
    return bool(view.credentials.account[one] == view.credentials.account[two])


@kernel
def _hidden(view: View, first: int, second: int, column: int) -> bool:
    return _set(view, first, column) or _set(view, second, column)


@kernel
def _association_before(view: View, row: int, first: int, second: int) -> int:
    own = association_of(view, row)
    at = own
    while at >= 0:
        limits = view.parameters
        over = view.site.tallies[at + Count.JOBS] + 1 > limits[at + Line.GRP_JOBS]
        if over and not _hidden(view, first, second, Line.GRP_JOBS):
            return Reason.ASSOC_GRP_JOBS
        if not _hidden(view, first, second, Line.GRP_WALL_S) and _over_wall(view, row, at):
            return Reason.ASSOC_GRP_WALL
        if at == own:
            hides = _hidden(view, first, second, Line.MAX_JOBS)
            hides = hides or _hidden(view, first, second, Line.MAX_JOBS_ACCOUNT)
            if not hides and view.site.tallies[at + Count.JOBS] + 1 > limits[at + Line.MAX_JOBS]:
                return Reason.ASSOC_MAX_JOBS
            over = limit_of(view, row) > limits[at + Line.MAX_WALL_S]
            if over and not _hidden(view, first, second, Line.MAX_WALL_S):
                return Reason.ASSOC_MAX_WALL
        at = parent_of(view, at)
    return 0


@kernel
def over_after(view: View, row: int, part: int, cpus: int, count: int) -> int:
    """The first limit that a job with so many *cpus*, on the *count* placed nodes, is over; 0: none."""
    if parameters(view).enforce_limits == 0:
        return 0
    seldom()
    first, second = first_qos(view, row, part), second_qos(view, row, part)
    nodes = count if view.nodes.count > 0 else cpus
    if first >= 0:
        found = _qos_after(view, row, part, first, -1, cpus, nodes)
        if found > 0:
            return found
    if second >= 0:
        found = _qos_after(view, row, part, second, first, cpus, nodes)
        if found > 0:
            return found
    own = association_of(view, row)
    at = own
    while at >= 0:
        found = _group_after(view, row, part, at, first, second, cpus, nodes, Reason.ASSOC_GRP_TRES)
        if found == 0 and at == own:
            found = _job_after(view, row, part, at, first, second, cpus, nodes, Reason.ASSOC_MAX_TRES)
        if found > 0:
            return found
        at = parent_of(view, at)
    return 0


@kernel
def _qos_after(view: View, row: int, part: int, at: int, hider: int, cpus: int, nodes: int) -> int:
    found = _group_after(view, row, part, at, hider, -1, cpus, nodes, Reason.QOS_GRP_TRES)
    if found == 0:
        found = _job_after(view, row, part, at, hider, -1, cpus, nodes, Reason.QOS_MAX_TRES)
    if found == 0:
        found = _each_after(view, row, part, at, hider, cpus, nodes)
    return found


@kernel
def _group_after(
    view: View, row: int, part: int, at: int, first: int, second: int, cpus: int, nodes: int, reason: int
) -> int:
    """GrpTRESMins, GrpTRES, GrpTRESRunMins, in this order; reasons of a kind stand eight apart."""
    for tres in range(TRES):
        column = Line.GRP_TRES_MINS + tres
        holds = _set(view, at, column) and not _hidden(view, first, second, column)
        if holds and _over_minutes(view, row, part, at, tres, cpus, nodes):
            return reason + TRES + tres
    for tres in range(TRES):
        column = Line.GRP_TRES + tres
        if _set(view, at, column) and not _hidden(view, first, second, column):
            asked = tres_of(view, row, part, tres, cpus, nodes)
            now = view.site.tallies[at + Count.TRES_NOW + tres]
            if tres == Tres.NODE and view.nodes.count > 0:
                now, asked = _distinct(view, at, nodes), 0.0
            if now + asked > view.parameters[at + column]:
                return reason + tres
    for tres in range(TRES):
        column = Line.GRP_TRES_RUN_MINS + tres
        if _set(view, at, column) and not _hidden(view, first, second, column):
            asked = tres_of(view, row, part, tres, cpus, nodes) * limit_of(view, row)
            running = view.site.tallies[at + Count.RUN_MINS_S + tres]
            if (running // 60.0) + (asked // 60.0) > view.parameters[at + column]:
                return reason + 2 * TRES + tres
    return 0


@kernel
def _over_minutes(view: View, row: int, part: int, at: int, tres: int, cpus: int, nodes: int) -> bool:
    limit, used = view.parameters[at + Line.GRP_TRES_MINS + tres], used_minutes(view, at, tres)
    if used >= limit:
        return True
    if not parameters(view).enforce_safe:
        return False
    asked = tres_of(view, row, part, tres, cpus, nodes) * limit_of(view, row) // 60.0
    running = view.site.tallies[at + Count.RUN_MINS_S + tres] // 60.0
    return bool(used + running + asked > limit)


@kernel
def _distinct(view: View, at: int, count: int) -> float:
    """Nodes of the jobs of a row, and of the *count* placed ones, each counted once."""
    found = 0.0
    for node in range(view.nodes.count):
        view.nodes.seen[node] = 0
    for k in range(count):
        view.nodes.seen[view.placing.node[k]] = 1
        found += 1.0
    for k in range(active_count(view)):
        found += _mark(view, active_row(view, k), at)
    for k in range(view.cycle.decided):
        if view.cycle.decisions[k, 0] == 1:
            found += _mark(view, view.cycle.decisions[k, 1], at)
    return found


@kernel
def _mark(view: View, row: int, at: int) -> float:
    if not is_of(view, row, at):
        return 0.0
    found, entry = 0.0, view.jobs.entries[row]
    while entry >= 0:
        node = view.entries.node[entry]
        found += 1.0 - view.nodes.seen[node]
        view.nodes.seen[node] = 1
        entry = view.entries.next[entry]
    return float(found)


@kernel
def _job_after(
    view: View, row: int, part: int, at: int, first: int, second: int, cpus: int, nodes: int, reason: int
) -> int:
    """MaxTRESMins, MaxTRES, MaxTRESPerNode of one job."""
    for tres in range(TRES):
        column = Line.MAX_TRES_MINS + tres
        if _set(view, at, column) and not _hidden(view, first, second, column):
            asked = tres_of(view, row, part, tres, cpus, nodes) * limit_of(view, row) // 60.0
            if asked > view.parameters[at + column]:
                return reason + 2 * TRES + tres
    for tres in range(TRES):
        column = Line.MAX_TRES + tres
        holds = _set(view, at, column) and not _hidden(view, first, second, column)
        if holds and tres_of(view, row, part, tres, cpus, nodes) > view.parameters[at + column]:
            return reason + tres
    for tres in range(TRES):
        column = Line.MAX_TRES_PER_NODE + tres
        holds = _set(view, at, column) and not _hidden(view, first, second, column)
        each = tres_of(view, row, part, tres, cpus, nodes) / max(1, nodes) if holds else 0.0
        if holds and each > view.parameters[at + column]:
            return reason + TRES + tres
    return 0


@kernel
def _each_after(view: View, row: int, part: int, at: int, hider: int, cpus: int, nodes: int) -> int:
    """MinTRES, and what each account and each user may have within the QOS."""
    for tres in range(TRES):
        if tres_of(view, row, part, tres, cpus, nodes) < view.parameters[at + Line.MIN_TRES + tres]:
            return Reason.QOS_MIN + tres
    for tres in range(TRES):
        asked = tres_of(view, row, part, tres, cpus, nodes)
        if _over_each(view, row, at, hider, Line.MAX_TRES_ACCOUNT + tres, tres, asked, False, False):
            return Reason.QOS_MAX_ACCOUNT + tres
    for tres in range(TRES):
        asked = tres_of(view, row, part, tres, cpus, nodes)
        if _over_each(view, row, at, hider, Line.MAX_TRES_USER + tres, tres, asked, True, False):
            return Reason.QOS_MAX_USER + tres
    for tres in range(TRES):
        asked = tres_of(view, row, part, tres, cpus, nodes) * limit_of(view, row)
        if _over_each(view, row, at, hider, Line.MAX_RUN_MINS_ACCOUNT + tres, tres, asked, False, True):
            return Reason.QOS_RUN_MINS_ACCOUNT + tres
        if _over_each(view, row, at, hider, Line.MAX_RUN_MINS_USER + tres, tres, asked, True, True):
            return Reason.QOS_RUN_MINS_USER + tres
    return 0


@kernel
def _over_each(
    view: View, row: int, at: int, hider: int, column: int, tres: int, asked: float, by_user: bool, run: bool
) -> bool:
    """Whether running jobs of the same user or account, and what is asked for, are over a limit of a QOS."""
    if not _set(view, at, column) or _set(view, hider, column):
        return False
    total = asked
    for k in range(active_count(view)):
        other = active_row(view, k)
        if _is_same(view, row, other, by_user) and is_of(view, other, at):
            total += _has(view, other, tres, run)
    for k in range(view.cycle.decided):
        other = view.cycle.decisions[k, 1]
        if view.cycle.decisions[k, 0] == 1 and _is_same(view, row, other, by_user) and is_of(view, other, at):
            total += _has(view, other, tres, run)
    return bool((total // 60.0 if run else total) > view.parameters[at + column])


@kernel
def _has(view: View, row: int, tres: int, run: bool) -> float:
    part = mine(view).place[row] - 1
    amount = tres_of(view, row, part, tres, cpus_held(view, row, part), nodes_held(view, row))
    if not run:
        return float(amount)
    start_s = min(view.jobs.start_s[row], mine(view).counted_s)
    since_s = max(start_s, mine(view).last_priority_s)
    return float(amount * max(0.0, start_s + limit_of(view, row) - since_s))
