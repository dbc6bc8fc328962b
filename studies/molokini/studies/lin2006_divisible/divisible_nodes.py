"""Claims of section 5.2.1: all nodes for every task (AN) against as few as meet its deadline (MN)."""

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from molokini.studies.claims import Claims, Finding, Verdict
from molokini.studies.comparing import Pair, falls_with, mean_difference, ordered, rises_with, tally
from molokini.studies.lin2006_divisible.experiments import (
    AN,
    GAPS,
    MN,
    OVERHEAD_GAP,
    OVERHEAD_LOADS,
    SENDING,
    How,
    at_gap,
    overhead,
    pairs,
)
from molokini.studies.lin2006_divisible.setting import EARLIEST, LATEST, REDRAW, REJECTED
from molokini.studies.results import Interval, Results
from molokini.studies.rule import below, by_intervals, of_readings, together

HOWS = (
    How("nodes released latest"),
    How("earliest", take=EARLIEST),
    How("latest, pairs drawn again", REDRAW),
)
SAID = Claims()

CROSSING = 1000.0
"""Below this interarrival time Figure 4f is said to show MN in front."""


@SAID(
    "an-first",
    "5.2, introduction",
    "In the basic model EDF-OPR-AN rejects less than EDF-OPR-MN most of the time.",
    HOWS,
)
def _an_first(results: Results, how: How) -> Finding:
    both = pairs(AN, MN, deadlines=how.deadlines)
    return ordered(results, [(an, replace(mn, take=how.take)) for an, mn in both], REJECTED)


@SAID(
    "gap-grows", "5.2.1, Figure 4e", "With DCRatio 2 the difference grows with the interarrival time.", HOWS
)
def _gap_grows(results: Results, how: How) -> Finding:
    apart = [mean_difference(results, _gap_pairs([gap], 2.0, how), REJECTED) for gap in GAPS]
    return rises_with([(f"{gap:g}", one) for gap, one in zip(GAPS, apart, strict=True)])


@SAID("gap-above", "5.2.1, Figure 4e", "With DCRatio 2 the difference is above 0.", HOWS)
def _gap_above(results: Results, how: How) -> Finding:
    found = ordered(results, [(an, mn) for mn, an in _gap_pairs(GAPS, 2.0, how)], REJECTED)
    return Finding(found.verdict, f"AN against MN: {found.why}")


@SAID(
    "gap-below",
    "5.2.1, Figure 4f",
    "With DCRatio 10 and interarrival times below 1000 EDF-OPR-MN rejects less than EDF-OPR-AN.",
    HOWS,
)
def _gap_below(results: Results, how: How) -> Finding:
    return ordered(results, _gap_pairs([gap for gap in GAPS if gap < CROSSING], 10.0, how), REJECTED)


def _gap_pairs(gaps: Sequence[float], ratio: float, how: How) -> list[Pair]:
    more = {"dcratio": ratio, "deadlines": how.deadlines}
    return [(at_gap(MN, gap, take=how.take, **more), at_gap(AN, gap, **more)) for gap in gaps]


def _overheads(how: How) -> dict[str, list[Pair]]:
    """The text does not say what stays as C_ms grows: each load, and a gap."""
    return {
        f"load {load:g}" if load else f"gap {OVERHEAD_GAP:g}": [
            (overhead(MN, cms, load, how.deadlines, how.take), overhead(AN, cms, load, how.deadlines))
            for cms in SENDING
        ]
        for load in (*OVERHEAD_LOADS, 0.0)
    }


@SAID(
    "overhead-falls",
    "5.2.1, Figure 4d",
    "As C_ms grows, the reject ratio of EDF-OPR-MN less that of EDF-OPR-AN falls.",
    HOWS,
)
def _overhead(results: Results, how: How) -> Finding:
    found, said = [], []
    for kept, compared in _overheads(how).items():
        apart = [mean_difference(results, [pair], REJECTED) for pair in compared]
        one = falls_with([(f"{cms:g}", of) for cms, of in zip(SENDING, apart, strict=True)])
        said.append(f"{kept}: {fmean(apart[0]):+.4f} to {fmean(apart[-1]):+.4f} ({one.verdict})")
        found.append(one.verdict)
    return Finding(of_readings(found), f"from C_ms 1 to 20, {'; '.join(said)}")


@SAID("overhead-above", "5.2.1, Figure 4d", "For most C_ms that difference is above 0.", HOWS)
def _mostly_above(results: Results, how: How) -> Finding:
    said, above = [], []
    for kept, compared in _overheads(how).items():
        found = tally(results, compared, REJECTED)
        clear = f"clearly above at {found.higher} of {len(SENDING)}, clearly below at {found.lower}"
        said.append(f"{kept}: {clear}")
        above.append(_of_most(found.higher, found.lower, len(SENDING)))
    return Finding(of_readings(above), "; ".join(said))


def _of_most(right: int, wrong: int, count: int) -> Verdict:
    """What comparisons say of *most*: more than half."""
    if 2 * right > count:
        return Verdict.HOLDS
    return Verdict.CONTRADICTED if 2 * wrong >= count else Verdict.UNDECIDED


@SAID(
    "fewer-nodes",
    "5.2.1, Figure 4f",
    "With longer deadlines (DCRatio 10 for 2) MN gives a task fewer nodes, and AN as many as before.",
    HOWS,
)
def _fewer_nodes(results: Results, how: How) -> Finding:
    fewer: list[Interval] = []
    same, said = 0, []
    more = {"deadlines": how.deadlines, "take": how.take}
    for gap in GAPS:
        two, ten = (at_gap(MN, gap, dcratio=ratio, **more) for ratio in (2.0, 10.0))
        fewer.append(results.difference(ten, two, "mean_nodes"))
        on_all = (replace(setting, policy=AN, take=LATEST) for setting in (two, ten))
        every = [results.mean(setting, "mean_nodes") for setting in on_all]
        same += all(one.low == one.high == 16.0 for one in every)
        if gap in (GAPS[0], GAPS[-1]):
            means = [results.mean(one, "mean_nodes").mean for one in (two, ten)]
            said.append(f"at {gap:g} MN gives {means[0]:.2f} nodes with DCRatio 2, {means[1]:.2f} with 10")
    found = together([below(fewer), by_intervals(same == len(GAPS), "")])
    many = sum(one.below for one in fewer)
    why = f"{'; '.join(said)}; fewer in {many} of {len(GAPS)} interarrival times, AN always 16 in {same}"
    return Finding(found.verdict, why)
