"""Hosts of equal size, each first come first served: the rooms that contrasts of task assignment fill.

A policy chooses a host for each job as it arrives and puts it into ``host`` (1 and up; 0: none yet); a list
for each host keeps its queue, so that a pass costs no more than what starts. Whatever else changes the queue
(a job cancelled, held, requeued, nodes lost) is noticed by counting, and the lists are made again.
"""

from molokini.compiled.compilation import kernel
from molokini.compiled.structs import RecordInts
from molokini.cycle.reasons import held_back
from molokini.cycle.verbs import because, refuse, start
from molokini.model.decisions import Refusal, Rule
from molokini.model.states import JobState
from molokini.tables.tables import View
from molokini.tables.workspace import SomeFloats, SomeInts, Workspace, several

MOST = 30
"""Hosts that a machine may be cut into."""


class Lists(Workspace):
    """Which host each job is for, and the queue of each host."""

    host: RecordInts
    """1 and up; 0: not chosen yet."""
    following: RecordInts
    """The row behind in the same queue, plus 1; 0: the last."""
    head: SomeInts = several(MOST)
    """The first row of each queue, plus 1; 0: empty."""
    tail: SomeInts = several(MOST)
    listed: int
    """Rows in all lists."""
    left: SomeFloats = several(MOST)
    """Processors that are free in each host in this pass."""
    queued: SomeFloats = several(MOST)
    """Processor-seconds that wait in each queue, by estimates."""


lists = Lists.of


@kernel
def newcomers(view: View) -> int:
    """The place in the queue from which on rows have no host yet; -1: the lists must be made again."""
    first = view.queue.tail
    while first > view.queue.head and lists(view).host[view.queue.waiting[first - 1]] == 0:
        first -= 1
    count = view.queue.tail - first
    waiting = view.queue.tail - view.queue.head
    if count != view.queue.arrived or lists(view).listed + count != waiting:
        return -1
    return int(first)


@kernel
def append(view: View, row: int, host: int) -> None:
    """Put a waiting row at the end of the queue of *host* (0 and up)."""
    lists(view).host[row] = host + 1
    lists(view).following[row] = 0
    if lists(view).head[host] == 0:
        lists(view).head[host] = row + 1
        lists(view).queued[host] = 0.0
    else:
        lists(view).following[lists(view).tail[host] - 1] = row + 1
    lists(view).tail[host] = row + 1
    lists(view).listed += 1
    lists(view).queued[host] += view.jobs.width[row] * view.jobs.estimate_s[row]


@kernel
def clear(view: View) -> None:
    """Empty all lists; rows keep the hosts that were chosen for them."""
    lists(view).listed = 0
    for host in range(MOST):
        lists(view).head[host] = 0
        lists(view).tail[host] = 0
        lists(view).queued[host] = 0.0


@kernel
def measure_room(view: View, hosts: int) -> None:
    """What the running jobs leave of each host, into ``left``; a job without a host goes where most is."""
    for host in range(hosts):
        lists(view).left[host] = view.machine.processors // hosts
    for chosen in range(2):
        for k in range(view.queue.running_count):
            row = view.queue.running[k]
            if (lists(view).host[row] > 0) == (chosen == 0):
                if chosen == 1:
                    # After a restart its place is not known; two that were apart may share a host for
                    # once.
                    lists(view).host[row] = roomiest(view, hosts) + 1
                lists(view).left[min(lists(view).host[row], hosts) - 1] -= view.jobs.held[row]


@kernel
def roomiest(view: View, hosts: int) -> int:
    """The host with most processors left; the first of several."""
    best = 0
    for host in range(1, hosts):
        if lists(view).left[host] > lists(view).left[best]:
            best = host
    return best


@kernel
def serve(view: View, hosts: int) -> None:
    """Start what fits at the head of each queue; refuse what is wider than a host."""
    measure_room(view, hosts)
    widest = view.machine.processors_in_all // hosts
    for host in range(hosts):
        while lists(view).head[host] > 0:
            row = lists(view).head[host] - 1
            width = view.jobs.width[row]
            if width > widest:
                refuse(view, row, Refusal.WIDER_THAN_PARTITION)
            elif width > lists(view).left[host] or width > view.machine.idle or not start(view, row):
                break
            else:
                lists(view).left[host] -= width
            _take_head(view, host, row)
    if view.cycle.explain:
        _explain(view)


@kernel
def _take_head(view: View, host: int, row: int) -> None:
    lists(view).head[host] = lists(view).following[row]
    lists(view).following[row] = 0
    lists(view).listed -= 1
    lists(view).queued[host] -= view.jobs.width[row] * view.jobs.estimate_s[row]
    if lists(view).head[host] == 0:
        lists(view).tail[host] = 0
        lists(view).queued[host] = 0.0


@kernel
def _explain(view: View) -> None:
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        host = lists(view).host[row] - 1
        if view.jobs.state[row] == JobState.WAITING and not held_back(view, row, -1):
            room = lists(view).left[host] if host >= 0 else 0.0
            because(view, row, Rule.PARTITION_FULL, max(0.0, room), view.jobs.width[row], -1)
