"""``diagnose -f``: what each credential was given of late, beside its target."""

from __future__ import annotations

from molokini.compat._types import Found, Invocation
from molokini.compat.maui.asking import report
from molokini.compat.maui.failing import no
from molokini.compat.maui.times import span

_BLOCKS = (("user", "USER"), ("group", "GROUP"), ("account", "ACCT"), ("qos", "QOS"), ("queue", "CLASS"))
_ASKED = {"acct": "account", "class": "queue"}
_SUFFIX = {"target": " ", "floor": "+", "ceiling": "-", "cap": "~", "absolute-cap": "^", None: " "}
_POLICIES = {
    "dedicated-processor-seconds": "DEDICATEDPS",
    "dedicated-processor-equivalents": "DEDICATEDPES",
    "used-processor-seconds": "UTILIZEDPS",
}


def show(run: Invocation, letter: str, name: str, partition: str) -> None:
    """Print the credentials of one kind (*name*), or of all."""
    found = report(run, "fairshare")
    kind = _ASKED.get(name, name)
    if kind and kind not in dict(_BLOCKS):
        raise no(f"diagnose -f '{name[:40]}': expected user, group, account, class or qos")
    render(run, found, kind)


def render(run: Invocation, found: Found, kind: str = "") -> None:
    """Print the credentials of the report *found*, or those of one *kind*."""
    windows = [k for k, hours in enumerate(found["total_by_window_hours"]) if hours or not k]
    run.say("FairShare Information\n")
    run.say(
        f"Depth: {found['depth']} intervals   Interval Length: {span(found['interval_s'])}   "
        f"Decay Rate: {found['decay']:.2f}\n"
    )
    run.say(f"FS Policy: {_POLICIES.get(found['policy'], found['policy'])}")
    run.say(f"System FS Settings:  Target Usage: 0.00    Flags: {found['delta']}\n")
    run.say(f"{'FSInterval':<16} {'%':>7} {'Target':>8} " + " ".join(f"{k:>7}" for k in windows))
    run.say(f"{'FSWeight':<16} {'-------':>7} {'-------':>8} " + _figures(found["weights"], windows, 4))
    hours = _figures(found["total_by_window_hours"], windows, 1)
    run.say(f"{'TotalUsage':<16} {100.0:>7.2f} {'-------':>8} {hours}")
    for of, title in _BLOCKS:
        lines = [one for one in found["credentials"] if one["type"] == of and kind in ("", of)]
        if lines:
            run.say(f"\n{title}\n-------------")
        for one in lines:
            run.say(_line(one, windows))


def _figures(values: list[float], windows: list[int], digits: int) -> str:
    return " ".join(f"{values[k]:>7.{digits}f}" for k in windows)


def _line(one: Found, windows: list[int]) -> str:
    name = one["name"] + ("*" if one["off_target"] else "")
    suffix = _SUFFIX[one["target_kind"]]
    target = f"{'-------':>8}" if one["target"] is None else f"{one['target']:>7.2f}{suffix}"
    shares = " ".join(
        f"{one['percent_by_window'][k]:>7.2f}" if one["percent_by_window"][k] else f"{'-------':>7}"
        for k in windows
    )
    return f"{name:<16} {one['percent']:>7.2f} {target} {shares}"
