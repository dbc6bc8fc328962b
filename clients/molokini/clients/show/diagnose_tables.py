"""``diagnose -j``, ``-S`` and ``-R`` for people: open jobs, the scheduler, and the agents of the nodes."""

from collections.abc import Iterable, Mapping
from typing import Any

from molokini.clients.show.lines import Column, show_facts, show_listing
from molokini.clients.show.queue_tables import day
from molokini.clients.show.rich_tables import console, lines
from molokini.model.text import duration, figure, plural, printable

_Found = Mapping[str, Any]


def show_diagnosed_jobs(found: _Found) -> None:
    """A line a job, then what is odd about any of them."""
    jobs = found["jobs"]
    divided = any(one["partitions"] is not None for one in jobs)
    memory = any(one["memory_mb"] for one in jobs)
    columns = (
        *(Column("job"), Column("state"), Column("procs", figures=True), Column("wclimit", figures=True)),
        *(Column("priority", figures=True), Column("R"), Column("user"), Column("group"), Column("account")),
        *(Column("class"), Column("QOS"), Column("queued", figures=True)),
        *([Column("partition")] if divided else ()),
        *([Column("memory MB", figures=True)] if memory else ()),
        Column("why", cut=True),
    )
    show_listing(columns, [_job_row(one, divided, memory) for one in jobs])
    totals = found["totals"]
    told = f"{plural(totals['jobs'], 'job')}, {totals['jobs_active']:,} active"
    lines(console(), [told])
    _warn(f"job {one['job']} {text}" for one in jobs for text in one["warnings"])


def _job_row(one: _Found, divided: bool, memory: bool) -> tuple[str, ...]:
    return (
        *(one["job"], one["state"], str(one["processors"]), duration(one["estimate_s"])),
        "" if one["priority"] is None else figure(one["priority"]),
        "*" if one["reserved_s"] is not None else "",
        *(one["user"], one["group"], one["account"], one["queue"], one["qos"]),
        "" if one["queue_time_s"] is None else duration(one["queue_time_s"]),
        *([",".join(one["partitions"] or ())] if divided else ()),
        *(["" if not one["memory_mb"] else figure(one["memory_mb"])] if memory else ()),
        one["reason"] or "",
    )


def show_scheduler(found: _Found) -> None:
    """What there is, a line each; then what is wrong."""
    clock, jobs = found["clock"], found["jobs"]
    rate = f", {figure(clock['rate'])} s a second" if clock["kind"] == "scaled" else ""
    next_s, poll_s = found["next_iteration_s"], found["poll_interval_s"]
    show_facts(
        {
            "mode": found["mode"],
            "release": found["release"] or "",
            "starts": figure(found["starts"]) if found["release"] else "",
            "clock": clock["kind"] + rate + (", paused" if clock["paused"] else ""),
            "now": day(found, found["now_s"]),
            "iterations": figure(found["iterations"]),
            "next iteration": day(found, next_s) if next_s is not None else "when something happens",
            "poll interval": duration(poll_s) if poll_s else "",
            "policy": found["policy"],
            "parameters": " ".join(f"{name}={value}" for name, value in found["policy_parameters"].items()),
            "backfill": found["backfill"] or "",
            "reservations": found["reservations"] or "",
            "starts an iteration": figure(found["most_starts_per_iteration"])
            if found["most_starts_per_iteration"]
            else "",
            "jobs": f"{jobs['active']:,} active, {jobs['waiting']:,} waiting, {jobs['blocked']:,} blocked",
        }
    )
    _warn(found["warnings"])


def show_agents(found: _Found) -> None:
    """A line an agent, with how long its lease still lasts; then what is wrong."""
    if not found["agents"]:
        lines(console(), ["no agent has any nodes here"])
        return
    names = ("nodes", "up", "procs", "attempts", "silent", "lease left")
    columns = (Column("agent"), Column("connected"), *(Column(name, figures=True) for name in names))
    rows = [
        (
            one["agent"],
            "yes" if one["connected"] else "no",
            *(str(one[name]) for name in ("nodes", "nodes_up", "processors", "attempts")),
            "" if one["silent_s"] is None else duration(one["silent_s"]),
            "" if one["lease_left_s"] is None else duration(one["lease_left_s"]),
            one["peer"],
        )
        for one in found["agents"]
    ]
    show_listing((*columns, Column("peer", cut=True)), rows)
    lease = f"lease {duration(found['lease_s'])}" if found["lease_s"] else "no lease"
    lines(console(), [f"heartbeat {duration(found['heartbeat_s'])}, {lease}"])
    _warn(found["warnings"])


def _warn(texts: Iterable[str]) -> None:
    lines(console(), [printable(f"warning: {text}") for text in texts], hang=2)
