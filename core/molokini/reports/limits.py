"""``diagnose -u -g -a -c -Q``: the limits of each credential, and beside them what its jobs use now."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from molokini.compiled.structs import Floats, Ints
from molokini.model.errors import BadValue
from molokini.policies.maui.memory import SCOPE_COUNT
from molokini.policies.maui.scopes import setting
from molokini.policies.maui.slots import HEADER, KINDS, ROW, Column, Directory
from molokini.policies.maui.throttling import part
from molokini.policies.maui.words import CredentialType, LimitKind, QosFlag, TargetKind
from molokini.reports.picture import Asked, Picture, in_order, word
from molokini.reports.waiting import eligible
from molokini.tables.tables import SCOPES

DEFAULT = "DEFAULT"
"""The line that holds for everybody who has none."""
BY_NAME = {**{kind.name.lower(): kind for kind in CredentialType}, "class": CredentialType.QUEUE}
_CREDENTIALS = HEADER + int(Directory.CREDENTIALS)
_SHORT = ("JOB", "PROC", "NODE", "PE", "PS", "WC", "MEM")
"""What each ``LimitKind`` is called behind MAX in a maui.cfg."""
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


def limits(p: Picture, asked: Asked) -> dict[str, Any]:
    """Each credential with a line of its own or open jobs, its limits, and its use; *by* is of one type.

    Raises BadValue for another type, and under another policy.
    """
    p.require_maui("limits")
    if asked.by and asked.by not in BY_NAME:
        raise BadValue("by", asked.by, "user, group, account, queue (class) or qos")
    kinds = [BY_NAME[asked.by]] if asked.by else list(CredentialType)
    use = _use(p)
    found = []
    for line in sorted(_lines(p), key=_place):
        wanted = getattr(asked, line.kind.name.lower())
        if line.kind not in kinds or (wanted and line.name != wanted):
            continue
        told = _told(p, line, use)
        jobs = told["jobs_active"] or told["jobs_idle"] or told["jobs_blocked"]
        own = line.row >= 0 and p.tables.parameters[line.row + Column.NUMBER] >= 0
        if jobs or own or line.pair or (line.name == DEFAULT and told["limits"]):
            found.append(told)
    return {"by": kinds[0].name.lower() if asked.by else "", "credentials": found}


def _place(line: _Line) -> tuple[int, bool, tuple[bool, int, str], bool, tuple[bool, int, str]]:
    name = in_order(line.name)
    return (
        int(line.kind),
        line.name == DEFAULT,
        name,
        line.pair is not None,
        in_order((line.pair or ("", ""))[1]),
    )


def _use(p: Picture) -> _Use:
    t = p.tables
    count = max(1, int(t.global_i[SCOPE_COUNT]))
    use = _Use(np.zeros((count, KINDS)), np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64))
    for row in p.running():
        left_s = max(0.0, float(t.job_expected_end_s[row]) - p.now)
        parts = [float(part(t, row, kind, left_s)) for kind in range(KINDS)]
        for scope in _scopes(p, row):
            use.active[scope] += parts
    for row in p.waiting():
        counted = use.idle if eligible(p, row) else use.blocked
        for scope in _scopes(p, row):
            counted[scope] += 1
    return use


def _scopes(p: Picture, row: int) -> set[int]:
    of_job = p.tables.credential_scope[p.tables.job_credential[row]]
    return {int(of_job[column]) for column in range(SCOPES)} - {0}


def _lines(p: Picture) -> Iterator[_Line]:
    """Everybody whom the policy has met, then who has a line in the configuration and no job yet."""
    t, met = p.tables, set[tuple[CredentialType, int]]()
    for scope in range(1, int(t.global_i[SCOPE_COUNT])):
        kind, number, other_kind, other = (int(one) for one in t.scope_key[scope, :4])
        row = int(t.scope_row[scope])
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
        first, count = (int(t.parameters[_CREDENTIALS + 2 * kind + k]) for k in range(2))
        for row in range(first, first + count * ROW, ROW):
            number = int(t.parameters[row + Column.NUMBER])
            if (kind, number) not in met and (name := p.name(kind, number) if number >= 0 else DEFAULT):
                yield _Line(kind, name, 0, row)


def _told(p: Picture, line: _Line, use: _Use) -> dict[str, Any]:
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


def _limits(p: Picture, line: _Line, used: Floats) -> Iterator[dict[str, Any]]:
    t = p.tables
    for kind in LimitKind:
        if line.pair:
            soft, hard = (float(t.scope_limit[line.scope, level + kind]) for level in (0, KINDS))
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
            idle = float(t.scope_idle[line.scope, kind]) if line.scope else 0.0
            yield _limit(f"MAXI{_SHORT[kind]}", kind, most, most, idle)
    if line.kind is CredentialType.QOS:
        yield from _instead(p, line)
    for name, column in _EACH_JOB.items():
        if most := _value(p, line, column):
            kind = LimitKind.WALL_TIME if column is Column.WALL_TIME_S else LimitKind.PROCESSORS
            kind = LimitKind.NODES if column is Column.JOB_NODES else kind
            yield _limit(name, kind, most, most, None)


def _instead(p: Picture, line: _Line) -> Iterator[dict[str, Any]]:
    """Limits that a QoS puts in the place of those of others: whose use counts is not the QoS's."""
    for kind in LimitKind:
        soft, hard = (_value(p, line, first + kind) for first in (Column.SOFT_OVERRIDE, Column.HARD_OVERRIDE))
        if soft or hard:
            yield _limit(f"OMAX{_SHORT[kind]}", kind, soft, hard, None)
        if most := _value(p, line, Column.IDLE_OVERRIDE + kind):
            yield _limit(f"OMAXI{_SHORT[kind]}", kind, most, most, None)


def _limit(name: str, kind: LimitKind, soft: float, hard: float, used: float | None) -> dict[str, Any]:
    return {"limit": name, "of": word(kind.name), "soft": soft or None, "hard": hard or None, "used": used}


def _value(p: Picture, line: _Line, column: int) -> float:
    """A setting; 0 where there is none."""
    if line.scope:
        return float(setting(p.tables, line.scope, int(column)))
    return float(p.tables.parameters[line.row + column]) if line.row >= 0 else 0.0


def _target_kind(p: Picture, line: _Line) -> str | None:
    return (
        word(TargetKind(int(_value(p, line, Column.TARGET_KIND))).name)
        if _value(p, line, Column.TARGET)
        else None
    )


def _flags(p: Picture, line: _Line) -> list[str]:
    bits = int(_value(p, line, Column.FLAGS)) | int(_value(p, line, Column.JOB_FLAGS))
    return [word(flag.name) for flag in QosFlag if (bits >> flag) & 1]


def _qos_default(p: Picture, line: _Line) -> str | None:
    """The QoS of jobs that ask for none, where the line names one."""
    at = int(_value(p, line, Column.QOS_DEFAULT)) if line.row >= 0 else -1
    if at < 0:
        return None
    first = int(p.tables.parameters[_CREDENTIALS + 2 * CredentialType.QOS])
    return p.name(CredentialType.QOS, int(p.tables.parameters[first + at * ROW + Column.NUMBER])) or DEFAULT
