"""Figures 2 and 4 from our replays, and a table of all of them."""

from collections.abc import Sequence

from molokini.metrics.curves import Curve, Panel
from molokini.studies.jackson2001_maui.maui_cases import ALGORITHMS, FULL, NONE, Replayed
from molokini.studies.jackson2001_maui.maui_claims import FIRSTFIT, gain, named
from molokini.studies.jackson2001_maui.maui_measures import PARTS, QUANTILES, quantile_name
from molokini.studies.log_files import Log
from molokini.studies.results import Results
from molokini.studies.shown import Picture, Table, curve

_WHOLE = tuple(quantile for quantile in QUANTILES if 5 <= quantile <= 95 and quantile % 5 == 0)
"""Few jobs at either end would set the scale of all others."""

_LATEST = tuple(quantile for quantile in QUANTILES if 90 <= quantile < 100)
"""Jobs that start later than without backfill; without the single last job."""


def pictures_over(results: Results, logs: Sequence[Log]) -> list[Picture]:
    """Figure 2 as quantiles, figure 4 over the time of each log; none without logs."""
    if not logs:
        return []

    def changes(log: Log, quantiles: Sequence[float]) -> Curve:
        names = [f"later_h_{quantile_name(quantile)}_{FIRSTFIT}" for quantile in quantiles]
        found = [results.mean(Replayed(log), name) for name in names]
        return curve("FIRSTFIT less none", quantiles, found)

    def over_time(log: Log, algorithm: str) -> Curve:
        found = [results.mean(Replayed(log, FULL), f"used_{algorithm}_{part:02}") for part in range(PARTS)]
        name = "no backfill" if algorithm == NONE else algorithm.upper()
        return curve(name, [(part + 0.5) / PARTS for part in range(PARTS)], found)

    change = "change of start (h; above 0: later)"
    gained = [
        Panel(f"{log.title}: {told}", "jobs (% of all, by change)", change, [changes(log, some)], zero=True)
        for log in logs
        for told, some in (("all jobs", _WHOLE), ("those who gain least, and who lose", _LATEST))
    ]
    labels = ("time (share of the log's span)", "utilization (share of processors)")
    utilization = [
        Panel(
            f"{log.title}, offered load {FULL:g}",
            *labels,
            [over_time(log, one) for one in (*ALGORITHMS, NONE)],
        )
        for log in logs
    ]
    caption = (
        "Change of each job's start through FIRSTFIT, in the order of the changes: on the left of each pair "
        "the 5th to 95th percentile of all jobs, on the right the 90th to 99.5th, large; above 0 are jobs "
        "that start later."
    )
    parts = "Utilization in twenty equal parts of each log's time."
    return [
        Picture("figure-2", "Figure 2: who waits longer with backfill", caption, gained),
        Picture("figure-4", "Figure 4: three ways to backfill, and none", parts, utilization),
    ]


def tables_over(results: Results, logs: Sequence[Log]) -> list[Table]:
    """Every replay with what backfill changed in it."""
    if not logs:
        return []
    rows = [_row(results, Replayed(log, load)) for log in logs for load in (None, FULL)]
    columns = (
        "log",
        "utilization, none",
        *(f"{what}, {one.upper()}" for what in ("utilization", "turnaround") for one in ALGORITHMS),
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
        *(f"{gain(results, case, 'turnaround_s', one).mean:+.1%}" for one in ALGORITHMS),
        *(f"{share:.1%}" for share in shares),
    ]
