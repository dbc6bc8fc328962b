"""Gang scheduling with migration: jobs may change rows and columns where that makes room.

Zhang, Franke, Moreira, Sivasubramaniam (JSSPP 2001, section 5.4): ``gs`` with one more collapse and one
more fill, in which jobs migrate to other columns at a cost. With one row it is ``fcfs``; where no task may
migrate it is ``gs``.
"""

from molokini.matrix.migration import fill_migrating, may_migrate, migrate, renew_allowance
from molokini.matrix.row_pass import adopt, forget_standing, settle, take_up
from molokini.matrix.steps import clean, compact, fill
from molokini.policy import Policy, View
from molokini.shared.in_rows import SOURCE, Migrating, check_cost, explain_order, start_in_order

parameters = Migrating.of

POLICY = Policy(
    name="mgs",
    family="gang scheduling",
    summary="gang scheduling with migration between rows; jobs start in queue order",
    promise="a job that runs has at least one row of the cycle; none starts before one submitted earlier",
    source=f"{SOURCE}, section 5.4",
    parameters=Migrating.declared(),
    counted_only=True,
    reservable=False,
    in_rows=True,
    moves=True,
    together=check_cost,
)


def begin(view: View, now: float) -> None:
    """Have the next pass find out again which jobs stand in the matrix."""
    forget_standing(view)


def schedule(view: View, now: float) -> None:
    """The seven steps: clean, collapse, schedule, collapse and schedule with migration, fill, and fill so."""
    cost_s = parameters(view).migration_cost
    moved = parameters(view).migrated_are == 1
    renew_allowance(view, now, parameters(view).migrated_tasks, parameters(view).migrated_in == 1)
    take_up(view)
    clean(view)
    adopt(view)
    compact(view, now, False)
    blocked = start_in_order(view, view.queue.head)
    if parameters(view).migrated_tasks > 0:
        # Where the allowance is spent, some of its moves need no migration all the same.
        migrate(view, now, cost_s, False, moved)
        blocked = start_in_order(view, blocked)
    fill(view)
    if may_migrate(view):
        fill_migrating(view, now, cost_s, False, moved)
    settle(view)
    if view.cycle.explain:
        explain_order(view, blocked)
