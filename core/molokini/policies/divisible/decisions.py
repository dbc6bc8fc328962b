"""The three decisions of section 4: the order of jobs, the rule that cuts a load, the number of nodes."""

from molokini.applications.kinds import JobKind
from molokini.compiled.compilation import kernel
from molokini.policies.divisible.memory import mine, parameters
from molokini.shared.dividing import least_nodes_of
from molokini.shared.placed_kernels import run_of
from molokini.tables.tables import NEVER, View

_EDF, _MWF = 1, 2
_AN, _K = 1, 2
TOGETHER = 0
_LATEST = 0
_SHARED = 1


@kernel
def order_of(view: View) -> int:
    """FIFO, EDF or MWF, as ``ORDERS`` numbers them."""
    return parameters(view).order


@kernel
def rule_of(view: View) -> int:
    """OPR or EPR, as ``applications.divisible`` numbers them."""
    return parameters(view).rule


@kernel
def port_is_shared(view: View) -> bool:
    """Whether the head sends one task's chunks at a time."""
    return bool(parameters(view).port == _SHARED)


@kernel
def latest_are_taken(view: View) -> bool:
    """Whether a task takes, of the nodes that are free by its start, those released last."""
    return bool(parameters(view).take == _LATEST)


@kernel
def is_staged(view: View, row: int, nodes: int, length_s: float) -> bool:
    """Whether the *nodes* nodes of *row*, which takes *length_s*, are free one by one.

    The load of a job that another policy started may have been cut otherwise: its length tells.
    """
    return bool(
        parameters(view).release != TOGETHER
        and view.jobs.load[row] > 0.0
        and length_s == run_of(view, row, JobKind.EPR, nodes)
    )


@kernel
def deadline_of(view: View, row: int) -> float:
    """The absolute deadline, NEVER where there is none; of the row ``TRYING`` the deadline that is tried."""
    if mine(view).trying == row + 1:
        return float(mine(view).tried_deadline_s)
    return float(view.jobs.deadline_s[row]) if view.jobs.deadline_s[row] > 0.0 else NEVER


@kernel
def given_nodes(view: View, row: int) -> int:
    """How many nodes *row* gets whenever it starts; 0 where that depends on when (MN)."""
    if view.jobs.load[row] == 0.0:
        return int(view.jobs.width[row])
    if parameters(view).assignment == _AN:
        return view.machine.processors
    if parameters(view).assignment == _K:
        return parameters(view).k
    return 0


@kernel
def needed_nodes(view: View, row: int, start_s: float) -> int:
    """n_min of *row* started at *start_s*; 0: all nodes are not enough."""
    return least_nodes_of(view, row, rule_of(view), start_s, deadline_of(view, row), view.machine.processors)


@kernel
def length_of(view: View, row: int, nodes: int) -> float:
    """How long *row* takes on *nodes* nodes; a job that is not divisible takes its estimate."""
    if view.jobs.load[row] == 0.0:
        return float(view.jobs.estimate_s[row])
    return run_of(view, row, rule_of(view), nodes)


@kernel
def rank_of(view: View, row: int, now: float) -> float:
    """What tasks are ordered by, smallest first; tasks of equal rank stay in order of arrival."""
    if parameters(view).order == _EDF:
        return deadline_of(view, row)
    if parameters(view).order == _MWF and view.jobs.load[row] > 0.0:
        return -_workload_derivative(view, row, now)
    return 0.0


@kernel
def _workload_derivative(view: View, row: int, now: float) -> float:
    """DC (equation 4.1): what one node more than n_min would add to nodes times execution time."""
    n = needed_nodes(view, row, now)
    if n == 0:
        return NEVER
    return (n + 1) * length_of(view, row, n + 1) - n * length_of(view, row, n)
