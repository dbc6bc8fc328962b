"""``diagnose -S`` and ``-R``: the scheduler, and the agents that stand for its resource manager."""

from __future__ import annotations

from molokini.compat._types import Found, Invocation
from molokini.compat.maui.asking import report
from molokini.compat.maui.times import span


def show(run: Invocation, letter: str, name: str, partition: str) -> None:
    """Print one of the two."""
    render(run, report(run, "agents" if letter == "R" else "scheduler"))


def render(run: Invocation, found: Found) -> None:
    """Print the report *found*, which is of the agents or of the scheduler, and what is wrong."""
    (_agents if "agents" in found else _scheduler)(run, found)
    for text in found["warnings"]:
        run.say(f"WARNING:  {text}")


def _scheduler(run: Invocation, found: Found) -> None:
    clock, jobs = found["clock"], found["jobs"]
    state = "PAUSED" if found.get("paused") else "RUNNING"
    run.say(f"Molokini {found['release'] or ''}  policy: {found['policy']}  state: {state}")
    run.say(f"Iterations: {found['iterations']}   Starts: {found['starts']}")
    run.say(f"Clock: {clock['kind']}{' (paused)' if clock['paused'] else ''}   Poll Interval: {_poll(found)}")
    run.say(f"Backfill: {found['backfill'] or 'NONE'}   Reservations: {found['reservations'] or 'NONE'}")
    run.say(
        f"Jobs: Active: {jobs['active']}  Waiting: {jobs['waiting']}  Blocked: {jobs['blocked']}   "
        f"Policy Failures: {found['policy_failures']}"
    )


def _poll(found: Found) -> str:
    return "NONE" if found["poll_interval_s"] is None else span(found["poll_interval_s"])


def _agents(run: Invocation, found: Found) -> None:
    run.say("diagnosing resource managers\n")
    if not found["agents"]:
        run.say("no agent has any nodes here")
    for one in found["agents"]:
        state = "Active" if one["connected"] else "Down"
        run.say(f"RM[{one['agent']}]  State: {state}  Peer: {one['peer']}")
        silent = "never" if one["silent_s"] is None else f"{span(one['silent_s'])} ago"
        lease = "NONE" if one["lease_left_s"] is None else span(one["lease_left_s"])
        run.say(f"  Last message: {silent}   Lease left: {lease}")
        run.say(
            f"  Nodes Reported: {one['nodes']} ({one['nodes_up']} up)   Procs: {one['processors']}   "
            f"Jobs: {one['attempts']}"
        )
