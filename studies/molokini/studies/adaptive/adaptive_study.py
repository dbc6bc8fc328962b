"""Choosing among policies by looking ahead, beside each of them alone."""

from molokini.studies.adaptive.adaptive_cases import LOADS, PIECES, TAU_S, cases_of, logs_of, prepare, run
from molokini.studies.adaptive.adaptive_claims import claims_over
from molokini.studies.adaptive.adaptive_shown import pictures_over, tables_over
from molokini.studies.over_logs import over_logs
from molokini.studies.study import ENGINE, Size

STUDY = over_logs(
    __file__,
    logs_of,
    name="adaptive",
    title="A policy that looks ahead and chooses: what it gains, and where it does not",
    paper="No paper; after the self-tuning dynP of A. Streit, JSSPP 2002, LNCS 2537.",
    words={"loads": ", ".join(f"{load:g}" for load in LOADS), "pieces": PIECES, "tau": TAU_S},
    cases=cases_of,
    run=run,
    prepare=prepare,
    sources=[
        *ENGINE,
        "molokini.choosing",
        "molokini.policies.adaptive",
        "molokini.policies.conservative",
        "molokini.policies.easy",
        "molokini.policies.fcfs",
        "molokini.studies.adaptive.adaptive_cases",
        "molokini.studies.log_files",
    ],
    claims=claims_over,
    pictures=pictures_over,
    tables=tables_over,
    length="2,500 jobs of a log",
    full=Size("full", 10, 1.0),
    quick=Size("quick", 2, 0.1),
    usual=Size("usual", 10, 0.4),
)
