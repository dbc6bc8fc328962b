"""The limits of each credential, and beside them what its jobs use now: ``diagnose -u -g -a -c -Q``."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from molokini.compiled.structs import Floats, Ints
from molokini.model.credentials import CredentialType
from molokini.policies.maui.configuration.parameters import HEADER, parameters
from molokini.policies.maui.configuration.slots import KINDS, ROW, Column
from molokini.policies.maui.configuration.words import LimitKind, QosFlag, TargetKind, word
from molokini.policies.maui.knowledge.memory import mine
from molokini.policies.maui.knowledge.scopes import setting
from molokini.policies.maui.selection.throttling import part
from molokini.shared.introspection import OpenJobs
from molokini.tables.sizes import SCOPES

DEFAULT = "DEFAULT"
"""The line that counts for every credential without one."""
_SHORT = ("JOB", "PROC", "NODE", "PE", "PS", "WC", "MEM")
"""The name of each ``LimitKind`` behind MAX in a maui.cfg."""
_EACH_JOB = {
    "MAXPROCPERJOB": Column.JOB_PROCESSORS,
    "MAXNODEPERJOB": Column.JOB_NODES,
    "MAX.WCLIMIT": Column.WALL_TIME_S,
    "MIN.PROC": Column.JOB_LEAST,
}


@dataclass(frozen=True)
class _Use:
    """What the jobs of each scope use: one row a scope."""

    active: Floats
    """One column a ``LimitKind``."""
    idle: Ints
    blocked: Ints


@dataclass(frozen=True)
class _Line:
    """A credential, or a pair of them, with where its settings begin in the parameters (-1: nowhere)."""

    kind: CredentialType
    name: str
    scope: int
    row: int
    pair: tuple[CredentialType, str] | None = None


def limits(p: OpenJobs) -> Iterator[dict[str, Any]]:
    """Each credential with a line of its own or open jobs: settings, limits, and what its jobs use."""
    use = _use(p)
    for line in _lines(p):
        told = _told(p, line, use)
        busy = told["jobs_active"] or told["jobs_idle"] or told["jobs_blocked"]
        own = line.row >= 0 and p.t.parameters[line.row + Column.NUMBER] >= 0
        if busy or own or line.pair or (line.name == DEFAULT and told["limits"]):
            yield told


def _use(p: OpenJobs) -> _Use:
    t = p.t
    count = max(1, int(mine(t).scope_count))
    use = _Use(np.zeros((count, KINDS)), np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64))
    for row in p.running:
        left_s = max(0.0, float(t.jobs.expected_end_s[row]) - p.now)
        parts = [float(part(t, row, kind, left_s)) for kind in range(KINDS)]
        for scope in _scopes(p, row):
            use.active[scope] += parts
    for rows, counted in ((p.idle, use.idle), (p.blocked, use.blocked)):
        for row in rows:
            for scope in _scopes(p, row):
                counted[scope] += 1
    return use


def _scopes(p: OpenJobs, row: int) -> set[int]:
    of_job = p.t.credentials.scope[p.t.jobs.credential[row]]
    return {int(of_job[column]) for column in range(SCOPES)} - {0}


def _lines(p: OpenJobs) -> Iterator[_Line]:
    """Every credential that the policy has found, then those with a line in the configuration and no job."""
    t, met = p.t, set[tuple[CredentialType, int]]()
    for scope in range(1, int(mine(t).scope_count)):
        kind, number, other_kind, other = (int(one) for one in t.scopes.key[scope, :4])
        row = int(t.scopes.row[scope])
        if other_kind >= 0:
            pair = (CredentialType(other_kind), p.name(CredentialType(other_kind), other))
            yield _Line(CredentialType(kind), p.name(CredentialType(kind), number), scope, -1, pair)
            continue
        if kind == CredentialType.QOS:
            number = int(t.parameters[row + Column.NUMBER]) if row >= 0 else -1
        met.add((CredentialType(kind), number))
        yield _Line(CredentialType(kind), p.name(CredentialType(kind), number) or DEFAULT, scope, row)
    if t.parameters.size <= HEADER:
        return
    for kind in CredentialType:
        first, count = (int(parameters(t).credentials[2 * kind + k]) for k in range(2))
        for row in range(first, first + count * ROW, ROW):
            number = int(t.parameters[row + Column.NUMBER])
            if (kind, number) not in met and (name := p.name(kind, number) if number >= 0 else DEFAULT):
                yield _Line(kind, name, 0, row)


def _told(p: OpenJobs, line: _Line, use: _Use) -> dict[str, Any]:
    at = line.scope
    used = use.active[at] if at else np.zeros(KINDS)
    return {
        "type": line.kind.name.lower(),
        "name": line.name,
        "pair_type": line.pair[0].name.lower() if line.pair else None,
        "pair_name": line.pair[1] if line.pair else None,
        "priority": _value(p, line, Column.PRIORITY),
        "qos_default": _qos_default(p, line),
        "flags": _flags(p, line),
        "target": _value(p, line, Column.TARGET) or None,
        "target_kind": _target_kind(p, line),
        "jobs_active": int(used[LimitKind.JOBS]),
        "processors_active": int(used[LimitKind.PROCESSORS]),
        "jobs_idle": int(use.idle[at]) if at else 0,
        "jobs_blocked": int(use.blocked[at]) if at else 0,
        "limits": list(_limits(p, line, used)),
    }


def _limits(p: OpenJobs, line: _Line, used: Floats) -> Iterator[dict[str, Any]]:
    t = p.t
    for kind in LimitKind:
        if line.pair:
            soft, hard = (float(t.scopes.limit[line.scope, level + kind]) for level in (0, KINDS))
        else:
            soft, hard = (_value(p, line, first + kind) for first in (Column.SOFT, Column.HARD))
        if soft or hard:
            of_pair = (
                f"[{(line.pair[0].name if line.pair[0] != CredentialType.QUEUE else 'CLASS')}]"
                if line.pair
                else ""
            )
            yield _limit(f"MAX{_SHORT[kind]}{of_pair}", kind, soft, hard, float(used[kind]))
    if least := _value(p, line, Column.MIN_PROCESSORS):
        yield _limit("MINPROC", LimitKind.PROCESSORS, least, least, float(used[LimitKind.PROCESSORS]))
    for kind in LimitKind:
        if most := _value(p, line, Column.IDLE + kind):
            idle = float(t.scopes.idle[line.scope, kind]) if line.scope else 0.0
            yield _limit(f"MAXI{_SHORT[kind]}", kind, most, most, idle)
    if line.kind is CredentialType.QOS:
        yield from _instead(p, line)
    for name, column in _EACH_JOB.items():
        if most := _value(p, line, column):
            kind = LimitKind.WALL_TIME if column is Column.WALL_TIME_S else LimitKind.PROCESSORS
            kind = LimitKind.NODES if column is Column.JOB_NODES else kind
            yield _limit(name, kind, most, most, None)


def _instead(p: OpenJobs, line: _Line) -> Iterator[dict[str, Any]]:
    """Limits that a QoS puts in the place of other credentials' limits: the use of these counts."""
    for kind in LimitKind:
        soft, hard = (_value(p, line, first + kind) for first in (Column.SOFT_OVERRIDE, Column.HARD_OVERRIDE))
        if soft or hard:
            yield _limit(f"OMAX{_SHORT[kind]}", kind, soft, hard, None)
        if most := _value(p, line, Column.IDLE_OVERRIDE + kind):
            yield _limit(f"OMAXI{_SHORT[kind]}", kind, most, most, None)


