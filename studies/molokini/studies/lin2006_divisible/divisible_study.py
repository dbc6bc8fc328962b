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
from molokini.studies.lin2006_divisible.setting import EARLIEST, REDRAW, Setting
from molokini.studies.results import Results
from molokini.studies.rule import of_readings
from molokini.studies.study import Case, Size, Study

READINGS = (
    "**The figures are missing** in the text that we have: their curves cannot be compared point by point. "
    "What can be is every sentence about them, and Tables 1 and 2.",
    "**Mean interarrival time** is E(Avg sigma, N) over SystemLoad. Section 5 prints the inverse, which "
    "has no unit of time; its definition of SystemLoad agrees with ours.",
    "**Sizes** are normal with a deviation equal to the mean. One in six would be 0 or less and is drawn "
    "again, so that the mean is 1.29 Avg sigma and more load comes than SystemLoad says. The paper does "
    "not say what it did.",
    "**Deadlines** are *chosen to be larger than* E(sigma_i, N). One in four would not be. Two readings: "
    "such a deadline is raised to E(sigma_i, N) (all figures and claims here), or size and deadline are "
    "drawn again together (Figures 4a to 4f and 4h to 4j a second time, and the table of both readings). "
    "To draw the deadline alone again would not end: 2.7% of the sizes take longer than the longest "
    "deadline.",
    "The text chooses neither: the claims on Figures 4a to 4c are in shape where they hold under one of "
    "the two. "
    "That of Figure 4b on DCRatio 100 is judged over loads up to 0.7, too: beyond, sizes that are drawn "
    "again bring "
    "more than the nodes can do.",
    "**What raising does**: a raised deadline is met by OPR on all nodes alone, and by EPR never. So a "
    "quarter of the tasks tells OPR from EPR however alike the two are, and leaves no choice of order or "
    "of nodes.",
    "**Figure 3** keeps numbers of available nodes by time, and names no nodes: a task that starts at t_k "
    "takes from "
    "the numbers from t_k on, and nothing before. That is what a task does that takes the nodes released "
    "latest; one "
    "that takes those released earliest keeps them from tasks which start before. So `take=latest` is the "
    "default, "
    "whatever it scores, and `earliest` stands beside it: it meets Figure 4f at 250 alone.",
    "**Where more load comes than the nodes can do**, both algorithms of a pair reject what is too much, "
    "and differ by what they cost: an average task on 16 nodes takes 1359 under OPR and 1450 under EPR, so "
    "that under the heaviest loads they differ by 5% whatever the deadlines (Figure 4b, DCRatio 100).",
    "**Figure 4d** does not say what is kept while C_ms grows: three loads and a mean gap are run.",
    "**Figures 4e, 4f** give no range of interarrival times but for the crossing at 1000: 250 to 8000 are "
    "run.",
    "**Figures 4h to 4j, 19, 20** are over interarrival times, and as these grow the three orders can no "
    "longer be "
    "told apart (section 5.3, on Figure 4h). The text does not say the DCRatio. With 2 they can be told "
    "apart nowhere "
    "(by 0.002 at most), so it is 10 here, as in Figure 4f, at the interarrival times of Figure 4e; 2, at "
    "those of the ten "
    "loads, stands beside it.",
    "**Figure 4g**: D = E(200, 2), periods from 900 to 1700, with steps that lie close to the ends of the "
    "range.",
    "**Table 1 and after Table 2**: interarrival times are drawn evenly from the range. Deadlines are "
    "E(sigma, K); after Table 2 also from E(200, 8) to three times that.",
    "**Basic model with C_ps 50** is in the list of section 5.1.4 but in none of the appendix's panels; it "
    "is run.",
    "**Equal** means equal under every seed; *clearly* means beyond the 95% interval over seeds. A claim "
    "of *always* holds where every comparison is clear; it holds in shape where two thirds are, and no "
    "more than a tenth clearly say the contrary.",
)


def _shares(case: Case) -> Hashable:
    assert isinstance(case, Setting)
    return case.workload


def _claims() -> list[Claim]:
    drawn = ("hopeless deadlines raised", "pairs drawn again")
    return [
        *partitioning.model_claims(),
        *(_of_open(one) for one in _beside(drawn, partitioning.claims(), partitioning.claims(REDRAW))),
        *partitioning.appendix_claims(),
        *_beside(
            ("nodes released latest", "earliest", "latest, pairs drawn again"),
            divisible_nodes.claims(),
            divisible_nodes.claims(take=EARLIEST),
            divisible_nodes.claims(REDRAW),
        ),
        *analysis.claims(),
        *_beside(
            ("DCRatio 10", "DCRatio 2", "DCRatio 2, pairs drawn again"),
            order.claims(loose=True),
            order.claims(),
            order.claims(REDRAW),
        ),
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
    summary="Tasks of a size and a deadline arrive at a cluster of N equal nodes; a task may be cut "
    "anywhere, its chunks are sent one after the other (C_ms a unit) and computed (C_ps a unit). A "
    "task is admitted if it and all admitted before it can meet their deadlines, else rejected. An "
    "algorithm is three decisions: the order (EDF, FIFO, MWF), how a load is cut (OPR: all nodes "
    "end together; EPR: equal chunks), and the number of nodes (MN: the fewest that meet the "
    "deadline; AN: all; K: always K). The measure is the share of tasks rejected.",
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
    in_short=[
        "Loads that are cut so that all nodes end together (OPR) are rejected less often than equal "
        "chunks (EPR) for nearly "
        "all parameters of the paper, and never more often.",
        "Theorems and tables of section 5.2 come out as printed, and no admitted task misses its deadline.",
        "Six claims do not hold: curves that are said to lie almost on one another stay apart "
        "(DCRatio 100, C_ps 10,000), and "
        "with the paper's parameters the order in which waiting tasks are looked at makes hardly any "
        "difference.",
        "Giving each task as few nodes as its deadline allows (MN) or all of them (AN) is better by "
        "turns: AN for tight "
        "deadlines and light load, MN for loose ones and short interarrival times.",
        "To learn from it: the rule by which a load is cut matters more than the order of the queue.",
    ],
    readings=READINGS,
)
