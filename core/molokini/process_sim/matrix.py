"""The matrix of 1gs: rows are slices of time, columns are CPUs; replicas fill what is free (section 2.3)."""

from molokini.compiled.compilation import inner, kernel
from molokini.process_sim.tables import World
from molokini.process_sim.verbs import admit, drop, head_of, put
from molokini.process_sim.words import Kind


@inner
def rt_rows(w: World) -> int:
    """Rows of the real-time class: to the nearest of x / (x + y), and at least one row for each class."""
    whole = w.asked.x + w.asked.y
    rows = (2 * w.asked.rows * w.asked.x + whole) // (2 * whole)
    return int(min(max(rows, 1), w.asked.rows - 1))


@inner
def first_row(w: World, kind: int) -> int:
    """The first row of a class."""
    if kind == Kind.RT:
        return 0
    return rt_rows(w)


@inner
def end_row(w: World, kind: int) -> int:
    """Behind the last row of a class."""
    if kind == Kind.RT:
        return rt_rows(w)
    return w.asked.rows


@kernel
def is_free(w: World, job: int, row: int) -> bool:
    """Whether the columns of *job* are free in *row*."""
    first = w.jobs.first[job]
    for p in range(first, first + w.jobs.count[job]):
        if w.queues.slots[row, w.procs.cpu[p]] >= 0:
            return False
    return True


@kernel
def fill(w: World, job: int, row: int) -> None:
    """Put *job* into *row*."""
    first = w.jobs.first[job]
    for p in range(first, first + w.jobs.count[job]):
        w.queues.slots[row, w.procs.cpu[p]] = p
    w.jobs.slots[job] += 1


@kernel
def is_empty(w: World, row: int) -> bool:
    """Whether no process is in *row*."""
    for column in range(w.cpus.key.size):
        if w.queues.slots[row, column] >= 0:
            return False
    return True


@inner
def _is_in(w: World, job: int) -> bool:
    return bool(w.jobs.placed[job] >= 0 and w.jobs.end[job] < 0)


@kernel
def cleanse(w: World) -> None:
    """Leave only the rows that each job keeps."""
    for row in range(w.asked.rows):
        for column in range(w.cpus.key.size):
            w.queues.slots[row, column] = -1
    for job in range(w.arrived):
        if _is_in(w, job):
            w.jobs.slots[job] = 0
            for row in range(w.asked.rows):
                if w.jobs.row[job] >> row & 1:
                    fill(w, job, row)


@kernel
def try_to_place(w: World, job: int) -> bool:
    """Give *job* its rows in those of its class, the lowest that have room, in the lowest free columns."""
    kind, need = w.jobs.kind[job], w.jobs.copies[job]
    low, high = first_row(w, kind), end_row(w, kind)
    for mask in range(1, 1 << (high - low)):
        rows = mask << low
        if _ones(rows) == need and _columns_free(w, rows) >= w.jobs.count[job]:
            if w.jobs.fixed[job] and not _own_columns_free(w, job, rows):
                continue
            _place(w, job, rows)
            return True
    return False


@inner
def _ones(mask: int) -> int:
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


@inner
def _column_is_free(w: World, rows: int, column: int) -> bool:
    for row in range(w.asked.rows):
        if rows >> row & 1 and w.queues.slots[row, column] >= 0:
            return False
    return True


@kernel
def _columns_free(w: World, rows: int) -> int:
    count = 0
    for column in range(w.cpus.key.size):
        if _column_is_free(w, rows, column):
            count += 1
    return count


@kernel
def _own_columns_free(w: World, job: int, rows: int) -> bool:
    first = w.jobs.first[job]
    for p in range(first, first + w.jobs.count[job]):
        if not _column_is_free(w, rows, w.procs.cpu[p]):
            return False
    return True


@kernel
def _place(w: World, job: int, rows: int) -> None:
    column = 0
    first = w.jobs.first[job]
    for p in range(first, first + w.jobs.count[job]):
        if w.jobs.fixed[job] == 0:
            while not _column_is_free(w, rows, column):
                column += 1
            w.procs.cpu[p] = column
            column += 1
        put(w, p, w.procs.cpu[p])
    w.jobs.row[job] = rows
    admit(w, job)
    w.jobs.slots[job] = 0
    for row in range(w.asked.rows):
        if rows >> row & 1:
            fill(w, job, row)


@kernel
def place_queue(w: World, kind: int) -> None:
    """Place the jobs that wait, first come, first served, until one has no room."""
    job = head_of(w, kind)
    while job >= 0 and try_to_place(w, job):
        drop(w, job)
        job = head_of(w, kind)


@kernel
def optimise(w: World) -> None:
    """The four steps: replicas of whole jobs, in their columns, in rows that have room."""
    split, rows = rt_rows(w), w.asked.rows
    _replicate(w, Kind.RT, 0, split)
    _replicate(w, Kind.BE, split, rows)
    _replicate(w, Kind.RT, split, rows)
    _replicate(w, Kind.BE, 0, split)


@kernel
def _replicate(w: World, kind: int, low: int, high: int) -> None:
    for row in range(low, high):
        while True:
            best = -1
            for job in range(w.arrived):
                if not _is_in(w, job) or w.jobs.kind[job] != kind or not _is_short(w, job):
                    continue
                fewer = best < 0 or w.jobs.slots[job] < w.jobs.slots[best]
                if fewer and is_free(w, job, row):
                    best = job
            if best < 0:
                break
            fill(w, best, row)


@inner
def _is_short(w: World, job: int) -> bool:
    """Whether more rows would help: a real-time job that had its frames in the last period needs none."""
    if w.jobs.kind[job] == Kind.BE or w.jobs.last_frames[job] < 0:
        return True
    return bool(w.jobs.last_frames[job] < w.jobs.frames_a_period[job])
