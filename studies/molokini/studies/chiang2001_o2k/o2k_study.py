"""Chiang and Vernon, JSSPP 2001: months of the Origin 2000 as the model makes them, and other logs."""

from molokini.studies.chiang2001_o2k.o2k_cases import JOBS, cases_of, prepare, run
from molokini.studies.chiang2001_o2k.o2k_claims import claims_over
from molokini.studies.chiang2001_o2k.o2k_logs import FEWEST_GAPS, logs_of
from molokini.studies.chiang2001_o2k.o2k_shown import tables_over
from molokini.studies.over_logs import over_logs
from molokini.studies.study import ENGINE, Size

STUDY = over_logs(
    __file__,
    logs_of,
    name="chiang2001-o2k",
    title="The workload of a large shared-memory machine, from its description",
    paper="S.-H. Chiang, M. K. Vernon: Characteristics of a Large Shared Memory Production Workload, "
    "JSSPP 2001, LNCS 2221.",
    words={"fewest_gaps": FEWEST_GAPS},
    cases=cases_of,
    run=run,
    prepare=prepare,
    sources=[
        *ENGINE,
        "molokini.policies.easy",
        "molokini.studies.chiang2001_o2k.o2k_cases",
        "molokini.studies.chiang2001_o2k.o2k_logs",
        "molokini.studies.chiang2001_o2k.o2k_measures",
        "molokini.studies.log_files",
    ],
    before=(13, 2, 1, 1),
    claims=claims_over,
    tables=tables_over,
    length=f"a month of {JOBS:,} jobs, as many as in October 2000, or all jobs of a log",
    full=Size("full", 20, 1.0),
    quick=Size("quick", 3, 0.2),
)
