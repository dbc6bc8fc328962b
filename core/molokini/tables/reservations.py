"""The administrative reservations of the tables: who may use what, and which nodes are kept."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from molokini.model.reservations import Affinity, Credential, Reservation, entry_of
from molokini.tables.access import ADMITS, DENIES, REQUIRES
from molokini.tables.tables import LISTS_OF_ALL, NEVER, Tables


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
