"""The limit of a job that backfill has started with the least one that it accepts: reference, section 3.3, k.

Since release 25.05 it grows up to the first plan that takes one of its nodes, in whole minutes; before, it
stayed. It keeps clear of reservations and of licences that are planned, and ends by its deadline.
"""

from molokini.compiled.compilation import kernel, seldom
from molokini.policies.slurm.configuration.line_layout import Part
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.counting.counting import count_longer
from molokini.policies.slurm.knowledge.time_limits import settle_limit, try_with, until_s
from molokini.policies.slurm.knowledge.who import part_row
from molokini.policies.slurm.limits.partitions import is_exempt
from molokini.policies.slurm.nodes.sets import has
from molokini.policies.slurm.planning.running_map import short_from_s
from molokini.tables.access import has_access
from molokini.tables.tables import NEVER, View


@kernel
def grow_limit(view: View, row: int, part: int, now: float, free_until_s: float) -> None:
    """The job has just been started: settle its limit. Plans need its processors from *free_until_s* on."""
    if view.cycle.tried_s[row] == 0.0:
        return
    seldom()
    if parameters(view).time_min_grows:
        before_s = view.cycle.tried_s[row]
        end_s = min(free_until_s, _reserved_from_s(view, row, now), short_from_s(view, row, now))
        if view.jobs.deadline_s[row] > 0.0:
            end_s = min(end_s, view.jobs.deadline_s[row])
        longest_s = max(before_s, min(view.jobs.estimate_s[row], _most_s(view, row, part)))
        grown_s = min(longest_s, until_s(view, row, now, end_s)) if end_s < NEVER else longest_s
        try_with(view, row, grown_s)
        count_longer(view, row, part, grown_s - before_s)
    settle_limit(view, row)


@kernel
def planned_from_s(view: View, row: int, now: float) -> float:
    """When the first plan begins that takes a node of a job; NEVER: there is none."""
    words = view.site.node_plans.numbers
    for k in range(view.site.node_plans.count):
        if view.site.node_plans.begin_s[k] <= now:
            continue
        entry = view.jobs.entries[row]
        while entry >= 0:
            if not has(view.site.node_plans.free, k * words, view.entries.node[entry]):
                return float(view.site.node_plans.begin_s[k])
            entry = view.entries.next[entry]
    return NEVER


@kernel
def _reserved_from_s(view: View, row: int, now: float) -> float:
    """When the first reservation begins that a job may not use, and that is not on other nodes alone."""
    first_s = NEVER
    for r in range(view.reservations.count):
        from_s = view.reservations.from_s[r]
        if from_s > now and from_s < first_s and not has_access(view, row, r) and _meets(view, row, r):
            first_s = from_s
    return float(first_s)


@kernel
def _meets(view: View, row: int, r: int) -> bool:
    """Whether a reservation is on a node of a job, or on any processors."""
    if not view.reservations.hosted[r] or view.nodes.count == 0:
        return True
    h = view.reservations.host[r]
    while h >= 0:
        entry = view.jobs.entries[row]
        while entry >= 0:
            if view.entries.node[entry] == view.hosts.node[h]:
                return True
            entry = view.entries.next[entry]
        h = view.hosts.next[h]
    return False


@kernel
def _most_s(view: View, row: int, part: int) -> float:
    """The longest limit that the partition of a job admits."""
    if is_exempt(view, row):
        return NEVER
    return float(view.jobs.work_s[row] + view.parameters[part_row(view, part) + Part.MAX_TIME_S])
