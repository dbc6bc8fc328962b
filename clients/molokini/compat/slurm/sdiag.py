"""``sdiag``: how the server and its policy are doing."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation
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


_CALLS = """\
Latency for 1000 calls to gettimeofday(): 0 microseconds

Remote Procedure Call statistics by message type

Remote Procedure Call statistics by user

Pending RPC statistics
\tNo pending RPCs"""


def run(run: Invocation) -> int:
    """Show counts of jobs and passes."""
    given_to(run, OPTIONS)
    import json

    cluster = run.transport.call("ClusterService", "GetCluster", {})

    def report(name: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(
            run.transport.call("ClusterService", "GetReport", {"name": name})["json"]
        )
        return found

    scheduler, statistics = report("scheduler"), report("statistics")
    totals = statistics["totals"]
    assert isinstance(totals, dict)
    _say(run, cluster, scheduler, totals)
    return 0


def _say(
    run: Invocation,
    cluster: dict[str, Any],
    scheduler: dict[str, Any],
    totals: dict[str, Any],
) -> None:
    """The lines of the real one, in its order; what is not counted here is 0.

    Jobs that have ended without success stand under those that were cancelled.
    """
    import time

    def stamp(at_s: float) -> str:
        return f"{time.strftime('%a %b %d %H:%M:%S %Y', time.localtime(at_s))} ({int(at_s)})"

    now_s, since_s = float(scheduler["now_s"]), float(totals.get("since_s") or scheduler["now_s"])
    rule = "*" * 55
    run.say(f"{rule}\nsdiag output at {stamp(now_s)}\nData since      {stamp(since_s)}\n{rule}")
    run.say(_jobs(cluster, totals, stamp(now_s)))
    cycles, minutes = int(scheduler.get("iterations", 0)), max(1.0, (now_s - since_s) / 60)
    run.say(_passes(int(cluster.get("jobs_waiting", 0)), cycles, int(cycles / minutes), stamp(now_s)))
    run.say(_CALLS)


def _jobs(cluster: dict[str, Any], totals: dict[str, Any], now: str) -> str:
    waiting, held = int(cluster.get("jobs_waiting", 0)), int(cluster.get("jobs_held", 0))
    started = sum(int(cluster.get(name, 0)) for name in ("jobs_running", "jobs_suspended", "jobs_ended"))
    return f"""\
Server thread count:  1
Agent queue size:     0
Agent count:          0
Agent thread count:   0
DBD Agent queue size: 0

Jobs submitted: {started + waiting + held}
Jobs started:   {started}
Jobs completed: {totals.get("jobs_successful", 0)}
Jobs canceled:  {max(0, int(cluster.get("jobs_ended", 0)) - int(totals.get("jobs_successful", 0)))}
Jobs failed:    0

Job states ts:  {now}
Jobs pending:   {waiting + held}
Jobs running:   {cluster.get("jobs_running", 0)}
"""


def _passes(waiting: int, cycles: int, a_minute: int, now: str) -> str:
    return f"""\
Main schedule statistics (microseconds):
\tLast cycle:   0
\tMax cycle:    0
\tTotal cycles: {cycles}
\tMean cycle:   0
\tMean depth cycle:  {waiting}
\tCycles per minute: {a_minute}
\tLast queue length: {waiting}

Backfilling stats
\tTotal backfilled jobs (since last slurm start): 0
\tTotal backfilled jobs (since last stats cycle start): 0
\tTotal backfilled heterogeneous job components: 0
\tTotal cycles: {cycles}
\tLast cycle when: {now}
\tLast cycle: 0
\tMax cycle:  0
\tMean cycle: 0
\tLast depth cycle: {waiting}
\tLast depth cycle (try sched): {waiting}
\tDepth Mean: {waiting}
\tDepth Mean (try depth): {waiting}
\tLast queue length: {waiting}
\tQueue length mean: {waiting}
\tLast table size: 0
\tMean table size: 0
"""
