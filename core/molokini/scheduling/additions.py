"""What joins the tables of a live cluster after they were made: nodes and credentials."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from molokini.model.reservations import Affinity, Credential, Reservation, entry_of
from molokini.model.resources import Resource
from molokini.scheduling.access import ADMITS, DENIES, REQUIRES
from molokini.scheduling.bank import find_payers
from molokini.scheduling.making import BY_CLUSTER, BY_ROOM, CREDENTIALS, ENTRIES_PER_NODE, add_up, scope_rows
from molokini.scheduling.placement import place
from molokini.scheduling.structs import Ints
from molokini.scheduling.tables import LISTS_OF_ALL, NEVER, Node, Tables
from molokini.scheduling.writable import OF_POLICIES


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


def place_now(tables: Tables, row: int) -> tuple[tuple[int, int, int], ...] | None:
    """Where *row* would go just now, as (node, tasks, component) triples; None where there is no room."""
    if tables.job_width[row] > tables.free:
        return None
    if tables.nodes == 0:
        return ()
    count = place(tables, tables.node_free, row)
    if count < 0:
        return None
    columns = (tables.placed_node, tables.placed_tasks, tables.placed_component)
    return tuple(zip(*(column[:count].tolist() for column in columns), strict=True))


def set_reservations(
    tables: Tables,
    reservations: Sequence[Reservation],
    numbers: Callable[[Credential, str], int],
    roll_s: float = NEVER,
    nodes: Mapping[str, int] | None = None,
) -> None:
    """These are the administrative reservations from now on, rolled next at *roll_s*; plans are made anew.

    *numbers* gives the number in the tables of a credential's name, *nodes* those of nodes by name; of a node
    that is not there nothing is kept.
    """
    entries = [entry for r, one in enumerate(reservations) for entry in _access_of(r, one, numbers)]
    hosts = _hosts_of(reservations, nodes or {})
    _put_all(
        tables,
        reservation_from_s=[one.start_s for one in reservations],
        reservation_until_s=[one.end_s for one in reservations],
        reservation_processors=[one.processors for one in reservations],
        reservation_used=[0] * len(reservations),
        reservation_shared=[int(one.terms.shared) for one in reservations],
        reservation_hosted=[int(bool(one.terms.hosts)) for one in reservations],
        access_reservation=[entry[0] for entry in entries],
        access_kind=[entry[1] for entry in entries],
        access_number=[entry[2] for entry in entries],
        access_rule=[entry[3] for entry in entries],
        access_affinity=[entry[4] for entry in entries],
    )
    _bind_hosts(tables, hosts)
    _link_hosts(tables, len(reservations))
    tables.reservations, tables.hosted, tables.roll_s = len(reservations), len(hosts), roll_s
    tables.affinities = int(any(entry[4] is not Affinity.POSITIVE for entry in entries))
    tables.access_by_job = int(any(entry[1] is Credential.DURATION for entry in entries))
    # What was remembered of others holds no longer.
    tables.room_epoch += 1
    tables.start_epoch += 1
    tables.replan = 1


def _hosts_of(reservations: Sequence[Reservation], nodes: Mapping[str, int]) -> NDArray[np.int64]:
    """Node, reservation and processors that are kept there, a row each; those of a node stand together."""
    columns = [np.zeros((0, 3), dtype=np.int64)]
    for r, one in enumerate(reservations):
        kept = one.terms.hosts
        if not kept.keys() <= nodes.keys():
            kept = {name: amount for name, amount in kept.items() if name in nodes}
        column = np.full((len(kept), 3), r, dtype=np.int64)
        column[:, 0] = list(map(nodes.__getitem__, kept))
        column[:, 2] = list(kept.values())
        columns.append(column)
    hosts = np.concatenate(columns)
    return hosts[np.lexsort((hosts[:, 1], hosts[:, 0]))]


def _bind_hosts(tables: Tables, hosts: NDArray[np.int64]) -> None:
    _put_all(tables, host_node=hosts[:, 0], host_reservation=hosts[:, 1], host_processors=hosts[:, 2])
    if tables.host_used.size == len(hosts):
        return
    for name in ("host_used", "host_free"):
        tables.bind(name, np.zeros(len(hosts), dtype=np.int64))
    for name in ("listed_node", "listed_kept", "listed_free"):
        tables.bind(name, np.zeros(LISTS_OF_ALL * len(hosts), dtype=np.int64))


def _link_hosts(tables: Tables, reservations: int) -> None:
    """Say where the elements of each reservation and of each node begin, and which follow."""
    node, of = tables.host_node, tables.host_reservation
    first = np.searchsorted(node, node).astype(np.int64)
    after, begin = np.full(node.size, -1, dtype=np.int64), np.full(reservations, -1, dtype=np.int64)
    # By reservation, in the order of their elements.
    own = np.argsort(of, kind="stable")
    same = of[own[1:]] == of[own[:-1]]
    after[own[:-1][same]] = own[1:][same]
    begin[of[::-1]] = np.arange(node.size)[::-1]
    tables.node_hosted[:] = 0
    tables.node_hosted[node] = first + 1
    _put_all(tables, host_first=first, host_next=after, reservation_host=begin)


def _access_of(
    r: int, one: Reservation, numbers: Callable[[Credential, str], int]
) -> Iterator[tuple[int, int, int, int, int]]:
    """The elements of reservation *r*: number, kind, number of the credential, rule, affinity."""
    for rule, listed in ((ADMITS, one.access), (DENIES, one.terms.denied), (REQUIRES, one.terms.required)):
        for kind, names in sorted(listed.items()):
            which = Credential[kind.upper()]
            for text in names:
                name, affinity = entry_of(text)
                number = int(name) if which is Credential.DURATION else numbers(which, name)
                yield r, which, number, rule, affinity


def _put_all(tables: Tables, **columns: Sequence[float] | NDArray[np.int64]) -> None:
    """Make *columns* the contents of arrays, which are replaced only where their lengths change."""
    for name, values in columns.items():
        old = getattr(tables, name)
        if len(old) == len(values):
            old[:] = values
        else:
            tables.bind(name, np.array(values, dtype=old.dtype))
