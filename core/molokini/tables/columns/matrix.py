"""Columns of the matrix of gang scheduling: rows are time slices, columns are processors.

All tasks of a job stand in one row, its home row, in columns of their own; it may stand in other rows,
in the same columns. Sets of columns are bits, ``COLUMNS_A_WORD`` in a number.
"""

from molokini.compiled.structs import Floats, FloatTable, Ints, IntTable
from molokini.tables.declared import UNREAD, Axis, Declared, Nature, per


class Matrix(Declared):
    """Who stands where, how the rows take turns, and what a pass is about to change."""

    count: int
    """Rows; 0: the policy has no matrix."""
    numbers: int
    """Numbers that the bits of a row take."""
    pages: int
    """Numbers that the rows of a job take beside ``rows``; 0 for up to ``COLUMNS_A_WORD`` rows."""
    varying: int
    """1: only rows that are in use take turns, so that the cycle grows and shrinks. 0: all do."""
    exact: int
    """1: rows have the processors by a fixed grid of quanta. 0: each has an even share at every instant."""
    quantum_s: float
    switch: float
    """The part of a quantum that a context switch takes; 0 where there is one row."""
    changed: int
    """1: it takes it of those quanta alone before which other jobs, or none, had the columns. 0: of all."""
    by_memory: int
    """1: a job gets the row whose jobs have the least memory in all. 0: that with the fewest free columns."""
    memory_kb: float
    """Memory that the jobs of a row may have in all; 0: any."""
    held: int
    """Jobs in the matrix."""
    slice: int
    """The slice for which ``allowance`` counts."""
    allowance: int
    """Tasks that may still migrate in it."""
    migrated: int
    """Tasks that have migrated in this pass."""

    home: Ints = per(Axis.JOB)
    """The home row of a job in the matrix."""
    rows: Ints = per(Axis.JOB)
    """The rows in which it stands, a bit each, its home row among them. No bit here and ``beyond``: it is
    not in the matrix.
    """
    beyond: IntTable = per(Axis.JOB, Axis.PAGE)
    """The same of rows behind the first ``COLUMNS_A_WORD``, as many in each number."""
    turns: Ints = per(Axis.JOB)
    """How many rows take turns, of which these are some; 0: all that there are."""
    stall_s: Floats = per(Axis.JOB)
    """Slice time, at ``jobs.updated_s``, that it has still to lose to migrations."""
    since_s: Floats = per(Axis.JOB)
    """Since when it has stood in its home row."""
    bits: IntTable = per(Axis.JOB, Axis.WORD)
    """Its columns."""

    to_home: Ints = per(Axis.JOB, nature=Nature.PASS)
    """Where a decision of this pass puts the job, as ``home``, ``rows`` and others."""
    to_rows: Ints = per(Axis.JOB, nature=Nature.PASS)
    to_beyond: IntTable = per(Axis.JOB, Axis.PAGE, nature=Nature.PASS)
    to_turns: Ints = per(Axis.JOB, nature=Nature.PASS)
    to_stall_s: Floats = per(Axis.JOB, nature=Nature.PASS)
    """Slice time that it loses to the migrations of this pass."""
    to_bits: IntTable = per(Axis.JOB, Axis.WORD, nature=Nature.PASS)

    epoch: Ints = per(Axis.JOB, nature=Nature.PASS)
    """``cycle.room_epoch`` of the pass that has put the job into the matrix."""

    # The matrix of a pass, on which the steps of ``molokini.matrix`` work.
    used: IntTable = per(Axis.ROW, Axis.WORD, nature=Nature.PASS)
    """The columns that are occupied in each row."""
    free: Ints = per(Axis.ROW, nature=Nature.PASS)
    """How many columns of each row are not."""
    filled_kb: Floats = per(Axis.ROW, nature=Nature.PASS)
    """The memory of the jobs of each row, where rows are chosen by it."""
    homes: Ints = per(Axis.ROW, nature=Nature.PASS)
    """How many jobs have each row as their home row."""
    order: Ints = per(Axis.ROW, nature=Nature.PASS)
    """Rows in the order in which compaction takes them."""
    away: Ints = per(Axis.WORD, nature=Nature.PASS)
    """Columns that are no processors in service."""
    drains: int
    """1: among them are columns of nodes whose jobs go on."""
    standing: int
    """Elements of ``ranked`` that hold a job in the matrix of this pass."""
    moved: int
    """Jobs that have got another home row in this pass."""
    ranked: Ints = per(Axis.JOB, nature=Nature.WORK, blank=UNREAD)
    """Jobs in the matrix in the order of their starts."""


class Blocks(Declared):
    """The workload tree of a pass: blocks of columns, each half of its parent, and the jobs on them."""

    given: Ints = per(Axis.JOB, nature=Nature.PASS)
    """The block that a job has."""
    own: IntTable = per(Axis.BLOCK, 3, nature=Nature.PASS)
    """Jobs that have exactly this block: all, those that are not short, those that are long."""
    load: IntTable = per(Axis.BLOCK, 3, nature=Nature.PASS)
    """The most of them on any column of this block, of those inside it."""
    counted: Ints = per(Axis.BLOCK, nature=Nature.PASS)
    """Jobs of this block that have got their row."""
    here: IntTable = per(Axis.BLOCK, Axis.PAGE, nature=Nature.PASS)
    """Rows, as bits, in which a job of exactly this block stands."""
    within: IntTable = per(Axis.BLOCK, Axis.PAGE, nature=Nature.PASS)
    """The same of this block and all inside it."""
    page: Ints = per(Axis.PAGE, nature=Nature.PASS)
    """Not read: its length is that of the axis, with which no other column begins."""
    crowded: Ints = per(Axis.JOB, nature=Nature.PASS)
    """1: no row is left for another copy of the job."""


class Plans(Declared):
    """What a policy plans in the rows of the matrix: columns of each row over time, by their number."""

    row: Ints = per(Axis.JOB, nature=Nature.WORK)
    """The row in which a job is planned, from ``from_s`` to ``until_s``."""
    from_s: Floats = per(Axis.JOB, nature=Nature.WORK)
    until_s: Floats = per(Axis.JOB, nature=Nature.WORK)
    """0: it is not planned."""
    before_s: Floats = per(Axis.JOB, nature=Nature.PASS)
    """``until_s`` before a migration that may have to be taken back."""
    first: Ints = per(Axis.ROW, nature=Nature.WORK)
    """The window of a row's steps that hold something begins here, ..."""
    last: Ints = per(Axis.ROW, nature=Nature.WORK)
    """... and ends before this."""
    step_s: FloatTable = per(Axis.ROW, Axis.STEP, nature=Nature.WORK)
    step_free: IntTable = per(Axis.ROW, Axis.STEP, nature=Nature.WORK)
    left_from_s: Floats = per(Axis.ROW, nature=Nature.WORK)
    """Between these, room has become free in a row since the last look at the queue."""
    left_until_s: Floats = per(Axis.ROW, nature=Nature.WORK)
    later_from_s: Floats = per(Axis.ROW, nature=Nature.WORK)
    """Between these, jobs that have moved in this look have left room, which the next look offers to all."""
    later_until_s: Floats = per(Axis.ROW, nature=Nature.WORK)
