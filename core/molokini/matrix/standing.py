"""The begin and the end of a pass over the matrix: who stands where, and what has changed."""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.cycle.verbs import requeue, set_rows, start_in_rows
from molokini.matrix.columns import FULL, best_row, choose_lowest, occupy
from molokini.model.states import JobState
from molokini.tables.rows import reaches_beyond
from molokini.tables.sizes import COLUMNS_A_WORD
from molokini.tables.tables import View


@kernel
def forget_standing(view: View) -> None:
    """Have the next pass find out anew who stands in the matrix."""
    view.matrix.standing = 0


@kernel
def take_up(view: View) -> None:
    """Begin a pass: the matrix of the pass is as the last one left it, without the jobs that have gone."""
    _empty(view)
    _rank(view)
    count = 0
    for k in range(view.matrix.standing):
        row = view.matrix.ranked[k]
        if not _stays(view, row):
            continue
        view.matrix.ranked[count] = row
        count += 1
        view.matrix.to_home[row] = view.matrix.home[row]
        view.matrix.to_rows[row] = 0
        view.matrix.to_stall_s[row] = 0.0
        for word in range(view.matrix.numbers):
            view.matrix.to_bits[row, word] = view.matrix.bits[row, word]
        for r in range(view.matrix.count):
            if view.matrix.rows[row] >> r & 1:
                occupy(view, row, r)
        view.matrix.homes[view.matrix.home[row]] += 1
    view.matrix.standing = count


@kernel
def _empty(view: View) -> None:
    view.matrix.moved = 0
    for r in range(view.matrix.count):
        view.matrix.free[r] = view.machine.processors
        view.matrix.homes[r] = 0
        for word in range(view.matrix.numbers):
            inside = min(max(view.machine.processors - word * COLUMNS_A_WORD, 0), COLUMNS_A_WORD)
            # What lies behind the last processor in service is never free.
            view.matrix.used[r, word] = FULL & ~((1 << inside) - 1)


@kernel
def _rank(view: View) -> None:
    """List the running jobs in the order of their starts."""
    count = 0
    for k in range(view.matrix.standing):
        row = view.matrix.ranked[k]
        if view.jobs.state[row] == JobState.RUNNING:
            view.matrix.ranked[count] = row
            count += 1
    view.matrix.standing = count
    if count != view.queue.running_count:
        _rank_anew(view)


@kernel
def _rank_anew(view: View) -> None:
    seldom()
    for k in range(view.queue.running_count):
        row, place = view.queue.running[k], k
        while place > 0 and _is_before(view, row, view.matrix.ranked[place - 1]):
            view.matrix.ranked[place] = view.matrix.ranked[place - 1]
            place -= 1
        view.matrix.ranked[place] = row
    view.matrix.standing = view.queue.running_count


@inner
def _is_before(view: View, one: int, other: int) -> bool:
    if view.jobs.start_s[one] != view.jobs.start_s[other]:
        return bool(view.jobs.start_s[one] < view.jobs.start_s[other])
    if view.jobs.submit_s[one] != view.jobs.submit_s[other]:
        return bool(view.jobs.submit_s[one] < view.jobs.submit_s[other])
    if view.jobs.number[one] != view.jobs.number[other]:
        return bool(view.jobs.number[one] < view.jobs.number[other])
    return bool(view.jobs.index[one] < view.jobs.index[other])


@inner
def _stays(view: View, row: int) -> bool:
    """Whether a running job stands in the matrix, in columns that are in service."""
    if view.matrix.rows[row] == 0:
        return False
    lost = view.machine.processors < view.machine.processors_in_all
    return not (lost and reaches_beyond(view, row, view.machine.processors))


@kernel
def adopt(view: View) -> None:
    """Jobs that stand nowhere (another policy has started them), or in columns whose processors are lost, get
    a place; one for which there is none starts again later.
    """
    if view.matrix.standing == view.queue.running_count:
        return
    for k in range(view.queue.running_count):
        row = view.queue.running[k]
        if not _stays(view, row):
            r = best_row(view, view.jobs.width[row])
            if r < 0:
                requeue(view, row)
            else:
                put(view, row, r)


@kernel
def put(view: View, row: int, r: int) -> None:
    """Job *row*, which stands nowhere, gets row *r* as its home row, and the lowest free columns there."""
    choose_lowest(view, row, r)
    view.matrix.to_home[row] = r
    view.matrix.to_rows[row] = 0
    view.matrix.to_stall_s[row] = 0.0
    view.matrix.epoch[row] = view.cycle.room_epoch
    occupy(view, row, r)
    view.matrix.homes[r] += 1
    view.matrix.ranked[view.matrix.standing] = row
    view.matrix.standing += 1


@kernel
def settle(view: View) -> None:
    """End a pass: decide what makes the matrix as it is now; jobs that waited start."""
    for k in range(view.matrix.standing):
        row = view.matrix.ranked[k]
        if view.jobs.state[row] == JobState.WAITING:
            start_in_rows(view, row)
        elif _has_changed(view, row):
            set_rows(view, row)


@inner
def _has_changed(view: View, row: int) -> bool:
    if view.matrix.to_rows[row] != view.matrix.rows[row] or view.matrix.to_stall_s[row] > 0.0:
        return True
    if view.matrix.to_home[row] != view.matrix.home[row]:
        return True
    for word in range(view.matrix.numbers):
        if view.matrix.to_bits[row, word] != view.matrix.bits[row, word]:
            return True
    return False
