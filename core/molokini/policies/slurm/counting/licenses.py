"""Licences of the cluster: what running jobs hold of each kind, and whether a job can have what it asks for.

Counted again in each pass that needs it; starts of the pass are added. A kind that the configuration does not
have is not counted.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.model.decisions import Decision
from molokini.model.requests import LICENSE_COUNT, MOST_LICENSES
from molokini.policies.slurm.configuration.line_layout import LICENSE_ROW
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.knowledge.active import active_count, active_row
from molokini.policies.slurm.knowledge.kept_state import mine
from molokini.policies.slurm.knowledge.time_limits import left_of
from molokini.tables.access import has_access
from molokini.tables.tables import View


@inner
def counts_licenses(view: View) -> bool:
    """Whether there are licences to count."""
    return bool(parameters(view).license_count > 0)


@inner
def asks_for_licenses(view: View, row: int) -> bool:
    """Whether a job holds licences while it runs."""
    return bool(view.components.licenses[view.jobs.components[row], 0] != 0)


@kernel
def asked_of(view: View, row: int, at: int) -> int:
    """How many of the licences of a row of the vector a job asks for."""
    for k in range(MOST_LICENSES):
        one = view.components.licenses[view.jobs.components[row], k]
        if one == 0:
            break
        if one // LICENSE_COUNT == int(view.parameters[at]):
            return int(one % LICENSE_COUNT)
    return 0


@inner
def license_row(view: View, k: int) -> int:
    """Row *k* of the table of licences."""
    return int(parameters(view).licenses) + k * LICENSE_ROW


@kernel
def count_licenses(view: View) -> None:
    """Count what jobs hold that run, and those that are suspended."""
    if not counts_licenses(view):
        return
    seldom()
    for k in range(parameters(view).license_count):
        view.site.tallies[license_row(view, k)] = 0.0
    for k in range(active_count(view)):
        change_licenses(view, active_row(view, k), 1.0)


@kernel
def change_licenses(view: View, row: int, times: float) -> None:
    """A job takes its licences (1), or gives them back (-1)."""
    if not counts_licenses(view) or not asks_for_licenses(view, row):
        return
    seldom()
    for k in range(parameters(view).license_count):
        at = license_row(view, k)
        view.site.tallies[at] += times * asked_of(view, row, at)


@kernel
def lacks_licenses(view: View, row: int) -> bool:
    """Whether a job asks for more licences than are free now, those that are reserved for others left out."""
    if not counts_licenses(view) or not asks_for_licenses(view, row):
        return False
    seldom()
    for k in range(parameters(view).license_count):
        at = license_row(view, k)
        asked = asked_of(view, row, at)
        if asked == 0:
            continue
        if view.reservations.count > 0:
            asked += kept_for_others(view, row, at)
        if view.site.tallies[at] + asked > view.parameters[at + 1]:
            return True
    return False


@kernel
def kept_for_others(view: View, row: int, at: int) -> int:
    """How many licences of a row of the vector reservations keep from a job while it would run: less those
    that jobs with access to them hold.
    """
    seldom()
    now, kept = mine(view).noted_s, 0
    until_s = now + left_of(view, row)
    for r in range(view.reservations.count):
        count = kept_by(view, row, r, at, now, until_s)
        if count > 0:
            kept += max(0, count - _held_with_access(view, r, at))
    return kept


@kernel
def kept_by(view: View, row: int, r: int, at: int, from_s: float, until_s: float) -> int:
    """How many licences of a row of the vector a reservation keeps from a job that runs between the two."""
    if view.reservations.until_s[r] <= from_s or view.reservations.from_s[r] >= until_s:
        return 0
    count = _kept_of(view, r, at)
    return count if count > 0 and not has_access(view, row, r) else 0


@kernel
def _kept_of(view: View, r: int, at: int) -> int:
    """How many licences of a row of the vector a reservation has."""
    for k in range(MOST_LICENSES):
        one = view.reservations.licenses[r, k]
        if one == 0:
            break
        if one // LICENSE_COUNT == int(view.parameters[at]):
            return int(one % LICENSE_COUNT)
    return 0


@kernel
def _held_with_access(view: View, r: int, at: int) -> int:
    """How many of them jobs hold that the reservation admits: those that run, are suspended, start now."""
    held = 0
    for k in range(view.queue.running_count):
        held += held_by(view, view.queue.running[k], r, at)
    for k in range(view.queue.suspended_count):
        held += held_by(view, view.queue.suspended[k], r, at)
    for k in range(view.cycle.decided):
        if view.cycle.decisions[k, 0] == Decision.START:
            held += held_by(view, view.cycle.decisions[k, 1], r, at)
    return held


@kernel
def held_by(view: View, row: int, r: int, at: int) -> int:
    """How many licences of a row of the vector a job holds that a reservation admits; 0: it does not."""
    held = asked_of(view, row, at)
    return held if held > 0 and has_access(view, row, r) else 0


@kernel
def never_has_licenses(view: View, row: int) -> bool:
    """Whether a job asks for more licences than there are."""
    if not counts_licenses(view) or not asks_for_licenses(view, row):
        return False
    for k in range(parameters(view).license_count):
        at = license_row(view, k)
        if asked_of(view, row, at) > view.parameters[at + 1]:
            return True
    return False
