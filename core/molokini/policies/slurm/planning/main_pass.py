"""The main pass: jobs in order, each where it fits now; a job without room closes its partition's nodes.

Reference, section 2.3.
"""

from molokini.compiled.compilation import kernel, seldom
from molokini.cycle.verbs import tell_start
from molokini.model.decisions import StartedBy
from molokini.model.states import JobState
from molokini.policies.slurm.configuration.line_layout import Part, PartCount
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.counting.licenses import lacks_licenses
from molokini.policies.slurm.knowledge.kept_state import REFUSED, mine
from molokini.policies.slurm.knowledge.time_limits import forget_try, settle_limit, try_until_deadline
from molokini.policies.slurm.knowledge.waiting_reasons import FIRST_LIMIT, Reason
from molokini.policies.slurm.knowledge.who import part_row, places_of, queue_of_part
from molokini.policies.slurm.limits.associations import over_before
from molokini.policies.slurm.limits.partitions import kept_out
from molokini.policies.slurm.nodes.choice import choose
from molokini.policies.slurm.nodes.demand import is_single
from molokini.policies.slurm.nodes.sets import close, find_up, open_of
from molokini.policies.slurm.planning.deadlines import misses_deadline
from molokini.policies.slurm.planning.giving_way import preempt
from molokini.policies.slurm.planning.suspending import start_instead_of_others
from molokini.policies.slurm.planning.trying import NO_ROOM, STARTED, try_now
from molokini.policies.slurm.ranking.attempts import part_of, row_of
from molokini.tables.tables import View


@kernel
def main_pass(view: View, now: float, full: bool) -> None:
    """One pass over the attempts; a full one looks at all of them."""
    seldom()
    for part in range(parameters(view).partition_count):
        at = part_row(view, part)
        view.site.tallies[at + PartCount.CLOSED] = 0.0
        view.site.tallies[at + PartCount.LOOKED] = 0.0
    find_up(view, now)
    looked, started, closed_all = 0, mine(view).started, False
    most = parameters(view).sched_max_job_start
    for k in range(view.site.attempts.count):
        if not full and looked > parameters(view).default_queue_depth:
            return
        if most > 0 and mine(view).started - started >= most:
            return
        row, part = row_of(view.site.attempts.what[k]), part_of(view.site.attempts.what[k])
        if not waits(view, row, now):
            continue
        forget_try(view, row)
        why = kept_out(view, row, part)
        if why > 0:
            mine(view).reason[row] = why
            continue
        at = part_row(view, part)
        view.site.tallies[at + PartCount.LOOKED] += 1.0
        depth = parameters(view).partition_job_depth
        if depth > 0 and view.site.tallies[at + PartCount.LOOKED] > depth:
            _behind(view, row)
            continue
        looked += 1
        if closed_all or view.site.tallies[at + PartCount.CLOSED] != 0.0:
            _behind(view, row)
            continue
        if lacks_licenses(view, row) and over_before(view, row, part) == 0:
            # It blocks no other job; where backfill plans licences, the pass ends here.
            mine(view).reason[row] = Reason.LICENSES
            if parameters(view).bf_licenses > 0:
                return
            continue
        before = mine(view).started
        try_until_deadline(view, row, now)
        closed_all = _attempt(view, row, part, now) and view.nodes.count == 0
        if mine(view).started == before:
            forget_try(view, row)
        else:
            settle_limit(view, row)
            tell_start(view, StartedBy.MAIN, view.cycle.rank_key[row], queue_of_part(view, part))


@kernel
def waits(view: View, row: int, now: float) -> bool:
    """Whether a job still waits in this pass, and may begin."""
    if view.jobs.state[row] != JobState.WAITING or mine(view).listed[row] in (0, REFUSED):
        return False
    if mine(view).reason[row] == Reason.BAD_CONSTRAINTS:
        return False
    if mine(view).begin_s[row] > now:
        mine(view).reason[row] = Reason.BEGIN_TIME
        return False
    return not misses_deadline(view, row, now)


