"""The study ``lin2006-divisible``: what it runs, claims and shows."""

from collections.abc import Hashable, Sequence

from molokini.studies.claims import Claim
from molokini.studies.lin2006_divisible import (
    analysis,
    divisible_figures,
    divisible_nodes,
    order,
    partitioning,
)
from molokini.studies.lin2006_divisible.divisible_runs import SOURCES, prepare, run
from molokini.studies.lin2006_divisible.experiments import cases
from molokini.studies.lin2006_divisible.setting import EARLIEST, RAISE, REDRAW, Setting
from molokini.studies.results import Results
from molokini.studies.shown import Table
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
    "**What raising does**: a raised deadline is met by OPR on all nodes alone, and by EPR never. So a "
    "quarter of the tasks tells OPR from EPR however alike the two are, and leaves no choice of order or "
    "of nodes.",
    "**Figure 3** leaves open which of the nodes that are free by its start a task takes: those released "
    "latest (all figures and claims here), so that the others stay for tasks that start before, or "
    "earliest, as an order of nodes by release time would have it. With the latest EDF-OPR-MN rejects less "
    "than EDF-OPR-AN in Figure 4f at the interarrival times that the paper names; with the earliest it does "
    "so at 250 alone. Figures 4d to 4f are shown both ways.",
    "**Where more load comes than the nodes can do**, both algorithms of a pair reject what is too much, "
    "and differ by what they cost: an average task on 16 nodes takes 1359 under OPR and 1450 under EPR, so "
    "that under the heaviest loads they differ by 5% whatever the deadlines (Figure 4b, DCRatio 100).",
    "**Figure 4d** does not say what is kept while C_ms grows: three loads and a mean gap are run.",
    "**Figures 4e, 4f** give no range of interarrival times but for the crossing at 1000: 250 to 8000 are "
    "run.",
    "**Figures 4h to 4j, 19, 20** are over interarrival times: those of the ten loads. The text does not "
    "say the DCRatio of section 5.3; with 2 the three orders can hardly be told apart, because few tasks "
    "wait. So 5.3 is run once more with DCRatio 10 and the interarrival times of Figure 4e.",
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
    return [
        *partitioning.model_claims(),
        *partitioning.claims(),
        *partitioning.appendix_claims(),
        *divisible_nodes.claims(),
        *analysis.claims(),
        *order.claims(),
        *promises(),
    ]


def promises() -> list[Claim]:
    """What must hold of every algorithm, or the runs are worth nothing."""
    return [
        Claim(
            "guarantee",
            "4.3, Figure 3",
            "An admitted task meets its deadline, whatever is admitted after it.",
            partitioning.guarantee,
        )
    ]


def _tables(results: Results) -> list[Table]:
    again = [c for made in (partitioning.claims, divisible_nodes.claims, order.claims) for c in made(REDRAW)]
    once = [c for made in (partitioning.claims, divisible_nodes.claims, order.claims) for c in made(RAISE)]
    drawn = _beside(results, "pairs drawn again", "The other reading of the deadlines", once, again)
    loose = _beside(
        results,
        "DCRatio 10, interarrival times of Figure 4e",
        "Section 5.3 with looser deadlines",
        order.claims(),
        order.claims(loose=True),
    )
    taken = _beside(
        results,
        "nodes released earliest",
        "Which of the free nodes MN takes",
        divisible_nodes.claims(),
        divisible_nodes.claims(take=EARLIEST),
    )
    return [*analysis.tables(results), drawn, taken, loose]


def _beside(results: Results, what: str, place: str, ones: Sequence[Claim], others: Sequence[Claim]) -> Table:
    """The verdicts on the same claims in two settings."""
    rows = []
    for one, other in zip(ones, others, strict=True):
        found = other.judged(results)
        rows.append([one.place, one.text, str(one.judged(results).verdict), str(found.verdict), found.why])
    columns = ["where", "claim", "above", what, f"what we found, {what}"]
    return Table("the claims on Figure 4 again", place, columns, rows)


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
    claims=_claims(),
    pictures=divisible_figures.pictures,
    tables=_tables,
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
