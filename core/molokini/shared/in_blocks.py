"""Classes of jobs and the queue of gang scheduling in blocks (Zhou, Brent, JSSPP 2001, section 2).

A job is long, medium or short by its estimate, as a share of the longest. Limits bound how many medium and
long jobs, and how many long ones, share a processor; those that would exceed them wait, in one queue in order
of arrival. Short ones wait for nothing but a slot.
"""

from collections.abc import Mapping

from molokini.compiled.compilation import inner, kernel
from molokini.cycle.reasons import held_back
from molokini.cycle.verbs import because, requeue
from molokini.matrix.blocks import (
    ALL,
    LONG,
    QUEUED,
    ROOT,
    best_block,
    count_in,
    lowest_idle_row,
    occupy_row,
    path,
)
from molokini.matrix.row_pass import stays
from molokini.matrix.slots import enter
from molokini.model.decisions import Rule
from molokini.model.errors import BadValue
from molokini.model.policy import Value
from molokini.tables.sizes import MOST_ROWS, MOST_SLOTS
from molokini.tables.tables import View
from molokini.tables.workspace import Choice, Parameters, parameter

SOURCE = "Zhou, Brent, JSSPP 2001, section 2"
MOST_JOBS = 1e9


class Classed(Parameters, separator="_"):
    """What classes there are, how many jobs of each may share a processor, and what slots are for."""

    slots: int = parameter(
        MOST_ROWS, "the most time slots; when all are taken, jobs wait", low=1, high=MOST_SLOTS
    )
    longest_s: float = parameter(
        86_400.0,
        "the longest estimate, of which alpha_m and alpha_l are shares",
        unit="s",
        low=1e-3,
        high=1e12,
    )
    alpha_m: float = parameter(
        0.15, "jobs over this share of longest_s are medium, others short", low=0.0, high=1.0, source=SOURCE
    )
    alpha_l: float = parameter(
        0.8, "jobs over this share of longest_s are long", low=0.0, high=1.0, source=SOURCE
    )
    k_m: int = parameter(
        6,
        "medium and long jobs that may share a processor; 0: no limit",
        low=0,
        high=MOST_JOBS,
        source=SOURCE,
    )
    k_l: int = parameter(
        1, "long jobs that may share a processor; 0: no limit", low=0, high=MOST_JOBS, source=SOURCE
    )
    repack: Choice = parameter(
        "yes",
        "yes: slots are reassigned at each event, as few as possible; no: a job keeps its slot",
        choices=("yes", "no"),
        source=SOURCE,
    )
    several_slots: Choice = parameter(
        "yes", "yes: a job runs in each slot in which its block is idle", choices=("yes", "no"), source=SOURCE
    )
    backfill: Choice = parameter(
        "skip",
        "skip: each job that may enter does; none: medium and long jobs enter in order of arrival",
        choices=("skip", "none"),
    )


parameters = Classed.of


def check_classes(values: Mapping[str, Value]) -> None:
    """Refuse classes the wrong way round."""
    medium, long = values["alpha_m"], values["alpha_l"]
    assert isinstance(medium, int | float)
    assert isinstance(long, int | float)
    if medium > long:
        raise BadValue("alpha_m", medium, f"a number from 0 to alpha_l, {long:,.15g}")


@inner
def class_of(view: View, row: int) -> int:
    """``ALL`` for a short job, ``QUEUED`` for a medium one, ``LONG`` for a long one."""
    estimate_s, longest_s = view.jobs.estimate_s[row], parameters(view).longest_s
    if estimate_s > parameters(view).alpha_l * longest_s:
        return LONG
    return QUEUED if estimate_s > parameters(view).alpha_m * longest_s else ALL


@inner
def repacks(view: View) -> bool:
    """Whether slots are reassigned at each event."""
    return bool(parameters(view).repack == 0)


@kernel
def count_standing(view: View) -> None:
    """Count the jobs that stand in the matrix into the workload tree."""
    for k in range(view.matrix.standing):
        row = view.matrix.ranked[k]
        count_in(view, view.blocks.given[row], class_of(view, row))


@kernel
def adopt_in_blocks(view: View, slots: int) -> int:
    """Jobs that stand nowhere (another policy has started them), or in columns whose processors are lost, get
    a block whatever the limits; one for which there is no slot starts again later. How many slots there are.
    """
    if view.matrix.standing == view.queue.running_count:
        return slots
    for k in range(view.queue.running_count):
        row = view.queue.running[k]
        if not stays(view, row):
            found = _enter(view, row, best_block(view, view.jobs.width[row], 0, 0), slots)
            if found < 0:
                requeue(view, row)
            else:
                slots = found
    return slots


@kernel
def enter_by_class(view: View, slots: int) -> int:
    """Have those enter that may, in the order of the queue; how many slots there are then."""
    # Where a job of a class may not enter, no wider one of its class may.
    none = view.machine.processors + 1
    short = medium = long = none
    blocked = False
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        kind, width = class_of(view, row), view.jobs.width[row]
        if kind == ALL:
            if width >= short:
                continue
        elif blocked or width >= (medium if kind == QUEUED else long):
            continue
        found = _enter(view, row, _block_for(view, kind, width), slots)
        if found >= 0:
            slots = found
        elif kind == ALL:
            short = width
        else:
            blocked = parameters(view).backfill == 1
            long = min(long, width)
            if kind == QUEUED:
                medium = width
    return slots


@inner
def _block_for(view: View, kind: int, width: int) -> int:
    most_queued = parameters(view).k_m if kind >= QUEUED else 0
    return int(best_block(view, width, most_queued, parameters(view).k_l if kind == LONG else 0))


@kernel
def _enter(view: View, row: int, v: int, slots: int) -> int:
    """Job *row* gets block *v* (-1: there is none) if there is a slot; how many there are then, else -1."""
    if v < 0:
        return -1
    if repacks(view):
        # No block of this size has fewer jobs on its fullest column.
        if path(view, v, ALL) == view.matrix.count:
            return -1
        enter(view, row, v)
        count_in(view, v, class_of(view, row))
        return int(view.blocks.load[ROOT, ALL])
    r = lowest_idle_row(view, v, slots)
    if r < 0:
        r = slots
    if r == view.matrix.count:
        return -1
    enter(view, row, v)
    count_in(view, v, class_of(view, row))
    view.matrix.to_home[row] = r
    occupy_row(view, row, r)
    return max(slots, r + 1)


@kernel
def explain_classes(view: View) -> None:
    """Say why jobs still wait: which limit, or that all slots are taken."""
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        kind, width = class_of(view, row), view.jobs.width[row]
        if view.matrix.epoch[row] == view.cycle.room_epoch or held_back(view, row, -1):
            continue
        most_queued, most_long = parameters(view).k_m, parameters(view).k_l
        if kind >= QUEUED and most_queued and best_block(view, width, most_queued, 0) < 0:
            because(view, row, Rule.SHARED_BY_ENOUGH, most_queued, width, -1)
        elif kind == LONG and most_long and best_block(view, width, 0, most_long) < 0:
            because(view, row, Rule.SHARED_BY_ENOUGH, most_long, width, -1)
        elif kind >= QUEUED and best_block(view, width, most_queued, most_long * (kind == LONG)) >= 0:
            because(view, row, Rule.BEHIND_THE_HEAD, 0.0, width, -1)
        else:
            because(view, row, Rule.NOT_ENOUGH_FREE, 0.0, width, -1)