def _limit(name: str, kind: LimitKind, soft: float, hard: float, used: float | None) -> dict[str, Any]:
    return {"limit": name, "of": word(kind), "soft": soft or None, "hard": hard or None, "used": used}


def _value(p: OpenJobs, line: _Line, column: int) -> float:
    """A setting; 0 where there is none."""
    if line.scope:
        return float(setting(p.t, line.scope, int(column)))
    return float(p.t.parameters[line.row + column]) if line.row >= 0 else 0.0


def _target_kind(p: OpenJobs, line: _Line) -> str | None:
    return (
        word(TargetKind(int(_value(p, line, Column.TARGET_KIND)))) if _value(p, line, Column.TARGET) else None
    )


def _flags(p: OpenJobs, line: _Line) -> list[str]:
    bits = int(_value(p, line, Column.FLAGS)) | int(_value(p, line, Column.JOB_FLAGS))
    return [word(flag) for flag in QosFlag if (bits >> flag) & 1]


def _qos_default(p: OpenJobs, line: _Line) -> str | None:
    """The QoS of jobs that ask for none, where the line names one."""
    at = int(_value(p, line, Column.QOS_DEFAULT)) if line.row >= 0 else -1
    if at < 0:
        return None
    first = int(parameters(p.t).credentials[2 * CredentialType.QOS])
    return p.name(CredentialType.QOS, int(p.t.parameters[first + at * ROW + Column.NUMBER])) or DEFAULT
