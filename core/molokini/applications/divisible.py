"""Divisible loads: a load that can be cut anywhere, sent chunk by chunk to *n* nodes and computed there.

The model of Lin, Lu, Deogun and Goddard (Real-Time Divisible Load Scheduling for Cluster Computing,
UNL-CSE-2006-0016), section 3 and the appendix: the head sends the chunks of a task one after the other, a
chunk of x units takes ``setup_send_s`` + x * ``send_s`` on its link (ST, C_ms) and, once it is there whole,
``setup_compute_s`` + x * ``compute_s`` on its node (SC, C_ps). Results cost nothing to send back.

Two rules cut a load. **OPR**, the optimal partitioning rule: all nodes end together. **EPR**: equal chunks.

Plain functions of numbers, which numba compiles for policies and engine (``shared/placed_kernels.py``) and
which agents call as they are. Times in seconds (or any one unit), sizes in units of load; arguments are not
checked: ``Costs`` and ``checked_size`` check the input of users.
"""

import math
from dataclasses import dataclass

from molokini.applications.kinds import RULES, JobKind
from molokini.model.errors import BadValue

LEAST, MOST = 1e-100, 1e100
"""Products of two sizes or costs beyond these would be rounded to 0 or to infinity."""


@dataclass(frozen=True)
class Costs:
    """What a unit of load costs, and what each chunk costs beforehand; each 0 or more, not all 0."""

    send_s: float
    """C_ms: seconds to send one unit of load to a node."""
    compute_s: float
    """C_ps: seconds to compute one unit of load on one node."""
    setup_send_s: float = 0.0
    """ST: seconds before each transmission."""
    setup_compute_s: float = 0.0
    """SC: seconds before each computation."""

    def __post_init__(self) -> None:
        names = {"send_s": "cms", "compute_s": "cps", "setup_send_s": "st", "setup_compute_s": "sc"}
        for field, name in names.items():
            value = getattr(self, field)
            if not (value == 0 or LEAST <= value <= MOST):
                raise BadValue(name, value, f"a finite number of 0 or more (from {LEAST:g} to {MOST:g})")
        if self.send_s + self.compute_s <= 0:
            raise BadValue("cps", self.compute_s, "above 0 where cms is 0: a load that costs nothing is none")

    def execution_s(self, rule: str, size: float, nodes: int) -> float:
        """The execution time of a load of *size* on *nodes* nodes; BadValue for an argument out of range."""
        checked_size(size)
        checked_nodes(nodes)
        return execution_s(checked_rule(rule), size, nodes, *self.numbers)

    def least_nodes(self, rule: str, size: float, within_s: float, most: int) -> int:
        """The fewest nodes, up to *most*, on which a load takes *within_s* or less; 0: there are none."""
        checked_size(size)
        checked_nodes(most)
        return least_nodes(checked_rule(rule), size, 0.0, within_s, most, *self.numbers)

    @property
    def numbers(self) -> tuple[float, float, float, float]:
        """C_ms, C_ps, ST, SC, as the functions below take them."""
        return self.send_s, self.compute_s, self.setup_send_s, self.setup_compute_s


def checked_size(size: float) -> float:
    """*size*; BadValue where it is out of range."""
    if not LEAST <= size <= MOST:
        raise BadValue("size", size, f"a finite number above 0 (from {LEAST:g} to {MOST:g})")
    return size


def checked_nodes(nodes: int) -> int:
    """*nodes*; BadValue where there cannot be so many."""
    if not 1 <= nodes <= 2**40:
        raise BadValue("nodes", nodes, "a whole number from 1 to 2^40")
    return nodes


def checked_rule(name: str) -> int:
    """The number of the partitioning rule *name*."""
    if name not in RULES:
        raise BadValue("rule", name, "one of " + ", ".join(RULES))
    return int(RULES[name])


def execution_s(
    rule: int,
    size: float,
    nodes: int,
    send_s: float,
    compute_s: float,
    setup_send_s: float,
    setup_compute_s: float,
) -> float:
    """Seconds from the first transmission to the last end: E(sigma, n) under *rule*."""
    if rule == JobKind.EPR:
        return epr_s(size, nodes, send_s, compute_s, setup_send_s, setup_compute_s)
    return opr_s(size, nodes, send_s, compute_s, setup_send_s, setup_compute_s)


