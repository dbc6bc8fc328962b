"""The study ``lin2006-divisible``: what it runs, claims and shows."""

from collections.abc import Hashable, Sequence
from dataclasses import replace

from molokini.studies.claims import Claim, Finding
from molokini.studies.lin2006_divisible import (
    analysis,
    divisible_figures,
    divisible_nodes,
    order,
    partitioning,
)
from molokini.studies.lin2006_divisible.divisible_runs import SOURCES, prepare, run
from molokini.studies.lin2006_divisible.experiments import cases
from molokini.studies.lin2006_divisible.setting import REDRAW, Setting
from molokini.studies.prose import prose
from molokini.studies.results import Results
from molokini.studies.rule import of_readings
from molokini.studies.study import Case, Size, Study


def _shares(case: Case) -> Hashable:
    assert isinstance(case, Setting)
    return case.workload


def _claims() -> list[Claim]:
    drawn = ("hopeless deadlines raised", "pairs drawn again")
    return [
        *partitioning.model_claims(),
        *(_of_open(one) for one in _beside(drawn, partitioning.claims(), partitioning.claims(REDRAW))),
        *partitioning.appendix_claims(),
        *divisible_nodes.SAID.made,
        *analysis.claims(),
        *order.SAID.made,
        *promises(),
    ]


def promises() -> list[Claim]:
    """What must hold of every algorithm, or the runs are worth nothing."""
    text = "An admitted task meets its deadline, whatever is admitted after it."
    return [Claim("guarantee", "4.3, Figure 3", text, partitioning.guarantee)]


def _beside(names: Sequence[str], *made: Sequence[Claim]) -> list[Claim]:
    """The same claims under several readings; the first is that of the verdict."""
    return [
        replace(
            claims[0],
            readings={name: one.check for name, one in zip(names, claims, strict=True)} | claims[0].readings,
        )
        for claims in zip(*made, strict=True)
    ]


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
    sources=SOURCES,
    shares=_shares,
    before=(21, 17, 6, 0),
    claims=_claims(),
    pictures=divisible_figures.pictures,
    tables=analysis.tables,
    quick=Size("quick", 4, 0.1),
    length="10,000,000 time units",
)
