"""The columns of sinfo, and which nodes share a line: those that do not differ in any column."""

from __future__ import annotations

from molokini.compat._types import Any, Callable, Node
from molokini.compat.columns import printable as plain
from molokini.compat.slurm import hosts, nodes, times
from molokini.compat.slurm.records import partition_state, partition_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    Field = tuple[str, Callable[["Group"], str]]


class Group:
    """Nodes of one partition that share a line."""

    __slots__ = ("default", "nodes", "queue")

    def __init__(self, queue: dict[str, Any], default: bool, members: list[Node]) -> None:
        self.queue, self.default, self.nodes = queue, default, members

    @property
    def state(self) -> str:
        """The state of its nodes; of a partition without nodes ``n/a``."""
        return nodes.state_of(self.nodes[0]) if self.nodes else "n/a"

    @property
    def names(self) -> str:
        """Its nodes."""
        return hosts.compressed([one["name"] for one in self.nodes])

    def same(self, make: Callable[[Node], int]) -> str:
        """A number of its nodes; with a plus where they differ."""
        values = sorted({make(one) for one in self.nodes})
        return "0" if not values else f"{values[0]}{'+' if len(values) > 1 else ''}"

    def counted(self, states: tuple[str, ...], weigh: Callable[[Node], int] = lambda one: 1) -> int:
        """How many of its nodes are in *states*, or what they weigh."""
        return sum(weigh(one) for one in self.nodes if nodes.state_of(one) in states)


def _processors(node: Node) -> int:
    return int(node.get("processors", 0))


def _free(node: Node) -> int:
    return _processors(node) - int(node.get("processors_used", 0))


