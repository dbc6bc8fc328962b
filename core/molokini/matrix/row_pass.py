"""The begin and the end of a pass over the matrix: who stands where, and what has changed."""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.cycle.verbs import requeue, set_rows, start_in_rows
from molokini.matrix.columns import best_row, choose_emptiest, choose_lowest, is_free, occupy, stands_on_away
from molokini.model.states import JobState, NodeState
from molokini.tables.rows import columns_between, how_many, in_matrix, stands_on_lost
from molokini.tables.sizes import COLUMNS_A_WORD
from molokini.tables.tables import View


@kernel
def forget_standing(view: View) -> None:
    """Have the next pass find out again which jobs stand in the matrix."""
    view.matrix.standing = 0


@kernel
def take_up(view: View) -> None:
    """Begin a pass: the matrix of the pass is as the last one left it, without the jobs that have gone."""
    _empty(view)
    keep_columns(view)
    for k in range(view.matrix.standing):
        row = view.matrix.ranked[k]
        view.matrix.to_rows[row] = view.matrix.to_turns[row] = 0
        view.matrix.to_stall_s[row] = 0.0
        for r in range(view.matrix.count):
            if view.matrix.rows[row] >> r & 1:
                occupy(view, row, r)
        view.matrix.homes[view.matrix.home[row]] += 1


@kernel
def keep_columns(view: View) -> None:
    """Rank the running jobs that stay in the matrix; they have the home rows and columns that they had."""
    _rank(view)
    count = 0
    for k in range(view.matrix.standing):
        row = view.matrix.ranked[k]
        if not stays(view, row):
            continue
        view.matrix.ranked[count] = row
        count += 1
        view.matrix.to_home[row] = view.matrix.home[row]
        for word in range(view.matrix.numbers):
            view.matrix.to_bits[row, word] = view.matrix.bits[row, word]
    view.matrix.standing = count


@kernel
def _empty(view: View) -> None:
    view.matrix.moved = view.matrix.migrated = 0
    processors = find_away(view)
    for r in range(view.matrix.count):
        view.matrix.free[r] = processors
        view.matrix.filled_kb[r] = 0.0
        view.matrix.homes[r] = 0
        for word in range(view.matrix.numbers):
            view.matrix.used[r, word] = 0


@kernel
def find_away(view: View) -> int:
    """Find the columns that are no processors in service, which are never free; how many others there are."""
    processors, last = view.machine.processors, view.matrix.numbers * COLUMNS_A_WORD
    counted = view.nodes.count == 0
    end = processors if counted else view.machine.processors_in_all
    for word in range(view.matrix.numbers):
        view.matrix.away[word] = columns_between(word, end, last)
    first, view.matrix.drains = 0, 0
    for node in range(view.nodes.count):
        width = int(view.nodes.total[node, 0])
        if view.nodes.state[node] != NodeState.UP:
            for word in range(view.matrix.numbers):
                view.matrix.away[word] |= columns_between(word, first, first + width)
        if view.nodes.state[node] == NodeState.DRAINING:
            # Still counted by the machine, as jobs there go on; but none gets a place there.
            processors -= width
            view.matrix.drains = 1
        first += width
    return processors


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
def stays(view: View, row: int) -> bool:
    """Whether a running job stands in the matrix, in columns whose processors are there."""
    return bool(in_matrix(view, row)) and not stands_on_lost(view, row)


@kernel
def adopt(view: View) -> None:
    """Jobs that stand nowhere, or in columns whose processors are lost, get a place; one for which there is
    none starts again later. One that was suspended keeps its columns where they are free in a row.
    """
    if view.matrix.standing == view.queue.running_count:
        return
    for k in range(view.queue.running_count):
        row = view.queue.running[k]
        if not stays(view, row):
            r = _row_for_its_columns(view, row)
            if r >= 0:
                _enter(view, row, r)
                continue
            r = best_row(view, row)
            if r < 0:
                requeue(view, row)
            else:
                put(view, row, r)


@kernel
def put(view: View, row: int, r: int) -> None:
    """Job *row*, which stands nowhere, gets row *r* as its home row, and the lowest free columns there."""
    choose_lowest(view, row, r)
    _enter(view, row, r)


@kernel
def put_in_emptiest(view: View, row: int, r: int) -> None:
    """The same in those of the free columns that are used in the fewest other rows."""
    choose_emptiest(view, row, r)
    _enter(view, row, r)


@kernel
def _row_for_its_columns(view: View, row: int) -> int:
    """The row that a job fits best in the columns that it had before it was suspended; -1: none."""
    seldom()
    had, best = 0, -1
    for word in range(view.matrix.numbers):
        view.matrix.to_bits[row, word] = view.matrix.bits[row, word]
        had += how_many(view.matrix.bits[row, word])
    if had != view.jobs.width[row] or view.matrix.since_s[row] < view.jobs.start_s[row]:
        # This attempt never stood in the matrix: the columns are those of another.
        return -1
    if stands_on_away(view, row):
        # A drained node keeps what runs there, and gets no job.
        return -1
    for r in range(view.matrix.count):
        if is_free(view, row, r) and (best < 0 or view.matrix.free[r] < view.matrix.free[best]):
            best = r
    return best


@kernel
def _enter(view: View, row: int, r: int) -> None:
    """Job *row*, which stands nowhere, stands in row *r* from now on, in the columns that were chosen."""
    view.matrix.to_home[row] = r
    view.matrix.to_rows[row] = view.matrix.to_turns[row] = 0
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
    if view.matrix.to_turns[row] != view.matrix.turns[row]:
        return True
    for page in range(view.matrix.pages):
        if view.matrix.to_beyond[row, page] != view.matrix.beyond[row, page]:
            return True
    for word in range(view.matrix.numbers):
        if view.matrix.to_bits[row, word] != view.matrix.bits[row, word]:
            return True
    return False
