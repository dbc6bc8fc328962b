"""Figures 2 and 4 from our replays, and a table of all of them."""

from collections.abc import Sequence

from molokini.metrics.curves import Curve, Panel
from molokini.studies.jackson2001_maui.cases import ALGORITHMS, FULL, NONE, Replayed
from molokini.studies.jackson2001_maui.claims import FIRSTFIT, gain, named
from molokini.studies.jackson2001_maui.logs import Log
from molokini.studies.jackson2001_maui.measures import PARTS, QUANTILES
from molokini.studies.results import Interval, Results
from molokini.studies.shown import Picture, Table

_INNER = QUANTILES[1:-1]
"""Without the single job at either end, which would set the scale."""


def pictures_over(results: Results, logs: Sequence[Log]) -> list[Picture]:
    """Figure 2 as quantiles, figure 4 over the time of each log; none without logs."""
    if not logs:
        return []
    gained = [
        Panel(
            log.title,
            "jobs (% of all, by change)",
            "later start with backfill (h)",
            [_changes(results, Replayed(log))],
            zero=True,
        )
        for log in logs
    ]
    utilization = [
        Panel(
            f"{log.title}, offered load {FULL:g}",
            "time (share of the log's span)",
            "utilization (share of processors)",
            [_over_time(results, Replayed(log, FULL), one) for one in (*ALGORITHMS, NONE)],
        )
        for log in logs
    ]
    return [
        Picture(
            "figure-2",
            "Figure 2: who waits longer with backfill",
            "Change of each job's start through FIRSTFIT, 5th to 95th percentile; above 0 are jobs that "
            "start later.",
            gained,
        ),
        Picture(
            "figure-4",
            "Figure 4: three ways to backfill, and none",
            "Utilization in twenty equal parts of each log's time.",
            utilization,
        ),
    ]


def _curve(name: str, x: Sequence[float], found: Sequence[Interval]) -> Curve:
    mean = [one.mean for one in found]
    return Curve(name, x, mean, [one.low for one in found], [one.high for one in found])


def _changes(results: Results, case: Replayed) -> Curve:
    found = [results.mean(case, f"later_h_q{quantile:03}_{FIRSTFIT}") for quantile in _INNER]
    return _curve("FIRSTFIT less none", [float(quantile) for quantile in _INNER], found)


def _over_time(results: Results, case: Replayed, algorithm: str) -> Curve:
    found = [results.mean(case, f"used_{algorithm}_{part:02}") for part in range(PARTS)]
    name = "no backfill" if algorithm == NONE else algorithm.upper()
    return _curve(name, [(part + 0.5) / PARTS for part in range(PARTS)], found)


def tables_over(results: Results, logs: Sequence[Log]) -> list[Table]:
    """Every replay with what backfill changed in it."""
    if not logs:
        return []
    rows = [_row(results, Replayed(log, load)) for log in logs for load in (None, FULL)]
    columns = (
        "log",
        "utilization, none",
        *(f"utilization, {algorithm.upper()}" for algorithm in ALGORITHMS),
        "turnaround, FIRSTFIT",
        "later",
        "sooner",
        "backfilled",
        "of small and short",
    )
    return [Table("what backfill changes", "sections 4 to 4.2", columns, rows)]


def _row(results: Results, case: Replayed) -> list[str]:
    used = [results.mean(case, f"used_{one}").mean for one in (NONE, *ALGORITHMS)]
    shares = [
        results.mean(case, f"{metric}_{FIRSTFIT}").mean
        for metric in ("later_share", "sooner_share", "backfilled_share", "backfilled_small_share")
    ]
    return [
        named(case),
        *(f"{one:.4f}" for one in used),
        f"{gain(results, case, 'turnaround_s').mean:+.1%}",
        *(f"{share:.1%}" for share in shares),
    ]
