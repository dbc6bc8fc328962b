"""The backfill pass on counted processors: each is a node of one CPU, and all are alike.

A job is planned at the first instant at which so many are free of jobs and plans for as long as it may run;
plans begin and end on the grid, as those on nodes by name do. Between the grid and its start a plan is on
processors that running jobs hold up to that start: it leaves others what is free of both from then on.
"""

from molokini.availability.profile import earliest, keep_at_most, plan, profile_of_running, segment_at
from molokini.compiled.compilation import kernel, seldom
from molokini.cycle.verbs import tell_start
from molokini.model.decisions import Decision, StartedBy
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.knowledge.kept_state import mine
from molokini.policies.slurm.knowledge.time_limits import forget_try, left_of, try_with_least
from molokini.policies.slurm.knowledge.who import queue_of_part
from molokini.policies.slurm.limits.associations import over_after
from molokini.policies.slurm.planning.arrays import is_passed_over, note_element
from molokini.policies.slurm.planning.backfill import clear_counts, is_tried, length_of, only_now
from molokini.policies.slurm.planning.growing import grow_limit
from molokini.policies.slurm.planning.main_pass import waits
from molokini.policies.slurm.planning.plan_map import plan_end_s
from molokini.policies.slurm.planning.trying import STARTED, try_now
from molokini.policies.slurm.ranking.attempts import part_of, row_of
from molokini.tables.tables import NEVER, View


@kernel
def counted_pass(view: View, now: float, most_attempts: int) -> None:
    """One pass of so many attempts."""
    seldom()
    profile_of_running(view, now)
    for k in range(view.cycle.decided):
        if view.cycle.decisions[k, 0] == Decision.START:
            row = view.cycle.decisions[k, 1]
            plan(view, now, now + left_of(view, row), int(view.jobs.width[row]))
    clear_counts(view)
    tests, plans, started = 0, 0, mine(view).started
    most_tests, most_starts = parameters(view).bf_max_job_test, parameters(view).bf_max_job_start
    most_plans = parameters(view).bf_node_space_size
    if parameters(view).bf_budget > 0:
        most_tests = min(most_tests, parameters(view).bf_budget)
    for k in range(most_attempts):
        if tests >= most_tests or (most_starts > 0 and mine(view).started - started >= most_starts):
            return
        if most_plans > 0 and plans >= most_plans:
            return
        row, part = row_of(view.site.attempts.what[k]), part_of(view.site.attempts.what[k])
        if not waits(view, row, now) or is_passed_over(view, row, part):
            continue
        try_with_least(view, row)
        before = mine(view).started
        if is_tried(view, row, part):
            tests += 1
            mine(view).tests += 1
            made = _plan_counted(view, row, part, now, only_now(view, row, part, now, k))
            if mine(view).started == before:
                note_element(view, row, part, made > 0)
            plans += made
        if mine(view).started > before:
            tell_start(view, StartedBy.BACKFILL, view.cycle.rank_key[row], queue_of_part(view, part))
        else:
            forget_try(view, row)


@kernel
def _free_until_s(view: View, width: int, now: float) -> float:
    """Up to when so many processors are free of plans; NEVER: for good."""
    for k in range(segment_at(view, now) + 1, view.profile.last):
        if view.profile.free[k] < width:
            return float(view.profile.time_s[k])
    return NEVER


@kernel
def _plan_counted(view: View, row: int, part: int, now: float, now_only: bool) -> int:
    """Start or plan one job; how many plans were made."""
    width, length_s = int(view.jobs.width[row]), length_of(view, row, part)
    start_s = earliest(view, width, length_s, now)
    if start_s <= now and width <= view.machine.idle:
        tried = try_now(view, row, part, now)
        if tried == STARTED:
            mine(view).backfill_starts += 1
            grow_limit(view, row, part, now, _free_until_s(view, width, now))
            plan(view, now, now + max(length_s, left_of(view, row)), width)
            return 0
        if tried > 0 and parameters(view).assoc_limit_stop == 0:
            mine(view).reason[row] = tried
            return 0
        start_s = now + 1.0
    if now_only or start_s > now + parameters(view).bf_window_s:
        return 0
    if parameters(view).assoc_limit_stop == 0:
        over = over_after(view, row, part, width, 0)
        if over > 0:
            mine(view).reason[row] = over
            return 0
    mine(view).expected_s[row] = start_s
    resolution_s = parameters(view).bf_resolution_s
    end_s = max(plan_end_s(view, start_s, length_s), start_s + resolution_s)
    left = int(view.profile.free[segment_at(view, start_s)]) - width
    keep_at_most(view, max(now, start_s // resolution_s * resolution_s), start_s, left)
    plan(view, start_s, end_s, width)
    return 1
