"""``checknode``: one node, what is on it, and what is wrong with it."""

from __future__ import annotations

from molokini.compat._types import Found, Invocation
from molokini.compat.maui.asking import report
from molokini.compat.maui.reading import HELP, one_word, read
from molokini.compat.maui.showres import access
from molokini.compat.maui.times import span
from molokini.compat.maui.words import NODE_STATES

OPTIONS = (HELP,)
_NONE = "[NONE]"


def run(run: Invocation) -> int:
    """Print what is known of one node."""
    given = read(run, OPTIONS, "NODE")
    render(run, report(run, "node", node=one_word(run, given, "a node")))
    return 0


def render(run: Invocation, found: Found) -> None:
    """Print the node of the report *found*."""
    name = found["node"]
    run.say(f"\n\nchecking node {name}\n")
    why = f"  ({found['reason']})" if found["reason"] else ""
    run.say(f"State:      {NODE_STATES[found['state']]}{why}{_since(found)}")
    run.say(f"Configured Resources: {_resources(found, False)}")
    run.say(f"Utilized   Resources: {_resources(found, True)}")
    run.say(f"Dedicated  Resources: {_resources(found, True)}")
    run.say(f"Opsys:         {_NONE}  Arch:      {_NONE}")
    run.say(f"Speed:      1.00  Load:       {found['load'] * found['processors']:.3f}")
    run.say("Network:    [DEFAULT]")
    run.say(f"Features:   {''.join(f'[{one}]' for one in found['features']) or _NONE}")
    run.say(f"Partition:  {found['partition'] or 'DEFAULT'}")
    run.say(f"Classes:    {classes(run, found) or _NONE}\n")
    _reservations(run, found)
    run.say(f"JobList:  {','.join(found['jobs']) or _NONE}")
    if found["state"] in ("down", "drained", "draining"):
        run.say(f"\nWARNING:  node '{name}' is {found['state']}{why}")


def _since(found: Found) -> str:
    """For how long it has been in its state: known where its last job has brought it there."""
    if found["state"] not in ("busy", "running") or not found["running"]:
        return ""
    last_s = max(job["start_s"] for job in found["running"])
    return f"  (in current state for {span(found['now_s'] - last_s)})"


def _resources(found: Found, used: bool) -> str:
    """``PROCS: 4  MEM: 1024M``: what there is, or what jobs have of it."""
    parts = []
    for label, field, unit in (
        ("PROCS", "processors", ""),
        ("MEM", "memory_mb", "M"),
        ("SWAP", "swap_mb", "M"),
        ("DISK", "disk_mb", "M"),
    ):
        whole = found[field]
        if whole is None:
            continue
        free = found[_free(field)] if used else 0
        if whole - free or not used:
            parts.append(f"{label}: {whole - free:.0f}{unit}")
    return "  ".join(parts) or _NONE


def _free(field: str) -> str:
    return field.replace("_mb", "_free_mb") if field.endswith("_mb") else f"{field}_free"


def classes(run: Invocation, *nodes: Found) -> str:
    """``[batch 2:4]`` for each queue whose jobs may run on all of *nodes*: free and all processors."""
    queues = run.transport.call("ClusterService", "ListQueues", {}).get("queues", ())
    names = {one["node"] for one in nodes}
    free = sum(one["processors_free"] for one in nodes)
    whole = sum(one["processors"] for one in nodes)
    return "".join(
        f"[{queue['name']} {free}:{whole}]"
        for queue in queues
        if not queue.get("nodes") or names <= set(queue["nodes"])
    )


def _reservations(run: Invocation, found: Found) -> None:
    now_s = found["now_s"]
    run.say("Reservations:")
    for job in found["running"]:
        end_s = job["expected_end_s"]
        start = span(job["start_s"] - now_s)
        end = span(None if end_s is None else end_s - now_s)
        length = span(None if end_s is None else end_s - job["start_s"])
        run.say(f"  Job '{job['job']}'(x{job['processors_here']})  {start} -> {end} ({length})")
    for one in found["reservations"]:
        end = span(None if one["end_s"] is None else one["end_s"] - now_s)
        tasks = one["nodes"].get(found["node"], one["processors"])
        run.say(
            f"  User '{one['reservation']}'(x{tasks})  {span(one['start_s'] - now_s)} -> {end} "
            f"({span(one['duration_s'])})  ACL: {access(one) or 'NONE'}"
        )
    if not found["running"] and not found["reservations"]:
        run.say(f"  {_NONE}")
