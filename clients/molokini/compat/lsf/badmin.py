"""``badmin``: the configuration that tools ask for, and hosts and queues opened and closed."""

from __future__ import annotations

from molokini.compat._types import Invocation, Sequence
from molokini.compat.lsf import times
from molokini.compat.lsf.commanding import USUAL, given_to
from molokini.compat.lsf.failing import refusal
from molokini.compat.lsf.site import Site
from molokini.compat.options import option

OPTIONS = (*USUAL, option("-C", "TEXT", "reason for hopen or hclose"))
_BEHIND = "showconf mbd | hopen HOST ... | hclose HOST ... | qopen, qclose, qact, qinact QUEUE ..."
_HOSTS = {"hopen": ("UP", "is opened"), "hclose": ("DRAINING", "is closed")}
_QUEUES = {
    "qopen": ("enabled", True, "is opened"),
    "qclose": ("enabled", False, "is closed"),
    "qact": ("started", True, "is activated"),
    "qinact": ("started", False, "is inactivated"),
}
_COUNTS = ("jobs_held", "jobs_waiting", "jobs_running")


def run(run: Invocation) -> int:
    """Show, open or close."""
    given = given_to(run, OPTIONS, _BEHIND)
    command, words = (given.words[0], given.words[1:]) if given.words else ("", [])
    if command == "showconf" and words[:1] == ["mbd"]:
        return _show(run)
    if command in _HOSTS and words:
        return _hosts(run, command, words, given.one("C"))
    if command in _QUEUES and words:
        return _queues(run, command, words)
    raise refusal(run, f"badmin {' '.join(given.words)[:60]} is not supported: {_BEHIND}")


def _show(run: Invocation) -> int:
    queues = run.transport.call("ClusterService", "ListQueues", {})["queues"]
    cluster = run.transport.call("ClusterService", "GetCluster", {}).get("name", "")
    site = Site(run.variables, cluster, queues[0]["name"])
    try:
        site.write()
    except OSError as error:
        raise refusal(
            run, f"{site.folder}: {error.strerror}; set LSF_ENVDIR to a folder that can be written"
        ) from None
    run.say(f"MBD configuration at {times.with_year(times.now_s(run))}")
    for name, value in site.settings.items():
        run.say(f"        {name} = {value}")
    return 0


def _hosts(run: Invocation, command: str, names: Sequence[str], reason: str) -> int:
    state, done = _HOSTS[command]
    asked = {"names": list(names), "state": state, "reason": reason}
    run.transport.call("ClusterService", "ChangeNodes", asked)
    for name in names:
        run.say(f"Host <{name}> {done}")
    return 0


def _queues(run: Invocation, command: str, names: Sequence[str]) -> int:
    field, value, done = _QUEUES[command]
    known = {one["name"]: one for one in run.transport.call("ClusterService", "ListQueues", {})["queues"]}
    for name in names:
        if name not in known:
            raise refusal(run, f"{name}: No such queue")
    for name in names:
        wanted = {part: was for part, was in known[name].items() if part not in _COUNTS}
        run.transport.call("ClusterService", "SetQueue", {"queue": {**wanted, field: value}})
        run.say(f"Queue <{name}> {done}")
    return 0
