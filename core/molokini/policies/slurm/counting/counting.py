"""What associations and QOSes have at the moment: running jobs, their TRES, what is left of their limits.

Counted again in each pass that needs it, from the jobs that run; starts of the pass are added.
"""

from molokini.compiled.compilation import kernel, seldom
from molokini.policies.slurm.configuration.line_layout import LINE, TRES, Count, Line
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.knowledge.active import active_count, active_row
from molokini.policies.slurm.knowledge.kept_state import mine
from molokini.policies.slurm.knowledge.time_limits import limit_of
from molokini.policies.slurm.knowledge.tres import tres_of
from molokini.policies.slurm.knowledge.who import association_of, first_qos, second_qos
from molokini.policies.slurm.nodes.demand import cpus_held, nodes_held
from molokini.tables.tables import View


@kernel
def lines_of_all(view: View) -> int:
    """How many rows of associations and QOSes there are."""
    return int(parameters(view).association_count + parameters(view).qos_count)


@kernel
def line_at(view: View, k: int) -> int:
    """Row *k* of all of them."""
    if k < parameters(view).association_count:
        return int(parameters(view).associations) + k * LINE
    return int(parameters(view).qos) + (k - int(parameters(view).association_count)) * LINE


@kernel
def parent_of(view: View, at: int) -> int:
    """The row above an association; -1: it is the root, or a QOS."""
    place = int(view.parameters[at + Line.PARENT])
    return int(parameters(view).associations) + place * LINE if place >= 0 else -1


@kernel
def count_running(view: View) -> None:
    """Count jobs that run, and those that are suspended, for every association and QOS that they are of."""
    if parameters(view).enforce_limits == 0:
        return
    seldom()
    for k in range(lines_of_all(view)):
        at = line_at(view, k)
        for column in range(Count.JOBS, Count.FACTOR):
            view.site.tallies[at + column] = 0.0
    for k in range(active_count(view)):
        row = active_row(view, k)
        if mine(view).place[row] > 0:
            count_job(view, row, mine(view).place[row] - 1, view.jobs.start_s[row])


@kernel
def count_job(view: View, row: int, part: int, start_s: float) -> None:
    """Add a job that has been placed to what its association, those above it and its QOSes have."""
    if parameters(view).enforce_limits == 0:
        return
    seldom()
    # What is left of a limit is known as of the last calculation.
    end_s = start_s + limit_of(view, row)
    _count(view, row, part, 1.0, end_s - max(start_s, min(mine(view).last_priority_s, end_s)))


@kernel
def count_longer(view: View, row: int, part: int, more_s: float) -> None:
    """The limit of a job that counts already is so much longer."""
    if parameters(view).enforce_limits > 0:
        _count(view, row, part, 0.0, more_s)


@kernel
def _count(view: View, row: int, part: int, jobs: float, left_s: float) -> None:
    cpus, nodes = cpus_held(view, row, part), nodes_held(view, row)
    at = association_of(view, row)
    while at >= 0:
        _add(view, at, row, part, cpus, nodes, jobs, left_s)
        at = parent_of(view, at)
    first, second = first_qos(view, row, part), second_qos(view, row, part)
    if first >= 0:
        _add(view, first, row, part, cpus, nodes, jobs, left_s)
    if second >= 0:
        _add(view, second, row, part, cpus, nodes, jobs, left_s)


@kernel
def _add(view: View, at: int, row: int, part: int, cpus: int, nodes: int, jobs: float, left_s: float) -> None:
    view.site.tallies[at + Count.JOBS] += jobs
    for tres in range(TRES):
        amount = tres_of(view, row, part, tres, cpus, nodes)
        view.site.tallies[at + Count.TRES_NOW + tres] += jobs * amount
        view.site.tallies[at + Count.RUN_MINS_S + tres] += amount * left_s


@kernel
def is_of(view: View, row: int, at: int) -> bool:
    """Whether a running job counts for a row."""
    if at == -1 or mine(view).place[row] == 0:
        return False
    part = mine(view).place[row] - 1
    if first_qos(view, row, part) == at or second_qos(view, row, part) == at:
        return True
    above = association_of(view, row)
    while above >= 0:
        if above == at:
            return True
        above = parent_of(view, above)
    return False
