"""For which periods a task of fixed size does better on K nodes than on all: section 5.2.2 of Lin et al.

A task of size sigma comes every P. On all N nodes it is late sooner or later if P < E(sigma, N) (theorem
5.4). With K nodes each, every job starts when it arrives if P is at least a bound, of which there are two:

- printed, Lemma 5.6: P >= K E(sigma, K) / (N - K);
- tight: P >= E(sigma, K) / floor(N / K). Proof: let m = floor(N / K), and let all jobs so far have started on
  arrival. A job that still runs when another arrives came less than E(sigma, K) <= m P before it, so there
  are at most m - 1 such jobs, on (m - 1) K nodes; K nodes or more are idle.

Where K divides N the tight bound is K E(sigma, K) / N, and it is what Tables 1 and 2 show for those K; for
the others they show the printed one. Both proofs use gaps of at least P only: they hold for aperiodic tasks.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from molokini.applications.divisible import Costs, checked_nodes, checked_size
from molokini.model.errors import BadValue


@dataclass(frozen=True)
class Range:
    """The periods from a lower bound up to ``upper_s`` for which K nodes are enough and all N are not."""

    k: int
    execution_s: float
    """E(sigma, K): the least relative deadline with which no job is late."""
    printed_s: float
    """K E / (N - K), infinite where K is N."""
    tight_s: float
    """E / floor(N / K)."""
    upper_s: float
    """E(sigma, N)."""
    divides: bool
    """Whether K divides N."""

    @property
    def lower_s(self) -> float:
        """The lower bound that the tables show."""
        return self.tight_s if self.divides else self.printed_s

    @property
    def bounds(self) -> tuple[float, float]:
        """The range as the tables show it: from the first, below the second period; both rounded up."""
        return rounded_up(self.lower_s), rounded_up(self.upper_s)

    @property
    def tight_bounds(self) -> tuple[float, float]:
        """The same from the tight bound."""
        return rounded_up(self.tight_s), rounded_up(self.upper_s)


def rounded_up(bound_s: float) -> float:
    """The next whole number; infinity stays."""
    return float(math.ceil(bound_s)) if math.isfinite(bound_s) else bound_s


def ranges(costs: Costs, size: float, nodes: int, ks: Iterable[int]) -> list[Range]:
    """The range of each K of *ks*, under OPR; BadValue for a K that is not from 1 to *nodes*."""
    checked_size(size)
    checked_nodes(nodes)
    upper_s = costs.execution_s("opr", size, nodes)
    found = []
    for k in ks:
        if not 1 <= k <= nodes:
            raise BadValue("k", k, f"from 1 to the {nodes} nodes")
        execution_s = costs.execution_s("opr", size, k)
        printed_s = k * execution_s / (nodes - k) if k < nodes else math.inf
        tight_s = execution_s / (nodes // k)
        found.append(Range(k, execution_s, printed_s, tight_s, upper_s, nodes % k == 0))
    return found


def common(found: Sequence[Range]) -> tuple[float, float] | None:
    """The periods that all of these ranges share, rounded up as the tables are; None where there are none."""
    if not found:
        return None
    low, high = (max(one.bounds[0] for one in found), min(one.bounds[1] for one in found))
    return (low, high) if low < high else None


def lemma_applies(costs: Costs, nodes: int) -> bool:
    """C_ps > (N - 1) C_ms, which the printed lemma asks for, though no proof uses it."""
    return costs.compute_s > (nodes - 1) * costs.send_s
