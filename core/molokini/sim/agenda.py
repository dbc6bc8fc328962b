"""The agenda of the engine: what will happen, when, and what has happened to each job.

Three sources in one order: the workload's arrivals (sorted), other facts (sorted by instant, rank,
subject), and the true ends of running jobs, a heap in which every running row stands once, so that a
suspension or a new rate moves its end, and leaves no stale end behind.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.compiled.structs import Floats, Ints, Struct
from molokini.tables.tables import NEVER, Tables
from molokini.tables.transitions import end_of

BATCH = 0
EACH = 1
"""Ways to treat ties: one pass an instant, or one pass a fact with arrivals before ends."""


EVERY_JOB = -1
"""Stands in ``Rates.job`` for all jobs that run at that instant."""


class ToArrive(Struct):
    """The workload, one element a job, sorted by (submit, number)."""

    count: int
    next: int
    """The next to arrive."""
    wishes: int
    """1: some jobs wish for more than processors."""
    molded: int
    """1: each job has an amount to do, and the policy says on how many processors, and as what kind."""
    costs_row: int
    """What a unit of such an amount costs, a row of the tables' applications."""
    shorter: int
    """1: some jobs may be started with a shorter limit than their estimate."""
    elements: int
    """1: some jobs are elements of arrays, and the policy goes by that."""
    kind: int
    """What all jobs are whose run time follows from the place where they start, one of ``JobKind``; 0: the
    place does not matter."""

    submit_s: Floats
    number: Ints
    estimate_s: Floats
    run_s: Floats
    """True run time; under ``kill`` already capped by the estimate. Where it depends on the place: the time
    that the job takes where it was started last."""
    overrun_s: Floats
    """How long each job may run past its estimate; empty where all are killed at it, or none is ever."""
    failed: Ints
    """1: the log says that the job failed; empty where it does not matter."""
    width: Ints
    credential: Ints
    request: Ints
    """The first of ``Agenda.components`` of a job that wishes for more than processors, else -1."""
    component_count: Ints
    """How many components it has; 0 for a plain job, and empty where all jobs are plain."""
    shape: Ints
    """Jobs of the same request have the same number, from 1; 0: a plain job."""
    amount: Floats
    """What each has to do, as ``applications.placed`` takes it; empty where the place does not matter."""
    costs_s: Floats
    """What it costs where ``kind`` says so, ``COSTS`` numbers a job."""
    deadline_s: Floats
    """The instant by which each must have ended, where they are molded."""
    memory_kb: Floats
    """The memory of each for each of its processors; empty where the policy does not go by it."""
    of_array: Ints
    """The number of the array of which each is an element, 0: of none; empty without ``elements``."""
    arrays: int
    """How many arrays have a limit of elements that are in the queue or run; 0: none has."""
    array: Ints
    """Of each job the array with a limit of which it is an element, -1: of none. Empty where none has one."""
    held_next: Ints
    """Of an element that is held back the next one of its array; -1: there is none."""
    array_left: Ints
    """Of each array how many more elements may come."""
    held_first: Ints
    """Of each array the first and the last element that are held back; -1: none is."""
    held_last: Ints
    freed_count: int
    freed: Ints
    """Arrays of which elements may come that were held back: so many, each once."""
    least_s: Floats
    """The shortest limit with which each may be started, 0: its estimate; empty where none may be shorter."""
    whole_s: Floats
    """``run_s`` of each with its estimate as the limit; empty where no start can change a limit."""


class AskedComponents(Struct):
    """The components of jobs that wish for more than processors; those of a job are neighbours."""

    tasks: Ints
    where: Ints
    per_node: Ints
    features: Ints
    any_of: Ints
    """``MOST_CHOICES`` numbers a component."""
    one_of: Ints
    apart: Ints
    spread: Ints
    least_nodes: Ints
    most_nodes: Ints
    alone: Ints
    licenses: Ints
    """``MOST_LICENSES`` numbers a component; empty where no job holds licences."""
    need: Floats


class OtherFacts(Struct):
    """Facts beside arrivals and ends, sorted."""

    count: int
    next: int
    time_s: Floats
    kind: Ints
    subject: Ints
    amount: Ints


class Ends(Struct):
    """The heap of the true ends of running jobs: instant and row by place."""

    count: int
    places_kept: int
    """1 once an end was moved or dropped: many replays never need the place of a row in the heap."""
    starts: int
    """With ``ties`` EACH: how many starts there were."""
    at_s: Floats
    row: Ints
    place: Ints
    """The place of each row, -1 for one that has none; written only where ``places_kept``."""
    order: Ints
    """With ``ties`` EACH: the number of the row's start among all starts, to order ends of one instant."""


