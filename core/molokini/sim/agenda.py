"""The agenda of the engine: what will happen, when, and what has happened to each job.

Three sources in one order: the workload's arrivals (sorted), other facts (sorted by instant, rank,
subject), and the true ends of running jobs, a heap in which every running row stands once, so that a
suspension or a new rate moves its end, and leaves no stale end behind.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.compiled.structs import Floats, Ints, Struct
from molokini.tables.tables import NEVER, Tables

BATCH = 0
EACH = 1
"""Ways to treat ties: one pass an instant, or one pass a fact with arrivals before ends."""


class Agenda(Struct):
    """What the engine has, and policies must not read: true run times, future arrivals, results."""

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
    wishes: int
    """1: some jobs wish for more than processors."""
    in_order: int
    """1: under the policy no job overtakes another, so an arrival behind a waiting head changes nothing."""
    molded: int
    """1: each job has an amount to do, and the policy says on how many processors, and as what kind."""
    costs_row: int
    """What a unit of such an amount costs, a row of the tables' applications."""
    kind: int
    """What all jobs are whose run time follows from the place where they start, one of ``JobKind``; 0: the
    place does not matter."""

    starts: int
    next_arrival: int
    arrivals: int
    next_fact: int
    facts: int
    end_count: int
    places_kept: int
    """1 once an end was moved or dropped: many replays never need the place of a row in the heap."""
    trace_count: int
    places: int
    """Entries of ``place_node`` so far."""
    instants: int
    passes: int
    acted: int
    """With ``ties`` EACH: 1 when a fact of this instant has had its pass."""

    # The workload, one element a job, sorted by (submit, number).
    submit_s: Floats
    number: Ints
    estimate_s: Floats
    run_s: Floats
    """True run time; under ``kill`` already capped by the estimate. Where it depends on the place: the time
    that the job takes where it was started last."""
    overrun_s: Floats
    """How long each job may run past its estimate; empty where all are killed at it, or none is ever."""
    width: Ints
    credential: Ints
    request: Ints
    """The first component in ``component_*`` of a job that wishes for more than processors, else -1."""
    shape: Ints
    """Jobs of the same request have the same number, from 1; 0: a plain job."""
    amount: Floats
    """What each has to do, as ``applications.placed`` takes it; empty where the place does not matter."""
    costs_s: Floats
    """What it costs where ``kind`` says so, ``COSTS`` numbers a job."""
    deadline_s: Floats
    """The instant by which each must have ended, where they are molded."""
    component_count: Ints
    """How many components it has; 0 for a plain job, and empty where all jobs are plain."""
    component_tasks: Ints
    component_where: Ints
    component_per_node: Ints
    component_features: Ints
    component_spread: Ints
    component_need: Floats

    # Other facts, sorted.
    fact_time_s: Floats
    fact_kind: Ints
    fact_subject: Ints
    fact_amount: Ints

    # The heap of ends: instant and row by place. ``end_place[row]`` is -1 for a row that has none; places are
    # written there only where ``places_kept``.
    end_s: Floats
    end_row: Ints
    end_place: Ints
    row_order: Ints
    """With ``ties`` EACH: the number of the row's start among all starts, to order ends of one instant."""

    # Results, one element a job of the workload.
    started_s: Floats
    """Start of the first attempt, noted when the job leaves its processors; ``Replay.schedule`` adds the
    starts of jobs that still hold them."""
    ended_s: Floats
    done_s: Floats
    """Work done by a job that a command ended; a job that ends by itself has done ``run_s``."""
    refusal: Ints
    failed: Ints
    """1: the log says that the job failed; empty where it does not matter."""
    offer_s: Floats
    """The earliest deadline that could be met, for jobs refused for theirs; empty without ``offers``."""
    row_of: Ints
    """Row of the job while it has one, kept where facts need it (``facts`` > 0)."""
    first_reserved_s: Floats
    suspensions: Ints
    """How often each job was suspended."""
    requeues: Ints
    """How often it went back to the queue, as a node was lost or the policy requeued it."""
    checkpoints: Ints
    """How often it kept its work when it went back to the queue."""
    lost_s: Floats
    """The work, in seconds at rate 1, that it lost in the other cases."""
    place_first: Ints
    """Where in ``place_node`` the nodes begin on which the job started last; empty where processors are only
    counted."""
    place_count: Ints
    """How many they are."""
    ran_as: Ints
    """The ``JobKind`` as which the policy has molded it; 0: it has not. Empty where jobs are not molded."""

    # Changes of rate, in order of time.
    trace_time_s: Floats
    trace_job: Ints
    trace_rate: Floats
    trace_held: Floats
    trace_stall_s: Floats
    """Slice time that the job loses from then on to its migration in the matrix."""
    trace_rows: Ints
    """The rows of the matrix in which it stands from then on, as bits; 0: in none."""
    trace_home: Ints
    trace_turns: Ints
    """Of how many rows these are, where only rows in use take turns."""

    # Nodes of jobs, as they started; those of a job are neighbours.
    place_node: Ints
    place_processors: Ints


PLAIN_AGENDA = ("facts", "wishes", "molded", "kind", "ties")
"""Numbers that are 0 in the agenda of a plain workload: code that needs them is not compiled for it."""


