"""When jobs of real processes compute: as an operator has ordered, or in their rows of the matrix."""

from molokini.model.slicing import Slicing
from molokini.server.state.jobs import Element
from molokini.server.state.state import State


def slicing_of(state: State, element: Element) -> Slicing | None:
    """How the present attempt of *element* is sliced on real nodes; None: it computes all the time.

    The slices of a matrix lie on one grid for all jobs, which begins at instant 0 of the scheduling clock.
    The origin is that of its first cycle on the server's monotonic clock, as no number need be larger.
    """
    ordered = state.sliced.get((element.job.id, element.index))
    if ordered is not None or element.row < 0 or not has_real_nodes(state, element):
        return ordered
    matrix = state.tables.matrix
    bits, count, quantum_s = int(matrix.rows[element.row]), matrix.count, matrix.quantum_s
    if bits == 0 or count == 1:
        return None
    rows = tuple(r for r in range(count) if bits >> r & 1)
    return Slicing(rows=count, row=rows, quantum_s=quantum_s, origin_s=state.zero_s() % (count * quantum_s))


def has_real_nodes(state: State, element: Element) -> bool:
    """Whether *element* has processes on nodes of agents that run them."""
    return any(state.machine.nodes[number].real for number, _ in element.nodes)
