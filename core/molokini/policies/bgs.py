"""Gang scheduling with backfilling: ``gs``, but every waiting job has a reservation.

Zhang, Franke, Moreira, Sivasubramaniam (JSSPP 2001, section 5.2): a job is planned for as many times its
estimate as there are rows, in one row. With one row it is ``conservative``.
"""

from molokini.matrix.row_pass import adopt, forget_standing, settle, take_up
from molokini.matrix.steps import clean, compact, fill, moves
from molokini.policy import Policy, View
from molokini.shared.in_rows import SOURCE
from molokini.shared.row_reservations import (
    Planned,
    RowPlan,
    drop_reservations,
    explain_reservations,
    look_through,
    refresh,
    wake,
)

parameters, mine = Planned.of, RowPlan.of

POLICY = Policy(
    name="bgs",
    family="gang scheduling",
    summary="gang scheduling with conservative backfilling: a reservation in a row for every job",
    promise="no job starts later than its first reservation (rate mode, jobs killed at their estimates)",
    source=f"{SOURCE}, section 5.2",
    parameters=Planned.declared(),
    counted_only=True,
    reservable=False,
    in_rows=True,
)


def begin(view: View, now: float) -> None:
    """Have the next pass rebuild the plan."""
    forget_standing(view)
    mine(view).rebuild = 1


def schedule(view: View, now: float) -> None:
    """Clean, compact, schedule by reservations, fill."""
    take_up(view)
    clean(view)
    adopt(view)
    refresh(view, now, parameters(view).predict == 1)
    compact(view, now, True)
    if parameters(view).replan == 1:
        drop_reservations(view, now)
    if moves(view) > 0:
        mine(view).again = 1
    look_through(view, now)
    wake(view)
    fill(view)
    settle(view)
    if view.cycle.explain:
        explain_reservations(view)
