"""``diagnose -n``: nodes with what they have, and what is odd about them."""

from __future__ import annotations

from molokini.compat._types import Found, Invocation
from molokini.compat.maui.asking import report
from molokini.compat.maui.failing import no
from molokini.compat.maui.words import NODE_STATES, brief


def show(run: Invocation, letter: str, name: str, partition: str) -> None:
    """Print all nodes, those of *partition*, or the one called *name*."""
    found = report(run, "nodes")
    lines = [one for one in found["nodes"] if partition in ("", one["partition"] or "DEFAULT")]
    lines = [one for one in lines if name in ("", one["node"])]
    if not lines and (name or partition):
        raise no(f"no node '{name}'" if name else f"no node in partition '{partition}'")
    render(run, lines)


def render(run: Invocation, lines: list[Found]) -> None:
    """Print *lines*, nodes of a report."""
    queues = run.transport.call("ClusterService", "ListQueues", {}).get("queues", ())
    run.say("diagnosing node table")
    run.say(
        f"{'Name':<20} {'State':>8} {'Procs':>9} {'Memory':>15} {'Disk':>11} {'Swap':>15} {'Speed':>6} "
        f"{'Opsys':>6} {'Arch':>6} {'Par':<3} {'Load':>6} {'Res':>3} {'Classes':<22} Network    Features\n"
    )
    for one in lines:
        run.say(_line(one, queues))
    free = sum(one["processors_free"] for one in lines)
    whole = sum(one["processors"] for one in lines)
    run.say(f"{'-----':<20} {'---':>8} {f'{free}:{whole}':>9} {'-----':>15} {'-----':>11} {'-----':>15}\n")
    run.say(f"Total Nodes: {len(lines)}  ({_by_state(lines)})")
    for one in lines:
        if one["state"] in ("down", "drained", "draining"):
            why = f": {one['reason']}" if one["reason"] else ""
            run.say(f"WARNING:  node '{one['node']}' is {one['state']}{why}")


def _line(one: Found, queues: list[Found]) -> str:
    features = "".join(f"[{name}]" for name in one["features"]) or "[NONE]"
    part, room = brief(one["partition"] or "DEFAULT", 3), f"{one['processors_free']}:{one['processors']}"
    usable = [each["name"] for each in queues if not each.get("nodes") or one["node"] in each["nodes"]]
    classes = "".join(f"[{name} {room}]" for name in usable) or "[NONE]"
    return (
        f"{one['node']:<20} {NODE_STATES[one['state']]:>8} {room:>9} {_free(one, 'memory'):>15} "
        f"{_free(one, 'disk'):>11} {_free(one, 'swap'):>15} {1.0:>6.2f} {'[NONE]':>6} {'[NONE]':>6} "
        f"{part:<3} {one['load'] * one['processors']:>6.2f} {len(one['jobs']):>03} {classes:<22} "
        f"[DEFAULT]  {features}"
    )


def _free(one: Found, what: str) -> str:
    """``512:1024``, free and configured; nothing where it is not counted."""
    whole = one[f"{what}_mb"]
    return "-" if whole is None else f"{one[f'{what}_free_mb']:.0f}:{whole:.0f}"


def _by_state(lines: list[Found]) -> str:
    active = sum(bool(one["jobs"]) for one in lines)
    idle = sum(one["state"] == "idle" for one in lines)
    down = sum(one["state"] in ("down", "drained") for one in lines)
    return f"Active: {active}  Idle: {idle}  Down: {down}"
