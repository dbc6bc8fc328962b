"""What a state says that must never change: jobs, runs, nodes, queues, policy, as plain JSON.

Unlike ``tests.kit.live_picture``, which compares two states of one release down to their rows, a portrait is
kept for years. So it speaks the words of users, and a later state may say more than it, never other.
"""

from dataclasses import asdict
from typing import Any

from molokini.server.state.jobs import Element, Job
from molokini.server.state.state import State


def portrait(state: State) -> dict[str, Any]:
    """All that a user, operator or agent would miss."""
    return {
        "serial": state.serial,
        "now_s": state.now,
        "next_id": state.next_id,
        "epoch": state.epoch,
        "keys": {f"{user}/{key}": number for (user, key), number in state.keys.items()},
        "policy": list(state.policy or ()),
        **({"choice": asdict(state.choice)} if state.choice is not None else {}),
        "queues": {name: _plain(queue.as_json()) for name, queue in state.queues.items()},
        "reports_taken": {agent: list(taken) for agent, taken in state.taken.items()},
        "nodes": {
            node.name: {
                "agent": node.agent,
                "processors": node.processors,
                "memory_kb": node.memory_kb,
                "generic": node.generic,
                "features": list(node.features),
                **({"cluster": node.cluster} if node.cluster else {}),
                "standing": str(node.status),
                "reason": node.reason,
                "free_processors": float(state.tables.nodes.free[node.number, 0]),
            }
            for node in state.machine.nodes
        },
        "reservations": [_plain(one.as_json()) for one in state.reservations.values()],
        "instances": [_plain(one.as_json()) for one in state.instances],
        "past": {
            str(number): list(past)
            for number in range(1, state.next_id)
            if (past := state.past.get(number)) is not None
        },
        "accounts": {
            name: {
                "balance": int(state.tables.bank.balance[row]),
                "liens": int(state.tables.bank.lien[row]),
                "debited": int(state.tables.bank.debited[row]),
            }
            for name, row in state.ledger.accounts.items()
        },
        "scheduling": {
            "paused": state.paused,
            "because": state.paused_because,
            "statistics_since_s": state.statistics_since_s,
        },
        "jobs": {str(number): _job(job, state) for number, job in state.jobs.items()},
    }


def _job(job: Job, state: State) -> dict[str, Any]:
    made: dict[str, Any] = {
        "user": job.user,
        "spec": job.spec,
        "standing": str(job.status),
        "submitted_s": job.submitted_s,
        "eligible_s": job.eligible_s,
        "holds": sorted(job.holds),
        "waits_for": sorted(job.waits_for),
        "begins_s": state.timed.get(job.id),
        "processors": job.request.processors,
        "version": job.version,
        "runs": {str(run.index): _run(run, state) for run in job.known_elements()},
    }
    if job.array is not None:
        made["array"] = {"elements": job.array.size, "made": job.array.made, "ended": job.array.ended}
    return made


_OF_RUN = ("attempt", "first_start_s", "start_s", "end_s", "reserved_s")


def _run(run: Element, state: State) -> dict[str, Any]:
    made = {name: getattr(run, name) for name in _OF_RUN} | asdict(run.result)
    if run.cut is not None or run.earliest_deadline_s:
        made |= {"cut": run.cut and list(run.cut), "earliest_deadline_s": run.earliest_deadline_s}
    if run.parts:
        made["parts"] = list(run.parts)
    made |= {"standing": str(run.status), "reason": run.why, "stopping": run.stopping}
    made["nodes"] = {state.machine.nodes[number].name: count for number, count in run.nodes}
    if run.row >= 0:
        made["work_s"] = float(state.tables.jobs.work_s[run.row])
        made["rate"] = float(state.tables.jobs.rate[run.row])
        if state.tables.jobs.deferrals[run.row]:
            made["deferrals"] = int(state.tables.jobs.deferrals[run.row])
            made["deferred_until_s"] = float(state.tables.jobs.deferred_s[run.row])
    return made


def _plain(value: dict[str, Any]) -> dict[str, Any]:
    return {name: list(one) if isinstance(one, tuple) else one for name, one in value.items()}


def missing(kept: Any, now: Any, where: str = "") -> list[str]:
    """Where *now* does not say what *kept* does; what it says besides is its own."""
    if isinstance(kept, dict) and isinstance(now, dict):
        found = []
        for key, value in kept.items():
            place = f"{where}/{key}"
            found += missing(value, now[key], place) if key in now else [f"{place}: gone"]
        return found
    return [] if kept == now else [f"{where}: {now!r}, was {kept!r}"]
