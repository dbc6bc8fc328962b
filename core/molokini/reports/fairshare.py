"""``diagnose -f``: what each credential was given of late, window by window, beside the targets."""

from typing import Any

import numpy as np

from molokini.compiled.structs import Floats
from molokini.model.credentials import CredentialType
from molokini.reports.lines import name_of
from molokini.reports.snapshot import ClusterSnapshot, ReportRequest, in_order
from molokini.tables.usage import past_usage, present_usage, window_of

_OFF_PERCENT = 5.0
"""A credential farther from its target than this is off target (reference, section 17)."""
_HOUR_S = 3600.0


def fairshare(p: ClusterSnapshot, asked: ReportRequest) -> dict[str, Any]:
    """Settings, windows (the present one first), and each credential that has usage or a target.

    Usage is in hours of what FSPOLICY charges (processors, or their equivalents). ``percent`` is of effective
    usage, each window counted FSDECAY times the one after it. Raises BadValue under another policy.
    """
    p.require("fairshare")
    t, decay = p.tables, p.insight.decay(p.tables)
    weights: Floats = np.power(decay.decay, np.arange(max(1, decay.depth), dtype=np.float64))
    total = np.zeros(len(weights))
    by_name: dict[tuple[CredentialType, str], tuple[Floats, int]] = {}
    if t.usage.charging:
        for credential in range(t.credentials.user.size):
            usage = _windows(p, credential, len(weights))
            total += usage
            for kind in CredentialType:
                if name := name_of(p, credential, kind):
                    before = by_name.get((kind, name), (np.zeros(len(weights)), credential))[0]
                    by_name[kind, name] = (before + usage, credential)
    effective = float(total @ weights)
    lines = [
        _line(p, kind, name, usage, credential, weights, total)
        for (kind, name), (usage, credential) in sorted(by_name.items(), key=_place)
    ]
    return {
        "policy": decay.charge,
        "interval_s": float(t.usage.interval_s),
        "depth": decay.depth,
        "decay": decay.decay,
        "delta": "ratio" if decay.by_ratio else "difference",
        "window_start_s": window_of(t, p.now) * t.usage.interval_s if t.usage.charging else None,
        "weights": weights.tolist(),
        "total_hours": effective / _HOUR_S,
        "total_by_window_hours": (total / _HOUR_S).tolist(),
        "credentials": [line for line in lines if line["hours"] > 0.0 or line["target"] is not None],
    }


def _windows(p: ClusterSnapshot, credential: int, count: int) -> Floats:
    """Usage of the present window and of those before it, undecayed."""
    t = p.tables
    if t.usage.settled_s[credential] == -np.inf:
        return np.zeros(count)
    window = window_of(t, p.now)
    up_to = [past_usage(t, credential, window, depth, 1.0) for depth in range(1, count + 1)]
    return np.array([present_usage(t, credential, p.now), *np.diff(up_to)])


def _place(one: tuple[tuple[CredentialType, str], Any]) -> tuple[int, tuple[bool, int, str]]:
    kind, name = one[0]
    return int(kind), in_order(name)


def _line(
    p: ClusterSnapshot,
    kind: CredentialType,
    name: str,
    usage: Floats,
    credential: int,
    weights: Floats,
    total: Floats,
) -> dict[str, Any]:
    whole, all_of_it = float(usage @ weights), float(total @ weights)
    percent = 100.0 * whole / all_of_it if all_of_it > 0.0 else 0.0
    target, which = p.insight.target(p.tables, credential, kind)
    shares = np.divide(100.0 * usage, total, out=np.zeros(len(total)), where=total > 0.0)
    return {
        "type": kind.name.lower(),
        "name": name,
        "percent": percent,
        "target": target if target > 0.0 else None,
        "target_kind": which if target > 0.0 else None,
        "off_target": target > 0.0 and _off(which, percent, whole, target),
        "hours": whole / _HOUR_S,
        "percent_by_window": shares.tolist(),
    }


def _off(which: str, percent: float, usage: float, target: float) -> bool:
    if which == "floor":
        return percent < target
    if which in ("ceiling", "cap"):
        return percent > target
    if which == "absolute-cap":
        return usage > target
    return abs(percent - target) > _OFF_PERCENT
