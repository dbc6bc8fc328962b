"""``sinfo``."""

from __future__ import annotations

from molokini.compat._types import Any, Column, Group, Invocation, Values
from molokini.compat.options import option, refused, without_effect
from molokini.compat.slurm.filters import names
from molokini.compat.slurm.general import GENERAL, given_to
from molokini.compat.tool import Failed

OPTIONS = (
    *GENERAL,
    option("-a --all", text="all partitions (none are hidden)"),
    option("-d --dead", text="only nodes that are down"),
    option("-e --exact", text="one line per kind of node"),
    option("-h --noheader", text="without the header"),
    option("--json", text="everything about each node as JSON"),
    option("-l --long", text="with more columns"),
    option("-M --clusters", "NAMES", "this cluster, or all"),
    option("-n --nodes", "NODES", "only these nodes"),
    option("-N --Node", text="one line per node and partition"),
    option("-o --format", "FORMAT", "columns by letters: %[.][width]letter"),
    option("-O --Format", "NAMES", "columns by names: NAME[:[.][width][suffix]],..."),
    option("-p --partition", "NAMES", "only these partitions"),
    option("-r --responding", text="only nodes that respond"),
    option("-R --list-reasons", text="why nodes are draining or down"),
    option("-s --summarize", text="one line per partition"),
    option("-S --sort", "LETTERS", "sort by columns, letters of -o with + or - before each"),
    option("-t --states", "STATES", "only nodes in these states"),
    without_effect("-v --verbose", why="there are no further details"),
    without_effect("--noconvert", why="sizes are in megabytes"),
    without_effect("--hide", why="no partition is hidden"),
    without_effect("--federation", why="there is one cluster"),
    without_effect("--local", why="there is one cluster"),
    without_effect("-F --future", why="there are no future nodes"),
    refused("-i --iterate", "SECONDS", "run sinfo in a loop"),
    refused("-T --reservation", why="use scontrol show reservation"),
    refused("--yaml", why="use --json"),
)
_FORMAT = "%#P %.5a %.10l %.6D %.6t %N"
_LONG = "%#P %.5a %.10l %.10s %.4r %.8h %.10g %.6D %.11T %N"
_NODE = "%#N %.6D %.#P %6t"
_NODE_LONG = "%#N %.6D %.#P %.11T %4c %.8z %.6m %.8d %.6w %.8f %20E"
_SUMMARY = "%#P %.5a %.10l %.16F %N"
_REASONS = "%20E %9u %19H %N"
_STATES = {
    "alloc": "allocated",
    "allocated": "allocated",
    "idle": "idle",
    "mix": "mixed",
    "mixed": "mixed",
    "down": "down",
    "drain": "drain",
    "drained": "drained",
    "drng": "draining",
    "draining": "draining",
}


def run(run: Invocation) -> int:
    """List partitions and their nodes."""
    given = given_to(run, OPTIONS)
    if given.flag("clusters"):
        from molokini.compat.slurm.cluster import check_clusters

        name = check_clusters(run, given.one("clusters"))
        if not given.flag("noheader"):
            run.say(f"CLUSTER: {name}")
    from molokini.compat.slurm.cluster import nodes, nodes_of, partitions

    queues, all_nodes = partitions(run), nodes(run)
    wanted = names(given.one("partition") or run.variables.get("SINFO_PARTITION", ""))
    among = [
        (queue, place == 0, _nodes(run, given, nodes_of(run, queue, all_nodes)))
        for place, queue in enumerate(queues)
        if not wanted or queue["name"] in wanted
    ]
    if given.flag("json"):
        from molokini.compat.slurm.sinfo_json import document

        run.say(document(among, run.line))
        return 0
    from molokini.compat.slurm.sinfo_fields import groups

    prefix, columns = _columns(run, given, among)
    lines = groups(among, {column.name for column in columns}, given.flag("Node"))
    if given.flag("list_reasons"):
        lines = [one for one in lines if one.nodes]
    _sort(run, given, lines)
    _show(run, given, prefix, columns, lines)
    return 0