class Results(Struct):
    """What has become of each job, one element a job of the workload."""

    started_s: Floats
    """Start of the first attempt, noted when the job leaves its processors; ``Replay.schedule`` adds the
    starts of jobs that still hold them."""
    ended_s: Floats
    done_s: Floats
    """Work done by a job that a command ended; a job that ends by itself has done ``run_s``."""
    refusal: Ints
    offer_s: Floats
    """The earliest deadline that could be met, for jobs refused for theirs; empty without ``offers``."""
    row_of: Ints
    """Row of the job while it has one, kept where other facts need it."""
    first_reserved_s: Floats
    suspensions: Ints
    """How often each job was suspended."""
    requeues: Ints
    """How often it went back to the queue, as a node was lost or the policy requeued it."""
    checkpoints: Ints
    """How often it kept its work when it went back to the queue."""
    lost_s: Floats
    """The work, in seconds at rate 1, that it lost in the other cases."""
    came_by: Ints
    """By which pass it came, as the policy says; -1: it has not started. Empty where none says."""
    priority: Floats
    """With which priority; NaN: it has not started. Empty where none says."""
    ran_in: Ints
    """In which queue; -1: it has not started. Empty where none says."""
    ran_as: Ints
    """The ``JobKind`` as which the policy has molded it; 0: it has not. Empty where jobs are not molded."""
    limit_s: Floats
    """The limit that its last start gave it in place of its estimate, 0: none; empty as ``whole_s``."""


class Rates(Struct):
    """Changes of the rates of jobs, in order of time."""

    count: int
    time_s: Floats
    job: Ints
    """The job, or EVERY_JOB."""
    rate: Floats
    held: Floats
    stall_s: Floats
    """Slice time that the job loses from then on to its migration in the matrix."""
    rows: Ints
    """The rows of the matrix in which it stands from then on, as bits; 0: in none."""
    home: Ints
    turns: Ints
    """Of how many rows these are, where only rows in use take turns."""


class StartPlaces(Struct):
    """The nodes on which jobs started; those of a job are neighbours."""

    used: int
    """Entries of ``node`` so far."""
    first: Ints
    """Where in ``node`` the nodes begin on which each job started last; empty where processors are only
    counted."""
    nodes: Ints
    """How many they are."""
    node: Ints
    processors: Ints


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
    in_order: int
    """1: under the policy no job overtakes another, so an arrival behind a waiting head changes nothing."""
    instants: int
    passes: int
    acted: int
    """With ``ties`` EACH: 1 when a fact of this instant has had its pass."""

    workload: ToArrive
    components: AskedComponents
    facts: OtherFacts
    ends: Ends
    results: Results
    rates: Rates
    places: StartPlaces


PLAIN_AGENDA = (
    "facts.count",
    "workload.wishes",
    "workload.molded",
    "workload.shorter",
    "workload.elements",
    "workload.kind",
    "workload.arrays",
    "ties",
)
"""Numbers that are 0 in the agenda of a plain workload: code that needs them is not compiled for it."""


@inner
def _before(a: Agenda, t: Tables, at_s: float, row: int, place: int) -> bool:
    """Whether an end of *row* at *at_s* comes before the one at *place* of the heap."""
    if at_s != a.ends.at_s[place]:
        return bool(at_s < a.ends.at_s[place])
    return _ties_before(a, t, row, a.ends.row[place])


@inner
def _after(a: Agenda, t: Tables, at_s: float, row: int, place: int) -> bool:
    """Whether an end of *row* at *at_s* comes after the one at *place* of the heap."""
    if at_s != a.ends.at_s[place]:
        return bool(at_s > a.ends.at_s[place])
    return _ties_before(a, t, a.ends.row[place], row)


@kernel
def _ties_before(a: Agenda, t: Tables, one: int, other: int) -> bool:
    if a.ties == EACH:
        return bool(a.ends.order[one] < a.ends.order[other])
    if t.jobs.number[one] != t.jobs.number[other]:
        return bool(t.jobs.number[one] < t.jobs.number[other])
    return bool(t.jobs.index[one] < t.jobs.index[other])


@inner
def _put(a: Agenda, place: int, at_s: float, row: int) -> None:
    a.ends.at_s[place] = at_s
    a.ends.row[place] = row
    if a.ends.places_kept:
        a.ends.place[row] = place


@kernel
def _keep_places(a: Agenda) -> None:
    """From now on ``end_place`` says where the end of each row stands."""
    seldom()
    a.ends.places_kept = 1
    for place in range(a.ends.count):
        a.ends.place[a.ends.row[place]] = place


