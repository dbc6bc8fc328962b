"""The administrative reservations of the tables: which jobs may use them, and which nodes they keep."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from molokini.model.requests import LICENSE_COUNT, MOST_LICENSES
from molokini.model.reservations import Affinity, Credential, Reservation, entry_of
from molokini.tables.access import ADMITS, DENIES, REQUIRES
from molokini.tables.declared import Axis
from molokini.tables.tables import NEVER, Tables


def set_reservations(
    tables: Tables,
    reservations: Sequence[Reservation],
    numbers: Callable[[Credential, str], int],
    roll_s: float = NEVER,
    nodes: Mapping[str, int] | None = None,
    license_of: Callable[[str], int] = lambda _: -1,
) -> None:
    """Set the administrative reservations, which are rolled next at *roll_s*; policies plan again.

    *numbers* gives the number in the tables of a credential's name, *nodes* those of nodes by name; on a node
    that is not among them nothing is kept. *license_of* gives those of licences, below 0 where no job asks
    for any.
    """
    entries = [entry for r, one in enumerate(reservations) for entry in _access_of(r, one, numbers)]
    hosts = _hosts_of(reservations, nodes or {})
    lengths = {
        Axis.RESERVATION: len(reservations),
        Axis.ADMISSION: len(entries),
        Axis.HOST: len(hosts),
    }
    tables.renew(frozenset(lengths), {**tables.sizes(), **lengths})
    _put_reservations(tables, reservations)
    for r, one in enumerate(reservations):
        kept = [(license_of(name), count) for name, count in one.terms.licenses.items()]
        packed = [number * LICENSE_COUNT + count for number, count in kept if number >= 0]
        tables.reservations.licenses[r] = [*packed, *[0] * (MOST_LICENSES - len(packed))]
    _put_access(tables, entries)
    tables.hosts.node[:], tables.hosts.reservation[:], tables.hosts.processors[:] = hosts.T
    _link_hosts(tables, len(reservations))
    tables.reservations.count, tables.hosts.count, tables.reservations.roll_s = (
        len(reservations),
        len(hosts),
        roll_s,
    )
    tables.access.affinities = int(any(entry[4] is not Affinity.POSITIVE for entry in entries))
    tables.access.by_job = int(any(entry[1] is Credential.DURATION for entry in entries))
    # What was found out about the former reservations holds no longer.
    tables.cycle.room_epoch += 1
    tables.cycle.start_epoch += 1
    tables.cycle.replan = 1


def _hosts_of(reservations: Sequence[Reservation], nodes: Mapping[str, int]) -> NDArray[np.int64]:
    """Rows of node, reservation and processors that it keeps there; rows of a node stand together."""
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


def _put_reservations(tables: Tables, reservations: Sequence[Reservation]) -> None:
    columns = tables.reservations
    columns.from_s[:] = [one.start_s for one in reservations]
    columns.until_s[:] = [one.end_s for one in reservations]
    columns.processors[:] = [one.processors for one in reservations]
    columns.used[:] = 0
    columns.shared[:] = [int(one.terms.shared) for one in reservations]
    columns.hosted[:] = [int(bool(one.terms.hosts)) for one in reservations]


def _put_access(tables: Tables, entries: Sequence[tuple[int, int, int, int, int]]) -> None:
    columns = tables.access
    columns.reservation[:] = [entry[0] for entry in entries]
    columns.kind[:] = [entry[1] for entry in entries]
    columns.number[:] = [entry[2] for entry in entries]
    columns.rule[:] = [entry[3] for entry in entries]
    columns.affinity[:] = [entry[4] for entry in entries]


def _link_hosts(tables: Tables, reservations: int) -> None:
    """Note where the elements of each reservation and of each node begin, and which follow."""
    node, of = tables.hosts.node, tables.hosts.reservation
    first = np.searchsorted(node, node).astype(np.int64)
    after, begin = np.full(node.size, -1, dtype=np.int64), np.full(reservations, -1, dtype=np.int64)
    # By reservation, in the order of their elements.
    own = np.argsort(of, kind="stable")
    same = of[own[1:]] == of[own[:-1]]
    after[own[:-1][same]] = own[1:][same]
    begin[of[::-1]] = np.arange(node.size)[::-1]
    tables.nodes.hosted[:] = 0
    tables.nodes.hosted[node] = first + 1
    tables.hosts.first[:], tables.hosts.next[:], tables.reservations.host[:] = first, after, begin


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
