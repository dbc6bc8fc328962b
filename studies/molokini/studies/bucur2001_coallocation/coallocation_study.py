"""Bucur and Epema, JSSPP 2001: co-allocation in multiclusters."""

from molokini.studies.bucur2001_coallocation.coallocation_cases import cases, prepare, run
from molokini.studies.bucur2001_coallocation.coallocation_claims import CLAIMS
from molokini.studies.bucur2001_coallocation.coallocation_shown import pictures, tables
from molokini.studies.prose import prose
from molokini.studies.study import ENGINE, Size, Study

STUDY = Study(
    name="bucur2001-coallocation",
    title="Co-allocation in multiclusters: kinds of requests and the price of slow links",
    paper="A. I. D. Bucur, D. H. J. Epema: The Influence of Communication on the Performance of "
    "Co-Allocation, JSSPP 2001, LNCS 2221.",
    **prose(__file__),
    cases=cases,
    run=run,
    prepare=prepare,
    sources=[
        *ENGINE,
        "molokini.applications",
        "molokini.policies.fcfs",
        "molokini.studies.bucur2001_coallocation.coallocation_cases",
        "molokini.studies.bucur2001_coallocation.freed",
    ],
    before=(12, 3, 2, 0),
    claims=CLAIMS,
    pictures=pictures,
    tables=tables,
    length="100,000 jobs",
    full=Size("full", 10, 1.0),
    quick=Size("quick", 3, 0.02),
)
