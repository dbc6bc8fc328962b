"""Zhang, Franke, Moreira and Sivasubramaniam, JSSPP 2001: gang scheduling, backfilling, migration."""

from molokini.studies.prose import prose
from molokini.studies.study import ENGINE, Size, Study
from molokini.studies.zhang2001_integrated.integrated_cases import ROWS, cases, prepare, run, shares
from molokini.studies.zhang2001_integrated.integrated_claims import CLAIMS
from molokini.studies.zhang2001_integrated.integrated_shown import pictures, tables

STUDY = Study(
    name="zhang2001-integrated",
    title="Gang scheduling with backfilling and migration",
    paper="Y. Zhang, H. Franke, J. E. Moreira, A. Sivasubramaniam: An Integrated Approach to Parallel "
    "Scheduling Using Gang-Scheduling, Backfilling, and Migration, JSSPP 2001, LNCS 2221.",
    **prose(__file__),
    cases=cases,
    run=run,
    prepare=prepare,
    shares=shares,
    sources=[
        *ENGINE,
        "molokini.matrix",
        "molokini.applications",
        "molokini.metrics.grid_losses",
        "molokini.metrics.measures",
        "molokini.metrics.row_measures",
        "molokini.metrics.timelines",
        *(f"molokini.policies.{policy}" for policy in ("conservative", "easy", "fcfs", *ROWS)),
        "molokini.studies.zhang2001_integrated.integrated_cases",
        "molokini.studies.zhang2001_integrated.integrated_measures",
        "molokini.studies.zhang2001_integrated.scenarios",
    ],
    before=(29, 21, 6, 1),
    claims=CLAIMS,
    pictures=pictures,
    tables=tables,
    length="10,000 jobs",
    full=Size("full", 10, 1.0),
    quick=Size("quick", 3, 0.05),
)
