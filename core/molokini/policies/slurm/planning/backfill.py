"""The backfill pass: a planned start for each job in order; those whose start is now start.

Reference, section 3.3, with its letters in comments. On counted processors, where no node has a name, what is
planned is a number of processors (``counted``).
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.cycle.verbs import tell_start
from molokini.model.decisions import StartedBy
from molokini.policies.slurm.configuration.line_layout import Line, Part, PartCount
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.configuration.words import QosFlag
from molokini.policies.slurm.counting.licenses import lacks_licenses
from molokini.policies.slurm.knowledge.kept_state import mine
from molokini.policies.slurm.knowledge.time_limits import forget_try, left_of, try_with_least
from molokini.policies.slurm.knowledge.waiting_reasons import Reason
from molokini.policies.slurm.knowledge.who import association_of, part_row, qos_of, queue_of_part
from molokini.policies.slurm.limits.associations import over_after, over_before
from molokini.policies.slurm.limits.partitions import kept_out
from molokini.policies.slurm.nodes.demand import is_single
from molokini.policies.slurm.nodes.sets import find_up, up_of
from molokini.policies.slurm.planning.arrays import (
    forget_arrays,
    is_passed_over,
    note_element,
    plans_no_elements,
)
from molokini.policies.slurm.planning.growing import grow_limit, planned_from_s
from molokini.policies.slurm.planning.main_pass import is_young, waits
from molokini.policies.slurm.planning.plan_map import (
    add_plan,
    begin_looking,
    begin_map,
    look,
    most_stretches,
    overlaps,
    plan_end_s,
)
from molokini.policies.slurm.planning.releases import add_release, find_releases
from molokini.policies.slurm.planning.reserved import is_in_the_way, keep_reserved
from molokini.policies.slurm.planning.running_map import (
    find_holders,
    first_short_s,
    hold_licenses,
    hold_while_running,
)
from molokini.policies.slurm.planning.suspending import start_instead_of_others
from molokini.policies.slurm.planning.trying import STARTED, note_tested, try_now
from molokini.policies.slurm.planning.will_run import begin_test, test_again, too_few, will_run
from molokini.policies.slurm.ranking.attempts import part_of, row_of
from molokini.tables.rows import how_many
from molokini.tables.tables import NEVER, View

_YEAR_S = 365 * 86_400.0
_LIMITED_S = 500.0
GO_ON, END = 0, 1


@kernel
def backfill_pass(view: View, now: float, most_attempts: int) -> None:
    """One pass on nodes by name, of so many attempts."""
    seldom()
    find_up(view, now)
    begin_map(view, now)
    find_releases(view, now)
    find_holders(view, now)
    clear_counts(view)
    mine(view).like = 0
    tests, started = 0, mine(view).started
    most_tests, most_starts = parameters(view).bf_max_job_test, parameters(view).bf_max_job_start
    budget = parameters(view).bf_budget
    if budget > 0:
        most_tests = min(most_tests, budget)
    most = most_stretches(view)
    for k in range(most_attempts):
        if tests >= most_tests or (most_starts > 0 and mine(view).started - started >= most_starts):
            return
        row, part = row_of(view.site.attempts.what[k]), part_of(view.site.attempts.what[k])
        if not waits(view, row, now) or is_passed_over(view, row, part):
            continue
        try_with_least(view, row)
        if not is_tried(view, row, part):
            forget_try(view, row)
            continue
        tests += 1
        mine(view).tests += 1
        before, plans, how = mine(view).started, plans_in(view, part), GO_ON
        if not is_single(view, row):
            _without_plan(view, row, part, now)
        else:
            how = _plan(view, row, part, now, only_now(view, row, part, now, k))
        if mine(view).started > before:
            tell_start(view, StartedBy.BACKFILL, view.cycle.rank_key[row], queue_of_part(view, part))
        else:
            forget_try(view, row)
            note_element(view, row, part, plans_in(view, part) > plans)
        if how == END:
            return
        if view.site.node_plans.count >= most:
            return


@kernel
def clear_counts(view: View) -> None:
    """Forget planned starts, and how many entries and plans partitions and users have had."""
    for part in range(parameters(view).partition_count):
        at = part_row(view, part)
        view.site.tallies[at + PartCount.LOOKED] = 0.0
        view.site.tallies[at + PartCount.PLANS] = 0.0
    forget_arrays(view)
    mine(view).counted_entries = 0
    for k in range(view.site.attempts.count):
        mine(view).expected_s[row_of(view.site.attempts.what[k])] = 0.0


@kernel
def is_tried(view: View, row: int, part: int) -> bool:
    """Whether an entry comes as far as a test: partitions, limits (c), numbers of entries (f),
    licences (g).
    """
    why = kept_out(view, row, part)
    if why > 0:
        return False
    if parameters(view).assoc_limit_stop == 0:
        over = over_before(view, row, part)
        if over > 0:
            mine(view).reason[row] = over
            return False
    if _used_up(view, row, part):
        return False
    if parameters(view).bf_licenses == 0 and lacks_licenses(view, row):
        mine(view).reason[row] = Reason.LICENSES
        return False
    return True


@kernel
def _used_up(view: View, row: int, part: int) -> bool:
    """Whether a user, a partition or an association has had its entries; if not, this one is counted."""
    of_user, of_both = parameters(view).bf_max_job_user, parameters(view).bf_max_job_user_part
    of_part, of_association = parameters(view).bf_max_job_part, parameters(view).bf_max_job_assoc
    if of_user + of_both + of_part + of_association == 0:
        return False
    at = part_row(view, part)
    if of_part > 0 and view.site.tallies[at + PartCount.LOOKED] >= of_part:
        return True
    if of_association > 0 and _entries_of(view, row, -1, True) >= of_association:
        return True
    if of_user > 0 and of_association == 0 and _entries_of(view, row, -1, False) >= of_user:
        return True
    if of_both > 0 and _entries_of(view, row, part, False) >= of_both:
        return True
    view.site.tallies[at + PartCount.LOOKED] += 1.0
    if mine(view).counted_entries < view.cycle.order.size:
        view.cycle.order[mine(view).counted_entries] = row * 64 + part
        mine(view).counted_entries += 1
    return False


@kernel
def _entries_of(view: View, row: int, part: int, by_association: bool) -> int:
    """Counted entries of the user, or the association, of a job; *part* -1: in any partition."""
    found, user = 0, view.credentials.user[view.jobs.credential[row]]
    for k in range(mine(view).counted_entries):
        other, place = view.cycle.order[k] // 64, view.cycle.order[k] % 64
        if part >= 0 and place != part:
            continue
        if by_association:
            found += 1 if association_of(view, other) == association_of(view, row) else 0
        else:
            found += 1 if view.credentials.user[view.jobs.credential[other]] == user else 0
    return found


@kernel
def only_now(view: View, row: int, part: int, now: float, k: int) -> bool:
    """Whether a job gets no plan (d): too young, too low a priority, or its partition has had its plans."""
    lowest = parameters(view).bf_min_prio_reserve
    if is_young(view, row, now):
        return True
    qos = qos_of(view, row)
    if qos >= 0:
        lowest = max(lowest, view.parameters[qos + Line.MIN_PRIORITY])
        if int(view.parameters[qos + Line.FLAGS]) & QosFlag.NO_RESERVE:
            return True
    if plans_no_elements(view, row):
        return True
    if view.site.attempts.key[k] < lowest:
        return True
    most = parameters(view).bf_job_part_count_reserve
    if most > 0 and view.site.tallies[part_row(view, part) + PartCount.PLANS] >= most:
        return True
    return bool(parameters(view).bf_one_resv_per_job and mine(view).expected_s[row] > now)


@inner
def plans_in(view: View, part: int) -> float:
    """The plans that a partition has had in this pass."""
    return float(view.site.tallies[part_row(view, part) + PartCount.PLANS])


@kernel
def length_of(view: View, row: int, part: int) -> float:
    """The limit of a job (h): its own, or the least that it accepts, the partition's, a year."""
    limit_s = min(left_of(view, row), _YEAR_S)
    return float(min(limit_s, view.parameters[part_row(view, part) + Part.MAX_TIME_S]))


