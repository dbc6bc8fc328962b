"""What runs in the map of backfill, and licences, where ``bf_licenses`` has them planned: reference, sections
3.3, i, and 6.3.

Jobs that run hold licences until the end of their limit, planned ones as long as their plan; both ends lie on
boundaries of the map. What reservations keep from a job they keep while its limit meets them. What runs on
whole nodes is in the map then, too, as with ``bf_running_job_reserve``.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.counting.licenses import (
    asked_of,
    asks_for_licenses,
    counts_licenses,
    held_by,
    kept_by,
    license_row,
)
from molokini.policies.slurm.knowledge.kept_state import mine
from molokini.policies.slurm.knowledge.time_limits import left_of
from molokini.policies.slurm.nodes.demand import wants_alone
from molokini.policies.slurm.nodes.sets import put
from molokini.policies.slurm.planning.plan_map import add_plan, plan_end_s, split
from molokini.policies.slurm.planning.releases import end_of_suspended
from molokini.tables.tables import NEVER, View


@inner
def plans_licenses(view: View) -> bool:
    """Whether licences are planned."""
    return bool(parameters(view).bf_licenses > 0 and counts_licenses(view))


@inner
def _has_running(view: View) -> bool:
    """Whether jobs that run are in the map."""
    return bool(parameters(view).bf_licenses > 0 or parameters(view).bf_running_job_reserve > 0)


@kernel
def find_holders(view: View, now: float) -> None:
    """Put the jobs that run into the map, where they are to be in it."""
    view.site.license_plans.count = 0
    if not _has_running(view):
        return
    seldom()
    for k in range(view.queue.running_count):
        row = view.queue.running[k]
        hold_while_running(view, row, view.jobs.expected_end_s[row])
    for k in range(view.queue.suspended_count):
        row = view.queue.suspended[k]
        if view.jobs.entries[row] >= 0:
            hold_while_running(view, row, end_of_suspended(view, row))
    for k in range(view.cycle.decided):
        if view.cycle.decisions[k, 0] == 1:
            row = view.cycle.decisions[k, 1]
            hold_while_running(view, row, now + left_of(view, row))


@kernel
def hold_while_running(view: View, row: int, until_s: float) -> None:
    """Put a job that runs to *until_s*, by its limit, into the map: its licences, and nodes of its own."""
    if not _has_running(view) or mine(view).place[row] == 0:
        return
    seldom()
    begin_s, last = view.site.node_plans.begin_s[0], view.site.node_plans.count - 1
    end_s = view.site.node_plans.end_s[last]
    if until_s < NEVER:
        end_s = min(end_s, max(plan_end_s(view, until_s, 0.0), begin_s + parameters(view).bf_resolution_s))
    lone = wants_alone(view, row, mine(view).place[row] - 1)
    if lone:
        for word in range(view.site.node_plans.numbers):
            view.site.node_plans.chosen[word] = 0
        entry = view.jobs.entries[row]
        while entry >= 0:
            put(view.site.node_plans.chosen, 0, view.entries.node[entry])
            entry = view.entries.next[entry]
    hold_licenses(view, row, begin_s, end_s)
    if lone:
        add_plan(view, begin_s, end_s)


@kernel
def hold_licenses(view: View, row: int, begin_s: float, end_s: float) -> None:
    """A job holds its licences between two instants on the grid."""
    if not plans_licenses(view) or not asks_for_licenses(view, row):
        return
    seldom()
    k = view.site.license_plans.count
    view.site.license_plans.row[k] = row
    view.site.license_plans.begin_s[k], view.site.license_plans.end_s[k] = begin_s, end_s
    view.site.license_plans.count = k + 1
    split(view, begin_s)
    split(view, end_s)


@kernel
def first_short_s(view: View, row: int, from_s: float, end_s: float, starts_s: float, ends_s: float) -> float:
    """When another try may find the licences that a job from *from_s* to *end_s* lacks: at the end of the
    first stretch in which it lacks some, or of a reservation that keeps them; NEVER: the map ends there; 0:
    it lacks none.

    Reservations keep theirs that its limit, from *starts_s* to *ends_s*, meets.
    """
    if not plans_licenses(view) or not asks_for_licenses(view, row):
        return 0.0
    seldom()
    for k in range(view.site.node_plans.count):
        if view.site.node_plans.begin_s[k] > end_s:
            break
        begins_s = view.site.node_plans.begin_s[k]
        if view.site.node_plans.end_s[k] > from_s and _is_short(view, row, begins_s, starts_s, ends_s):
            last = k + 1 == view.site.node_plans.count
            again_s = NEVER if last else view.site.node_plans.end_s[k]
            return float(min(again_s, _first_end_s(view, row, starts_s, ends_s)))
    return 0.0


@kernel
def _first_end_s(view: View, row: int, starts_s: float, ends_s: float) -> float:
    """The first end of a reservation that keeps licences from a job between the two; NEVER: none does."""
    first_s = NEVER
    for r in range(view.reservations.count):
        for k in range(parameters(view).license_count):
            at = license_row(view, k)
            if asked_of(view, row, at) > 0 and kept_by(view, row, r, at, starts_s, ends_s) > 0:
                first_s = min(first_s, view.reservations.until_s[r])
    return float(first_s)


@kernel
def short_from_s(view: View, row: int, now: float) -> float:
    """When the first stretch begins, of those to come, in which a job lacks licences; NEVER: none does."""
    if not plans_licenses(view) or not asks_for_licenses(view, row):
        return NEVER
    seldom()
    for k in range(view.site.node_plans.count):
        begin_s = view.site.node_plans.begin_s[k]
        # Limits keep clear of reservations to come by themselves; those that have begun keep theirs.
        if begin_s > now and _is_short(view, row, begin_s, now, now + 1.0):
            return float(begin_s)
    return NEVER


@kernel
def _is_short(view: View, row: int, at_s: float, starts_s: float, ends_s: float) -> bool:
    """Whether a job asks for more than is left of a kind in the stretch that begins at *at_s*, reservations
    between the other two considered.
    """
    for k in range(parameters(view).license_count):
        at = license_row(view, k)
        asked = asked_of(view, row, at)
        if asked == 0:
            continue
        for h in range(view.site.license_plans.count):
            if view.site.license_plans.begin_s[h] <= at_s < view.site.license_plans.end_s[h]:
                asked += asked_of(view, view.site.license_plans.row[h], at)
        for r in range(view.reservations.count):
            count = kept_by(view, row, r, at, starts_s, ends_s)
            if count > 0:
                asked += max(0, count - _planned_with_access(view, r, at, at_s))
        if asked > view.parameters[at + 1]:
            return True
    return False


@kernel
def _planned_with_access(view: View, r: int, at: int, at_s: float) -> int:
    """How many licences of a row of the vector jobs hold at *at_s* in the map that a reservation admits."""
    held = 0
    for h in range(view.site.license_plans.count):
        if view.site.license_plans.begin_s[h] <= at_s < view.site.license_plans.end_s[h]:
            held += held_by(view, view.site.license_plans.row[h], r, at)
    return held
