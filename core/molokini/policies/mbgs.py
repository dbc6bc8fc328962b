"""Gang scheduling with backfilling and migration: what ``bgs`` and ``mgs`` do, together.

Zhang, Franke, Moreira, Sivasubramaniam (JSSPP 2001, sections 5.2 and 5.4). No migration breaks a reservation,
and jobs that lose time by one are planned for longer. With one row it is ``conservative``; where no task may
migrate it is ``bgs``.
"""

from molokini.matrix.migration import fill_migrating, may_migrate, migrate, renew_allowance
from molokini.matrix.row_pass import adopt, forget_standing, settle, take_up
from molokini.matrix.steps import clean, compact, fill, moves
from molokini.policy import Choice, Policy, View
from molokini.shared.in_rows import (
    SOURCE,
    check_cost,
    migrated_are,
    migrated_in,
    migrated_tasks,
    migration_cost,
)
from molokini.shared.row_reservations import (
    Planned,
    RowPlan,
    drop_reservations,
    explain_reservations,
    look_through,
    refresh,
    wake,
)


class MbgsParameters(Planned, separator="_"):
    """How jobs are planned, and how they migrate."""

    migration_cost: float = migration_cost
    migrated_tasks: int = migrated_tasks
    migrated_are: Choice = migrated_are
    migrated_in: Choice = migrated_in


parameters, mine = MbgsParameters.of, RowPlan.of

POLICY = Policy(
    name="mbgs",
    family="gang scheduling",
    summary="gang scheduling with conservative backfilling and migration between rows",
    promise="no job starts later than its first reservation (rate mode, jobs killed at their estimates)",
    source=f"{SOURCE}, section 5.4",
    parameters=MbgsParameters.declared(),
    counted_only=True,
    reservable=False,
    in_rows=True,
    moves=True,
    together=check_cost,
)


def begin(view: View, now: float) -> None:
    """Have the next pass rebuild the plan."""
    forget_standing(view)
    mine(view).rebuild = 1


def schedule(view: View, now: float) -> None:
    """The seven steps, by reservations."""
    cost_s = parameters(view).migration_cost
    moved = parameters(view).migrated_are == 1
    renew_allowance(view, now, parameters(view).migrated_tasks, parameters(view).migrated_in == 1)
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
    if parameters(view).migrated_tasks > 0:
        # Where the allowance is spent, some of its moves need no migration all the same.
        before = moves(view)
        migrate(view, now, cost_s, True, moved)
        if moves(view) > before:
            mine(view).again = 1
            look_through(view, now)
    wake(view)
    fill(view)
    if may_migrate(view):
        fill_migrating(view, now, cost_s, True, moved)
    settle(view)
    if view.cycle.explain:
        explain_reservations(view)
