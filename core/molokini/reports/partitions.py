"""Partitions in reports: which ones a job may use, and what of each is in service and free."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from molokini.compiled.structs import Floats
from molokini.model.errors import UnknownName
from molokini.model.resources import Resource
from molokini.model.states import NodeState
from molokini.reports.lines import allocation, promised_s
from molokini.reports.snapshot import ClusterSnapshot, ReportRequest
from molokini.tables.running import remaining_s
from molokini.tables.tables import NEVER

_PROCESSORS = Resource.PROCESSORS
DEFAULT_PARTITION = "DEFAULT"
"""The partition of nodes that no line puts elsewhere."""


def known_partition(p: ClusterSnapshot, name: str) -> str:
    """*name*, which must be that of a partition; empty: the caller names none. Raises UnknownName.

    Where there are no partitions all nodes are in DEFAULT, so that its name stands for the whole machine.
    """
    if not p.partitions and name == DEFAULT_PARTITION:
        return ""
    if name and name not in p.partitions:
        raise UnknownName("partition", name, p.partitions or (DEFAULT_PARTITION,))
    return name


def usable(p: ClusterSnapshot, row: int) -> list[str]:
    """The partitions that the job of *row* may use, in the order of their numbers."""
    return usable_by(p, int(p.tables.jobs.credential[row]))


def usable_by(p: ClusterSnapshot, credential: int) -> list[str]:
    """The partitions that jobs of *credential* may use, in the order of their numbers."""
    barred = int(p.tables.credentials.barred[credential])
    return [name for number, name in enumerate(p.partitions) if not (barred >> number) & 1]


def holding(p: ClusterSnapshot, row: int) -> set[str]:
    """The partitions in which the job of *row* runs: one, unless it started before there were partitions."""
    of_nodes = {node.name: node.partition for node in p.nodes}
    return {of_nodes[name] for name in allocation(p, row)}


def concerns(p: ClusterSnapshot, row: int, partition: str) -> bool:
    """Whether the job of *row* runs in *partition*, or may; for an empty name every job does."""
    if not partition:
        return True
    return partition in (holding(p, row) or usable(p, row))


def by_partition(p: ClusterSnapshot, row: int) -> list[dict[str, Any]]:
    """For each partition that has nodes: whether *row* may use it, and whether it has enough processors."""
    t, may = p.tables, usable(p, row)
    found = []
    for name in dict.fromkeys(node.partition for node in p.nodes):
        numbers = [number for number in members(p, name) if t.nodes.state[number] == NodeState.UP]
        total = sum(int(t.nodes.total[number, _PROCESSORS]) for number in numbers)
        free = sum(int(t.nodes.free[number, _PROCESSORS]) for number in numbers)
        found.append(
            {
                "partition": name,
                "may_use": name in may,
                "processors": total,
                "processors_free": free,
                "reason": _reason(name in may, int(t.jobs.width[row]), total, free),
            }
        )
    return found


def _reason(may: bool, width: int, total: int, free: int) -> str:
    if not may:
        return "the job may not use it"
    if width > total:
        return f"too few processors: {total} of {width}"
    return f"insufficient idle processors: {free} of {width}" if width > free else ""


def members(p: ClusterSnapshot, partition: str) -> list[int]:
    """The numbers of the nodes of *partition*."""
    return [number for number, node in enumerate(p.nodes) if node.partition == partition]


def room(p: ClusterSnapshot, partition: str, without: int = -1) -> list[tuple[float, int]]:
    """(instant, processors of *partition* free from then on) from now on, if jobs run to their estimates.

    What is reserved there for jobs other than the row *without* is not free.
    """
    t, numbers = p.tables, members(p, partition)
    inside = {p.nodes[number].name for number in numbers}
    up = [number for number in numbers if t.nodes.state[number] == NodeState.UP]
    changes = {p.now: sum(int(t.nodes.free[number, _PROCESSORS]) for number in up)}

    def change(at_s: float, by: int) -> None:
        changes[max(p.now, at_s)] = changes.get(max(p.now, at_s), 0) + by

    for row in p.running():
        here = sum(count for name, count in allocation(p, row).items() if name in inside)
        if here and t.jobs.expected_end_s[row] < NEVER:
            change(float(t.jobs.expected_end_s[row]), here)
    for row in p.waiting():
        held = reserved_inside(p, row, partition) if row != without else None
        if held and (from_s := promised_s(p, row)) < NEVER:
            change(from_s, -held)
            change(from_s + float(remaining_s(t, row)), held)
    instants = sorted(changes)
    return list(zip(instants, accumulate(changes[at_s] for at_s in instants), strict=True))


def reserved_inside(p: ClusterSnapshot, row: int, partition: str) -> int | None:
    """Processors of *partition* that the reservation of *row* holds; None: its nodes are not known."""
    held = p.insight.held_nodes(p.tables, row)
    return sum(held.get(number, 0) for number in members(p, partition)) if held else None


def earliest_of(steps: Sequence[tuple[float, int]], width: int, length_s: float) -> float:
    """The first instant from which on *steps* have *width* processors free for *length_s*."""
    since_s = NEVER
    for at_s, free in steps:
        if since_s < NEVER and at_s >= since_s + length_s:
            return since_s
        if free < width:
            since_s = NEVER
        elif since_s == NEVER:
            since_s = at_s
    return since_s


def partitions(p: ClusterSnapshot, asked: ReportRequest) -> dict[str, Any]:
    """``diagnose -t``: each partition, its nodes and processors, and the jobs there. Raises UnknownName."""
    wanted = known_partition(p, asked.partition)
    names = p.partitions or (DEFAULT_PARTITION,)
    return {"partitions": [_partition(p, name) for name in names if not wanted or name == wanted]}


def _partition(p: ClusterSnapshot, name: str) -> dict[str, Any]:
    t, numbers = p.tables, members(p, name) if p.partitions else list(range(len(p.nodes)))
    up = [number for number in numbers if t.nodes.state[number] == NodeState.UP]
    counted = bool(p.nodes)
    active = [row for row in p.running() if not p.partitions or name in holding(p, row)]
    return {
        "partition": name,
        "nodes": len(numbers) if counted else None,
        "nodes_up": len(up) if counted else None,
        "processors": _sum(t.nodes.total[:, _PROCESSORS], numbers) if counted else int(t.machine.processors),
        "processors_up": _sum(t.nodes.total[:, _PROCESSORS], up) if counted else int(t.machine.processors),
        "processors_free": _sum(t.nodes.free[:, _PROCESSORS], up) if counted else int(t.machine.free),
        "jobs_active": len(active),
        "jobs_waiting": sum(not p.partitions or name in usable(p, row) for row in p.waiting()),
    }


def _sum(values: Floats, numbers: Sequence[int]) -> int:
    return sum(int(values[number]) for number in numbers)
