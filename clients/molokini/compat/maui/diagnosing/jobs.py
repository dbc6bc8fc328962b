"""``diagnose -j``: open jobs with what they ask for, and what is odd about them."""

from __future__ import annotations

from molokini.compat._types import Found, Invocation
from molokini.compat.maui.asking import report
from molokini.compat.maui.times import span
from molokini.compat.maui.words import brief, holds_of, plain, state


def show(run: Invocation, letter: str, name: str, partition: str) -> None:
    """Print all open jobs, or the one called *name*."""
    render(run, report(run, "jobs", **({"job": name} if name else {})))


def render(run: Invocation, found: Found) -> None:
    """Print the jobs of the report *found*."""
    holds = holds_of(run, found["jobs"])
    run.say(
        f"{'Name':<18} {'State':>10} {'Par':<3} {'Proc':>4} {'QOS':<3} {'WCLimit':>11} R Min "
        f"{'User':>8} {'Group':>8} {'Account':>8} {'QueuedTime':>11} {'Network':<7} {'Opsys':<6} "
        f"{'Arch':<6} {'Mem':>6} {'Disk':>6} {'Procs':>5} {'Class':>10}\n"
    )
    for one in found["jobs"]:
        run.say(_line(one, state(one, holds), found["now_s"]))
    for one in found["jobs"]:
        for text in one["warnings"]:
            run.say(f"WARNING:  job '{one['job']}' {text}")
    totals = found["totals"]
    run.say(f"\nTotal Jobs: {totals['jobs']}  Active Jobs: {totals['jobs_active']}")


def _line(one: Found, word: str, now_s: float) -> str:
    parts = one["partitions"] or ["ALL"]
    part = brief(parts[0], 3) if len(parts) == 1 else "ALL"
    queued_s = now_s - one["submitted_s"] if one["queue_time_s"] is None else one["queue_time_s"]
    name = one["job"] if one["count"] == 1 else f"{one['job']} x{one['count']}"
    queue, who = f"[{one['queue']}:1]", brief(one["user"], 8)
    group, account = brief(one["group"] or "-", 8), brief(one["account"] or "-", 8)
    memory, disk = plain(one["memory_mb"], 0, ">=0"), plain(one["disk_mb"], 0, ">=0")
    return (
        f"{name:<18} {word:>10} {part:<3} {one['processors']:>4} {brief(one['qos'] or 'DEF', 3):<3} "
        f"{span(one['estimate_s']):>11} {'0' if one['reserved_s'] is None else '1'} {1:>3} "
        f"{who:>8} {group:>8} {account:>8} {span(queued_s):>11} {'[NONE]':<7} {'[NONE]':<6} {'[NONE]':<6} "
        f"{memory:>6} {disk:>6} {one['processors']:>5} {queue:>10}"
    )
