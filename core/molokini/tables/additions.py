"""What joins the tables of a live cluster after they were made: nodes and credentials."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from molokini.compiled.structs import Ints
from molokini.model.machine import Node
from molokini.model.resources import Resource
from molokini.tables.bank import find_payers
from molokini.tables.making import BY_CLUSTER, BY_ROOM, CREDENTIALS, ENTRIES_PER_NODE, add_up, scope_rows
from molokini.tables.tables import NEVER, Tables
from molokini.tables.writable import OF_POLICIES


def add_nodes(tables: Tables, nodes: Sequence[Node]) -> int:
    """*nodes*, up and empty, become the last nodes of the machine; the number of the first of them.

    A machine of counted processors cannot get nodes.
    """
    assert tables.nodes > 0 or tables.processors_in_all == 0
    first = tables.nodes
    for name in (
        "node_state",
        "node_group",
        "node_features",
        "node_total",
        "node_free",
        "node_scratch",
        "node_barred",
        "node_barred_list",
        "node_round",
        "node_round_list",
        "node_hosted",
        "node_later",
        "node_beside",
        *OF_POLICIES,
    ):
        old = getattr(tables, name)
        tables.bind(name, np.concatenate([old, np.zeros((len(nodes), *old.shape[1:]), dtype=old.dtype)]))
    processors = 0
    for k, node in enumerate(nodes):
        tables.node_group[first + k], tables.node_features[first + k] = node.group, node.features
        for resource, amount in node.capacity.items():
            tables.node_total[first + k, resource] = tables.node_free[first + k, resource] = amount
        processors += int(node.capacity.get(Resource.PROCESSORS, 0))
    _more_clusters(tables, 1 + max(node.group for node in nodes) - tables.clusters)
    _more_entries(tables, processors + ENTRIES_PER_NODE * len(nodes))
    tables.nodes += len(nodes)
    for name in ("processors", "processors_in_all", "free", "idle"):
        setattr(tables, name, getattr(tables, name) + processors)
    add_up(tables)
    tables.replan = 1
    return first


def _more_clusters(tables: Tables, more: int) -> None:
    if more <= 0:
        return
    tables.clusters += more
    for name in ("cluster_room", "cluster_tasks", "cluster_order", "cluster_least", "cluster_kept"):
        tables.bind(name, np.zeros(tables.clusters, dtype=np.int64))
    for name in BY_CLUSTER:
        wider = np.zeros((getattr(tables, name).shape[0], tables.clusters), dtype=np.int64)
        wider[:, : getattr(tables, name).shape[1]] = getattr(tables, name)
        tables.bind(name, wider)


def _more_entries(tables: Tables, more: int) -> None:
    first = tables.entry_node.size
    for name in ("entry_node", "entry_tasks", "entry_component", "entry_next"):
        tables.bind(name, _longer(getattr(tables, name), more))
    for name in ("placed_node", "placed_tasks", "placed_component"):
        tables.bind(name, _longer(getattr(tables, name), more))
    tables.entry_next[first:] = np.arange(first + 1, first + more + 1)
    tables.entry_next[-1] = tables.entry_free if first else -1
    tables.entry_free = first


def add_credential(
    tables: Tables, user: int, group: int, queue: int, account: int = -1, qos: int = -1
) -> int:
    """A combination of credentials that no job has come with before; its number."""
    return add_credentials(tables, np.array([[user], [group], [queue], [account], [qos]], dtype=np.int64))


def add_credentials(tables: Tables, columns: NDArray[np.int64]) -> int:
    """New combinations, one a column of the matrix (rows as in ``CREDENTIALS``); the number of the first."""
    first = tables.credential_user.size
    for name, values in zip(CREDENTIALS, columns, strict=True):
        old = getattr(tables, f"credential_{name}")
        tables.bind(f"credential_{name}", np.concatenate([old, values]))
    for name in ("credential_queue_priority", "credential_payer"):
        tables.bind(name, _longer(getattr(tables, name), columns.shape[1]))
    if tables.bank_number.size > 1:
        find_payers(tables, first)
    wanted, room = first + columns.shape[1], tables.usage_rate.size
    if wanted > room:
        _more_scopes(tables, max(wanted, 2 * room), room)
    return first


def _more_scopes(tables: Tables, room: int, before: int) -> None:
    """Usage and scopes of so many credentials, where there were *before*; the hash of the scopes is lost."""
    for name, kind in Tables.columns().items():
        by_credential = name.startswith(BY_ROOM)
        if not by_credential and not name.startswith("scope"):
            continue
        old = getattr(tables, name)
        size = room if by_credential else scope_rows(room) * (2 if name == "scope_found" else 1)
        longer = np.zeros((size, *old.shape[1:]), dtype=np.dtype(str(kind.dtype)))
        if by_credential:
            longer[:before] = old
        tables.bind(name, longer)
    tables.usage_settled_s[before:] = -NEVER
    tables.replan = 1


def add_application(
    tables: Tables, send_s: float, compute_s: float, setup_send_s: float, setup_compute_s: float
) -> int:
    """Costs of a unit of load that no job has come with before; their number, from 1."""
    number = tables.application_send_s.size
    values = {
        "send_s": send_s,
        "compute_s": compute_s,
        "setup_send_s": setup_send_s,
        "setup_compute_s": setup_compute_s,
    }
    for name, value in values.items():
        column = getattr(tables, f"application_{name}")
        tables.bind(f"application_{name}", np.append(column, value))
    return number


def _longer(array: Ints, more: int) -> Ints:
    return np.concatenate([array, np.zeros(more, dtype=array.dtype)])


def add_shape(tables: Tables) -> int:
    """Another shape, which no job has come with before; its number, from 1."""
    return add_shapes(tables, 1)


def add_shapes(tables: Tables, count: int) -> int:
    """So many shapes more; the number of the first of them."""
    first, last = tables.shapes + 1, tables.shapes + count
    if last >= tables.shape_spoils.size:
        for name in ("shape_without_room", "shape_spoils"):
            tables.bind(name, _longer(getattr(tables, name), max(8, last)))
    tables.shapes = last
    return first
