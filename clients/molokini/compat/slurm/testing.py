"""``sbatch --test-only``: whether a job would be taken, and when it would start."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation, Queue
from molokini.compat.tool import Failed


def say_when(run: Invocation, made: dict[str, Any]) -> int:
    """Print on standard error when the job *made* would start. Failed where it never could."""
    from molokini.compat.slurm import times
    from molokini.compat.slurm.cluster import nodes_of, partitions
    from molokini.compat.slurm.hosts import compressed

    starts: list[tuple[float, Queue]] = []
    refusals: list[Failed] = []
    for queue in _named(run, made, partitions(run)):
        try:
            starts.append((_start_s(run, made, queue), queue))
        except Failed as error:
            refusals.append(error)
    if not starts:
        raise refusals[0]
    start_s, queue = min(starts, key=lambda one: one[0])
    free = [one["name"] for one in nodes_of(run, queue) if one.get("state") == "UP"]
    run.complain(
        f"{run.name}: Job 0 to start at {times.shown(start_s)} using {_processors(made)} processors on nodes "
        f"{compressed(free)} in partition {queue['name']}"
    )
    return 0


def _named(run: Invocation, made: dict[str, Any], queues: list[Queue]) -> list[Queue]:
    """The partitions in which the job may start. Failed for a name that is none."""
    from molokini.compat.slurm.cluster import among

    names = [made.get("queue", "") or queues[0]["name"], *made.get("further_queues", ())]
    known = {one["name"] for one in queues}
    if stranger := next((one for one in names if one not in known), ""):
        raise _never(f"invalid partition specified: {stranger}", "Invalid partition name specified")
    return among(run, names, queues)


def _processors(made: dict[str, Any]) -> int:
    asked = made["resources"]
    return int(asked.get("processors") or asked["nodes"] * asked["processors_per_node"])


def _start_s(run: Invocation, made: dict[str, Any], queue: Queue) -> float:
    """When it would start in this partition. Failed where it never could."""
    from molokini.compat.failures import Refused

    _check(made, queue)
    seconds = made.get("estimate_s") or float(queue.get("default_estimate_s", 0.0) or 3600.0)
    report = {
        "name": "start",
        "processors": _processors(made),
        "duration_s": seconds,
        "queue": queue["name"],
    }
    try:
        told = run.transport.call("ClusterService", "GetReport", report)
    except Refused as error:
        raise _never(str(error), "Requested node configuration is not available") from None
    import json

    start_s = json.loads(told["json"]).get("start_s")
    if start_s is None:
        raise _never("it would never start", "Requested node configuration is not available")
    return float(start_s)


def _check(made: dict[str, Any], queue: Queue) -> None:
    """Failed for what the partition does not take."""
    if not queue.get("enabled"):
        raise _never(
            f"partition {queue['name']} takes no jobs", "Required partition not available (inactive or drain)"
        )
    longest = float(queue.get("max_estimate_s", 0.0))
    if longest and made.get("estimate_s", 0.0) > longest:
        text = "Requested time limit is invalid (missing or exceeds some limit)"
        raise _never(f"--time: at most {longest:.0f} seconds in partition {queue['name']}", text)


def _never(why: str, words: str) -> Failed:
    return Failed(f"sbatch: error: {why}\nallocation failure: {words}")
