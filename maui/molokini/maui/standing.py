"""Standing reservations of a configuration (``SRCFG``) as reservations of a machine.

A task of ``RESOURCES=PROCS:n`` takes n processors, one of ``PROCS:-1`` (the default) all of a node; where
processors are only counted, a node has one. Without ``HOSTLIST`` tasks may be anywhere: those of whole nodes,
or of nodes with features or in a partition, are put on the last nodes that will do, as jobs are put on the
first.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from molokini.maui.access import Affinity, Entry
from molokini.maui.model import DEFAULT, MauiConfig
from molokini.maui.sections.standing import Logic, Period, Sharing
from molokini.maui.sections.standing import StandingReservation as Configured
from molokini.model import calendars
from molokini.model.calendars import DAYS, Calendar
from molokini.model.reservations import StandingReservation, Terms
from molokini.model.site import KnownNode, Misplaced

Lists = dict[str, tuple[str, ...]]

_KINDS = {"users": "user", "groups": "group", "accounts": "account", "classes": "queue", "qos": "service"}
"""Which credential each list of the configuration names."""
NOWHERE = "none of its nodes is on this machine"


@dataclass(frozen=True)
class _Place:
    """How many processors a reservation has, and where, if it says so."""

    processors: int
    hosts: Mapping[str, int] = field(default_factory=dict)


def standing(
    config: MauiConfig,
    processors: int,
    nodes: Sequence[KnownNode] = (),
    zone_s: float = 0.0,
) -> list[StandingReservation]:
    """The standing reservations of *config*, those of higher PRIORITY first.

    The machine has so many *processors*, on *nodes* where they are not only counted. Midnight is *zone_s*
    before that of the clock. Raises Misplaced for one on nodes that there are not.
    """
    known = _described(config, nodes)
    found: list[tuple[float, StandingReservation]] = []
    for name, one in config.standing.items():
        if name != DEFAULT:
            whole = _with_default(one, config.standing.get(DEFAULT))
            made = _standing(name, whole, processors, known, zone_s)
            found.append((whole.priority, made))
    return [made for _, made in sorted(found, key=lambda entry: -entry[0])]


def _described(config: MauiConfig, nodes: Sequence[KnownNode]) -> list[KnownNode]:
    """*nodes* with what NODECFG says of them."""
    default = config.node.get(DEFAULT)
    made = []
    for node in nodes:
        own = config.node.get(node.name)
        features = [feature for one in (own, default) if one is not None for feature in one.features]
        partitions = [one.partition for one in (own, default) if one is not None and one.partition]
        partition = partitions[0] if partitions else node.partition
        made.append(KnownNode(node.name, node.processors, node.features | set(features), partition))
    return made


def _with_default(one: Configured, default: Configured | None) -> Configured:
    """*one*, and what it does not say as DEFAULT says it."""
    if default is None:
        return one
    more = {name: getattr(default, name) for name in default.model_fields_set - one.model_fields_set}
    return one.model_copy(update=more)


def _standing(
    name: str,
    one: Configured,
    processors: int,
    nodes: Sequence[KnownNode],
    zone_s: float,
) -> StandingReservation:
    place = _place(name, one, processors, nodes)
    admitted, denied, required = _lists(one)
    terms = Terms(denied, required, one.access is Sharing.SHARED, place.hosts, partial=True)
    return StandingReservation(name, place.processors, _calendar(one, zone_s), one.depth, admitted, terms)


def _calendar(one: Configured, zone_s: float) -> Calendar:
    period = calendars.Period(str(one.period))
    if one.period is Period.INFINITY:
        return Calendar(period, start_s=float(one.start_s), zone_s=zone_s)
    length_s = one.period_s
    assert length_s is not None
    days = frozenset(DAYS) if one.period is Period.WEEK else frozenset(day.capitalize() for day in one.days)
    end_s = float(length_s if one.end_s is None else one.end_s)
    return Calendar(period, days, float(one.start_s), end_s, zone_s)


def _lists(one: Configured) -> tuple[Lists, Lists, Lists]:
    """The names that are admitted, denied and required."""
    admitted, denied, required = {}, {}, {}  # type: Lists, Lists, Lists
    for attribute, kind in _KINDS.items():
        entries: Sequence[Entry] = getattr(one, attribute)
        for lists, which in (
            (denied, [entry for entry in entries if entry.denied]),
            (required, [entry for entry in entries if entry.required and not entry.denied]),
            (admitted, [entry for entry in entries if not entry.required and not entry.denied]),
        ):
            names = [_with_sign(entry) for entry in which]
            if names:
                lists[kind] = tuple(dict.fromkeys(names))
    longest = one.time_limit
    if longest.seconds >= 0:
        lists = required if longest.required or one.time_logic is Logic.AND else admitted
        lists["duration"] = (str(longest.seconds),)
    return admitted, denied, required


def _with_sign(entry: Entry) -> str:
    sign = "" if entry.affinity is Affinity.POSITIVE or entry.denied else str(entry.affinity)
    return f"{entry.name}{sign}"


def _place(name: str, one: Configured, processors: int, nodes: Sequence[KnownNode]) -> _Place:
    candidates = _candidates(name, one, nodes)
    each = one.resources.procs
    if one.hosts and not _everywhere(one):
        return _on_hosts(name, one, candidates)
    if not nodes:
        return _Place(min(processors, one.task_count * abs(each) if one.task_count else processors))
    if each < 0 or one.features or one.partition or one.tasks_per_node or not one.task_count:
        return _on_hosts(name, one, candidates[::-1])
    return _Place(min(processors, one.task_count * each))


def _everywhere(one: Configured) -> bool:
    return any(host.upper() == "ALL" for host in one.hosts)


def _candidates(name: str, one: Configured, nodes: Sequence[KnownNode]) -> list[KnownNode]:
    """The nodes that it may be on, in the order of its list."""
    if one.hosts and not _everywhere(one) and not nodes:
        cause = "the machine has no nodes with names; give --nodes N --procs-per-node M"
        raise Misplaced(name, "HOSTLIST", f"a reservation on unknown nodes: {cause}")
    found = list(nodes)
    if one.hosts and not _everywhere(one):
        found = []
        for host in one.hosts:
            matching = [node for node in nodes if node.name == host or _matches(host, node.name)]
            if not matching:
                raise Misplaced(
                    name, "HOSTLIST", f"a reservation on unknown nodes: there is no node {host!r}"
                )
            found += [node for node in matching if node not in found]
    wanted = set(one.features)
    found = [node for node in found if wanted <= node.features]
    if one.partition is not None:
        found = [node for node in found if node.partition == one.partition]
    if nodes and not found:
        attribute = "NODEFEATURES" if wanted else "PARTITION"
        raise Misplaced(name, attribute, f"{NOWHERE}: no node is in the partition and has the features")
    return found


def _matches(expression: str, name: str) -> bool:
    try:
        return re.fullmatch(expression, name) is not None
    except re.error:
        return False


def _on_hosts(name: str, one: Configured, nodes: Sequence[KnownNode]) -> _Place:
    """Tasks on *nodes* in turn: as many as a node takes, then on to the next; or one on each node."""
    each, left = one.resources.procs, one.task_count or None
    hosts: dict[str, int] = {}
    for node in nodes:
        most = 1 if each < 0 else node.processors // each if each else 0
        if left is None:
            most = min(most, one.tasks_per_node or 1)
        else:
            most = min(most, left, one.tasks_per_node or most)
            left -= most
        kept = most * (node.processors if each < 0 else each)
        if kept > 0:
            hosts[node.name] = kept
    if not hosts:
        raise Misplaced(name, "RESOURCES", f"{NOWHERE}: no node takes a task of {each} processors")
    return _Place(sum(hosts.values()), hosts)
