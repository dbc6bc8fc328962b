"""What running jobs give back, in the order of the ends of their limits: the future as a test sees it."""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.model.decisions import Decision
from molokini.policies.slurm.knowledge.time_limits import left_of
from molokini.policies.slurm.nodes.sets import has
from molokini.tables.running import sort_running
from molokini.tables.tables import NEVER, View

_YEAR_S = 365 * 86_400.0


@kernel
def find_releases(view: View, now: float) -> None:
    """List the jobs that run, those that are suspended, and those that this pass has started, with what each
    has of its nodes.
    """
    seldom()
    sort_running(view)
    view.site.releases.count = 0
    used = 0
    for k in range(view.queue.running_count):
        row = view.queue.running[k]
        end_s = view.jobs.expected_end_s[row]
        if not end_s < NEVER:
            end_s = view.jobs.start_s[row] + _YEAR_S
        used = _append(view, row, end_s, used)
    for k in range(view.queue.suspended_count):
        row = view.queue.suspended[k]
        if view.jobs.entries[row] >= 0:
            _insert(view, row, end_of_suspended(view, row))
    for k in range(view.cycle.decided):
        if view.cycle.decisions[k, 0] == Decision.START:
            add_release(view, view.cycle.decisions[k, 1], now)


@kernel
def end_of_suspended(view: View, row: int) -> float:
    """The end of the limit of a suspended job as it was when it was suspended."""
    return float(view.jobs.updated_s[row] + min(left_of(view, row), _YEAR_S))


@kernel
def add_release(view: View, row: int, now: float) -> None:
    """A job has been started in this pass: put it at its place."""
    _insert(view, row, now + min(left_of(view, row), _YEAR_S))


@kernel
def _insert(view: View, row: int, end_s: float) -> None:
    """Put a job at its place."""
    count = view.site.releases.count
    used = view.site.releases.last[count - 1] if count > 0 else 0
    for k in range(count):
        used = max(used, view.site.releases.last[k])
    _append(view, row, end_s, used)
    k = count
    first, last = view.site.releases.first[k], view.site.releases.last[k]
    while k > 0 and view.site.releases.end_s[k - 1] > end_s:
        view.site.releases.row[k], view.site.releases.end_s[k] = (
            view.site.releases.row[k - 1],
            view.site.releases.end_s[k - 1],
        )
        view.site.releases.first[k], view.site.releases.last[k] = (
            view.site.releases.first[k - 1],
            view.site.releases.last[k - 1],
        )
        k -= 1
    view.site.releases.row[k], view.site.releases.end_s[k] = row, end_s
    view.site.releases.first[k], view.site.releases.last[k] = first, last


@kernel
def _append(view: View, row: int, end_s: float, used: int) -> int:
    """Put a job behind the others, its nodes from element *used* on; the first element behind them."""
    k = view.site.releases.count
    view.site.releases.row[k], view.site.releases.end_s[k], view.site.releases.first[k] = row, end_s, used
    entry = view.jobs.entries[row]
    while entry >= 0:
        view.site.releases.node[used] = view.entries.node[entry]
        view.site.releases.tasks[used] = view.entries.tasks[entry]
        view.site.releases.component[used] = view.entries.component[entry]
        used += 1
        entry = view.entries.next[entry]
    view.site.releases.last[k] = used
    view.site.releases.count = k + 1
    return used


@inner
def touches(view: View, k: int) -> bool:
    """Whether job *k* has a node that is usable."""
    for e in range(view.site.releases.first[k], view.site.releases.last[k]):
        if has(view.site.node_plans.usable, 0, view.site.releases.node[e]):
            return True
    return False


@inner
def touches_chosen(view: View, k: int) -> bool:
    """Whether job *k* has a node that was chosen."""
    for e in range(view.site.releases.first[k], view.site.releases.last[k]):
        if has(view.site.node_plans.chosen, 0, view.site.releases.node[e]):
            return True
    return False
