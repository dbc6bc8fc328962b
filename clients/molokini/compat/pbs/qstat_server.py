"""``qstat -Q``, ``-q`` and ``-B``: queues and the server."""

from __future__ import annotations

import sys

from molokini.compat._types import Any, Invocation, Queue, Values
from molokini.compat.columns import fit
from molokini.compat.pbs.dialect import PRO_VERSION
from molokini.compat.pbs.failing import UNKNOWN_QUEUE, code_of, line
from molokini.compat.pbs.finding import Complaints
from molokini.compat.pbs.printing import delimited, json_text, lines
from molokini.compat.pbs.queues import Counts, added, all_queues, counts, queue_attributes
from molokini.compat.pbs.server import here_is
from molokini.compat.pbs.sizes import short
from molokini.compat.pbs.times import short_clock

_QUEUES = (
    "Queue              Max   Tot Ena Str   Que   Run   Hld   Wat   Trn   Ext Type",
    "---------------- ----- ----- --- --- ----- ----- ----- ----- ----- ----- ----",
)
_LIMITS = (
    "Queue            Memory CPU Time Walltime Node   Run   Que   Lm  State",
    "---------------- ------ -------- -------- ---- ----- ----- ----  -----",
)
_SERVERS = (
    "Server             Max   Tot   Que   Run   Hld   Wat   Trn   Ext Status",
    "---------------- ----- ----- ----- ----- ----- ----- ----- ----- -----------",
)
_COUNTED = ("Queued", "Running", "Held", "Waiting", "Transit", "Exiting")


def show(run: Invocation, given: Values) -> int:
    """Print what is asked for; the exit code."""
    cluster = run.transport.call("ClusterService", "GetCluster", {})
    complaints = Complaints(run)
    counted = counts(run)
    if given.flag("B"):
        _show_server(run, given, cluster, counted)
        return 0
    queues = _wanted(run, given, str(cluster["name"]), complaints)
    if given.flag("q"):
        _show_limits(str(cluster["name"]), queues, counted)
    elif given.flag("f"):
        made = {one["name"]: queue_attributes(one, counted.get(one["name"], Counts())) for one in queues}
        _show_all(run, given, "Queue", made, str(cluster["name"]))
    elif queues:
        _print([*_QUEUES, *(_queue_line(one, counted.get(one["name"], Counts())) for one in queues)])
    return complaints.code


def _wanted(run: Invocation, given: Values, server: str, complaints: Complaints) -> list[Queue]:
    found = all_queues(run)
    names = [word.partition("@") for word in given.words]
    if not any(name for name, _, _ in names):
        return found
    known = {queue["name"]: queue for queue in found}
    made = []
    for name, _, behind in names:
        if name in known and here_is(server, behind):
            made.append(known[name])
        else:
            complaints.tell(line(run, UNKNOWN_QUEUE, name), code_of(UNKNOWN_QUEUE))
    return made


def _queue_line(queue: Queue, counted: Counts) -> str:
    enabled, started = ("yes" if queue.get(name) else "no" for name in ("enabled", "started"))
    columns = " ".join(f"{_count(counted, name):>5}" for name in _COUNTED)
    first = f"{fit(queue['name'], 16)} {queue.get('max_jobs', 0):>5} {counted.total:>5}"
    return f"{first} {enabled:>3} {started:>3} {columns} Exec"


def _count(counted: Counts, name: str) -> int:
    """Arrays of which elements run are among those that run."""
    return counted.of(name) + (counted.of("Begun") if name == "Running" else 0)


def _show_limits(server: str, queues: list[Queue], counted: dict[str, Counts]) -> None:
    made = ["", f"server: {server}", "", *_LIMITS]
    running = queued = 0
    for queue in queues:
        one = counted.get(queue["name"], Counts())
        runs = _count(one, "Running")
        waits = one.total - runs
        running, queued = running + runs, queued + waits
        made.append(_limit_line(queue, runs, waits))
    made += [f"{'':46}----- -----", f"{'':46}{running:>5} {queued:>5}"]
    _print(made)


def _limit_line(queue: Queue, running: int, queued: int) -> str:
    state = ("E" if queue.get("enabled") else "D") + " " + ("R" if queue.get("started") else "S")
    walltime = short_clock(queue["max_estimate_s"]) if queue.get("max_estimate_s") else "--"
    limit = queue.get("max_jobs") or "--"
    columns = f"{fit(queue['name'], 16)} {short(0):>6} {'--':>8} {walltime:>8} {'--':>4}"
    return f"{columns} {running:>5} {queued:>5} {limit:>4}   {state}"


def _show_server(run: Invocation, given: Values, cluster: dict[str, Any], counted: dict[str, Counts]) -> None:
    name, total = str(cluster["name"]), added(counted.values())
    if given.flag("f"):
        return _show_all(run, given, "Server", {name: server_attributes(run, cluster, total)}, name)
    columns = " ".join(f"{_count(total, state):>5}" for state in _COUNTED)
    _print([*_SERVERS, f"{fit(name, 16)} {0:>5} {total.total:>5} {columns} Active"])
    return None


def server_attributes(run: Invocation, cluster: dict[str, Any], total: Counts) -> dict[str, Any]:
    """What ``qstat -Bf`` and ``list server`` show."""
    queues = all_queues(run)
    made: dict[str, Any] = {
        "server_state": "Active",
        "server_host": cluster["name"],
        "scheduling": "True",
        "total_jobs": total.total,
        "state_count": total.text(),
        "default_queue": queues[0]["name"] if queues else "",
        "resources_available": {
            "ncpus": cluster.get("processors_up", 0),
            "nodect": cluster.get("nodes_up", 0),
        },
        "resources_assigned": {"ncpus": cluster.get("processors_up", 0) - cluster.get("processors_free", 0)},
        "pbs_version": PRO_VERSION,
    }
    return made


def _show_all(
    run: Invocation, given: Values, kind: str, found: dict[str, dict[str, Any]], server: str
) -> None:
    """All attributes of queues, or of the server."""
    if given.one("F") == "json":
        import time

        head = {"timestamp": int(time.time()), "pbs_version": PRO_VERSION, "pbs_server": server}
        sys.stdout.write(json_text({**head, kind: found}) + "\n")
        return
    for name, made in found.items():
        if given.one("F") == "dsv":
            run.say(delimited(f"{kind}: {name}", made, given.one("D", "|")))
        else:
            _print([f"{kind}: {name}", *lines(made, not given.flag("w")), ""])


def _print(made: list[str]) -> None:
    sys.stdout.write("\n".join([*made, ""]))
