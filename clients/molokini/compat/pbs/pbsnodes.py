"""``pbsnodes``: shows nodes, takes them out of service and back."""

from __future__ import annotations

import sys

from molokini.compat._types import Any, Invocation, Node, Values
from molokini.compat.columns import fit
from molokini.compat.failures import Refused
from molokini.compat.options import option, refused, without_effect
from molokini.compat.pbs.commanding import USUAL, given_to
from molokini.compat.pbs.dialect import PRO_VERSION, torque
from molokini.compat.pbs.failing import UNKNOWN_NODE, code_of, line, number_of
from molokini.compat.pbs.failing import usage as wrong
from molokini.compat.pbs.finding import Complaints
from molokini.compat.pbs.nodes import attributes, jobs_by_node, nodes, state_of
from molokini.compat.pbs.printing import delimited, json_text, lines, xml_nodes
from molokini.compat.pbs.server import server_name

OPTIONS = (
    *USUAL,
    option("-a", text="all nodes"),
    option("-c", text="return nodes to service (Torque)"),
    option("-C", "COMMENT", "with -o: reason"),
    refused("-d", why="use -o to take nodes out of service"),
    option("-D", "DELIMITER", "between attributes with -F dsv; | unless given"),
    option("-F", "FORMAT", "json or dsv"),
    option("-H", "NODES", "these nodes"),
    option("-j", text="with -S: with the ids of jobs"),
    option("-l", text="nodes that are out of service; with a state (Torque): nodes in that state"),
    without_effect("-L", why="columns of -S are never cut"),
    option("-n", text="with -l: add the reasons"),
    option("-N", "NOTE", "with -o: reason (Torque)"),
    option("-o", text="mark nodes offline: running jobs continue, no new jobs start"),
    refused("-p", why="nodes are not purged"),
    without_effect("-q", why="these changes print no messages"),
    option("-r", text="return nodes to service"),
    without_effect("-s", "SERVER", why="MOLOKINI_GATEWAY names the server"),
    option("-S", text="one line per node"),
    option("-v", text="these nodes"),
    option("-x", text="as XML (Torque)"),
)

_TORQUE_STATES = ("free", "offline", "down", "busy", "job-exclusive", "all", "active", "up")
_SHORT = (
    "                                                        mem       ncpus   nmics   ngpus",
    "vnode           state           njobs   run   susp      f/t        f/t     f/t     f/t   jobs",
    "--------------- --------------- ------ ----- ------ ------------ ------- ------- ------- -------",
)


def run(run: Invocation) -> int:
    """Do what is asked for; the exit code is that of the last complaint."""
    given = given_to(run, OPTIONS, "[node]...")
    if given.flag("F") and given.one("F") not in ("json", "dsv", "default"):
        raise wrong(run, f"illegal -F value {given.one('F')[:40]!r}: must be json, dsv or default")
    names = [*given.words, *(name for name in given.one("H").split(",") if name)]
    if given.flag("o") or given.flag("r") or given.flag("c"):
        return _change(run, given, names)
    is_torque = torque(run.variables)
    if given.flag("l"):
        return _show_absent(run, given, names, is_torque)
    if not (
        names or given.flag("a") or given.flag("S") or given.flag("x") or is_torque or run.name == "qnodes"
    ):
        raise wrong(run, "expected -a or a node (see pbsnodes --help)")
    return _show(run, given, names, is_torque)


def _change(run: Invocation, given: Values, names: list[str]) -> int:
    """Take the nodes out of service, or back."""
    if not names:
        raise wrong(run, "expected a node (see pbsnodes --help)")
    complaints = Complaints(run)
    state = "DRAINING" if given.flag("o") else "UP"
    reason = given.one("C") or given.one("N")
    for name in names:
        try:
            asked = {"names": [name], "state": state, "reason": reason if state == "DRAINING" else ""}
            run.transport.call("ClusterService", "ChangeNodes", asked)
        except Refused as error:
            _complain(run, error, name, complaints)
    return complaints.code


def _complain(run: Invocation, error: Refused, name: str, complaints: Complaints) -> None:
    number = number_of(error)
    if error.code == "NOT_FOUND":
        number = UNKNOWN_NODE
    complaints.tell(line(run, number, name, "" if number == UNKNOWN_NODE else str(error)), code_of(number))


def _found(run: Invocation, names: list[str], complaints: Complaints) -> list[Node]:
    """All nodes, or those that are named, each looked up by itself so that one may be unknown."""
    if not names:
        return nodes(run)
    found = []
    for name in names:
        try:
            found += nodes(run, [name])
        except Refused as error:
            _complain(run, error, name, complaints)
    return found