def opr_s(
    size: float, nodes: int, send_s: float, compute_s: float, setup_send_s: float, setup_compute_s: float
) -> float:
    """E(sigma, n) where all nodes end together.

    Without set-up sigma C_ms / (1 - beta^n) with beta = C_ps / (C_ms + C_ps), equation 4.7 whose
    (1 - beta)(C_ms + C_ps) is C_ms. With them, from E = sum over i <= j of (ST + a_i sigma C_ms) + SC
    + a_j sigma C_ps for each node j (so the last node has waited for *n* transmissions; the paper's 6.20 has
    n - 1, its own recurrence a_j+1 = beta a_j - phi needs n):

        E = ST + SC + (sigma C_ms + ST * sum over k < n of (1 - beta^k)) / (1 - beta^n)

    which is ST + SC + sigma (C_ms + C_ps) B(n) of 6.22 without the difference of two large numbers. More
    nodes than ``useful_nodes`` get nothing: their chunks would be negative.
    """
    if compute_s == 0.0:
        return setup_send_s + setup_compute_s + size * send_s
    if setup_send_s == 0.0:
        return setup_compute_s + _unset_opr_s(size, nodes, send_s, compute_s)
    nodes = useful_nodes(size, nodes, send_s, compute_s, setup_send_s)
    if send_s == 0.0:
        # The limit: chunks fall by ST / C_ps from node to node.
        waited_s = setup_send_s * (nodes - 1) / 2.0
        return setup_send_s + setup_compute_s + size * compute_s / nodes + waited_s
    fall = -math.log1p(send_s / compute_s)
    missing = 0.0
    for k in range(1, nodes):
        missing -= math.expm1(k * fall)
    chunks_s = (size * send_s + setup_send_s * missing) / -math.expm1(nodes * fall)
    return setup_send_s + setup_compute_s + chunks_s


def _unset_opr_s(size: float, nodes: int, send_s: float, compute_s: float) -> float:
    if send_s == 0.0:
        return size * compute_s / nodes
    return size * send_s / -math.expm1(-nodes * math.log1p(send_s / compute_s))


def useful_nodes(size: float, nodes: int, send_s: float, compute_s: float, setup_send_s: float) -> int:
    """How many of *nodes* nodes get a chunk under OPR: with each the chunk of the last one shrinks by its ST.

    From the last node back, with nothing left for it, a chunk is x / beta + ST / C_ps of the one after: the
    number of nodes whose chunks add up to less than the load.
    """
    if compute_s == 0.0:
        return 1
    if setup_send_s == 0.0:
        return nodes
    step, growth = setup_send_s / compute_s, 1.0 + send_s / compute_s
    chunk, total, useful = 0.0, 0.0, 1
    while useful < nodes:
        chunk = chunk * growth + step
        total += chunk
        if total >= size:
            break
        useful += 1
    return useful


def epr_s(
    size: float, nodes: int, send_s: float, compute_s: float, setup_send_s: float, setup_compute_s: float
) -> float:
    """E(sigma, n) with equal chunks: n transmissions, and the last node's computation (equation 4.11)."""
    return nodes * setup_send_s + size * send_s + setup_compute_s + size * compute_s / nodes


def epr_node_s(
    size: float,
    nodes: int,
    place: int,
    send_s: float,
    compute_s: float,
    setup_send_s: float,
    setup_compute_s: float,
) -> float:
    """When the node with the *place*-th of *nodes* equal chunks ends; the last one ends with the load."""
    whole_s = epr_s(size, nodes, send_s, compute_s, setup_send_s, setup_compute_s)
    if place == nodes:
        return whole_s
    sent_s = place * (setup_send_s + size * send_s / nodes)
    return min(whole_s, sent_s + setup_compute_s + size * compute_s / nodes)


