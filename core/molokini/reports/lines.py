"""One line about a job, as most reports have it."""

from typing import Any

from molokini.model.credentials import CredentialType
from molokini.model.states import JobState
from molokini.reports.snapshot import ClusterSnapshot, finite
from molokini.tables.tables import NEVER

DEFERRED = "deferred"
"""The state of a job that waits, and is put off."""
_RAW = ("user", "group", "account", "queue")
# Numbers: numpy compares its own with a member of an enumeration in two microseconds.
_WAITING, _RUNNING = int(JobState.WAITING), int(JobState.RUNNING)
_STATES = {int(state): state.name.lower() for state in JobState}
_QOS = CredentialType.QOS
_KINDS = tuple((kind, kind.name.lower()) for kind in CredentialType)
"""Members of enumerations are looked up slowly, and a listing asks for each of ten thousand jobs."""


def job_line(p: ClusterSnapshot, row: int) -> dict[str, Any]:
    """The job of *row*: its credentials, size and state. Times in seconds, null: none."""
    t, jobs, now = p.tables, p.tables.jobs, p.now
    state = int(jobs.state[row])
    waits, running = state == _WAITING, state == _RUNNING
    deferred = waits and p.insight.is_deferred(t, row, now)
    waited_s = queued_s(p, row)
    ends_s = float(jobs.expected_end_s[row])
    return {
        "job": p.job(row),
        "state": DEFERRED if deferred else _STATES[state],
        **whose(p, int(jobs.credential[row])),
        "processors": int(jobs.width[row]),
        "estimate_s": finite(jobs.estimate_s[row]),
        "submitted_s": float(jobs.submit_s[row]),
        "start_s": finite(jobs.start_s[row]) if not waits else None,
        "expected_end_s": finite(ends_s) if running else None,
        "remaining_s": finite(max(0.0, ends_s - now)) if running else None,
        "queue_time_s": finite(waited_s),
        "expansion_factor": expansion(waited_s, float(jobs.estimate_s[row])),
        "priority": float(t.cycle.rank_key[row]) if waits and p.insight.weighs else None,
        "reserved_s": finite(promised_s(p, row)),
        "deferred_until_s": float(jobs.deferred_s[row]) if deferred else None,
        "deferrals": int(jobs.deferrals[row]),
    }


def whose(p: ClusterSnapshot, credential: int) -> dict[str, str]:
    """The names of a combination of credentials; empty where it has none of a kind."""
    known = p.whose.get(credential)
    if known is None:
        known = p.whose[credential] = {name: name_of(p, credential, kind) for kind, name in _KINDS}
    return known


def name_of(p: ClusterSnapshot, credential: int, kind: CredentialType) -> str:
    """The name of one member; the QoS is the one that the policy has found for the job."""
    if kind is _QOS:
        return p.name(kind, p.insight.qos(p.tables, credential))
    return p.name(kind, int(getattr(p.tables.credentials, _RAW[kind])[credential]))


def queued_s(p: ClusterSnapshot, row: int) -> float:
    """How long the job has waited, or waited before its start."""
    t = p.tables
    if int(t.jobs.state[row]) != _WAITING:
        return float(t.jobs.start_s[row] - t.jobs.submit_s[row])
    return p.insight.queue_time_s(t, row, p.now)


def expansion(waited_s: float, estimate_s: float) -> float | None:
    """(queue time + estimate) / estimate, as ``showq`` has it (reference, section 5.1)."""
    return finite((waited_s + estimate_s) / estimate_s) if estimate_s > 0.0 else None


def promised_s(p: ClusterSnapshot, row: int) -> float:
    """The start of a waiting job's reservation; NEVER without one."""
    if int(p.tables.jobs.state[row]) != _WAITING:
        return NEVER
    return p.insight.reserved_s(p.tables, row)


def allocation(p: ClusterSnapshot, row: int) -> dict[str, int]:
    """Processors of each node that an active job has."""
    t, found = p.tables, dict[str, int]()
    entry = int(t.jobs.entries[row]) if p.nodes else -1
    while entry >= 0:
        name = p.nodes[int(t.entries.node[entry])].name
        each = int(t.components.need[t.entries.component[entry], 0]) or 1
        found[name] = found.get(name, 0) + int(t.entries.tasks[entry]) * each
        entry = int(t.entries.next[entry])
    return found
