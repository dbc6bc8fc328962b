"""What takes processors from jobs for a time: ``--reservations`` and ``--node-events``."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from math import inf

from molokini.experiments.asked import Constrained
from molokini.experiments.machines import names_of
from molokini.experiments.reservation_tables import is_table, read_table
from molokini.model.dates import Clock
from molokini.model.instants import seconds_text
from molokini.model.machine import Machine
from molokini.model.outages import Outage
from molokini.model.reservations import Reservation, StandingReservation, placed
from molokini.model.resources import Resource
from molokini.model.text import figure, plural
from molokini.sim.replay import Options
from molokini.workloads.calendar import log_clock
from molokini.workloads.node_events import NodeEvents, Place, read_node_events
from molokini.workloads.workload import Workload

_MOST_COUNTED = 100_000
"""Instances of a calendar: two and a half centuries of days."""


@dataclass(frozen=True)
class Constraints:
    """What the files say, for one log and its machine."""

    options: Options
    notes: Sequence[str] = ()
    """One line each."""


def constrained(asked: Constrained, options: Options, log: Workload, machine: Machine) -> Constraints:
    """*options* with what the files of *asked* say for *log* on *machine*. Raises BadInput."""
    sizes, clock, notes = _node_sizes(machine), log_clock(log.header), list[str]()
    if asked.reservations is not None and is_table(asked.reservations):
        found = read_table(asked.reservations, sizes, clock, log)
        options = replace(options, reservations=found.reservations, node_names=[*sizes])
        notes += found.notes
    elif asked.reservations is not None:
        from molokini.experiments.reservation_files import read_reservations

        kept = [placed(one, sizes) for one in read_reservations(asked.reservations, clock)]
        options = replace(options, reservations=kept, node_names=[*sizes])
        notes += _of_calendars(asked.reservations, kept, log, clock)
    outages = with_outages(asked.node_events, options, log, machine)
    return Constraints(outages.options, [*notes, *outages.notes])


def with_outages(file: str | None, options: Options, log: Workload, machine: Machine) -> Constraints:
    """*options* with the outages of ``--node-events`` *file*, if there is one. Raises BadInput."""
    if file is None:
        return Constraints(options)
    clock = log_clock(log.header)
    found = read_node_events(
        file, Place(machine.processors, _node_sizes(machine), clock, bool(machine.names))
    )
    return Constraints(replace(options, outages=found.outages), _of_events(file, found, log, clock))


def _node_sizes(machine: Machine) -> dict[str, int]:
    """Processors of each node by its name, in the order of the nodes."""
    each = [int(node.capacity.get(Resource.PROCESSORS, 0)) for node in machine.nodes]
    return dict(zip(names_of(machine), each, strict=True))


def _of_calendars(
    file: str, kept: Sequence[Reservation | StandingReservation], log: Workload, clock: Clock
) -> list[str]:
    """How often and when first each reservation of a calendar comes, and what days of the week rest on."""
    standing = [one for one in kept if isinstance(one, StandingReservation)]
    if not standing or not len(log):
        return []
    first_s, last_s = float(log.submit_s[0]), float(log.submit_s[-1])
    notes = [f"{file}: {one.name}: {_instances_text(one, first_s, last_s, clock)}" for one in standing]
    if clock.zero_s is None:
        notes.append(f"{file}: {clock.undated}: it counts as Thursday, 1970-01-01, 00:00")
    return notes


def _instances_text(one: StandingReservation, first_s: float, last_s: float, clock: Clock) -> str:
    windows = islice(one.calendar.windows(first_s), _MOST_COUNTED)
    count = sum(1 for _ in takewhile(lambda window: window.start_s <= last_s, windows))
    count_text = plural(count, "instance") if count else "no instance"
    first = next(one.calendar.windows(first_s)).start_s
    return f"{count_text} while jobs are submitted, the first from {instant_text(first, clock)}"


def _of_events(file: str, found: NodeEvents, log: Workload, clock: Clock) -> list[str]:
    """How much a file of events takes, when it begins, and what of it is left out."""
    notes = [f"{file}: {_outages_text(found.outages, clock)}"]
    before = sum(one.end_s <= log.submit_s[0] for one in found.outages) if len(log) else 0
    if before:
        notes.append(f"{file}: {plural(before, 'outage')} over before the first submission: without effect")
    if found.of_cluster:
        notes.append(f"{file}: {plural(found.of_cluster, 'event')} of the cluster, and of no node: left out")
    if found.of_others:
        notes.append(f"{file}: {plural(found.of_others, 'event')} of nodes that the machine lacks: left out")
    if found.drains:
        kept = any(one.drain for one in found.outages)
        what = "its jobs go on, and it takes no new ones" if kept else "counted processors are simply away"
        notes.append(f"{file}: {plural(found.drains, 'drain')}: {what}")
    return notes


def _outages_text(outages: Sequence[Outage], clock: Clock) -> str:
    if not outages:
        return "no outage"
    nodes = len({one.name for one in outages if one.name})
    of = f" of {plural(nodes, 'node')}" if nodes else ""
    open_ended = sum(one.end_s == inf for one in outages)
    first = f"the first from {instant_text(outages[0].start_s, clock)}"
    text = f"{plural(len(outages), 'outage')}{of}, {first}"
    if open_ended:
        return f"{text}, {open_ended:,} without an end"
    return f"{text}, {figure(sum(map(_lost_s, outages)) / 3600)} processor-hours in all"


def _lost_s(one: Outage) -> float:
    return one.processors * (one.end_s - one.start_s)


def instant_text(at_s: float, clock: Clock) -> str:
    """A second of a log: ``2026-01-09 18:00 CET``, or ``64800 s`` where it knows no dates."""
    if clock.zero_s is None:
        return seconds_text(at_s)
    date = clock.date_of(at_s)
    return f"{date:%Y-%m-%d %H:%M}" + (f":{date:%S}" if date.second else "") + f" {date.tzname()}"
