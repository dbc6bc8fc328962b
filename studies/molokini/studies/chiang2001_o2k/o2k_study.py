"""Chiang and Vernon, JSSPP 2001: months of the Origin 2000 as the model makes them, and other logs."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from molokini.studies.chiang2001_o2k.o2k_cases import JOBS, cases_of, prepare, run
from molokini.studies.chiang2001_o2k.o2k_claims import claims_over
from molokini.studies.chiang2001_o2k.o2k_logs import FEWEST_GAPS, logs_of
from molokini.studies.chiang2001_o2k.o2k_shown import tables_over
from molokini.studies.log_files import Log
from molokini.studies.prose import prose
from molokini.studies.results import Results
from molokini.studies.shown import Picture
from molokini.studies.study import Size, Study


def over(folder: Path) -> Study:
    """The study with the logs of *folder* beside the model."""
    return _over(folder, logs_of(folder))


def _no_pictures(results: Results) -> Sequence[Picture]:
    return []


def _over(folder: Path | None, logs: Sequence[Log]) -> Study:
    return Study(
        name="chiang2001-o2k",
        title="The workload of a large shared-memory machine, from its description",
        paper="S.-H. Chiang, M. K. Vernon: Characteristics of a Large Shared Memory Production Workload, "
        "JSSPP 2001, LNCS 2221.",
        **prose(__file__, fewest_gaps=FEWEST_GAPS),
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
            "molokini.policies.easy",
            "molokini.studies.chiang2001_o2k.o2k_cases",
            "molokini.studies.chiang2001_o2k.o2k_logs",
            "molokini.studies.chiang2001_o2k.o2k_measures",
            "molokini.studies.log_files",
        ],
        before=(13, 2, 1, 1),
        claims=claims_over(logs),
        pictures=_no_pictures,
        tables=lambda results: tables_over(results, logs),
        length=f"a month of {JOBS:,} jobs, as many as in October 2000, or all jobs of a log",
        full=Size("full", 20, 1.0),
        quick=Size("quick", 3, 0.2),
        over=over,
        inputs=logs,
    )


STUDY = _over(None, ())
