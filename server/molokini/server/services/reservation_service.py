"""Reservations on the wire and as the server knows them."""

from collections.abc import Sequence
from math import inf

from molokini.model.calendars import DAY_S, DAYS, WEEK_S, Calendar, Period
from molokini.model.errors import BadValue
from molokini.model.reservations import PLAIN, Reservation, StandingReservation, Terms
from molokini.proto.v1 import cluster_service_pb2 as wire

_DEPTH = 2
_KINDS = ("user", "group", "account", "queue")
"""Credentials that a live job has; its group and its QoS are not known to the tables."""


def reservation_from_wire(asked: wire.Reservation) -> Reservation | StandingReservation:
    """What an administrator asks for; BadValue where it can be none."""
    access: dict[str, tuple[str, ...]] = {}
    for one in asked.access:
        if one.kind not in _KINDS or not one.name or len(one.name) > 255:
            raise BadValue("access", f"{one.kind}:{one.name}"[:80], "KIND:NAME of " + ", ".join(_KINDS))
        access[one.kind] = (*access.get(one.kind, ()), one.name)
    terms = _terms(asked)
    # Of one on particular nodes these say how many processors it has.
    processors = 1 if terms.hosts else asked.processors
    if asked.HasField("calendar"):
        depth = asked.depth or _DEPTH
        return StandingReservation(asked.name, processors, _calendar(asked.calendar), depth, access, terms)
    end_s = asked.end_s if asked.HasField("end_s") else inf
    return Reservation(asked.name, processors, asked.start_s, end_s, access, terms)


def _terms(asked: wire.Reservation) -> Terms:
    hosts: dict[str, int] = {}
    for one in asked.nodes:
        if one.node in hosts or not one.node or len(one.node) > 255:
            raise BadValue("nodes", one.node[:80], "names of nodes, each once")
        if one.processors < 0:
            raise BadValue(f"nodes: processors of {one.node}", one.processors, "1 or more, or 0 for all")
        hosts[one.node] = one.processors
    licenses = dict(asked.licenses)
    return Terms(hosts=hosts, licenses=licenses) if hosts or licenses else PLAIN


def _calendar(asked: wire.ReservationCalendar) -> Calendar:
    periods = [str(one) for one in Period]
    if asked.period and asked.period not in periods:
        raise BadValue("period", asked.period[:20], "one of " + ", ".join(periods))
    period = Period(asked.period or Period.DAY)
    if not -DAY_S <= asked.zone_s <= DAY_S:
        raise BadValue("zone_s", asked.zone_s, f"from {-DAY_S:,.0f} to {DAY_S:,.0f}")
    end_s = asked.end_s or (WEEK_S if period is Period.WEEK else DAY_S)
    return Calendar(period, frozenset(asked.days or DAYS), asked.start_s, end_s, asked.zone_s)


def reservation_to_wire(
    one: Reservation | StandingReservation, instances: Sequence[Reservation]
) -> wire.Reservation:
    """*one* with those of *instances* that are its."""
    made = wire.Reservation(name=one.name, processors=one.processors)
    for kind, names in sorted(one.access.items()):
        made.access.extend(wire.ReservationAccess(kind=kind, name=name) for name in names)
    for node, kept in one.terms.hosts.items():
        made.nodes.add(node=node, processors=kept)
    made.licenses.update(one.terms.licenses)
    if isinstance(one, Reservation):
        made.start_s = one.start_s
        if one.end_s < inf:
            made.end_s = one.end_s
        return made
    when = one.calendar
    days = [day for day in DAYS if day in when.days]
    calendar = wire.ReservationCalendar(
        period=str(when.period), days=days, start_s=when.start_s, end_s=when.end_s, zone_s=when.zone_s
    )
    made.calendar.CopyFrom(calendar)
    made.depth = one.depth
    for each in instances:
        if each.name.rpartition(".")[0] == one.name:
            instance = made.instances.add(name=each.name, start_s=each.start_s)
            if each.end_s < inf:
                instance.end_s = each.end_s
    return made
