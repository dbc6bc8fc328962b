"""Choosing among policies by looking ahead, beside each of them alone."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from molokini.studies.adaptive.adaptive_cases import LOADS, PIECES, TAU_S, cases_of, logs_of, prepare, run
from molokini.studies.adaptive.adaptive_claims import claims_over
from molokini.studies.adaptive.adaptive_shown import pictures_over, tables_over
from molokini.studies.log_files import Log
from molokini.studies.prose import prose
from molokini.studies.study import Size, Study


def over(folder: Path) -> Study:
    """The study on the logs of *folder*."""
    return _over(folder, logs_of(folder))


def _over(folder: Path | None, logs: Sequence[Log]) -> Study:
    return Study(
        name="adaptive",
        title="A policy that looks ahead and chooses: what it gains, and where it does not",
        paper="No paper; after the self-tuning dynP of A. Streit, JSSPP 2002, LNCS 2537.",
        **prose(
            __file__,
            logs=", ".join(log.title for log in logs) or "no logs",
            loads=", ".join(f"{load:g}" for load in LOADS),
            pieces=PIECES,
            tau=TAU_S,
        ),
        cases=lambda: cases_of(logs),
        run=partial(run, folder),
        prepare=prepare,
        sources=[
            "molokini.sim",
            "molokini.choosing",
            "molokini.compiled",
            "molokini.tables",
            "molokini.availability",
            "molokini.cycle",
            "molokini.shared",
            "molokini.workloads",
            "molokini.policies.adaptive",
            "molokini.policies.conservative",
            "molokini.policies.easy",
            "molokini.policies.fcfs",
            "molokini.studies.adaptive.adaptive_cases",
            "molokini.studies.log_files",
        ],
        claims=claims_over(logs),
        pictures=lambda results: pictures_over(results, logs),
        tables=lambda results: tables_over(results, logs),
        length="2,500 jobs of a log",
        full=Size("full", 10, 1.0),
        quick=Size("quick", 2, 0.1),
        usual=Size("usual", 10, 0.4),
        over=over,
        inputs=logs,
    )


STUDY = _over(None, ())
