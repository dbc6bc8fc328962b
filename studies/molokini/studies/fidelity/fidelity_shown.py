"""A picture of each log along the interval between backfill passes, and tables of every log."""

from collections.abc import Sequence

from molokini.metrics.curves import Panel
from molokini.studies.fidelity.fidelity_cases import (
    CONSERVATIVE,
    EASY,
    EVERY,
    INTERVALS,
    MAUI,
    NODED,
    SLURM,
    Pieces,
    cases_of,
)
from molokini.studies.fidelity.fidelity_claims import percent, ratio
from molokini.studies.log_files import Log
from molokini.studies.results import Results
from molokini.studies.shown import Picture, Table, curve


def pictures_over(results: Results, logs: Sequence[Log]) -> list[Picture]:
    """Mean waits over those of EASY, along the interval; none without logs."""
    if not logs:
        return []
    return [
        Picture(
            "intervals",
            "Mean waits beside EASY, by the interval between backfill passes",
            "Geometric mean over the pieces of mean waits, a minute added, over those of easy, less 1: above "
            "0 is longer. An interval of 0 is a pass at every event, without any other delay. maui and "
            "conservative have no timer.",
            [_panel(results, case) for case in cases_of(logs)],
        )
    ]


def _panel(results: Results, case: Pieces) -> Panel:
    lengths = list(INTERVALS.values())
    ours = [percent(ratio(results, case, name, EASY)) for name in INTERVALS]
    level = [
        curve(name, lengths, [percent(ratio(results, case, name, EASY))] * len(lengths), dashed=True)
        for name in (MAUI, CONSERVATIVE)
    ]
    words = "mean wait over that of easy, less 1 (share)"
    return Panel(
        case.log.title,
        "interval between backfill passes (s)",
        words,
        [curve(SLURM, lengths, ours), *level],
        zero=True,
    )


def tables_over(results: Results, logs: Sequence[Log]) -> list[Table]:
    """Mean waits under every policy, and how starts under slurm lie beside those of the others."""
    if not logs:
        return []
    cases = cases_of(logs)
    waits = [[case.log.title, *(_wait(results, case, name) for name in (*EVERY, "log"))] for case in cases]
    starts = [
        [
            case.log.title,
            *(_share(results, case, f"{what}_{other}") for other in _OTHERS for what in _WHAT),
            *(_share(results, case, f"by_backfill_{name}") for name in (SLURM, NODED)),
            *(_share(results, case, f"at_once_{name}") for name in (EASY, SLURM)),
        ]
        for case in cases
    ]
    return [
        Table("mean waits, in seconds", "all logs", ("log", *EVERY, "recorded"), waits),
        Table("starts under slurm beside others", "all logs", _COLUMNS, starts),
    ]


_OTHERS = (EASY, MAUI, CONSERVATIVE)
_WHAT = ("within", "later", "sooner")
_COLUMNS = (
    "log",
    *(f"{what} {other}" for other in _OTHERS for what in ("within 30 s of", "later than", "sooner than")),
    "started by backfill",
    "the same on nodes",
    "at once under easy",
    "at once under slurm",
)


def _wait(results: Results, case: Pieces, name: str) -> str:
    metric = f"wait_s_{name}"
    return f"{results.mean(case, metric).mean:,.0f}" if _known(results, case, metric) else "-"


def _share(results: Results, case: Pieces, metric: str) -> str:
    return f"{results.mean(case, metric).mean:.0%}" if _known(results, case, metric) else "-"


def _known(results: Results, case: Pieces, metric: str) -> bool:
    return len(results.known(case, metric)) == len(results.seeds)