def _show_absent(run: Invocation, given: Values, names: list[str], is_torque: bool) -> int:
    """``-l``: a line for each node that is out of service, or in the state that is named."""
    complaints, wanted = Complaints(run), ""
    if is_torque and names and names[0] in _TORQUE_STATES:
        wanted, names = names[0], names[1:]
    for node in _found(run, names, complaints):
        words = state_of(node, is_torque)
        if not _is(words, wanted):
            continue
        text = f"{node['name']:<20} {words}"
        if node.get("reason") and (given.flag("n") or not is_torque):
            text += f" {node['reason']}"
        run.say(text)
    return complaints.code


def _is(words: str, wanted: str) -> bool:
    absent = words.partition(",")[0] in ("down", "offline")
    if not wanted:
        return absent
    if wanted in ("up", "active"):
        return not absent and (wanted == "up" or words != "free")
    return wanted == "all" or wanted in words.split(",") or (wanted == "busy" and "job-exclusive" in words)


def _show(run: Invocation, given: Values, names: list[str], is_torque: bool) -> int:
    complaints = Complaints(run)
    found = _found(run, names, complaints)
    server = server_name(run)
    running = jobs_by_node(run, server)
    if given.flag("S") and given.one("F") == "json":
        short = {node["name"]: _short_values(node, running.get(node["name"], [])) for node in found}
        sys.stdout.write(json_text({**_head(server), "nodes": short}) + "\n")
        return complaints.code
    if given.flag("S"):
        made = [*_SHORT, *(_short(node, running.get(node["name"], []), given.flag("j")) for node in found)]
        sys.stdout.write("\n".join([*made, ""]))
        return complaints.code
    shown = {node["name"]: attributes(node, running.get(node["name"], []), is_torque) for node in found}
    if given.flag("x") and is_torque:
        sys.stdout.write(xml_nodes(shown) + "\n")
    elif given.one("F") == "json":
        sys.stdout.write(json_text({**_head(server), "nodes": shown}) + "\n")
    else:
        for name, one in shown.items():
            if given.one("F") == "dsv":
                run.say(delimited(f"Name={name}", one, given.one("D", "|")))
            else:
                sys.stdout.write("\n".join([name, *lines(one, wraps=False, indent=" " * 5), "", ""]))
    return complaints.code


def _head(server: str) -> dict[str, Any]:
    import time

    return {"timestamp": int(time.time()), "pbs_version": PRO_VERSION, "pbs_server": server}


def _short_values(node: Node, running: list[tuple[str, int]]) -> dict[str, Any]:
    """What ``-S -F json`` says of a node: free and all of each resource, as the columns have them."""
    total, used = node["processors"], node.get("processors_used", 0)
    memory, taken = node.get("memory_kb", 0), node.get("memory_used_kb", 0)
    gpus = node.get("generic", {}).get("gpu", 0)
    free_gpus = gpus - node.get("generic_used", {}).get("gpu", 0)
    names = list(dict.fromkeys(name for name, _ in running))
    return {
        "State": state_of(node, torque=False),
        "njobs": len(names),
        "run": len(names),
        "susp": 0,
        "mem f/t": f"{(memory - taken) >> 20}gb/{memory >> 20}gb",
        "ncpus f/t": f"{total - used}/{total}",
        "nmics f/t": "0/0",
        "ngpus f/t": f"{free_gpus}/{gpus}",
        "jobs": names,
    }


def _short(node: Node, running: list[tuple[str, int]], with_jobs: bool) -> str:
    total, used = node["processors"], node.get("processors_used", 0)
    memory, taken = node.get("memory_kb", 0), node.get("memory_used_kb", 0)
    gpus = node.get("generic", {}).get("gpu", 0)
    free_gpus = gpus - node.get("generic_used", {}).get("gpu", 0)
    count = len({name for name, _ in running})
    ids = ",".join(dict.fromkeys(name.partition(".")[0] for name, _ in running))
    shown = ids if with_jobs and ids else "--"
    memories = f"{(memory - taken) >> 20}gb/{memory >> 20}gb"
    first = f"{fit(node['name'], 15)} {state_of(node, torque=False):<15} {count:>6} {count:>5} {0:>6}"
    rest = f"{f'{total - used}/{total}':>7} {'0/0':>7} {f'{free_gpus}/{gpus}':>7} {shown}"
    return f"{first} {memories:>12} {rest}"
