"""Claims of section 5.2.1: all nodes for every task (AN) against as few as meet its deadline (MN)."""

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from molokini.studies.claims import Claim, Finding, Verdict
from molokini.studies.comparing import (
    Pair,
    Step,
    falls_with,
    mean_difference,
    ordered,
    rises_with,
    tally,
)
from molokini.studies.lin2006_divisible.experiments import (
    AN,
    GAPS,
    MN,
    OVERHEAD_GAP,
    OVERHEAD_LOADS,
    SENDING,
    at_gap,
    overhead,
    pairs,
)
from molokini.studies.lin2006_divisible.setting import LATEST, RAISE, REJECTED
from molokini.studies.results import Interval, Results
from molokini.studies.rule import below, by_intervals, of_readings, together

CROSSING = 1000.0
"""Below this interarrival time Figure 4f is said to show MN in front."""


def claims(deadlines: str = RAISE, take: str = LATEST) -> list[Claim]:
    """The claims on Figures 4d to 4f, under a reading of the deadlines, and of which nodes MN takes."""
    short = [gap for gap in GAPS if gap < CROSSING]
    return [
        Claim(
            "an-first",
            "5.2, introduction",
            "In the basic model EDF-OPR-AN rejects less than EDF-OPR-MN most of the time.",
            lambda results: ordered(results, _base_pairs(deadlines, take), REJECTED),
        ),
        Claim(
            "overhead-falls",
            "5.2.1, Figure 4d",
            "As C_ms grows, the reject ratio of EDF-OPR-MN less that of EDF-OPR-AN falls.",
            lambda results: _overhead(results, deadlines, take),
        ),
        Claim(
            "overhead-above",
            "5.2.1, Figure 4d",
            "For most C_ms that difference is above 0.",
            lambda results: _mostly_above(results, deadlines, take),
        ),
        Claim(
            "gap-grows",
            "5.2.1, Figure 4e",
            "With DCRatio 2 the difference grows with the interarrival time.",
            lambda results: rises_with(_over_gaps(results, 2.0, deadlines, take)),
        ),
        Claim(
            "gap-above",
            "5.2.1, Figure 4e",
            "With DCRatio 2 the difference is above 0.",
            lambda results: _above(results, _gap_pairs(GAPS, 2.0, deadlines, take)),
        ),
        Claim(
            "gap-below",
            "5.2.1, Figure 4f",
            "With DCRatio 10 and interarrival times below 1000 EDF-OPR-MN rejects less than EDF-OPR-AN.",
            lambda results: ordered(results, _gap_pairs(short, 10.0, deadlines, take), REJECTED),
        ),
        Claim(
            "fewer-nodes",
            "5.2.1, Figure 4f",
            "With longer deadlines (DCRatio 10 for 2) MN gives a task fewer nodes, and AN as many as before.",
            lambda results: _fewer_nodes(results, deadlines, take),
        ),
    ]


def _above(results: Results, compared: Sequence[Pair]) -> Finding:
    found = ordered(results, [(an, mn) for mn, an in compared], REJECTED)
    return Finding(found.verdict, f"AN against MN: {found.why}")


def _base_pairs(deadlines: str, take: str) -> list[Pair]:
    return [(an, replace(mn, take=take)) for an, mn in pairs(AN, MN, deadlines=deadlines)]


def _gap_pairs(gaps: Sequence[float], ratio: float, deadlines: str, take: str) -> list[Pair]:
    more = {"dcratio": ratio, "deadlines": deadlines}
    return [(at_gap(MN, gap, take=take, **more), at_gap(AN, gap, **more)) for gap in gaps]


def _over_gaps(results: Results, ratio: float, deadlines: str, take: str) -> list[Step]:
    return [
        (f"{gap:g}", mean_difference(results, _gap_pairs([gap], ratio, deadlines, take), REJECTED))
        for gap in GAPS
    ]


def _overhead_pairs(load: float, deadlines: str, take: str) -> list[Pair]:
    return [(overhead(MN, cms, load, deadlines, take), overhead(AN, cms, load, deadlines)) for cms in SENDING]


def _overhead(results: Results, deadlines: str, take: str) -> Finding:
    """The text does not say what stays as C_ms grows: each load, and a gap."""
    found, said = [], []
    for load in (*OVERHEAD_LOADS, 0.0):
        compared = _overhead_pairs(load, deadlines, take)
        steps = [
            (f"{cms:g}", mean_difference(results, [pair], REJECTED))
            for cms, pair in zip(SENDING, compared, strict=True)
        ]
        one = falls_with(steps)
        first, last = fmean(steps[0][1]), fmean(steps[-1][1])
        said.append(f"{_kept(load)}: {first:+.4f} to {last:+.4f} ({one.verdict})")
        found.append(one.verdict)
    return Finding(of_readings(found), f"from C_ms 1 to 20, {'; '.join(said)}")


def _kept(load: float) -> str:
    return f"load {load:g}" if load else f"gap {OVERHEAD_GAP:g}"


def _mostly_above(results: Results, deadlines: str, take: str) -> Finding:
    said, above = [], []
    for load in (*OVERHEAD_LOADS, 0.0):
        found = tally(results, _overhead_pairs(load, deadlines, take), REJECTED)
        kept = f"load {load:g}" if load else f"gap {OVERHEAD_GAP:g}"
        said.append(
            f"{kept}: clearly above at {found.higher} of {len(SENDING)}, clearly below at {found.lower}"
        )
        above.append(_of_most(found.higher, found.lower, len(SENDING)))
    return Finding(of_readings(above), "; ".join(said))


def _of_most(right: int, wrong: int, count: int) -> Verdict:
    """What comparisons say of *most*: more than half."""
    if 2 * right > count:
        return Verdict.HOLDS
    return Verdict.CONTRADICTED if 2 * wrong >= count else Verdict.UNDECIDED


def _fewer_nodes(results: Results, deadlines: str, take: str) -> Finding:
    fewer: list[Interval] = []
    same, said = 0, []
    for gap in GAPS:
        two, ten = (at_gap(MN, gap, dcratio=ratio, deadlines=deadlines, take=take) for ratio in (2.0, 10.0))
        fewer.append(results.difference(ten, two, "mean_nodes"))
        every = [
            results.mean(replace(setting, policy=AN, take=LATEST), "mean_nodes") for setting in (two, ten)
        ]
        same += all(one.low == one.high == 16.0 for one in every)
        if gap in (GAPS[0], GAPS[-1]):
            means = [results.mean(one, "mean_nodes").mean for one in (two, ten)]
            said.append(f"at {gap:g} MN gives {means[0]:.2f} nodes with DCRatio 2, {means[1]:.2f} with 10")
    found = together([below(fewer), by_intervals(same == len(GAPS), "")])
    many = sum(one.below for one in fewer)
    why = f"{'; '.join(said)}; fewer in {many} of {len(GAPS)} interarrival times, AN always 16 in {same}"
    return Finding(found.verdict, why)
