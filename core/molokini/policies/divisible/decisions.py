"""The three decisions of section 4: the order of jobs, the rule that cuts a load, the number of nodes."""

from molokini.applications.divisible import EPR
from molokini.compiled.compilation import kernel
from molokini.shared.dividing import execution_of, least_nodes_of
from molokini.tables.tables import NEVER, View

ORDERS = ("fifo", "edf", "mwf")
ASSIGNMENTS = ("mn", "an", "k")

_EDF, _MWF = 1, 2
_AN, _K = 1, 2
TOGETHER = 0.0
_LATEST = 0.0
_ORDER, _RULE, _ASSIGNMENT, _RELEASE, _PORT, _TAKE, _NODES = 0, 1, 2, 3, 4, 5, 6
"""Places in the vector of parameters."""


@kernel
def order_of(view: View) -> int:
    """FIFO, EDF or MWF, as ``ORDERS`` numbers them."""
    return int(view.parameters[_ORDER])


@kernel
def rule_of(view: View) -> int:
    """OPR or EPR, as ``applications.divisible`` numbers them."""
    return int(view.parameters[_RULE])


@kernel
def port_is_shared(view: View) -> bool:
    """Whether the head sends one task's chunks at a time."""
    return bool(view.parameters[_PORT] == 1.0)


@kernel
def latest_are_taken(view: View) -> bool:
    """Whether a task takes, of the nodes that are free by its start, those released last."""
    return bool(view.parameters[_TAKE] == _LATEST)


@kernel
def is_staged(view: View, row: int, nodes: int, length_s: float) -> bool:
    """Whether the *nodes* nodes of *row*, which takes *length_s*, are free one by one.

    A job that runs since another policy decided may have been cut otherwise: its length tells.
    """
    return bool(
        view.parameters[_RELEASE] != TOGETHER
        and view.job_load[row] > 0.0
        and length_s == execution_of(view, row, EPR, nodes)
    )


TRYING = 1
"""Place in the global line of whole numbers: 1 + the row for which a deadline is being tried; 0: none."""
TRIED_DEADLINE_S, NEXT_DEADLINE_S = 0, 1
"""Places in the global line of numbers: the deadline that is tried, and the next that may do better."""


@kernel
def deadline_of(view: View, row: int) -> float:
    """The absolute deadline, NEVER where there is none; the one that is tried where *row* tries another."""
    if view.global_i[TRYING] == row + 1:
        return float(view.global_f[TRIED_DEADLINE_S])
    return float(view.job_deadline_s[row]) if view.job_deadline_s[row] > 0.0 else NEVER


@kernel
def given_nodes(view: View, row: int) -> int:
    """How many nodes *row* gets whenever it starts; 0 where that depends on when (MN)."""
    if view.job_load[row] == 0.0:
        return int(view.job_width[row])
    if view.parameters[_ASSIGNMENT] == _AN:
        return view.processors
    if view.parameters[_ASSIGNMENT] == _K:
        return int(view.parameters[_NODES])
    return 0


@kernel
def needed_nodes(view: View, row: int, start_s: float) -> int:
    """n_min of *row* started at *start_s*; 0: all nodes would not do."""
    return least_nodes_of(view, row, rule_of(view), start_s, deadline_of(view, row), view.processors)


@kernel
def length_of(view: View, row: int, nodes: int) -> float:
    """How long *row* takes on *nodes* nodes; a job that is not divisible takes its estimate."""
    if view.job_load[row] == 0.0:
        return float(view.job_estimate_s[row])
    return execution_of(view, row, rule_of(view), nodes)


@kernel
def rank_of(view: View, row: int, now: float) -> float:
    """What tasks are ordered by, smallest first; equal ones stay in order of arrival."""
    if view.parameters[_ORDER] == _EDF:
        return deadline_of(view, row)
    if view.parameters[_ORDER] == _MWF and view.job_load[row] > 0.0:
        return -_workload_derivative(view, row, now)
    return 0.0


@kernel
def _workload_derivative(view: View, row: int, now: float) -> float:
    """DC (equation 4.1): what one node more than n_min would add to nodes times execution time."""
    n = needed_nodes(view, row, now)
    if n == 0:
        return NEVER
    return (n + 1) * length_of(view, row, n + 1) - n * length_of(view, row, n)
