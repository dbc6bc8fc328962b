"""The policy ``slurm`` with plain settings beside ``easy`` and ``maui``: where they differ, and why."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from molokini.studies.fidelity.fidelity_cases import (
    INTERVAL_S,
    MOST_NODES,
    PIECES,
    TAU_S,
    cases_of,
    logs_of,
    prepare,
    run,
)
from molokini.studies.fidelity.fidelity_claims import ADDED_S, claims_over
from molokini.studies.fidelity.fidelity_shown import pictures_over, tables_over
from molokini.studies.log_files import Log
from molokini.studies.prose import prose
from molokini.studies.study import Size, Study


def over(folder: Path) -> Study:
    """The study on the logs of *folder*."""
    return _over(folder, logs_of(folder))


def _over(folder: Path | None, logs: Sequence[Log]) -> Study:
    return Study(
        name="fidelity",
        title="Slurm with plain settings beside EASY and Maui: where they differ, and why",
        paper="No paper; the policy is after Slurm 26.05.",
        **prose(
            __file__,
            logs=", ".join(log.title for log in logs) or "no logs",
            pieces=PIECES,
            tau=TAU_S,
            interval=INTERVAL_S,
            added=ADDED_S,
            nodes=MOST_NODES,
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
            "molokini.policies.conservative",
            "molokini.policies.easy",
            "molokini.policies.maui",
            "molokini.policies.slurm",
            "molokini.studies.fidelity.fidelity_cases",
            "molokini.studies.log_files",
        ],
        claims=claims_over(logs),
        pictures=lambda results: pictures_over(results, logs),
        tables=lambda results: tables_over(results, logs),
        length="4,000 jobs of a log",
        full=Size("full", 10, 1.0),
        quick=Size("quick", 2, 0.05),
        usual=Size("usual", 8, 0.25),
        over=over,
        inputs=logs,
    )


STUDY = _over(None, ())
