"""``diagnose -S`` and ``-R``: the scheduler itself, and the agents that bring its nodes."""

from dataclasses import asdict
from typing import Any

from molokini.reports.snapshot import AgentText, ClusterSnapshot, ReportRequest, finite

_SILENT_BEATS = 2.0
"""There is a warning for an agent that is silent for longer than so many heartbeats."""


def scheduler(p: ClusterSnapshot, asked: ReportRequest) -> dict[str, Any]:
    """How many iterations it has made and when the next is due, its clock, its policy, and warnings."""
    one, settings = p.scheduler, p.insight.settings(p.tables)
    waiting = len(p.waiting())
    found: dict[str, Any] = {
        "mode": one.mode,
        "release": one.release or None,
        "starts": one.starts,
        "iterations": one.iterations,
        "next_iteration_s": finite(max(one.next_s, p.now)),
        "poll_interval_s": settings.poll_s,
        "paused": one.scheduling_paused,
        "iterations_left": one.passes_left if one.scheduling_paused else None,
        "clock": {"kind": one.clock, "rate": one.rate, "paused": one.paused},
        "policy_parameters": dict(one.given),
        "backfill": settings.backfill,
        "reservations": settings.reservations,
        "most_starts_per_iteration": settings.most_starts,
        "jobs": {
            "active": len(p.running()) + len(p.suspended()),
            "waiting": waiting,
            "blocked": sum(each.count for each in p.blocked),
        },
        "policy_failures": one.failures,
        "last_policy_failure": one.last_failure or None,
    }
    return {**found, "warnings": _of_scheduler(p, waiting)}


def _of_scheduler(p: ClusterSnapshot, waiting: int) -> list[str]:
    one, found = p.scheduler, list[str]()
    if one.paused:
        found.append("the clock is paused: no time passes, and nothing starts because of it")
    if one.scheduling_paused:
        why = f": {one.paused_because}" if one.paused_because else ""
        left = f" after {one.passes_left:,} more iterations" if one.passes_left else ""
        found.append(f"scheduling is paused{left}, and no job starts{why}")
    if one.troubled:
        found.append("the journal keeps nothing for now: requests are refused, and no job starts")
    if one.failures:
        found.append(f"the policy has failed in its last {one.failures:,} iterations: {one.last_failure}")
    if waiting and not p.tables.machine.processors:
        found.append("jobs wait, and no processor is in service")
    return found


def agents(p: ClusterSnapshot, asked: ReportRequest) -> dict[str, Any]:
    """Each agent: whether it is connected, when its last message came, until when its nodes are leased."""
    one = p.link
    return {
        "agents": [{**asdict(each), "lease_left_s": _left_s(p, each)} for each in one.agents],
        "heartbeat_s": one.heartbeat_s,
        "lease_s": one.lease_s,
        "margin_s": one.margin_s,
        "warnings": [text for each in one.agents for text in _of_agent(p, each)],
    }


def _left_s(p: ClusterSnapshot, each: AgentText) -> float | None:
    """Real seconds until its nodes count as lost, if no message comes; null: they have no lease."""
    if not p.link.lease_s or each.silent_s is None:
        return None
    return max(0.0, p.link.lease_s + p.link.margin_s - each.silent_s)


def _of_agent(p: ClusterSnapshot, each: AgentText) -> list[str]:
    found = []
    if not each.connected:
        found.append(f"agent {each.agent} is not connected")
    elif p.link.heartbeat_s and (each.silent_s or 0.0) > _SILENT_BEATS * p.link.heartbeat_s:
        found.append(f"agent {each.agent} has been silent for {each.silent_s:.0f} s")
    if each.nodes_up < each.nodes:
        found.append(f"agent {each.agent}: {each.nodes - each.nodes_up:,} of {each.nodes:,} nodes are not up")
    return found