@kernel
def _without_plan(view: View, row: int, part: int, now: float) -> None:
    """A job of several components starts where the common placement finds room, or it waits."""
    if view.site.node_plans.count == 1:
        mine(view).like = 0
        tried = try_now(view, row, part, now)
        if tried == STARTED:
            mine(view).backfill_starts += 1
            grow_limit(view, row, part, now, planned_from_s(view, row, now))
            add_release(view, row, now)


@kernel
def _plan(view: View, row: int, part: int, now: float, now_only: bool) -> int:
    """Find a start for one job, and start it or plan it (i to m); END where the pass ends."""
    length_s, window_s = length_of(view, row, part), parameters(view).bf_window_s
    resolution_s, from_s, before_s = parameters(view).bf_resolution_s, now, -1.0
    up_of(view, part)
    begin_looking(view)
    begin_test(view, row, part)
    while True:
        if from_s > now + window_s:
            return GO_ON
        later_s = _look(view, row, max(from_s, now), from_s, length_s)
        start_s = NEVER
        if not too_few(view):
            start_s = will_run(view, row, part, now, from_s, later_s, now_only)
        if start_s <= now:
            return _start(view, row, part, now, length_s, now_only)
        if from_s <= now and mine(view).suspends:
            if start_instead_of_others(view, row, part, now):
                _note_suspensions(view, row, part, now)
                return GO_ON
            start_s = _test_anew(view, row, part, now, from_s, later_s, now_only)
        if now_only:
            return GO_ON
        if start_s == NEVER or (later_s > 0.0 and start_s > later_s):
            if later_s <= from_s:
                return GO_ON
            from_s = later_s
            if start_s < NEVER:
                test_again(view, row, part)
            continue
        if start_s > now + window_s:
            mine(view).expected_s[row] = start_s
            return GO_ON
        end_s = plan_end_s(view, start_s, length_s)
        begin_s = start_s // resolution_s * resolution_s
        if _meets_others(view, row, start_s, length_s, end_s):
            from_s = start_s if start_s != before_s else start_s + resolution_s
            before_s = start_s
            test_again(view, row, part)
            continue
        return _keep(view, row, part, start_s, begin_s, max(end_s, begin_s + resolution_s))


