"""``diagnose -q``: jobs that could not start even if there were room, and why."""

from __future__ import annotations

from molokini.compat._types import Found, Invocation
from molokini.compat.maui.asking import report
from molokini.compat.maui.words import all_holds, holds_of


def show(run: Invocation, letter: str, name: str, partition: str) -> None:
    """Print a line for each blocked job, or for the one called *name*."""
    render(run, [one for one in report(run, "blocked")["jobs"] if name in ("", one["job"])])


def render(run: Invocation, jobs: list[Found]) -> None:
    """Print a line for each of *jobs*."""
    holds = holds_of(run, jobs)
    run.say("Diagnosing blocked jobs (policylevel SOFT  partition ALL)\n")
    for one in jobs:
        kept = all_holds(holds.get(one["job"], ()))
        times = f" ({one['count']} jobs)" if one["count"] > 1 else ""
        if kept:
            run.say(f"job {one['job']:<18} has the following hold(s) in place:  {' '.join(kept)}{times}")
        elif one["state"] in ("waiting", "deferred"):
            run.say(f"job {one['job']:<18} {_limit(one)}{times}")
        else:
            run.say(f"job {one['job']:<18} is not eligible ({one['reason']}){times}")
    if not jobs:
        run.say("no blocked jobs")


def _limit(one: dict[str, object]) -> str:
    if str(one["rule"]).startswith("over-"):
        return f"violates active policy limit ({one['reason']})"
    return f"cannot be started ({one['reason']})"
