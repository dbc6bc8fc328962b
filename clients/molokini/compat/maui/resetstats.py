"""``resetstats``: statistics count from now on."""

from __future__ import annotations

from molokini.compat._types import Invocation
from molokini.compat.maui.asking import report
from molokini.compat.maui.reading import HELP, at_most, read
from molokini.compat.maui.times import date

OPTIONS = (HELP,)


def run(run: Invocation) -> int:
    """Reset the statistics, and say when."""
    given = read(run, OPTIONS)
    at_most(run, given, 0)
    since_s = run.transport.call("ClusterService", "ResetStatistics", {}).get("since_s", 0.0)
    run.say(f"\nStatistics Reset at time {date(report(run, 'statistics'), since_s)}")
    return 0
