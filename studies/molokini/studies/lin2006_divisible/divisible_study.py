"""The study ``lin2006-divisible``: what it runs, claims and shows."""

from collections.abc import Hashable
from dataclasses import replace

from molokini.studies.claims import Claim, Finding
from molokini.studies.lin2006_divisible import (
    analysis,
    divisible_figures,
    divisible_nodes,
    order,
    partitioning,
)
from molokini.studies.lin2006_divisible.divisible_runs import prepare, run
from molokini.studies.lin2006_divisible.experiments import cases
from molokini.studies.lin2006_divisible.setting import Setting
from molokini.studies.prose import prose
from molokini.studies.results import Results
from molokini.studies.rule import of_readings
from molokini.studies.study import ENGINE, Case, Size, Study


def _shares(case: Case) -> Hashable:
    assert isinstance(case, Setting)
    return case.workload


def _of_open(claim: Claim) -> Claim:
    """A claim whose reading the text does not choose: in shape where it holds under some."""

    def check(results: Results) -> Finding:
        found = claim.under_each(results)
        first = next(iter(found.values()))
        return replace(first, verdict=of_readings([one.verdict for one in found.values()]))

    return replace(claim, check=check)


STUDY = Study(
    name="lin2006-divisible",
    title="Real-time divisible loads on a cluster",
    paper="X. Lin, Y. Lu, J. Deogun, S. Goddard: Real-Time Divisible Load Scheduling for Cluster Computing, "
    "University of Nebraska-Lincoln, technical report TR-UNL-CSE-2006-0016, 2006.",
    **prose(__file__),
    cases=cases,
    run=run,
    prepare=prepare,
    sources=[
        *ENGINE,
        "molokini.applications",
        "molokini.model",
        "molokini.policies",
        "molokini.metrics.divisible_runs",
        "molokini.studies.lin2006_divisible.setting",
        "molokini.studies.lin2006_divisible.divisible_runs",
    ],
    shares=_shares,
    before=(21, 17, 6, 0),
    claims=[
        *(_of_open(one) if one.readings else one for one in partitioning.SAID.made),
        *divisible_nodes.SAID.made,
        *analysis.SAID.made,
        *order.SAID.made,
        *partitioning.PROMISES.made,
    ],
    pictures=divisible_figures.pictures,
    tables=analysis.tables,
    quick=Size("quick", 4, 0.1),
    length="10,000,000 time units",
)
