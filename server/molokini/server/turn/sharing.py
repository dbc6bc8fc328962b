"""Which nodes jobs run on that share processors with others, or take turns on them.

A policy that shares processors counts them and places nothing, but an agent must hear of each job. The nodes
that a shared job is given here say which agent runs it, and what is lost with which node; in the tables it
holds nothing, and how fast it progresses the policy says.
"""

import numpy as np
from numpy.typing import NDArray

from molokini.model.facts import Placed
from molokini.model.states import NodeState
from molokini.server.state.jobs import JobStatus
from molokini.server.state.state import State
from molokini.tables.rows import place_as_text

_PLAIN = 0
"""The component of a job that asks for processors alone: one processor a task."""


def placed_by_columns(state: State, row: int) -> Placed:
    """Places on the nodes whose processors are the columns of the matrix in which a job is to stand."""
    t = state.tables
    _, _, text = place_as_text(t, row)
    bits, placed, last = int(text, 16), [], 0
    for node in range(t.nodes.count):
        first, last = last, last + int(t.nodes.total[node, 0])
        tasks = (bits >> first & (1 << last - first) - 1).bit_count()
        if tasks:
            placed.append((node, tasks, _PLAIN))
    return tuple(placed)


class SharedNodes:
    """The nodes of one pass that take work, and how much each has already."""

    def __init__(self, state: State) -> None:
        t = state.tables
        up = t.nodes.state[: t.nodes.count] == NodeState.UP
        sizes: NDArray[np.float64] = np.where(up, t.nodes.total[: t.nodes.count, 0], 0.0)
        self._nodes = np.flatnonzero(sizes)
        self._sizes = sizes[self._nodes].astype(np.int64)
        load = np.zeros(t.nodes.count, dtype=np.int64)
        for element in state.by_row.values():
            if element.status is JobStatus.RUNNING:
                for number, processors in element.nodes:
                    load[number] += processors
        self._load = load[self._nodes]

    def place(self, processors: int) -> Placed:
        """Places for so many processors on the nodes with the least work, in the order of their numbers.

        A node gives no more than it has, unless all together have less. Empty: no node takes work.
        """
        if not self._nodes.size:
            return ()
        given = self._given(processors)
        self._load += given
        return tuple((int(self._nodes[k]), int(given[k]), _PLAIN) for k in np.flatnonzero(given))

    def _given(self, processors: int) -> NDArray[np.int64]:
        rounds, rest = divmod(processors, int(self._sizes.sum()))
        given = rounds * self._sizes
        order = np.argsort((self._load + given) / self._sizes, kind="stable")
        before = np.cumsum(self._sizes[order]) - self._sizes[order]
        given[order] += np.clip(rest - before, 0, self._sizes[order])
        return given
