"""What joins the tables of a live cluster after they were made: nodes and credentials."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from molokini.model.machine import Node
from molokini.model.resources import Resource
from molokini.tables.bank_changes import find_payers
from molokini.tables.declared import Axis
from molokini.tables.making import CREDENTIALS, ENTRIES_PER_NODE, add_up, scope_rows
from molokini.tables.tables import Tables


def add_nodes(tables: Tables, nodes: Sequence[Node]) -> int:
    """*nodes*, up and empty, become the last nodes of the machine; the number of the first of them.

    A machine of counted processors cannot get nodes.
    """
    assert tables.nodes.count > 0 or tables.machine.processors_in_all == 0
    first, entry = tables.nodes.count, tables.entries.node.size
    processors = sum(int(node.capacity.get(Resource.PROCESSORS, 0)) for node in nodes)
    tables.clusters.count = max(tables.clusters.count, 1 + max(node.group for node in nodes))
    sizes = tables.sizes()
    sizes[Axis.NODE] += len(nodes)
    sizes[Axis.ENTRY] += processors + ENTRIES_PER_NODE * len(nodes)
    sizes[Axis.CLUSTER] = tables.clusters.count
    tables.grow(frozenset({Axis.NODE, Axis.ENTRY, Axis.CLUSTER}), sizes)
    for k, node in enumerate(nodes):
        tables.nodes.group[first + k], tables.nodes.features[first + k] = node.group, node.features
        for resource, amount in node.capacity.items():
            tables.nodes.total[first + k, resource] = tables.nodes.free[first + k, resource] = amount
    _chain_entries(tables, entry)
    tables.nodes.count += len(nodes)
    for name in ("processors", "processors_in_all", "free", "idle"):
        setattr(tables.machine, name, getattr(tables.machine, name) + processors)
    add_up(tables)
    tables.cycle.replan = 1
    return first


def _chain_entries(tables: Tables, first: int) -> None:
    """Put the entries from *first* on before the free ones."""
    following = tables.entries.next
    following[first:] = np.arange(first + 1, following.size + 1)
    following[-1] = tables.entries.free if first else -1
    tables.entries.free = first


def add_credential(
    tables: Tables, user: int, group: int, queue: int, account: int = -1, qos: int = -1
) -> int:
    """Add a combination of credentials that no job had before; its number."""
    return add_credentials(tables, np.array([[user], [group], [queue], [account], [qos]], dtype=np.int64))


def add_credentials(tables: Tables, columns: NDArray[np.int64]) -> int:
    """Add combinations, one a column of the matrix (rows as in ``CREDENTIALS``); the number of the first."""
    first, sizes = tables.credentials.user.size, tables.sizes()
    sizes[Axis.CREDENTIAL] = wanted = first + columns.shape[1]
    tables.grow(frozenset({Axis.CREDENTIAL}), sizes)
    for name, values in zip(CREDENTIALS, columns, strict=True):
        getattr(tables.credentials, name)[first:] = values
    if tables.bank.number.size > 1:
        find_payers(tables, first)
    if wanted > sizes[Axis.MEMBER]:
        _more_scopes(tables, max(wanted, 2 * sizes[Axis.MEMBER]))
    return first


def _more_scopes(tables: Tables, room: int) -> None:
    """Make room for usage and scopes of so many credentials; the hash of the scopes is lost."""
    sizes = {**tables.sizes(), Axis.MEMBER: room, Axis.SCOPE: scope_rows(room)}
    tables.renew(frozenset({Axis.SCOPE}), sizes)
    tables.grow(frozenset({Axis.MEMBER}), sizes)
    tables.cycle.replan = 1


def add_application(
    tables: Tables, send_s: float, compute_s: float, setup_send_s: float, setup_compute_s: float
) -> int:
    """Add costs of a unit of load that no job had before; their number, from 1."""
    sizes = tables.sizes()
    number = sizes[Axis.APPLICATION]
    sizes[Axis.APPLICATION] += 1
    tables.grow(frozenset({Axis.APPLICATION}), sizes)
    costs = tables.applications
    costs.send_s[number], costs.compute_s[number] = send_s, compute_s
    costs.setup_send_s[number], costs.setup_compute_s[number] = setup_send_s, setup_compute_s
    return number


def add_shape(tables: Tables) -> int:
    """Add a shape that no job had before; its number, from 1."""
    return add_shapes(tables, 1)


def add_shapes(tables: Tables, count: int) -> int:
    """Add so many shapes; the number of the first of them."""
    first, last = tables.shapes.count + 1, tables.shapes.count + count
    if last >= tables.shapes.spoils.size:
        sizes = tables.sizes()
        sizes[Axis.SHAPE] += max(8, last)
        tables.grow(frozenset({Axis.SHAPE}), sizes)
    tables.shapes.count = last
    return first
