"""A picture of each log along the load, and a table of every case."""

from collections.abc import Sequence

from molokini.metrics.curves import Panel
from molokini.studies.adaptive.adaptive_cases import (
    ADAPTIVE,
    CANDIDATES,
    EVERY,
    LOADS,
    Loaded,
    cases_of,
    place_of,
)
from molokini.studies.adaptive.adaptive_claims import EASY, best_of, named, percent, ratio, ratios
from molokini.studies.log_files import Log
from molokini.studies.results import Interval, Results, interval
from molokini.studies.shown import Picture, Table, curve

_WORDS = {(False, False): "no clear difference", (True, False): "worse", (False, True): "better"}


def pictures_over(results: Results, logs: Sequence[Log]) -> list[Picture]:
    """Slowdown over that of EASY, along the load; none without logs."""
    if not logs:
        return []
    panels = [
        Panel(
            log.title,
            "load (factor)",
            "slowdown over that of easy, less 1 (share)",
            [
                curve(name, LOADS, [_over_easy(results, Loaded(log, load), name) for load in LOADS])
                for name in _DRAWN
            ],
            zero=True,
        )
        for log in logs
    ]
    return [
        Picture(
            "slowdowns",
            "Slowdown beside EASY",
            "Geometric mean over the pieces of mean bounded slowdown over that of easy: below 0 is less. "
            "fcfs is not drawn, as it would set the scale.",
            panels,
        )
    ]


_DRAWN = tuple(name for name in EVERY if name not in (EASY, CANDIDATES[0]))


def _over_easy(results: Results, case: Loaded, name: str) -> Interval:
    return percent(interval(ratios(results, case, EASY, name)))


def tables_over(results: Results, logs: Sequence[Log]) -> list[Table]:
    """Every case: who is best, how ``adaptive`` does beside it, and what it chose."""
    if not logs:
        return []
    columns = (
        "log",
        "best",
        "slowdown of the best",
        ADAPTIVE,
        "over the best",
        "which is",
        "changes",
        *(f"looks won by {name}" for name in CANDIDATES),
    )
    rows = [_row(results, case) for case in cases_of(logs)]
    return [Table("adaptive beside the best single candidate", "all cases", columns, rows)]


def _row(results: Results, case: Loaded) -> list[str]:
    best = best_of(results, case)
    over = ratio(results, case, best)
    shown = percent(over)
    return [
        named(case),
        best,
        f"{results.mean(case, f'slowdown_{place_of(best)}').mean:.2f}",
        f"{results.mean(case, f'slowdown_{ADAPTIVE}').mean:.2f}",
        f"{shown.mean:+.1%} ({shown.low:+.1%} to {shown.high:+.1%})",
        _WORDS[over.above, over.below],
        f"{results.mean(case, 'changes').mean:.0f}",
        *(f"{results.mean(case, f'share_{place_of(name)}').mean:.0%}" for name in CANDIDATES),
    ]
