"""``diagnose -u -g -a -c -Q``: settings of credentials, their limits, and what is used of these."""

from __future__ import annotations

from molokini.compat._types import Found, Invocation
from molokini.compat.maui.asking import report
from molokini.compat.maui.failing import no
from molokini.compat.maui.words import plain

_KINDS = {"u": "user", "g": "group", "a": "account", "c": "queue", "Q": "qos"}
_TITLES = {"user": "User", "group": "Group", "account": "Account", "queue": "Class", "qos": "QOS"}


def show(run: Invocation, letter: str, name: str, partition: str) -> None:
    """Print the credentials of one kind, or the one called *name*."""
    kind = _KINDS[letter]
    found = report(run, "limits", by=kind, **({kind: name} if name else {}))
    if name and not found["credentials"]:
        raise no(f"no {_TITLES[kind].lower()} '{name}' has settings or open jobs")
    render(run, found, kind)


def render(run: Invocation, found: Found, kind: str) -> None:
    """Print the credentials of one *kind* in the report *found*."""
    run.say(f"Displaying {_TITLES[kind]} Information...\n")
    run.say(
        f"{'Name':<14} {'Priority':>9} {'Flags':<14} {'QDef':<8} {'Target':>8} "
        f"{'Jobs':>5} {'Procs':>6} {'Idle':>5} {'Blocked':>7}  Limits"
    )
    for one in found["credentials"]:
        if one["type"] == kind:
            run.say(_line(one))


def _line(one: Found) -> str:
    name = one["name"] if one["pair_name"] is None else f"{one['name']}[{one['pair_name']}]"
    target = plain(one["target"], 2, "-----") + _SUFFIX.get(one["target_kind"], "")
    flags = ",".join(flag.upper().replace("-", "") for flag in one["flags"]) or "[NONE]"
    limits = "  ".join(map(_limit, one["limits"])) or "[NONE]"
    return (
        f"{name:<14} {one['priority']:>9.0f} {flags:<14} {one['qos_default'] or '-':<8} {target:>8} "
        f"{one['jobs_active']:>5} {one['processors_active']:>6} {one['jobs_idle']:>5} "
        f"{one['jobs_blocked']:>7}  {limits}"
    )


_SUFFIX = {"floor": "+", "ceiling": "-", "cap": "~", "absolute-cap": "^"}


def _limit(one: Found) -> str:
    """``MAXPROC=8,16(4)``: soft and hard limit, and what is used of it."""
    values = [f"{value:.15g}" for value in (one["soft"], one["hard"]) if value is not None]
    value = values[0] if len(set(values)) == 1 else ",".join(values)
    used = "" if one["used"] is None else f"({one['used']:.15g})"
    return f"{one['limit']}={value}{used}"
