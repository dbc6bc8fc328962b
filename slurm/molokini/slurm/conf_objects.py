"""Lines of nodes, partitions and node sets, put together: DEFAULT lines, ranges, sets."""

import math
from dataclasses import dataclass, field
from typing import Any

from molokini.model.errors import BadInput, UnknownName
from molokini.model.findings import Status
from molokini.slurm.conf_lines import SHOWN_ALONE, Node, NodeLine, Partition, PartitionLine
from molokini.slurm.declared import Parameter, parameters_of
from molokini.slurm.draft import NOT_KNOWN, Draft, near_to
from molokini.slurm.grammar import Pair
from molokini.slurm.model import NEWEST
from molokini.slurm.node_names import hosts, in_order

OBJECTS = frozenset({"nodename", "partitionname", "nodeset", "downnodes", "frontendname"})
"""Keys with which the line of an object begins, in lower case."""
_DEFAULT = "DEFAULT"
_ALL = "ALL"
_GONE = frozenset({"future"})
"""States of nodes that are no part of the machine."""


def _attributes(section: type) -> dict[str, Parameter]:
    found = {}
    for one in parameters_of(section, ""):
        for name in (one.name, *one.aliases):
            found[name.lower()] = one
    return found


_NODE, _PARTITION = _attributes(NodeLine), _attributes(PartitionLine)


@dataclass
class _Told:
    """An object as its lines say."""

    values: dict[str, Any]
    at: int
    """The finding of its name."""


@dataclass
class Objects:
    """What has been read of them."""

    nodes: dict[str, _Told] = field(default_factory=dict)
    partitions: dict[str, _Told] = field(default_factory=dict)
    sets: dict[str, tuple[str, tuple[str, ...], int]] = field(default_factory=dict)
    """Patterns and features of node sets by their names, and their findings."""
    defaults: dict[str, dict[str, Any]] = field(default_factory=lambda: {"node": {}, "partition": {}})

    def take(self, pairs: list[Pair], draft: Draft) -> None:
        """One line, which begins with the name of an object."""
        first, rest = pairs[0], pairs[1:]
        kind = first.key.lower()
        if kind == "nodename":
            self._nodes(first, rest, draft)
        elif kind == "partitionname":
            self._partition(first, rest, draft)
        elif kind == "nodeset":
            told = {one.key.lower(): one.value for one in rest}
            self.sets[first.value] = (
                told.get("nodes", ""),
                tuple(filter(None, told.get("feature", "").split(","))),
                len(draft.findings),
            )
            draft.add(first, Status.UNDERSTOOD, "A name for nodes, in the place of a list of them.")
        elif kind == "downnodes":
            draft.add(
                first,
                Status.WITHOUT_EFFECT,
                cause="nodes that are down for a time come from --node-events (sacctmgr show event)",
            )
        else:
            draft.add(first, Status.WITHOUT_EFFECT, cause="front ends are gone from Slurm")

    def _nodes(self, first: Pair, rest: list[Pair], draft: Draft) -> None:
        at = len(draft.findings)
        draft.add(first, Status.UNDERSTOOD, "Nodes, and what each of them has.")
        if first.value.upper() == _DEFAULT:
            _read(rest, _NODE, self.defaults["node"], draft, "NodeName")
            return
        try:
            names = hosts(first.value)
        except BadInput as error:
            draft.refuse(at, str(error))
            return
        told = _Told(dict(self.defaults["node"]), at)
        _read(rest, _NODE, told.values, draft, "NodeName")
        for name in names:
            if name in self.nodes:
                draft.refuse(at, f"node {name!r} has a line already; name each node once")
                return
            self.nodes[name] = told

    def _partition(self, first: Pair, rest: list[Pair], draft: Draft) -> None:
        at = len(draft.findings)
        draft.add(first, Status.UNDERSTOOD, "A partition.")
        if first.value.upper() == _DEFAULT:
            _read(rest, _PARTITION, self.defaults["partition"], draft, "PartitionName")
            return
        for name in filter(None, first.value.split(",")):
            # Several lines of one partition add up.
            before = self.partitions.get(name)
            if before is not None:
                line = draft.findings[before.at].line
                text = f"line {line} has partition {name} already: the lines add up, and where both say"
                draft.note(at, f"{text} something this one counts; write one line")
            told = _Told(dict(self.defaults["partition"] if before is None else before.values), at)
            _read(rest, _PARTITION, told.values, draft, f"PartitionName[{name}]")
            self.partitions[name] = told

    def finished(self, draft: Draft) -> tuple[tuple[Node, ...], tuple[Partition, ...]]:
        """Nodes in Slurm's order, and partitions with theirs."""
        present = [name for name, one in self.nodes.items() if one.values.get("state", "") not in _GONE]
        order = in_order(present)
        nodes = tuple(Node(name, NodeLine(**self.nodes[name].values)) for name in order)
        for at, line in {self.nodes[one.name].at: one.line for one in nodes}.items():
            _fitting(line, at, draft)
        partitions = [
            Partition(name, PartitionLine(**one.values), self._nodes_of(name, one, nodes, draft))
            for name, one in self.partitions.items()
        ]
        for part in partitions:
            _bounds(part, self.partitions[part.name].at, draft)
        self._defaults(draft)
        return nodes, tuple(partitions)

    def _defaults(self, draft: Draft) -> None:
        """Only one partition can be that of jobs which name none."""
        found = [(name, one.at) for name, one in self.partitions.items() if one.values.get("default")]
        for name, at in found[:-1]:
            last, line = found[-1][0], draft.findings[found[-1][1]].line
            text = f"Default=YES: line {line} has partition {last} as the default, too, and the last counts"
            draft.note(at, f"{text}; take Default=YES from {name}, or from {last}")

    def _nodes_of(self, name: str, told: _Told, nodes: tuple[Node, ...], draft: Draft) -> tuple[str, ...]:
        known = {one.name: at for at, one in enumerate(nodes)}
        wanted: set[str] = set()
        for part in filter(None, _split(told.values.get("nodes", ""))):
            if part.upper() == _ALL:
                wanted |= known.keys()
            elif part in self.sets:
                wanted |= self._of_set(part, nodes)
            else:
                try:
                    found = hosts(part)
                except BadInput as error:
                    draft.refuse(told.at, f"Nodes: {error}")
                    return ()
                strange = [one for one in found if one not in known and one not in self.nodes]
                if strange and known:
                    text = str(UnknownName("node", strange[0], known))
                    more = f" (and {len(strange) - 1:,} more)" if len(strange) > 1 else ""
                    draft.refuse(told.at, f"Nodes: {text}{more}")
                    return ()
                wanted |= {one for one in found if one in known}
        if not wanted and known:
            draft.note(told.at, f"partition {name} has no nodes: its jobs can never start")
        return tuple(sorted(wanted, key=known.__getitem__))

    def _of_set(self, name: str, nodes: tuple[Node, ...]) -> set[str]:
        pattern, features, _ = self.sets[name]
        found = {one.name for one in nodes if set(features) & set(one.line.features)}
        if pattern:
            known = {one.name for one in nodes}
            found |= {one for one in hosts(pattern) if one in known}
        return found


