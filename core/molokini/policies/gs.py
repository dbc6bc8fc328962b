"""Gang scheduling: all tasks of a job run in the same time slices; jobs start in order of arrival.

Zhang, Franke, Moreira, Sivasubramaniam (JSSPP 2001, sections 4 and 5.1): a matrix of time slices (rows) and
processors (columns). Each event has the matrix cleaned of copies, compacted, given waiting jobs in FCFS order
(the row that a job fits best) and filled with copies. With one row it is ``fcfs``.
"""

from molokini.matrix.row_pass import adopt, forget_standing, settle, take_up
from molokini.matrix.steps import clean, compact, fill
from molokini.policy import Policy, View
from molokini.shared.in_rows import SOURCE, RowsOfMemory, check_memory, explain_order, start_in_order

POLICY = Policy(
    name="gs",
    family="gang scheduling",
    summary="gang scheduling: time slices (rows) of the whole machine; jobs start in queue order",
    promise="a job that runs has at least one row of the cycle; none starts before one submitted earlier",
    source=f"{SOURCE}, section 5.1",
    parameters=RowsOfMemory.declared(),
    counted_only=True,
    reservable=False,
    in_rows=True,
    together=check_memory,
)


def begin(view: View, now: float) -> None:
    """Have the next pass find out again which jobs stand in the matrix."""
    forget_standing(view)


def schedule(view: View, now: float) -> None:
    """Clean, compact, schedule, fill."""
    take_up(view)
    clean(view)
    adopt(view)
    compact(view, now, False)
    blocked = start_in_order(view, view.queue.head)
    fill(view)
    settle(view)
    if view.cycle.explain:
        explain_order(view, blocked)