@kernel
def _test_anew(
    view: View, row: int, part: int, now: float, from_s: float, later_s: float, now_only: bool
) -> float:
    """The start once more, with its nodes, where the room of the test has been used for something else."""
    seldom()
    mine(view).like = 0
    begin_test(view, row, part)
    return NEVER if too_few(view) else will_run(view, row, part, now, from_s, later_s, now_only)


@kernel
def _note_suspensions(view: View, row: int, part: int, now: float) -> None:
    """A job has started where others were suspended: all that this pass knows of the future is another."""
    mine(view).backfill_starts += 1
    mine(view).like = 0
    grow_limit(view, row, part, now, planned_from_s(view, row, now))
    find_releases(view, now)
    hold_while_running(view, row, now + left_of(view, row))


@kernel
def _meets_others(view: View, row: int, start_s: float, length_s: float, end_s: float) -> bool:
    """Whether plans, or what is reserved for others, have ``chosen`` nodes or a job's licences meanwhile."""
    if overlaps(view, start_s // 1.0, end_s) or is_in_the_way(view, row, start_s, start_s + length_s):
        return True
    # A stretch that begins where the plan ends is not in its way.
    return first_short_s(view, row, start_s // 1.0, end_s - 1.0, start_s, start_s + length_s) > 0.0


@kernel
def _look(view: View, row: int, begin_s: float, from_s: float, length_s: float) -> float:
    """``usable`` is what reservations and plans leave; when another try may find more."""
    open_s = keep_reserved(view, row, begin_s, begin_s + length_s) if view.hosts.count > 0 else 0.0
    later_s = look(view, from_s, begin_s + length_s)
    short_s = first_short_s(view, row, from_s, begin_s + length_s, begin_s, begin_s + length_s)
    if short_s > 0.0:
        later_s = short_s
        for word in range(view.site.node_plans.numbers):
            view.site.node_plans.usable[word] = 0
    if open_s > 0.0 and (later_s == 0.0 or open_s < later_s):
        return open_s
    return later_s


@kernel
def _start(view: View, row: int, part: int, now: float, length_s: float, now_only: bool) -> int:
    """Start a job now; nodes that still complete make it a plan for the next second."""
    resolution_s = parameters(view).bf_resolution_s
    waits_for_nodes = False
    for word in range(view.site.node_plans.numbers):
        if view.site.node_plans.chosen[word] & ~view.site.node_plans.open[word]:
            waits_for_nodes = True
    tried = -1
    if lacks_licenses(view, row):
        # A job that is over its limit holds them still.
        mine(view).reason[row] = Reason.LICENSES
        return GO_ON
    if not waits_for_nodes:
        mine(view).like = 0
        tried = try_now(view, row, part, now)
        if tried == STARTED:
            mine(view).backfill_starts += 1
            grow_limit(view, row, part, now, planned_from_s(view, row, now))
            add_release(view, row, now)
            hold_while_running(view, row, now + left_of(view, row))
            return GO_ON
    if now_only or (tried > 0 and parameters(view).assoc_limit_stop == 0):
        if tried > 0:
            mine(view).reason[row] = tried
        return GO_ON
    start_s = now + _LIMITED_S if tried > 0 else now + 1.0
    begin_s = start_s // resolution_s * resolution_s
    end_s = plan_end_s(view, start_s, length_s)
    return _keep(view, row, part, start_s, begin_s, max(end_s, begin_s + resolution_s))


@kernel
def _keep(view: View, row: int, part: int, start_s: float, begin_s: float, end_s: float) -> int:
    """Plan a job on the ``chosen`` nodes, unless its size is over a limit (l)."""
    count = 0
    for word in range(view.site.node_plans.numbers):
        count += how_many(view.site.node_plans.chosen[word])
    cpus = note_tested(view, row, part, placed_count(view, row))
    if parameters(view).assoc_limit_stop == 0:
        over = over_after(view, row, part, cpus, count)
        if over > 0:
            mine(view).reason[row] = over
            return GO_ON
    if lacks_licenses(view, row):
        mine(view).reason[row] = Reason.LICENSES
    elif mine(view).reason[row] != Reason.RESOURCES and mine(view).reason[row] != Reason.PRIORITY:
        mine(view).reason[row] = Reason.PRIORITY
    before_s = mine(view).expected_s[row]
    mine(view).expected_s[row] = min(before_s, start_s) if before_s > 0.0 else start_s
    view.site.tallies[part_row(view, part) + PartCount.PLANS] += 1.0
    hold_licenses(view, row, begin_s, end_s)
    add_plan(view, begin_s, end_s)
    return GO_ON


@kernel
def placed_count(view: View, row: int) -> int:
    """How many elements of ``placing`` are those of a job: as many as hold all of its tasks."""
    left, k = view.components.tasks[view.jobs.components[row]], 0
    if view.jobs.components[row] == 0:
        left = view.jobs.width[row]
    while left > 0 and k < view.placing.tasks.size:
        left -= view.placing.tasks[k]
        k += 1
    return k
