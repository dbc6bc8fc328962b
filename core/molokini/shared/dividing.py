"""Closed forms of divisible loads by row of the tables, beside the run time that ``placed.run_of`` gives."""

from molokini.applications import divisible
from molokini.applications.kinds import JobKind
from molokini.compiled.compilation import kernel
from molokini.shared.placed_kernels import costs_of
from molokini.tables.tables import Tables


@kernel
def equal_chunk_ends(t: Tables, row: int, nodes: int, place: int) -> float:
    """Seconds until the *place*-th of *nodes* nodes with equal chunks of *row* has ended."""
    send_s, compute_s, setup_send_s, setup_compute_s = costs_of(t, row)
    return divisible.epr_node_s(
        t.jobs.load[row], nodes, place, send_s, compute_s, setup_send_s, setup_compute_s
    )


@kernel
def least_nodes_of(t: Tables, row: int, rule: int, start_s: float, deadline_s: float, most: int) -> int:
    """n_min: the fewest of *most* nodes on which *row*, started at *start_s*, meets *deadline_s*."""
    send_s, compute_s, setup_send_s, setup_compute_s = costs_of(t, row)
    return divisible.least_nodes(
        rule,
        t.jobs.load[row],
        start_s,
        deadline_s,
        most,
        send_s,
        compute_s,
        setup_send_s,
        setup_compute_s,
    )


@kernel
def best_nodes_of(t: Tables, row: int, rule: int, most: int) -> int:
    """The number of nodes, up to *most*, on which *row* takes least time."""
    send_s, compute_s, setup_send_s, _ = costs_of(t, row)
    return divisible.best_nodes(rule, t.jobs.load[row], most, send_s, compute_s, setup_send_s)


@kernel
def transfer_of(t: Tables, row: int, rule: int, nodes: int) -> float:
    """Seconds for which the load of *row*, cut by *rule* for *nodes* nodes, keeps the head's port busy."""
    send_s, compute_s, setup_send_s, _ = costs_of(t, row)
    load = t.jobs.load[row]
    if rule == JobKind.OPR:
        nodes = divisible.useful_nodes(load, nodes, send_s, compute_s, setup_send_s)
    return float(nodes * setup_send_s + load * send_s)
