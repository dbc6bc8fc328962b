"""Zhou and Brent, JSSPP 2001: gang scheduling with re-packing and classes of jobs."""

from collections.abc import Hashable

from molokini.studies.prose import prose
from molokini.studies.study import ENGINE, Case, Size, Study
from molokini.studies.zhou2001_coscheduling.gang_cases import JOBS, ClassRun, cases, jobs_of, prepare, run
from molokini.studies.zhou2001_coscheduling.gang_claims import CLAIMS
from molokini.studies.zhou2001_coscheduling.gang_shown import pictures, tables


def _shares(case: Case) -> Hashable:
    assert isinstance(case, ClassRun)
    return jobs_of(case)


STUDY = Study(
    name="zhou2001-coscheduling",
    title="Classes of jobs under gang scheduling",
    paper="B. B. Zhou, R. P. Brent: On the Development of an Efficient Coscheduling System, JSSPP "
    "2001, LNCS 2221.",
    **prose(__file__),
    cases=cases,
    run=run,
    prepare=prepare,
    sources=[
        *ENGINE,
        "molokini.matrix",
        "molokini.applications",
        "molokini.metrics.grid_losses",
        "molokini.metrics.row_measures",
        "molokini.metrics.timelines",
        "molokini.policies.buddy_gang",
        "molokini.studies.zhou2001_coscheduling.gang_cases",
    ],
    before=(7, 5, 3, 0),
    claims=CLAIMS,
    pictures=pictures,
    tables=tables,
    length=f"{JOBS:,} jobs",
    shares=_shares,
    full=Size("full", 10, 1.0),
    quick=Size("quick", 3, 0.05),
)
