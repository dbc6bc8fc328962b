"""``sdiag``: how the server and its policy are doing."""

from __future__ import annotations

from molokini.compat._types import Invocation
from molokini.compat.options import option, refused, without_effect
from molokini.compat.slurm.general import GENERAL, SHORT_HELP, given_to

OPTIONS = (
    *GENERAL,
    SHORT_HELP,
    option("-a --all", text="all figures (default)"),
    option("-M --cluster", "NAME", "this cluster"),
    without_effect("-i --sort-by-id", why="calls are not counted by kind"),
    without_effect("-t --sort-by-time", why="calls are not counted by kind"),
    without_effect("-T --sort-by-time2", why="calls are not counted by kind"),
    refused("-r --reset", why="figures count from the creation of the state"),
    refused("--json", why="use 'molokini status --json'"),
    refused("--yaml", why="use 'molokini status --json'"),
)


def run(run: Invocation) -> int:
    """Show counts of jobs and passes."""
    given_to(run, OPTIONS)
    import json

    from molokini.compat.slurm.times import shown

    cluster = run.transport.call("ClusterService", "GetCluster", {})
    policy = run.transport.call("ClusterService", "GetPolicy", {})

    def report(name: str) -> dict[str, object]:
        found: dict[str, object] = json.loads(
            run.transport.call("ClusterService", "GetReport", {"name": name})["json"]
        )
        return found

    scheduler, statistics = report("scheduler"), report("statistics")
    totals = statistics["totals"]
    assert isinstance(totals, dict)
    now_s = float(str(scheduler["now_s"]))
    started = sum(int(cluster.get(name, 0)) for name in ("jobs_running", "jobs_suspended", "jobs_ended"))
    counts = {
        "Jobs submitted": started + int(cluster.get("jobs_waiting", 0)) + int(cluster.get("jobs_held", 0)),
        "Jobs started": started,
        "Jobs completed": totals.get("jobs_successful", 0),
        "Jobs ended": cluster.get("jobs_ended", 0),
        "Jobs pending": int(cluster.get("jobs_waiting", 0)) + int(cluster.get("jobs_held", 0)),
        "Jobs running": cluster.get("jobs_running", 0),
    }
    rule = "*" * 55
    run.say(f"{rule}\nsdiag output at {shown(now_s)} ({int(now_s)})")
    run.say(
        f"Data since      {shown(totals.get('since_s', 0.0))} ({int(totals.get('since_s', 0.0))})\n{rule}"
    )
    run.say(f"Server of cluster {cluster.get('name')}, release {cluster.get('version')}\n")
    run.say("\n".join(f"{name + ':':<16}{count}" for name, count in counts.items()))
    run.say(f"\nMain schedule statistics (policy {policy.get('name')}):")
    run.say(f"\tTotal cycles:      {scheduler.get('iterations', 0)}")
    run.say(f"\tFailed cycles:     {scheduler.get('policy_failures', 0)}")
    run.say(f"\tLast queue length: {cluster.get('jobs_waiting', 0)}")
    run.say(f"\tStarts of server:  {scheduler.get('starts', 0)}")
    return 0