@kernel
def _behind(view: View, row: int) -> None:
    if mine(view).reason[row] <= Reason.RESOURCES:
        mine(view).reason[row] = Reason.PRIORITY


@kernel
def _attempt(view: View, row: int, part: int, now: float) -> bool:
    """Try one job; whether its partition is closed for that."""
    stops = parameters(view).assoc_limit_stop > 0
    if mine(view).reason[row] >= FIRST_LIMIT:
        over = over_before(view, row, part)
        if over > 0:
            mine(view).reason[row] = over
            return False
    over = over_before(view, row, part)
    if over > 0:
        return _stopped(view, row, part, over, stops)
    if view.nodes.count > 0:
        found = open_of(view, part)
        for word in range(view.site.node_plans.numbers):
            view.site.node_plans.usable[word] = view.site.node_plans.base[word]
        tried = try_now(view, row, part, now) if found else NO_ROOM
    else:
        tried = try_now(view, row, part, now)
    if tried == STARTED:
        mine(view).main_starts += 1
        return False
    if tried > 0:
        return _stopped(view, row, part, tried, stops)
    if _never_fits(view, row, part):
        mine(view).reason[row] = Reason.BAD_CONSTRAINTS
        return False
    mine(view).reason[row] = Reason.RESOURCES
    if start_instead_of_others(view, row, part, now):
        mine(view).main_starts += 1
        return False
    if preempt(view, row, part, now):
        # It starts when the nodes of the others are clean; without an epilog that is now.
        if parameters(view).completing_s == 0.0 and try_now(view, row, part, now) == STARTED:
            mine(view).main_starts += 1
            return False
        mine(view).ended_s = min(mine(view).ended_s, now + parameters(view).completing_s)
        _close(view, part)
        return True
    if _reserves_nothing(view, row, now, view.parameters[part_row(view, part) + Part.QOS]):
        return False
    _close(view, part)
    return True


@kernel
def _never_fits(view: View, row: int, part: int) -> bool:
    """Whether the nodes of the only partition of a job could not hold it if all were up and empty."""
    if view.nodes.count == 0 or mine(view).listed[row] == 2 or not is_single(view, row):
        return False
    mine(view).listed[row] = 2
    places = places_of(view, row)
    if places & (places - 1):
        return False
    words = view.site.node_plans.numbers
    for word in range(words):
        view.site.node_plans.chosen[word] = view.site.node_plans.places[part * words + word]
    for node in range(view.nodes.count):
        view.site.node_plans.alone[node] = 0
        for resource in range(view.nodes.free.shape[1]):
            view.nodes.scratch[node, resource] = view.nodes.total[node, resource]
    view.placing.all_up = 1
    found = choose(
        view, view.nodes.scratch, view.site.node_plans.alone, view.site.node_plans.chosen, row, part
    )
    view.placing.all_up = 0
    return found < 0


@kernel
def _stopped(view: View, row: int, part: int, over: int, stops: bool) -> bool:
    """A limit has stopped a job: nobody is blocked, unless limits block."""
    mine(view).reason[row] = over
    if stops:
        _close(view, part)
    return stops


@kernel
def _reserves_nothing(view: View, row: int, now: float, _qos: float) -> bool:
    """Whether a job without room blocks no other: it is too young, or of too low a priority."""
    return is_young(view, row, now)


@kernel
def is_young(view: View, row: int, now: float) -> bool:
    """Whether a job could begin only so shortly ago that nothing is kept free for it."""
    young_s = parameters(view).bf_min_age_reserve_s
    return bool(young_s > 0.0 and now - max(view.jobs.submit_s[row], mine(view).begin_s[row]) < young_s)


@kernel
def _close(view: View, part: int) -> None:
    view.site.tallies[part_row(view, part) + PartCount.CLOSED] = 1.0
    if view.nodes.count > 0:
        close(view, part)
