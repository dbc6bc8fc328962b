"""Nodes as ``pbsnodes`` and qmgr show them."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation, Node, Sequence
from molokini.compat.listing import jobs
from molokini.compat.ordering import natural
from molokini.compat.pbs.dialect import PRO_VERSION
from molokini.compat.pbs.ids import name_of
from molokini.compat.pbs.sizes import in_kb

TYPE_CHECKING = False
if TYPE_CHECKING:
    Jobs = dict[str, list[tuple[str, int]]]
    """By node, the ids of the jobs that run there and how many processors each has."""

_PAGE = 10_000


def nodes(run: Invocation, names: Sequence[str] = ()) -> list[Node]:
    """The nodes *names*, or all by their names. Raises what the transport does: NOT_FOUND for a stranger."""
    asked: dict[str, Any] = {"names": list(names), "page_size": _PAGE}
    found: list[Node] = []
    while True:
        page = run.transport.call("ClusterService", "ListNodes", asked)
        found += page.get("nodes", ())
        if not page.get("next_page_token"):
            return found if names else sorted(found, key=lambda one: natural(one["name"]))
        asked["page_token"] = page["next_page_token"]


def jobs_by_node(run: Invocation, server: str) -> Jobs:
    """What runs where."""
    made: Jobs = {}
    for job in jobs(run, ("allocation",), states=["RUNNING"], expand_arrays=True):
        name = name_of(job, server)
        for node, count in job.nodes:
            made.setdefault(node, []).append((name, count))
    return made


def state_of(node: Node, torque: bool) -> str:
    """The word for its state."""
    if node["state"] == "DOWN":
        return "down"
    busy = node.get("processors_used", 0) >= node["processors"]
    word = ("job-exclusive" if torque else "job-busy") if busy else "free"
    if node["state"] == "DRAINING":
        return f"offline,{word}" if busy else "offline"
    return word


def attributes(node: Node, running: list[tuple[str, int]], torque: bool) -> dict[str, Any]:
    """Its attributes by their names, in their order; lists where there are several values."""
    return _of_torque(node, running) if torque else _of_pro(node, running)


def _of_pro(node: Node, running: list[tuple[str, int]]) -> dict[str, Any]:
    made: dict[str, Any] = {
        "Mom": node["name"],
        "ntype": "PBS",
        "state": state_of(node, torque=False),
        "pcpus": node["processors"],
        "pbs_version": PRO_VERSION,
    }
    if running:
        made["jobs"] = _slots(running, "{name}/{slot}")
    available: dict[str, Any] = {"arch": "linux", "host": node["name"]}
    if node.get("memory_kb"):
        available["mem"] = in_kb(node["memory_kb"])
    available["ncpus"] = node["processors"]
    for name, amount in sorted(node.get("generic", {}).items()):
        available["ngpus" if name == "gpu" else name] = amount
    available["vnode"] = node["name"]
    available.update(dict.fromkeys(node.get("features", ()), "True"))
    assigned: dict[str, Any] = {"ncpus": node.get("processors_used", 0)}
    if node.get("memory_kb"):
        assigned["mem"] = in_kb(node.get("memory_used_kb", 0))
    for name, amount in sorted(node.get("generic_used", {}).items()):
        assigned["ngpus" if name == "gpu" else name] = amount
    made.update(resources_available=available, resources_assigned=dict(sorted(assigned.items())))
    if node.get("reason"):
        made["comment"] = node["reason"]
    made.update(resv_enable="True", sharing="default_shared")
    return made


def _of_torque(node: Node, running: list[tuple[str, int]]) -> dict[str, Any]:
    made: dict[str, Any] = {
        "state": state_of(node, torque=True),
        "power_state": "Running",
        "np": node["processors"],
    }
    if node.get("features"):
        made["properties"] = ",".join(node["features"])
    made["ntype"] = "cluster"
    if running:
        made["jobs"] = _slots(running, "{slot}/{name}")
    if node["state"] != "DOWN":
        memory = in_kb(node.get("memory_kb", 0))
        free = in_kb(node.get("memory_kb", 0) - node.get("memory_used_kb", 0))
        names = " ".join(name for name, _ in running)
        made["status"] = (
            f"state={state_of(node, torque=True).partition(',')[0]},ncpus={node['processors']},"
            f"physmem={memory},totmem={memory},availmem={free},jobs={names},opsys=linux"
        )
    if node.get("reason"):
        made["note"] = node["reason"]
    if gpus := node.get("generic", {}).get("gpu"):
        made["gpus"] = gpus
    return made


def _slots(running: list[tuple[str, int]], pattern: str) -> list[str]:
    found, slot = [], 0
    for name, count in running:
        for _ in range(count):
            found.append(pattern.format(name=name, slot=slot))
            slot += 1
    return found
