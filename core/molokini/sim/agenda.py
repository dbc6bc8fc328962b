"""The agenda of the engine: what will happen, when, and what has happened to each job.

Three sources in one order: the workload's arrivals (sorted), other facts (sorted by instant, rank,
subject), and the true ends of running jobs, a heap in which every running row stands once, so that a
suspension or a new rate moves its end instead of leaving a stale one behind.
"""

from molokini.model.facts import FactKind
from molokini.scheduling.compilation import kernel
from molokini.scheduling.structs import Floats, Ints, Struct
from molokini.scheduling.tables import NEVER, Tables

BATCH = 0
EACH = 1
"""Ways to treat ties: one pass an instant, or one pass a fact with arrivals before ends."""


class Agenda(Struct):
    """Everything the engine knows and policies must not: true run times, future arrivals, results."""

    now: float
    until_s: float
    """The engine stops before the first instant after this one."""
    budget: int
    """Instants after which the engine returns, so that a caller can show progress."""
    ties: int
    phase: int
    """Where the engine was when it returned: 0 between instants, else inside one."""
    abort: int
    """1: a policy in Python has failed; the engine stops."""
    counted_only: int
    replay_s: float

    next_arrival: int
    arrivals: int
    next_fact: int
    facts: int
    end_count: int
    trace_count: int
    instants: int
    passes: int
    pending: int

    # The workload, one element a job, sorted by (submit, number).
    submit_s: Floats
    number: Ints
    estimate_s: Floats
    run_s: Floats
    """True run time; under ``kill`` already capped by the estimate."""
    width: Ints
    user: Ints
    group: Ints
    queue: Ints
    request: Ints
    """First component in ``component_*`` where the job wishes for more than processors, else -1."""
    # Requests of such jobs: flat lists of components.
    component_count: Ints
    component_tasks: Ints
    component_where: Ints
    component_per_node: Ints
    component_features: Ints
    component_need: Floats

    # Other facts, sorted.
    fact_time_s: Floats
    fact_kind: Ints
    fact_subject: Ints
    fact_amount: Ints

    # The heap of ends; ``end_place[row]`` is -1 for a row that has none.
    end_row: Ints
    end_place: Ints
    end_s: Floats
    row_run_s: Floats

    # Results, one element a job of the workload.
    started_s: Floats
    first_started_s: Floats
    ended_s: Floats
    done_s: Floats
    refusal: Ints
    row_of: Ints
    first_reserved_s: Floats

    # Changes of rate, in order of time.
    trace_time_s: Floats
    trace_job: Ints
    trace_rate: Floats
    trace_held: Floats


@kernel
def _ends_before(a: Agenda, t: Tables, one: int, other: int) -> bool:
    if a.end_s[one] != a.end_s[other]:
        return bool(a.end_s[one] < a.end_s[other])
    if t.job_number[one] != t.job_number[other]:
        return bool(t.job_number[one] < t.job_number[other])
    return bool(t.job_index[one] < t.job_index[other])


@kernel
def _sift_up(a: Agenda, t: Tables, place: int, row: int) -> None:
    while place > 0:
        parent = (place - 1) >> 1
        if not _ends_before(a, t, row, a.end_row[parent]):
            break
        a.end_row[place] = a.end_row[parent]
        a.end_place[a.end_row[place]] = place
        place = parent
    a.end_row[place] = row
    a.end_place[row] = place


@kernel
def _sift_down(a: Agenda, t: Tables, place: int, row: int) -> None:
    while True:
        child = 2 * place + 1
        if child >= a.end_count:
            break
        if child + 1 < a.end_count and _ends_before(a, t, a.end_row[child + 1], a.end_row[child]):
            child += 1
        if not _ends_before(a, t, a.end_row[child], row):
            break
        a.end_row[place] = a.end_row[child]
        a.end_place[a.end_row[place]] = place
        place = child
    a.end_row[place] = row
    a.end_place[row] = place


@kernel
def set_end(a: Agenda, t: Tables, row: int, at_s: float) -> None:
    """Running *row* will end at *at_s*, whatever was set before."""
    place = a.end_place[row]
    if place < 0:
        place = a.end_count
        a.end_count += 1
        a.end_s[row] = at_s
        _sift_up(a, t, place, row)
        return
    earlier = at_s < a.end_s[row]
    a.end_s[row] = at_s
    if earlier:
        _sift_up(a, t, place, row)
    else:
        _sift_down(a, t, place, row)


@kernel
def drop_end(a: Agenda, t: Tables, row: int) -> None:
    """*row* will not end: suspended, cancelled or requeued."""
    place = a.end_place[row]
    if place < 0:
        return
    a.end_place[row] = -1
    a.end_count -= 1
    last = a.end_row[a.end_count]
    if last == row:
        return
    if place > 0 and _ends_before(a, t, last, a.end_row[(place - 1) >> 1]):
        _sift_up(a, t, place, last)
    else:
        _sift_down(a, t, place, last)


@kernel
def next_instant(a: Agenda, t: Tables) -> float:
    """The next instant at which anything happens; NEVER when nothing is left."""
    at_s = NEVER
    if a.end_count > 0:
        at_s = a.end_s[a.end_row[0]]
    if a.next_arrival < a.arrivals:
        at_s = min(at_s, a.submit_s[a.next_arrival])
    if a.next_fact < a.facts:
        at_s = min(at_s, a.fact_time_s[a.next_fact])
    # A wish for the present instant is void: the pass at it has been.
    if t.wake_s > a.now:
        at_s = min(at_s, t.wake_s)
    return float(at_s)


NODE_LOST = int(FactKind.NODE_LOST)
NODE_RETURNED = int(FactKind.NODE_RETURNED)
CANCELLED = int(FactKind.CANCELLED)
HELD = int(FactKind.HELD)
RELEASED = int(FactKind.RELEASED)
