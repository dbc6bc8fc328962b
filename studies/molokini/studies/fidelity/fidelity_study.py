"""The policy ``slurm`` with plain settings beside ``easy`` and ``maui``: where they differ, and why."""

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
from molokini.studies.over_logs import over_logs
from molokini.studies.study import ENGINE, Size

STUDY = over_logs(
    __file__,
    logs_of,
    name="fidelity",
    title="Slurm with plain settings beside EASY and Maui: where they differ, and why",
    paper="No paper; the policy is after Slurm 26.05.",
    words={"pieces": PIECES, "tau": TAU_S, "interval": INTERVAL_S, "added": ADDED_S, "nodes": MOST_NODES},
    cases=cases_of,
    run=run,
    prepare=prepare,
    sources=[
        *ENGINE,
        "molokini.policies.conservative",
        "molokini.policies.easy",
        "molokini.policies.maui",
        "molokini.policies.slurm",
        "molokini.studies.fidelity.fidelity_cases",
        "molokini.studies.log_files",
    ],
    claims=claims_over,
    pictures=pictures_over,
    tables=tables_over,
    length="4,000 jobs of a log",
    full=Size("full", 10, 1.0),
    quick=Size("quick", 2, 0.05),
    usual=Size("usual", 8, 0.25),
)
