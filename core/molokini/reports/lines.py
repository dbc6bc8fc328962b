"""One line about a job: what most reports say of each."""

from typing import Any

from molokini.model.states import JobState
from molokini.policies.maui.accrual import queue_time_s
from molokini.policies.maui.explaining import reserved_s
from molokini.policies.maui.slots import Column
from molokini.policies.maui.words import CredentialType
from molokini.reports.picture import Picture, finite
from molokini.tables.tables import NEVER

DEFERRED = "deferred"
"""The state of a job that waits, and is not looked at."""
_NUMBER = int(Column.NUMBER)
_RAW = ("credential_user", "credential_group", "credential_account", "credential_queue", "credential_qos")


def job_line(p: Picture, row: int) -> dict[str, Any]:
    """The job of *row*: whose it is, how large, where it stands. Times in seconds, null: none."""
    t = p.tables
    running = t.job_state[row] == JobState.RUNNING
    return {
        "job": p.job(row),
        "state": DEFERRED if is_deferred(p, row) else JobState(int(t.job_state[row])).name.lower(),
        **whose(p, int(t.job_credential[row])),
        "processors": int(t.job_width[row]),
        "estimate_s": finite(t.job_estimate_s[row]),
        "submitted_s": float(t.job_submit_s[row]),
        "start_s": finite(t.job_start_s[row]) if t.job_state[row] != JobState.WAITING else None,
        "expected_end_s": finite(t.job_expected_end_s[row]) if running else None,
        "remaining_s": finite(max(0.0, t.job_expected_end_s[row] - p.now)) if running else None,
        "queue_time_s": finite(queued_s(p, row)),
        "expansion_factor": expansion(p, row),
        "priority": float(t.rank_key[row]) if p.is_maui and t.job_state[row] == JobState.WAITING else None,
        "reserved_s": finite(promised_s(p, row)),
        "deferred_until_s": float(t.job_deferred_s[row]) if is_deferred(p, row) else None,
        "deferrals": int(t.job_deferrals[row]),
    }


def is_deferred(p: Picture, row: int) -> bool:
    """Whether the policy maui does not look at the waiting job of *row* for a while."""
    return bool(
        p.is_maui and p.tables.job_state[row] == JobState.WAITING and p.tables.job_deferred_s[row] > p.now
    )


def whose(p: Picture, credential: int) -> dict[str, str]:
    """The names of a combination of credentials; empty where there is nobody."""
    return {kind.name.lower(): name_of(p, credential, kind) for kind in CredentialType}


def name_of(p: Picture, credential: int, kind: CredentialType) -> str:
    """The name of one member; of a QoS under the policy maui, the one that it has found for the job."""
    t = p.tables
    if kind is CredentialType.QOS and p.is_maui:
        first = t.scope_row[t.credential_scope[credential, kind]]
        return p.name(kind, int(t.parameters[first + _NUMBER])) if first >= 0 else ""
    return p.name(kind, int(getattr(t, _RAW[kind])[credential]))


def queued_s(p: Picture, row: int) -> float:
    """For how long the job has waited, or waited before its start."""
    t = p.tables
    if t.job_state[row] != JobState.WAITING:
        return float(t.job_start_s[row] - t.job_submit_s[row])
    return float(queue_time_s(t, row, p.now) if p.is_maui else p.now - t.job_submit_s[row])


def expansion(p: Picture, row: int) -> float | None:
    """(queue time + estimate) / estimate, as ``showq`` has it (reference, section 5.1)."""
    estimate_s = float(p.tables.job_estimate_s[row])
    return finite((queued_s(p, row) + estimate_s) / estimate_s) if estimate_s > 0.0 else None


def promised_s(p: Picture, row: int) -> float:
    """The start of a waiting job's reservation; NEVER without one."""
    if p.tables.job_state[row] != JobState.WAITING:
        return NEVER
    return reserved_s(p.tables, row) if p.is_maui else float(p.tables.job_reserved_s[row])


def allocation(p: Picture, row: int) -> dict[str, int]:
    """Processors of each node that an active job has."""
    t, found = p.tables, dict[str, int]()
    entry = int(t.job_entries[row]) if p.nodes else -1
    while entry >= 0:
        name = p.nodes[int(t.entry_node[entry])].name
        each = int(t.component_need[t.entry_component[entry], 0]) or 1
        found[name] = found.get(name, 0) + int(t.entry_tasks[entry]) * each
        entry = int(t.entry_next[entry])
    return found