def _nodes(run: Invocation, given: Values, found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those of a partition that were asked for."""
    from molokini.compat.slurm.nodes import state_of

    if given.flag("nodes"):
        from molokini.compat.slurm.hosts import expanded

        try:
            wanted = set(expanded(given.one("nodes")))
        except ValueError:
            raise Failed(f"sinfo: error: Invalid node name {given.one('nodes')}") from None
        found = [one for one in found if one["name"] in wanted]
    states = _wanted_states(given)
    if states:
        found = [one for one in found if state_of(one) in states]
    if given.flag("list_reasons"):
        found = [one for one in found if one.get("reason")]
    if given.flag("responding"):
        found = [one for one in found if one.get("state") != "DOWN"]
    return found


def _wanted_states(given: Values) -> set[str]:
    if given.flag("dead"):
        return {"down"}
    found: set[str] = set()
    for word in names(given.one("states").replace("&", ",")):
        if word.lower() == "all":
            return set()
        if word.lower() not in _STATES:
            known = ",".join(dict.fromkeys(_STATES.values()))
            raise Failed(f'sinfo: error: Bad state string: "{word}"\nsinfo: error: valid states: {known}')
        state = _STATES[word.lower()]
        found |= {"drained", "draining"} if state == "drain" else {state}
    return found


def _columns(run: Invocation, given: Values, among: list[Any]) -> tuple[str, list[Column]]:
    from molokini.compat.slurm import formats
    from molokini.compat.slurm.sinfo_fields import LETTERED, NAMED

    def unknown(name: str) -> None:
        run.complain(f"Invalid node format specification: {name}")

    def unknown_name(name: str) -> None:
        run.complain(f"sinfo: error: Invalid job format specification: {name}")  # so says sinfo

    if given.flag("Format"):
        return "", formats.named(given.one("Format"), NAMED, unknown_name)
    if given.flag("format"):
        return formats.lettered(given.one("format"), LETTERED, unknown)
    text = run.variables.get("SINFO_FORMAT", "") or _default(given)
    text = text.replace("#P", f"{_widest([queue['name'] + '*' for queue, _, _ in among])}P")
    every = [node["name"] for _, _, nodes in among for node in nodes]
    text = text.replace("#N", f"{_widest(every)}N")
    return formats.lettered(text, LETTERED, unknown)


def _default(given: Values) -> str:
    if given.flag("list_reasons"):
        return _REASONS
    if given.flag("summarize"):
        return _SUMMARY
    if given.flag("Node"):
        return _NODE_LONG if given.flag("long") else _NODE
    return _LONG if given.flag("long") else _FORMAT


def _widest(texts: list[str]) -> int:
    return max([9, *map(len, texts)])


def _sort(run: Invocation, given: Values, lines: list[Group]) -> None:
    """By partition in their order and by state, of nodes by name, unless other letters are given."""
    from molokini.compat.ordering import natural
    from molokini.compat.slurm import nodes
    from molokini.compat.slurm.sinfo_fields import LETTERED

    order = given.one("sort") or run.variables.get("SINFO_SORT", "")
    if order:
        lines.sort(key=lambda one: natural(one.names))
    elif given.flag("Node"):
        order = "N"
    else:
        places: dict[int, int] = {}
        for one in lines:
            places.setdefault(id(one.queue), len(places))
        lines.sort(key=lambda one: (places[id(one.queue)], nodes.ORDER.index(one.state)))
        return
    for word in reversed(names(order)):
        letter = word.lstrip("+-#")
        if letter not in LETTERED:
            continue  # as sinfo does
        keys = {id(one): natural(LETTERED[letter][1](one)) for one in lines}
        lines.sort(key=lambda one: keys[id(one)], reverse=word.startswith("-"))


def _show(run: Invocation, given: Values, prefix: str, columns: list[Column], lines: list[Group]) -> None:
    from molokini.compat.columns import line

    if given.flag("long") and not given.flag("noheader"):
        import time

        run.say(time.strftime("%a %b %d %H:%M:%S %Y"))
    if not given.flag("noheader"):
        run.say(prefix + line(columns, [column.header for column in columns]))
    for one in lines:
        run.say(prefix + line(columns, [column.cell(one) for column in columns]))