def _split(text: str) -> list[str]:
    """*text* at its commas, but for those in brackets."""
    parts, depth, held = [], 0, ""
    for sign in text:
        depth += (sign == "[") - (sign == "]")
        if sign == "," and not depth:
            parts.append(held.strip())
            held = ""
        else:
            held += sign
    return [*parts, held.strip()]


def _fitting(line: NodeLine, at: int, draft: Draft) -> None:
    """A number of CPUs that is none of sockets, cores or threads."""
    if instead := line.cpus_instead:
        text = f"CPUs={line.cpus} is no number of its sockets, cores or threads, and Slurm takes {instead}"
        draft.note(at, f"{text}; write CPUs={instead}, or correct the others")


def _bounds(part: Partition, at: int, draft: Draft) -> None:
    """Bounds of a partition that leave no room."""
    line = part.line
    if 0 <= line.max_nodes < line.min_nodes:
        text = f"MinNodes={line.min_nodes} is above MaxNodes={line.max_nodes}: no job of {part.name} starts"
        draft.note(at, f"{text} (PartitionNodeLimit); lower MinNodes or raise MaxNodes")
    if line.max_time_s < line.default_time_s < math.inf:
        default, longest = (f"{seconds / 60:g}" for seconds in (line.default_time_s, line.max_time_s))
        text = f"DefaultTime, {default} minutes, is above MaxTime, {longest}: Slurm does not start with that"
        draft.refuse(at, f"{text}; lower DefaultTime to {longest} or raise MaxTime")


def _read(
    pairs: list[Pair], known: dict[str, Parameter], into: dict[str, Any], draft: Draft, subject: str
) -> None:
    seen: dict[str, int] = {}
    for pair in pairs:
        key = pair.key.lower()
        field = known[key].field if key in known else ""
        if field and field in seen:
            text = f"{pair.key} stands twice in this line: the last, {pair.value}, counts; take one out"
            draft.note(seen[field], text)
        seen[field] = len(draft.findings)
        if key == "priority" and subject.startswith("Partition"):
            # One word for both.
            for name in ("prioritytier", "priorityjobfactor"):
                draft.value(pair, known[name], into, f"{subject} ")
            continue
        one = known.get(key)
        if one is not None:
            own = pair if not (key == "state" and subject == "NodeName") else _state(pair)
            draft.value(own, one, into, f"{subject} ")
        elif key in SHOWN_ALONE:
            cause = "it is what a controller answered, and no parameter"
            draft.add(pair, Status.WITHOUT_EFFECT, cause=cause, parameter=f"{subject} {pair.key}")
        elif (near := near_to(key, [each.name for each in known.values()])) is not None:
            cause = f"no attribute named {pair.key!r}; did you mean {near!r}?"
            draft.add(pair, Status.REFUSED, cause=cause, parameter=f"{subject} {pair.key}")
        else:
            cause = NOT_KNOWN.format(*NEWEST)
            draft.add(pair, Status.WITHOUT_EFFECT, cause=cause, parameter=f"{subject} {pair.key}")


def _state(pair: Pair) -> Pair:
    """What ``scontrol show node`` says (IDLE+DRAIN, MIXED, ...) as a state of a slurm.conf."""
    word = pair.value.split("+")[0].rstrip("*~#%$@-!").upper()
    if "DRAIN" in pair.value.upper():
        word = "DRAIN"
    elif word in ("ALLOCATED", "MIXED", "COMPLETING", "PLANNED", "RESERVED", "UNKNOWN", "MAINT"):
        word = "UNKNOWN"
    return pair._replace(value=word)