def least_nodes(
    rule: int,
    size: float,
    start_s: float,
    deadline_s: float,
    most: int,
    send_s: float,
    compute_s: float,
    setup_send_s: float,
    setup_compute_s: float,
) -> int:
    """n_min: the fewest of *most* nodes with ``start_s + E(sigma, n) <= deadline_s``; 0: not even with all.

    In closed form (by halving where (6.23) has none), and then corrected by the inequality itself in
    floating-point numbers, so that the closed form and the inequality never disagree.
    """
    best = best_nodes(rule, size, most, send_s, compute_s, setup_send_s)
    if start_s + execution_s(rule, size, best, send_s, compute_s, setup_send_s, setup_compute_s) > deadline_s:
        return 0
    left_s = deadline_s - start_s - setup_compute_s
    if setup_send_s > 0.0:
        n = _halved(rule, size, start_s, deadline_s, best, send_s, compute_s, setup_send_s, setup_compute_s)
    elif rule == JobKind.EPR:
        n = _guess(size * compute_s, left_s - size * send_s, best)
    elif send_s == 0.0:
        n = _guess(size * compute_s, left_s, best)
    elif compute_s == 0.0 or left_s <= size * send_s:
        n = best
    else:
        n = _guess(-math.log1p(-size * send_s / left_s), math.log1p(send_s / compute_s), best)
    while n > 1 and (
        start_s + execution_s(rule, size, n - 1, send_s, compute_s, setup_send_s, setup_compute_s)
        <= deadline_s
    ):
        n -= 1
    while n < best and (
        start_s + execution_s(rule, size, n, send_s, compute_s, setup_send_s, setup_compute_s) > deadline_s
    ):
        n += 1
    return n


def best_nodes(
    rule: int, size: float, most: int, send_s: float, compute_s: float, setup_send_s: float
) -> int:
    """The number of nodes, up to *most*, on which a load takes least time; fewer nodes take longer."""
    if rule == JobKind.OPR:
        return useful_nodes(size, most, send_s, compute_s, setup_send_s)
    if setup_send_s * most * most <= size * compute_s:
        return most
    n = max(1, int(math.sqrt(size * compute_s / setup_send_s)))
    # n ST + sigma C_ps / n is convex: its least is at one of the two neighbours of the root.
    if n < most and setup_send_s + size * compute_s / (n + 1) < size * compute_s / n:
        return n + 1
    return n


def _guess(over: float, under: float, best: int) -> int:
    """*over* / *under*, rounded up, from 1 to *best*; the logarithms of ratios near 1 have lost digits."""
    if under <= 0.0 or over >= under * best:
        return best
    return max(1, math.ceil(over / under))


def _halved(
    rule: int,
    size: float,
    start_s: float,
    deadline_s: float,
    high: int,
    send_s: float,
    compute_s: float,
    setup_send_s: float,
    setup_compute_s: float,
) -> int:
    """n_min by halving: *high* nodes are enough, and fewer take longer."""
    low = 0
    while high - low > 1:
        middle = (low + high) // 2
        if (
            start_s + execution_s(rule, size, middle, send_s, compute_s, setup_send_s, setup_compute_s)
            <= deadline_s
        ):
            high = middle
        else:
            low = middle
    return high


KERNELS = (
    execution_s,
    opr_s,
    _unset_opr_s,
    useful_nodes,
    epr_s,
    epr_node_s,
    least_nodes,
    best_nodes,
    _guess,
    _halved,
)
"""The functions that are compiled for policies and engine."""


def fractions(rule: str, size: float, nodes: int, costs: Costs) -> list[float]:
    """alpha: each node's share of the load, in the order in which the chunks are sent; they add up to 1.

    Under OPR nodes beyond ``useful_nodes`` have a share of 0.
    """
    checked_size(size)
    checked_nodes(nodes)
    if checked_rule(rule) == JobKind.EPR:
        return [1.0 / nodes] * nodes
    if costs.compute_s == 0.0:
        return [1.0] + [0.0] * (nodes - 1)
    useful = useful_nodes(size, nodes, costs.send_s, costs.compute_s, costs.setup_send_s)
    left_s = opr_s(size, useful, *costs.numbers) - costs.setup_compute_s
    shares = []
    for _ in range(useful):
        # Node j computes for what is left once its chunk is there.
        left_s -= costs.setup_send_s
        share = left_s / (size * (costs.send_s + costs.compute_s))
        shares.append(share)
        left_s -= share * size * costs.send_s
    return shares + [0.0] * (nodes - useful)
