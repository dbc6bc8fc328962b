"""Nodes, partitions and the clock, as Slurm's commands ask for them."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation, Node, Queue, Sequence
from molokini.compat.slurm.hosts import expanded

_PAGE = 10_000


def partitions(run: Invocation) -> list[Queue]:
    """All queues; the first is where jobs go that name none."""
    found: list[Queue] = run.transport.call("ClusterService", "ListQueues", {}).get("queues", [])
    return found


def nodes(run: Invocation) -> list[Node]:
    """All nodes, by their names."""
    from molokini.compat.ordering import natural

    found: list[Node] = []
    asked: dict[str, Any] = {"page_size": _PAGE}
    while True:
        page = run.transport.call("ClusterService", "ListNodes", asked)
        found += page.get("nodes", [])
        if not page.get("next_page_token"):
            return sorted(found, key=lambda one: natural(one["name"]))
        asked["page_token"] = page["next_page_token"]


def among(run: Invocation, names: Sequence[str], queues: list[Queue]) -> list[Queue]:
    """Those of *names* in which a job that names them may start: most policies do not choose."""
    found = [one for name in names for one in queues if one["name"] == name]
    if len(found) > 1 and run.transport.call("ClusterService", "GetPolicy", {}).get("name") != "slurm":
        return found[:1]
    return found


def nodes_of(run: Invocation, queue: Queue, all_nodes: list[Node] | None = None) -> list[Node]:
    """The nodes of a partition."""
    known = nodes(run) if all_nodes is None else all_nodes
    patterns = queue.get("nodes", [])
    if not patterns:
        return known
    names = {name for pattern in patterns for name in expanded(pattern)}
    return [one for one in known if one["name"] in names]


class Clock:
    """The server's clock at this moment."""

    def __init__(self, run: Invocation) -> None:
        said = run.transport.call("ClusterService", "GetClock", {})
        self.now_s = float(said.get("now_s", 0.0))
        self.real = said.get("kind") == "REAL"

    def instant(self, text: str, ahead: bool = False) -> float:
        """The instant that *text* says. ValueError for none.

        On a clock that does not show the time of day, a date that is later than the clock, as tools write
        that count back from their own time, is as far from now as it is from the time of day.
        """
        import time

        from molokini.compat.slurm.times import instant

        found = instant(text, self.now_s, ahead)
        if not self.real and found > self.now_s and text[:1].isdigit():
            wall_s = time.time()
            away = instant(text, wall_s, ahead) - wall_s
            found = self.now_s + away
        return found


def kept_since_s(run: Invocation) -> float:
    """Since when jobs must have ended to be listed by squeue and scontrol, by MinJobAge."""
    from molokini.compat.slurm.configuration import MIN_JOB_AGE_S

    return max(0.0, Clock(run).now_s - MIN_JOB_AGE_S)


def name_of(run: Invocation) -> str:
    """What the cluster is called."""
    return run.transport.cluster


def check_clusters(run: Invocation, text: str) -> str:
    """The name of this cluster, which *text* must name, or ``all``. Failed for another."""
    from molokini.compat.tool import Failed

    name = name_of(run)
    for word in text.split(","):
        if word.strip() not in (name, "all"):
            word = word.strip()
            known = f"No cluster '{word}' known by database."
            why = f"'{word}' can't be reached now, or it is an invalid entry for --cluster.  "
            why += "Use 'sacctmgr list clusters' to see available clusters."
            raise Failed(f"{run.name}: error: {known}\n{run.name}: error: {why}")
    return name
