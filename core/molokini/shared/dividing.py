"""The closed forms of divisible loads as kernels, also by row of the tables."""

from molokini.applications import divisible
from molokini.compiled.compilation import kernel
from molokini.tables.tables import Tables

for _function in divisible.KERNELS:
    # Their module does without numba, because agents call them too; here they become kernels.
    kernel(_function)


@kernel
def execution_of(t: Tables, row: int, rule: int, nodes: int) -> float:
    """E(sigma, n): seconds that the load of *row* takes on *nodes* nodes, cut by *rule*."""
    k = t.jobs.application[row]
    return divisible.execution_s(
        rule,
        t.jobs.load[row],
        nodes,
        t.applications.send_s[k],
        t.applications.compute_s[k],
        t.applications.setup_send_s[k],
        t.applications.setup_compute_s[k],
    )


@kernel
def equal_chunk_ends(t: Tables, row: int, nodes: int, place: int) -> float:
    """Seconds until the *place*-th of *nodes* nodes with equal chunks of *row* has ended."""
    k = t.jobs.application[row]
    return divisible.epr_node_s(
        t.jobs.load[row],
        nodes,
        place,
        t.applications.send_s[k],
        t.applications.compute_s[k],
        t.applications.setup_send_s[k],
        t.applications.setup_compute_s[k],
    )


@kernel
def least_nodes_of(t: Tables, row: int, rule: int, start_s: float, deadline_s: float, most: int) -> int:
    """n_min: the fewest of *most* nodes on which *row*, started at *start_s*, meets *deadline_s*."""
    k = t.jobs.application[row]
    return divisible.least_nodes(
        rule,
        t.jobs.load[row],
        start_s,
        deadline_s,
        most,
        t.applications.send_s[k],
        t.applications.compute_s[k],
        t.applications.setup_send_s[k],
        t.applications.setup_compute_s[k],
    )


@kernel
def best_nodes_of(t: Tables, row: int, rule: int, most: int) -> int:
    """The number of nodes, up to *most*, on which *row* takes least time."""
    k = t.jobs.application[row]
    return divisible.best_nodes(
        rule,
        t.jobs.load[row],
        most,
        t.applications.send_s[k],
        t.applications.compute_s[k],
        t.applications.setup_send_s[k],
    )


@kernel
def transfer_of(t: Tables, row: int, rule: int, nodes: int) -> float:
    """Seconds for which the load of *row*, cut by *rule* for *nodes* nodes, keeps the head's port busy."""
    k = t.jobs.application[row]
    load, send_s, setup_send_s = t.jobs.load[row], t.applications.send_s[k], t.applications.setup_send_s[k]
    if rule == divisible.OPR:
        nodes = divisible.useful_nodes(load, nodes, send_s, t.applications.compute_s[k], setup_send_s)
    return float(nodes * setup_send_s + load * send_s)