def _memory(node: Node) -> int:
    return max(1, int(node.get("memory_kb", 0)) // 1024)


def _memory_used(node: Node) -> int:
    return int(node.get("memory_used_kb", 0)) // 1024


def _limit(group: Group) -> str:
    text = partition_words(group.queue)["MaxTime"]
    return "infinite" if text == "UNLIMITED" else times.shown_limit(times.limit_s(text))


def _default_limit(group: Group) -> str:
    text = partition_words(group.queue)["DefaultTime"]
    if text == "NONE":
        return "n/a"
    return "infinite" if text == "UNLIMITED" else times.shown_limit(times.limit_s(text))


def _size(group: Group) -> str:
    """Nodes of a job: ``1-infinite``, ``2``."""
    known = partition_words(group.queue)
    least, most = max(1, int(known["MinNodes"])), known["MaxNodes"]
    if most == "UNLIMITED":
        return f"{least}-infinite"
    return most if str(least) == most else f"{least}-{most}"


def _partition_word(name: str) -> Callable[[Group], str]:
    return lambda group: partition_words(group.queue)[name]


def _name(group: Group) -> str:
    return f"{group.queue['name']}{'*' if group.default else ''}"


def _available(group: Group) -> str:
    return {"UP": "up", "DOWN": "down", "DRAIN": "drain", "INACTIVE": "inact"}[partition_state(group.queue)]


def _features(group: Group) -> str:
    return plain(",".join(group.nodes[0].get("features", ())) if group.nodes else "") or "(null)"


def _generic(group: Group) -> str:
    found = group.nodes[0].get("generic", {}) if group.nodes else {}
    return ",".join(f"{name}:{count}" for name, count in found.items()) or "(null)"


def _generic_used(group: Group) -> str:
    node = group.nodes[0] if group.nodes else {}
    used = node.get("generic_used", {})
    return ",".join(f"{name}:{used.get(name, 0)}" for name in node.get("generic", {})) or "(null)"


def _reason(group: Group) -> str:
    return plain(group.nodes[0].get("reason", "") if group.nodes else "") or "none"


def _processor_states(group: Group) -> str:
    """Allocated, idle, other and all processors."""
    used = sum(int(one.get("processors_used", 0)) for one in group.nodes)
    total = sum(map(_processors, group.nodes))
    other = group.counted(("down", "drained", "draining"), _free)
    return f"{used}/{total - used - other}/{other}/{total}"


def _node_states(group: Group) -> str:
    """Allocated, idle, other and all nodes."""
    used, idle = group.counted(("allocated", "mixed", "draining")), group.counted(("idle",))
    return f"{used}/{idle}/{len(group.nodes) - used - idle}/{len(group.nodes)}"


def _short_node_states(group: Group) -> str:
    return "/".join(_node_states(group).split("/")[:2])


_FIELDS: dict[str, Field] = {
    "available": ("AVAIL", _available),
    "allocnodes": ("ALLOCNODES", lambda g: "all"),
    "allocmem": ("ALLOCMEM", lambda g: g.same(_memory_used)),
    "cluster": ("CLUSTER", lambda g: "N/A"),
    "comment": ("COMMENT", lambda g: "(null)"),
    "extra": ("EXTRA", lambda g: "(null)"),
    "gresused": ("GRES_USED", _generic_used),
    "port": ("PORT", lambda g: "0"),
    "priorityjobfactor": ("PRIO_JOB_FACTOR", _partition_word("PriorityJobFactor")),
    "reservation": ("RESERVATION", lambda g: ""),
    "share": ("OVERSUBSCRIBE", _partition_word("OverSubscribe")),
    "statecomplete": ("STATECOMPLETE", lambda g: nodes.complete(g.nodes[0]) if g.nodes else g.state),
    "userlong": ("USER", lambda g: "Unknown"),
    "cores": ("CORES", lambda g: g.same(_processors)),
    "cpus": ("CPUS", lambda g: g.same(_processors)),
    "cpusload": ("CPU_LOAD", lambda g: "N/A"),
    "cpusstate": ("CPUS(A/I/O/T)", _processor_states),
    "defaulttime": ("DEFAULTTIME", _default_limit),
    "disk": ("TMP_DISK", lambda g: "0"),
    "features": ("AVAIL_FEATURES", _features),
    "features_act": ("ACTIVE_FEATURES", _features),
    "freemem": ("FREE_MEM", lambda g: "N/A"),
    "gres": ("GRES", _generic),
    "groups": ("GROUPS", lambda g: partition_words(g.queue)["AllowGroups"].replace("ALL", "all")),
    "maxcpuspernode": ("MAX_CPUS_PER_NODE", _partition_word("MaxCPUsPerNode")),
    "memory": ("MEMORY", lambda g: g.same(_memory)),
    "nodeai": ("NODES(A/I)", _short_node_states),
    "nodeaiot": ("NODES(A/I/O/T)", _node_states),
    "nodelist": ("NODELIST", lambda g: g.names),
    "nodehost": ("HOSTNAMES", lambda g: g.names),
    "nodeaddr": ("NODE_ADDR", lambda g: g.names),
    "nodes": ("NODES", lambda g: str(len(g.nodes))),
    "oversubscribe": ("OVERSUBSCRIBE", _partition_word("OverSubscribe")),
    "partition": ("PARTITION", _name),
    "partitionname": ("PARTITION", lambda g: g.queue["name"]),
    "preemptmode": ("PREEMPT_MODE", _partition_word("PreemptMode")),
    "prioritytier": ("PRIO_TIER", _partition_word("PriorityTier")),
    "reason": ("REASON", _reason),
    "root": ("ROOT", lambda g: partition_words(g.queue)["RootOnly"].lower()),
    "size": ("JOB_SIZE", _size),
    "socketcorethread": ("S:C:T", lambda g: f"1:{g.same(_processors)}:1"),
    "sockets": ("SOCKETS", lambda g: "1"),
    "statecompact": ("STATE", lambda g: nodes.SHORT.get(g.state, g.state)),
    "statelong": ("STATE", lambda g: g.state),
    "threads": ("THREADS", lambda g: "1"),
    "time": ("TIMELIMIT", _limit),
    "timestamp": ("TIMESTAMP", lambda g: "Unknown"),
    "user": ("USER", lambda g: "Unknown"),
    "version": ("VERSION", lambda g: "22.05.8"),
    "weight": ("WEIGHT", lambda g: "1"),
}
NAMED: dict[str, Field] = _FIELDS
_LETTERS = {
    "a": "available", "A": "nodeai", "b": "features_act", "B": "maxcpuspernode", "c": "cpus",
    "C": "cpusstate", "d": "disk", "D": "nodes", "e": "freemem", "E": "reason", "f": "features",
    "F": "nodeaiot", "g": "groups", "G": "gres", "h": "oversubscribe", "H": "timestamp",
    "I": "priorityjobfactor",
    "l": "time", "L": "defaulttime", "m": "memory", "M": "preemptmode", "n": "nodehost",
    "N": "nodelist", "o": "nodeaddr", "O": "cpusload", "p": "prioritytier", "P": "partition",
    "r": "root", "R": "partitionname", "s": "size", "S": "allocnodes", "t": "statecompact",
    "T": "statelong", "u": "user", "U": "user", "v": "version", "V": "cluster", "w": "weight",
    "X": "sockets", "Y": "cores", "Z": "threads", "z": "socketcorethread",
}  # fmt: skip
LETTERED: dict[str, Field] = {letter: _FIELDS[name] for letter, name in _LETTERS.items()}

_OF_NODES: dict[str, Callable[[Group], str]] = {
    name: _FIELDS[name][1]
    for name in (
        *("nodehost", "nodeaddr", "features", "features_act", "gres", "gresused", "reason", "timestamp"),
        *("user", "userlong", "statecompact", "statelong", "statecomplete", "allocmem", "comment", "extra"),
    )
}
"""Columns in which the nodes of a line are alike; in any other they may differ."""
_OF_PARTITIONS: dict[str, Callable[[Group], str]] = {
    name: _FIELDS[name][1]
    for name in (
        *("available", "defaulttime", "groups", "maxcpuspernode", "oversubscribe", "share", "partition"),
        *("partitionname", "preemptmode", "priorityjobfactor", "prioritytier", "root", "size", "time"),
        *("allocnodes",),
    )
}
"""The same of partitions: where a listing shows none of these, partitions share a line."""


def groups(
    among: list[tuple[dict[str, Any], bool, list[Node]]], columns: set[str], by_node: bool
) -> list[Group]:
    """The lines: nodes together that look alike in *columns*, or each for itself; each node counts once."""
    known = {_LETTERS.get(name, name) for name in columns}
    of_nodes = [make for name, make in _OF_NODES.items() if name in known]
    of_partitions = [make for name, make in _OF_PARTITIONS.items() if name in known]
    made: dict[tuple[str, ...], Group] = {}
    for queue, default, members in among:
        if not members and not by_node and of_partitions:
            empty = Group(queue, default, [])
            made.setdefault(("", *(make(empty) for make in of_partitions)), empty)
        for node in members:
            alone = Group(queue, default, [node])
            key = [make(alone) for make in of_nodes + of_partitions]
            key += [node["name"], queue["name"]] if by_node else []
            group = made.setdefault(("node", *key), Group(queue, default, []))
            if node not in group.nodes:
                group.nodes.append(node)
    return list(made.values())