@kernel
def _sift_up(a: Agenda, t: Tables, place: int, at_s: float, row: int) -> None:
    while place > 0:
        parent = (place - 1) >> 1
        if not _before(a, t, at_s, row, parent):
            break
        _put(a, place, a.ends.at_s[parent], a.ends.row[parent])
        place = parent
    _put(a, place, at_s, row)


@kernel
def _sift_down(a: Agenda, t: Tables, place: int, at_s: float, row: int) -> None:
    while True:
        child = 2 * place + 1
        if child >= a.ends.count:
            break
        if child + 1 < a.ends.count and _before(a, t, a.ends.at_s[child + 1], a.ends.row[child + 1], child):
            child += 1
        if not _after(a, t, at_s, row, child):
            break
        _put(a, place, a.ends.at_s[child], a.ends.row[child])
        place = child
    _put(a, place, at_s, row)


@inner
def add_end(a: Agenda, t: Tables, row: int, at_s: float) -> None:
    """*row*, which has just started, will end at *at_s*."""
    a.ends.count += 1
    _sift_up(a, t, a.ends.count - 1, at_s, row)


@kernel
def move_end(a: Agenda, t: Tables, row: int, at_s: float) -> None:
    """*row* will end at *at_s*, and at no instant that was set before."""
    seldom()
    if not a.ends.places_kept:
        _keep_places(a)
    place = a.ends.place[row]
    if place < 0:
        add_end(a, t, row, at_s)
    elif at_s < a.ends.at_s[place]:
        _sift_up(a, t, place, at_s, row)
    else:
        _sift_down(a, t, place, at_s, row)


@inner
def first_ends(a: Agenda, t: Tables) -> int:
    """Take the first end off the heap; the row that ends."""
    row = a.ends.row[0]
    if a.ends.places_kept:
        a.ends.place[row] = -1
    a.ends.count -= 1
    if a.ends.count > 0:
        hole = _hole_to_bottom(a, t)
        _sift_up(a, t, hole, a.ends.at_s[a.ends.count], a.ends.row[a.ends.count])
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
        if child >= a.ends.count:
            return place
        other = child + 1
        if other < a.ends.count:
            if a.ends.at_s[other] == a.ends.at_s[child]:
                child += int(_ties_before(a, t, a.ends.row[other], a.ends.row[child]))
            else:
                child += int(a.ends.at_s[other] < a.ends.at_s[child])
        _put(a, place, a.ends.at_s[child], a.ends.row[child])
        place = child


@kernel
def move_all_ends(a: Agenda, t: Tables, now: float) -> None:
    """All running jobs have another rate from *now* on: set their ends, and make the heap again."""
    seldom()
    for place in range(a.ends.count):
        row = a.ends.row[place]
        if t.jobs.updated_s[row] != now:
            continue  # it went at this rate already
        left_s = max(0.0, a.workload.run_s[t.jobs.serial[row]] - t.jobs.work_s[row])
        a.ends.at_s[place] = end_of(now, left_s, t.jobs.rate[row])
    for place in range((a.ends.count >> 1) - 1, -1, -1):
        _sift_down(a, t, place, a.ends.at_s[place], a.ends.row[place])


@kernel
def drop_end(a: Agenda, t: Tables, row: int) -> None:
    """*row* will not end: suspended, cancelled or requeued."""
    seldom()
    if not a.ends.places_kept:
        _keep_places(a)
    place = a.ends.place[row]
    if place < 0:
        return
    a.ends.place[row] = -1
    a.ends.count -= 1
    if place == a.ends.count:
        return
    at_s, last = a.ends.at_s[a.ends.count], a.ends.row[a.ends.count]
    if place > 0 and _before(a, t, at_s, last, (place - 1) >> 1):
        _sift_up(a, t, place, at_s, last)
    else:
        _sift_down(a, t, place, at_s, last)


@inner
def next_instant(a: Agenda, t: Tables) -> float:
    """The next instant at which anything happens; NEVER when nothing is left."""
    at_s = NEVER
    if a.ends.count > 0:
        at_s = a.ends.at_s[0]
    if a.workload.next < a.workload.count:
        at_s = min(at_s, a.workload.submit_s[a.workload.next])
    if a.facts.count > 0 and a.facts.next < a.facts.count:
        at_s = min(at_s, a.facts.time_s[a.facts.next])
    if a.workload.arrays > 0 and a.workload.freed_count > 0:
        # Elements whose places the pass itself has freed.
        at_s = min(at_s, a.now)
    # A wish for the present instant does not count: the pass at it has been made.
    if t.cycle.wake_s > a.now:
        at_s = min(at_s, t.cycle.wake_s)
    return float(at_s)
