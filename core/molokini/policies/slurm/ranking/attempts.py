"""The queue: each waiting job in each of its partitions, in the order in which passes try them.

By tier of the partition, priority, submission (whole seconds), number. The list is kept from pass to pass.
Priorities are those of the submission, or of the last calculation: in between they are stale, as Slurm's are.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.model.states import JobState
from molokini.policies.slurm.configuration.line_layout import Part
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.knowledge.kept_state import mine
from molokini.policies.slurm.knowledge.who import part_row, places_of
from molokini.policies.slurm.nodes.demand import wants_alone
from molokini.policies.slurm.ranking.priority import priority
from molokini.tables.tables import View

EACH = 64
"""More than there are partitions."""


@inner
def row_of(what: int) -> int:
    """The job of an attempt."""
    return what // EACH


@inner
def part_of(what: int) -> int:
    """The partition of an attempt."""
    return what % EACH


@kernel
def forget_attempts(view: View) -> None:
    """Nothing is known of the list: the next pass fills it again."""
    for k in range(view.queue.head, view.queue.tail):
        mine(view).listed[view.queue.waiting[k]] = 0
    view.site.attempts.count = 0


@kernel
def refresh_attempts(view: View) -> int:
    """Drop jobs that no longer wait, take in those that came, and put all in order; how many there are."""
    seldom()
    count = 0
    for k in range(view.site.attempts.count):
        what = view.site.attempts.what[k]
        row = row_of(what)
        waits = view.jobs.state[row] == JobState.WAITING
        if waits and mine(view).listed[row] != 0:
            view.site.attempts.what[count] = what
            view.site.attempts.key[count] = view.site.attempts.key[k]
            count += 1
        elif not waits:
            mine(view).listed[row] = 0
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        if mine(view).listed[row] == 0 and view.jobs.state[row] == JobState.WAITING:
            count = _list(view, row, count)
    view.site.attempts.count = count
    if not mine(view).ordered:
        _sort(view, count)
        mine(view).ordered = 1
    return count


@kernel
def _list(view: View, row: int, count: int) -> int:
    """Put a job into the list, once for each partition; the new count. Without room it comes later."""
    room = view.site.attempts.what.size - count
    if room < EACH and room < _entries(view, row):
        return count
    mine(view).listed[row] = 1
    mine(view).reason[row] = 0
    begins_s = 0.0 if parameters(view).accrue_always else mine(view).begin_s[row]
    before_s, eligible_s = mine(view).accrue_s[row], max(view.jobs.submit_s[row], begins_s)
    mine(view).accrue_s[row] = eligible_s
    mine(view).ordered = 0
    places, part = places_of(view, row), 0
    while places > 0:
        if places & 1:
            if wants_alone(view, row, part):
                mine(view).alone = 1
            if parameters(view).priority_weight_job_size > 0.0 and (
                wants_alone(view, row, part) or mine(view).in_cores
            ):
                mine(view).whole = 1
            view.site.attempts.what[count] = row * EACH + part
            view.site.attempts.key[count] = priority(view, row, part, view.jobs.submit_s[row])
            # What accounting keeps: the priority of the submission.
            view.cycle.rank_key[row] = view.site.attempts.key[count]
            count += 1
        places >>= 1
        part += 1
    if parameters(view).enforce_limits and not parameters(view).accrue_always:
        # Limits say since when: a new job's instant stands below 0 until they are looked at.
        mine(view).accrue_s[row] = before_s if before_s > eligible_s else -1.0 - eligible_s
    return count


@kernel
def _entries(view: View, row: int) -> int:
    """How many partitions a job asks for."""
    seldom()
    places, found = places_of(view, row), 0
    while places > 0:
        found += places & 1
        places >>= 1
    return found


@kernel
def recalculate(view: View, now: float, only_up: bool) -> None:
    """Find all priorities again."""
    seldom()
    for k in range(view.site.attempts.count):
        what = view.site.attempts.what[k]
        found = priority(view, row_of(what), part_of(what), now)
        view.site.attempts.key[k] = max(found, view.site.attempts.key[k]) if only_up else found
    mine(view).ordered = 0


@inner
def _before(view: View, what: int, key: float, other: int, other_key: float) -> bool:
    """Whether an attempt goes before another."""
    tier = view.parameters[part_row(view, part_of(what)) + Part.TIER]
    other_tier = view.parameters[part_row(view, part_of(other)) + Part.TIER]
    if tier != other_tier:
        return bool(tier > other_tier)
    if key != other_key:
        return bool(key > other_key)
    row, other_row = row_of(what), row_of(other)
    at_s = max(view.jobs.submit_s[row], mine(view).submitted_s[row]) // 1.0
    other_s = max(view.jobs.submit_s[other_row], mine(view).submitted_s[other_row]) // 1.0
    if at_s != other_s:
        return bool(at_s < other_s)
    if view.jobs.number[row] != view.jobs.number[other_row]:
        return bool(view.jobs.number[row] < view.jobs.number[other_row])
    return what < other


@kernel
def _sort(view: View, count: int) -> None:
    """Merge neighbouring rising runs until one is left."""
    here = True
    while True:
        runs = _merge_runs(view, count, here)
        if runs <= 1:
            break
        here = not here
    if not here:
        for k in range(count):
            view.site.attempts.what[k] = view.site.attempts.other_what[k]
            view.site.attempts.key[k] = view.site.attempts.other_key[k]


@inner
def _what(view: View, k: int, here: bool) -> int:
    return int(view.site.attempts.what[k] if here else view.site.attempts.other_what[k])


@inner
def _key(view: View, k: int, here: bool) -> float:
    return float(view.site.attempts.key[k] if here else view.site.attempts.other_key[k])


@kernel
def _falls(view: View, k: int, here: bool) -> bool:
    """Whether element *k* goes before the one before it."""
    return _before(
        view, _what(view, k, here), _key(view, k, here), _what(view, k - 1, here), _key(view, k - 1, here)
    )


@kernel
def _run_end(view: View, first: int, count: int, here: bool) -> int:
    k = first + 1
    while k < count and not _falls(view, k, here):
        k += 1
    return k


@kernel
def _merge_runs(view: View, count: int, here: bool) -> int:
    """Merge each two neighbouring runs into the other arrays; how many runs there were."""
    first, runs = 0, 0
    while first < count:
        middle = _run_end(view, first, count, here)
        runs += 1
        if first == 0 and middle >= count:
            return runs
        last = middle
        if middle < count:
            last = _run_end(view, middle, count, here)
            runs += 1
        _merge(view, first, middle, last, here)
        first = last
    return runs


@kernel
def _merge(view: View, first: int, middle: int, last: int, here: bool) -> None:
    seldom()
    left, right = first, middle
    for k in range(first, last):
        take_left = left < middle
        if take_left and right < last:
            take_left = not _before(
                view,
                _what(view, right, here),
                _key(view, right, here),
                _what(view, left, here),
                _key(view, left, here),
            )
        taken = left if take_left else right
        what, key = _what(view, taken, here), _key(view, taken, here)
        left, right = (left + 1, right) if take_left else (left, right + 1)
        if here:
            view.site.attempts.other_what[k], view.site.attempts.other_key[k] = what, key
        else:
            view.site.attempts.what[k], view.site.attempts.key[k] = what, key