@inner
def _before(a: Agenda, t: Tables, at_s: float, row: int, place: int) -> bool:
    """Whether an end of *row* at *at_s* comes before the one at *place* of the heap."""
    if at_s != a.end_s[place]:
        return bool(at_s < a.end_s[place])
    return _ties_before(a, t, row, a.end_row[place])


@inner
def _after(a: Agenda, t: Tables, at_s: float, row: int, place: int) -> bool:
    """Whether an end of *row* at *at_s* comes after the one at *place* of the heap."""
    if at_s != a.end_s[place]:
        return bool(at_s > a.end_s[place])
    return _ties_before(a, t, a.end_row[place], row)


@kernel
def _ties_before(a: Agenda, t: Tables, one: int, other: int) -> bool:
    if a.ties == EACH:
        return bool(a.row_order[one] < a.row_order[other])
    if t.jobs.number[one] != t.jobs.number[other]:
        return bool(t.jobs.number[one] < t.jobs.number[other])
    return bool(t.jobs.index[one] < t.jobs.index[other])


@inner
def _put(a: Agenda, place: int, at_s: float, row: int) -> None:
    a.end_s[place] = at_s
    a.end_row[place] = row
    if a.places_kept:
        a.end_place[row] = place


@kernel
def _keep_places(a: Agenda) -> None:
    """From now on ``end_place`` says where the end of each row stands."""
    seldom()
    a.places_kept = 1
    for place in range(a.end_count):
        a.end_place[a.end_row[place]] = place


@kernel
def _sift_up(a: Agenda, t: Tables, place: int, at_s: float, row: int) -> None:
    while place > 0:
        parent = (place - 1) >> 1
        if not _before(a, t, at_s, row, parent):
            break
        _put(a, place, a.end_s[parent], a.end_row[parent])
        place = parent
    _put(a, place, at_s, row)


@kernel
def _sift_down(a: Agenda, t: Tables, place: int, at_s: float, row: int) -> None:
    while True:
        child = 2 * place + 1
        if child >= a.end_count:
            break
        if child + 1 < a.end_count and _before(a, t, a.end_s[child + 1], a.end_row[child + 1], child):
            child += 1
        if not _after(a, t, at_s, row, child):
            break
        _put(a, place, a.end_s[child], a.end_row[child])
        place = child
    _put(a, place, at_s, row)


@inner
def add_end(a: Agenda, t: Tables, row: int, at_s: float) -> None:
    """*row*, which has just started, will end at *at_s*."""
    a.end_count += 1
    _sift_up(a, t, a.end_count - 1, at_s, row)


@kernel
def move_end(a: Agenda, t: Tables, row: int, at_s: float) -> None:
    """*row* will end at *at_s*, and at no instant that was set before."""
    seldom()
    if not a.places_kept:
        _keep_places(a)
    place = a.end_place[row]
    if place < 0:
        add_end(a, t, row, at_s)
    elif at_s < a.end_s[place]:
        _sift_up(a, t, place, at_s, row)
    else:
        _sift_down(a, t, place, at_s, row)


@inner
def first_ends(a: Agenda, t: Tables) -> int:
    """Take the first end off the heap; the row that ends."""
    row = a.end_row[0]
    if a.places_kept:
        a.end_place[row] = -1
    a.end_count -= 1
    if a.end_count > 0:
        hole = _hole_to_bottom(a, t)
        _sift_up(a, t, hole, a.end_s[a.end_count], a.end_row[a.end_count])
    return int(row)


@inner
def _hole_to_bottom(a: Agenda, t: Tables) -> int:
    """Move the hole at the top of the heap down along the earlier children; where it ends.

    The last element, which is to fill it, nearly always belongs near the bottom: to compare it on the
    way down would cost a comparison a level that the processor cannot predict.
    """
    place = 0
    while True:
        child = 2 * place + 1
        if child >= a.end_count:
            return place
        other = child + 1
        if other < a.end_count:
            if a.end_s[other] == a.end_s[child]:
                child += int(_ties_before(a, t, a.end_row[other], a.end_row[child]))
            else:
                child += int(a.end_s[other] < a.end_s[child])
        _put(a, place, a.end_s[child], a.end_row[child])
        place = child


@kernel
def drop_end(a: Agenda, t: Tables, row: int) -> None:
    """*row* will not end: suspended, cancelled or requeued."""
    seldom()
    if not a.places_kept:
        _keep_places(a)
    place = a.end_place[row]
    if place < 0:
        return
    a.end_place[row] = -1
    a.end_count -= 1
    if place == a.end_count:
        return
    at_s, last = a.end_s[a.end_count], a.end_row[a.end_count]
    if place > 0 and _before(a, t, at_s, last, (place - 1) >> 1):
        _sift_up(a, t, place, at_s, last)
    else:
        _sift_down(a, t, place, at_s, last)


@inner
def next_instant(a: Agenda, t: Tables) -> float:
    """The next instant at which anything happens; NEVER when nothing is left."""
    at_s = NEVER
    if a.end_count > 0:
        at_s = a.end_s[0]
    if a.next_arrival < a.arrivals:
        at_s = min(at_s, a.submit_s[a.next_arrival])
    if a.facts > 0 and a.next_fact < a.facts:
        at_s = min(at_s, a.fact_time_s[a.next_fact])
    # A wish for the present instant does not count: the pass at it has been made.
    if t.cycle.wake_s > a.now:
        at_s = min(at_s, t.cycle.wake_s)
    return float(at_s)
