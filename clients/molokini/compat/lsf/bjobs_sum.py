"""``bjobs -sum``: slots by state."""

from __future__ import annotations

from molokini.compat._types import Invocation, Job, LsfView, Values
from molokini.compat.lsf.states import stat

_TITLES = ("RUN", "SSUSP", "USUSP", "UNKNOWN", "PEND", "FWD_PEND")
_COUNTED_AS = {"PSUSP": "PEND"}


def say(run: Invocation, given: Values, lines: list[Job], view: LsfView) -> None:
    """Print the sums."""
    sums = dict.fromkeys(_TITLES, 0)
    for job in lines:
        name = _COUNTED_AS.get(stat(job), stat(job))
        if name in sums:
            sums[name] += job.slots
    if not given.flag("noheader"):
        run.say(" ".join(f"{title:<10}" for title in _TITLES).rstrip())
    run.say(" ".join(f"{sums[title]:<10}" for title in _TITLES).rstrip())
