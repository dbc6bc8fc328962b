"""Windows on particular nodes: of certain features, with enough memory, or enough of them.

A node counts with what it has free for the whole of a window, beside running jobs (up to their estimates) and
what is reserved on it: room that is free at another instant alone is of no use to a job.
"""

import operator
import re
from collections.abc import Callable, Sequence
from math import inf, isfinite

import numpy as np

from molokini.availability.reserved import count_use, kept_on_node, next_node
from molokini.compiled.structs import Floats, FloatTable
from molokini.model.errors import BadInput, BadValue
from molokini.model.resources import Resource
from molokini.model.states import NodeState
from molokini.reports.lines import promised_s
from molokini.reports.partitions import members
from molokini.reports.snapshot import ClusterSnapshot, ReportRequest
from molokini.tables.running import remaining_s
from molokini.tables.tables import NEVER, Tables

_PROCESSORS, _MEMORY = Resource.PROCESSORS, Resource.MEMORY_KB
_KB_A_MB = 1024.0
_UNCOUNTED_KB = 2.0**53
_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "": operator.ge,
    "=": operator.eq,
    "==": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
}
_MEMORY_TEXT = re.compile(r"(>=|<=|==|=|>|<|)\s*(\d{1,15}(?:\.\d{1,6})?)", re.ASCII)


def names_nodes(asked: ReportRequest) -> bool:
    """Whether the caller wants windows on particular nodes."""
    return bool(asked.features or asked.memory or asked.memory_each_mb or asked.nodes)


def fit_nodes(p: ClusterSnapshot, asked: ReportRequest) -> list[int]:
    """The numbers of the nodes in service that have the requested features and memory.

    Raises BadInput where processors are only counted, BadValue for what no node can have.
    """
    if not p.nodes:
        raise BadInput("features, memory or nodes are asked for, and this cluster only counts processors")
    known = sorted({feature for node in p.nodes for feature in node.features})
    for feature in asked.features:
        if feature not in known:
            allowed = f"one that a node has: {', '.join(known)}" if known else "none: no node has any"
            raise BadValue("features", feature[:40], allowed)
    if not (asked.memory_each_mb >= 0.0 and isfinite(asked.memory_each_mb)):
        raise BadValue("memory_each_mb", asked.memory_each_mb, "0 or more")
    if asked.nodes < 0:
        raise BadValue("nodes", asked.nodes, "0 or more")
    holds = _memory_wish(asked.memory)
    wanted = set(asked.features)
    return [
        number
        for number, node in enumerate(p.nodes)
        if p.tables.nodes.state[number] == NodeState.UP
        and wanted <= set(node.features)
        and holds(_counted(float(p.tables.nodes.total[number, _MEMORY])))
    ]


def _memory_wish(text: str) -> Callable[[float], bool]:
    """A test whether a node's kilobytes are as wanted; memory that is not counted is without a limit."""
    if not text:
        return lambda _: True
    match = _MEMORY_TEXT.fullmatch(text.strip())
    if match is None:
        raise BadValue("memory", text[:40], "a number of MB, or one behind >=, >, ==, < or <=: >=2048")
    compare, wanted_kb = _COMPARISONS[match[1]], float(match[2]) * _KB_A_MB
    return lambda total_kb: compare(total_kb, wanted_kb)


def _counted(size_kb: float) -> float:
    return inf if size_kb >= _UNCOUNTED_KB else size_kb


def narrowed(
    p: ClusterSnapshot,
    t: Tables,
    row: int,
    steps: Sequence[tuple[float, int]],
    fit: Sequence[int],
    partition: str,
    memory_each_mb: float,
) -> list[tuple[int, float, int]]:
    """(processors, until when, nodes) before each fall of the room of *row* on nodes *fit* of *partition*.

    *steps* is its room on all nodes; *t* is a copy of the tables that has *row*.
    """
    own = set(members(p, partition)) if partition else set(fit)
    numbers = [number for number in fit if number in own]
    changes, anywhere_from = _changes(p, numbers), dict(steps)
    free = t.nodes.free[numbers][:, [_PROCESSORS, _MEMORY]].astype(np.float64)
    least, anywhere = np.full(len(numbers), inf), inf
    found, before = list[tuple[int, float, int]](), (0, 0)
    for at_s in sorted(changes.keys() | anywhere_from.keys()):
        anywhere = min(anywhere, anywhere_from.get(at_s, inf))
        for place, processors, memory_kb in changes.get(at_s, ()):
            free[place] += processors, memory_kb
        least = np.minimum(least, _tasks(free, _kept(t, row, numbers, at_s), memory_each_mb))
        now = (int(min(anywhere, least.sum())), int((least > 0).sum()))
        if at_s > p.now and now != before:
            found.append((before[0], at_s, min(before)))
        before = now
    return [*found, (before[0], NEVER, min(before))]


def _changes(p: ClusterSnapshot, numbers: Sequence[int]) -> dict[float, list[tuple[int, float, float]]]:
    """(place in *numbers*, processors, kilobytes) that come or go at each instant from now on."""
    t, places = p.tables, {number: place for place, number in enumerate(numbers)}
    found: dict[float, list[tuple[int, float, float]]] = {}

    def change(at_s: float, number: int, processors: float, memory_kb: float) -> None:
        if number in places and at_s < NEVER:
            found.setdefault(max(p.now, at_s), []).append((places[number], processors, memory_kb))

    for row in p.running():
        entry = int(t.jobs.entries[row])
        while entry >= 0:
            need = t.components.need[t.entries.component[entry]] * t.entries.tasks[entry]
            ends_s = float(t.jobs.expected_end_s[row])
            change(ends_s, int(t.entries.node[entry]), float(need[_PROCESSORS]), float(need[_MEMORY]))
            entry = int(t.entries.next[entry])
    for row in p.waiting():
        need = t.components.need[int(t.jobs.components[row])]
        each_kb = float(need[_MEMORY]) / max(1.0, float(need[_PROCESSORS]))
        from_s = promised_s(p, row)
        for number, count in (p.insight.held_nodes(t, row) if from_s < NEVER else {}).items():
            change(from_s, number, -count, -count * each_kb)
            change(from_s + float(remaining_s(t, row)), number, count, count * each_kb)
    return found


def _kept(t: Tables, row: int, numbers: Sequence[int], at_s: float) -> Floats:
    """Processors of each of the nodes *numbers* that administrators keep from *row* at *at_s*."""
    kept = np.zeros(len(numbers))
    if not t.hosts.count:
        return kept
    count_use(t, at_s)
    places, h = {number: place for place, number in enumerate(numbers)}, 0
    while h < t.hosts.count:
        if (place := places.get(int(t.hosts.node[h]))) is not None:
            kept[place] = max(0, min(kept_on_node(t, row, h, at_s), int(t.hosts.free[h])))
        h = next_node(t, h)
    return kept


def _tasks(free: FloatTable, kept: Floats, memory_each_mb: float) -> Floats:
    """Processors of each node that are free, each with so much memory."""
    processors = np.maximum(free[:, 0] - kept, 0.0)
    if memory_each_mb <= 0.0:
        return processors
    return np.minimum(processors, np.floor(np.maximum(free[:, 1], 0.0) / (memory_each_mb * _KB_A_MB)))
