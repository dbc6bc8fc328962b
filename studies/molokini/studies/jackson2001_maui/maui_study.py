"""Jackson, Snell and Clement, JSSPP 2001: backfill on the logs of real machines."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from molokini.studies.jackson2001_maui.maui_cases import FULL, cases_of, prepare, run
from molokini.studies.jackson2001_maui.maui_claims import claims_over
from molokini.studies.jackson2001_maui.maui_logs import MOST_UNDER_LOAD, SHAKE_S, logs_of
from molokini.studies.jackson2001_maui.maui_shown import pictures_over, tables_over
from molokini.studies.log_files import Log
from molokini.studies.prose import prose
from molokini.studies.study import Size, Study


def over(folder: Path) -> Study:
    """The study on the logs of *folder*."""
    return _over(folder, logs_of(folder))


def _over(folder: Path | None, logs: Sequence[Log]) -> Study:
    return Study(
        name="jackson2001-maui",
        title="Backfill in the Maui scheduler: what it gains, which jobs it delays, and which way to do it",
        paper="D. Jackson, Q. Snell, M. Clement: Core Algorithms of the Maui Scheduler, JSSPP 2001, "
        "LNCS 2221.",
        **prose(
            __file__,
            full=FULL,
            logs=", ".join(log.title for log in logs) or "no logs",
            most_under_load=MOST_UNDER_LOAD,
            shake_s=SHAKE_S,
        ),
        cases=lambda: cases_of(logs),
        run=partial(run, folder),
        prepare=prepare,
        sources=[
            "molokini.sim",
            "molokini.compiled",
            "molokini.tables",
            "molokini.availability",
            "molokini.cycle",
            "molokini.shared",
            "molokini.workloads",
            "molokini.policies.maui",
            "molokini.studies.jackson2001_maui.maui_cases",
            "molokini.studies.jackson2001_maui.maui_logs",
            "molokini.studies.jackson2001_maui.maui_measures",
            "molokini.studies.log_files",
        ],
        before=(3, 3, 4, 0),
        claims=claims_over(logs),
        pictures=lambda results: pictures_over(results, logs),
        tables=lambda results: tables_over(results, logs),
        length="all jobs of a log",
        full=Size("full", 5, 1.0),
        quick=Size("quick", 2, 0.02),
        over=over,
        inputs=logs,
    )


STUDY = _over(None, ())
