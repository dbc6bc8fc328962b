"""``setspri``: an administrator's word on the priority of a job."""

from __future__ import annotations

from molokini.compat._types import Invocation
from molokini.compat.maui.failing import no
from molokini.compat.maui.jobs import one
from molokini.compat.maui.reading import HELP, at_most, read
from molokini.compat.options import option

_ABOVE_ALL = 1_000_000_000
"""What no weights reach: an absolute priority stands above it."""
_MOST = 1000

OPTIONS = (
    HELP,
    option("-r", text="relative: add PRIORITY, which may be negative, to the job's priority"),
)


def run(run: Invocation) -> int:
    """Set the system priority of one job, absolute or relative; 0 clears it."""
    given = read(run, OPTIONS, "PRIORITY JOB", negative=True)
    at_most(run, given, 2)
    if len(given.words) < 2:
        raise no("setspri wants a priority and a job")
    job = one(given.words[1])
    priority = _priority(given.words[0], given.flag("r"))
    policy = run.transport.call("ClusterService", "GetPolicy", {})
    if not policy.get("weighs"):
        raise no(
            f"setspri: policy {policy['name']} has no priorities, so none is set; the policy maui has them"
        )
    asked = {"job": job, "spec": {"system_priority": priority}, "fields": ["system_priority"]}
    run.transport.call("JobService", "AlterJob", asked)
    run.say("\njob system priority adjusted")
    return 0


def _priority(text: str, relative: bool) -> int:
    digits = text.removeprefix("-" if relative else "").removeprefix("+")
    most = _ABOVE_ALL if relative else _MOST
    if not (digits.isascii() and digits.isdigit() and len(digits) < 11 and int(digits) <= most):
        low = -_ABOVE_ALL if relative else 0
        raise no(f"priority '{text[:40]}': must be a whole number from {low} to {most}")
    value = -int(digits) if text.startswith("-") else int(digits)
    if relative:
        # From there on it would stand in the place of the priority.
        return min(value, _ABOVE_ALL - 1)
    return _ABOVE_ALL + value if value else 0
