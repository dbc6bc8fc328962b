"""``sbatch --test-only``: whether a job would be taken, and when it would start."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation
from molokini.compat.tool import Failed


def say_when(run: Invocation, made: dict[str, Any]) -> int:
    """Print on standard error when the job *made* would start. Failed where it never could."""
    from molokini.compat.failures import Refused
    from molokini.compat.slurm import times
    from molokini.compat.slurm.cluster import nodes_of, partitions
    from molokini.compat.slurm.hosts import compressed

    queues = partitions(run)
    name = made.get("queue", "") or queues[0]["name"]
    queue = next((one for one in queues if one["name"] == name), None)
    if queue is None:
        raise _never(f"invalid partition specified: {name}", "Invalid partition name specified")
    _check(made, queue)
    asked = made["resources"]
    processors = asked.get("processors") or asked["nodes"] * asked["processors_per_node"]
    seconds = made.get("estimate_s") or float(queue.get("default_estimate_s", 0.0) or 3600.0)
    report = {"name": "start", "processors": processors, "duration_s": seconds, "queue": name}
    try:
        told = run.transport.call("ClusterService", "GetReport", report)
    except Refused as error:
        raise _never(str(error), "Requested node configuration is not available") from None
    import json

    start_s = json.loads(told["json"]).get("start_s")
    if start_s is None:
        raise _never("it would never start", "Requested node configuration is not available")
    free = [one["name"] for one in nodes_of(run, queue) if one.get("state") == "UP"]
    run.complain(
        f"{run.name}: Job 0 to start at {times.shown(start_s)} using {processors} processors on nodes "
        f"{compressed(free)} in partition {name}"
    )
    return 0


def _check(made: dict[str, Any], queue: dict[str, Any]) -> None:
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
