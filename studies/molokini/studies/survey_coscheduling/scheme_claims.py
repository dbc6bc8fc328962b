"""What the survey claims, mostly of papers that it cites, and what its proposal does (S1 to S19)."""

from collections.abc import Callable, Hashable, Sequence

from molokini.studies.claims import Claim, Finding
from molokini.studies.comparing import ordered, rises_with
from molokini.studies.results import Interval, Results, interval
from molokini.studies.rule import (
    above,
    at_least,
    at_most,
    each_within,
    exactly,
    in_shape_if,
    together,
    within,
)
from molokini.studies.survey_coscheduling.scheme_cases import (
    BY_WIDTH,
    DYNAMIC,
    GRAINS_US,
    IMPLICIT,
    INTERVALS_US,
    LIMITS_US,
    PLAIN,
    POLICIES,
    PROPOSAL,
    SKEWS,
    SLOTS_MS,
    UNFAIR,
    Beside,
    Bsp,
    ByClass,
    Control,
    Desk,
    Mixed,
    Sets,
    Shares,
    Sleeper,
    Wide,
)

COMPLETION, RESPONSE, JAIN = "completion_s", "response_s", "jain"
RIVALS = (IMPLICIT, DYNAMIC, "dcs-fitted", PLAIN, UNFAIR, "sb-starving")


def ratio(results: Results, one: Hashable, other: Hashable, metric: str) -> Interval:
    """One case's metric over another's, seed by seed."""
    pairs = zip(results.samples(one, metric), results.samples(other, metric), strict=True)
    return interval([top / bottom for top, bottom in pairs])


def _less(results: Results, case: Hashable, one: str, other: str) -> Interval:
    """One metric less another, of the same case."""
    pairs = zip(results.samples(case, one), results.samples(case, other), strict=True)
    return interval([a - b for a, b in pairs])


def _grid() -> list[tuple[int, int]]:
    return [(grain, skew) for grain in GRAINS_US for skew in SKEWS]


def s1(results: Results) -> Finding:
    """Within three tenths of a gang that changes jobs for nothing; the survey prints no number."""
    found = [
        ratio(results, Bsp(IMPLICIT, grain, skew), Bsp("gang", grain, skew), COMPLETION)
        for grain, skew in _grid()
    ]
    return each_within(found, 0.0, 1.3, _told(found))


def _told(found: Sequence[Interval]) -> str:
    return f"from {min(one.mean for one in found):.3f} to {max(one.mean for one in found):.3f}"


def s2(results: Results) -> Finding:
    """The coarse job has more of the CPU than the fine one."""
    found = [_less(results, Mixed(IMPLICIT, skew), "coarse", "fine") for skew in SKEWS]
    return above(found, f"share of coarse less fine {_told(found)}")


def s3(results: Results) -> Finding:
    """Messages every 0.1 ms beside a serial process: within a tenth of twice the time alone."""
    own = ratio(results, Beside(DYNAMIC, INTERVALS_US[0]), Beside("alone", INTERVALS_US[0]), RESPONSE)
    return at_most(own, 2.2, f"response over that alone: {own}")


def s4(results: Results) -> Finding:
    """CPU time within a tenth of that alone."""
    found = [ratio(results, Beside(DYNAMIC, k), Beside("alone", k), "used_s") for k in INTERVALS_US]
    return each_within(found, 0.0, 1.1, _told(found))


def s5(results: Results) -> Finding:
    """Up to a fifth below implicit: the best of the intervals by a tenth to three tenths."""
    found = [ratio(results, Beside(DYNAMIC, k), Beside(IMPLICIT, k), RESPONSE) for k in INTERVALS_US]
    best = min(found, key=lambda one: one.mean)
    why = f"response over that of implicit {_told(found)}"
    return in_shape_if(within(best, 0.7, 0.9, why), at_most(best, 1.0, why))


def s6(results: Results) -> Finding:
    """About half of the CPU beside one serial process, with the slack fitted."""
    fair = ("dcs-fitted", DYNAMIC)
    parts = {
        name: each_within([results.mean(Beside(name, k), "share") for k in INTERVALS_US], 0.45, 0.55)
        for name in fair
    }
    told = together(parts)
    return Finding(parts["dcs-fitted"].verdict, told.why, told.figures)


def s7(results: Results) -> Finding:
    """The rarer messages, the further from half of the machine."""
    steps = []
    for k in INTERVALS_US:
        pairs = zip(
            results.samples(Beside(DYNAMIC, k), RESPONSE),
            results.samples(Beside("alone", k), RESPONSE),
            strict=True,
        )
        steps.append((f"{k / 1000:g} ms", [one / (2 * alone) for one, alone in pairs]))
    return rises_with(steps)


def _spread(results: Results, grain: int) -> Interval:
    every = [results.samples(Bsp(policy, grain), COMPLETION) for policy in POLICIES]
    return interval([max(of_seed) / min(of_seed) - 1 for of_seed in zip(*every, strict=True)])


def s8(results: Results) -> Finding:
    """Policies within 5% of each other at 100 ms, and more than a fifth apart at 0.78 ms."""
    fine, coarse = (_spread(results, grain) for grain in LIMITS_US)
    return together(
        {
            "100 ms": at_most(coarse, 0.05, f"spread {coarse}"),
            "0.78 ms": at_least(fine, 0.2, f"spread {fine}"),
        }
    )


def s9(results: Results) -> Finding:
    """Without a test of fairness the fine job has more than the coarse one."""
    found = [_less(results, Mixed(UNFAIR, skew), "fine", "coarse") for skew in SKEWS]
    return above(found, f"share of fine less coarse {_told(found)}")


def s10(results: Results) -> Finding:
    """Fairer than with the rule of each second, and still not fair."""
    better = [results.difference(Mixed("sb-starving", s), Mixed(IMPLICIT, s), JAIN) for s in SKEWS]
    still = [results.mean(Mixed("sb-starving", skew), JAIN) for skew in SKEWS]
    return together(
        {"fairer": above(better, _told(better)), "not fair": each_within(still, 0.0, 0.98, _told(still))}
    )


def s11(results: Results) -> Finding:
    """Interactive processes wait longer the longer the slots, and longer than under spin-block."""
    steps = [(f"{k} ms", results.samples(Desk("dhc", k), "wait_ms")) for k in SLOTS_MS]
    pairs = [(Desk(PLAIN), Desk("dhc", k)) for k in SLOTS_MS]
    return together({"slots": rises_with(steps), "spin-block": ordered(results, pairs, "wait_ms")})


def s12(results: Results) -> Finding:
    """A third each where all are controllable; where one is not, it takes most."""
    every = results.mean(Control(True), "first_share")
    one = results.mean(Control(False), "first_share")
    return together(
        {
            "all controllable": within(every, 0.28, 0.38, str(every)),
            "one not": at_least(one, 0.5, f"share of the one that is not {one}"),
        }
    )


def s13(results: Results) -> Finding:
    """With time by class a process of the wide job has more than a serial one, and more than evenly."""
    over = _less(results, ByClass("classes"), "wide", "serial")
    more = results.difference(ByClass("classes"), ByClass("even"), "wide")
    return together({"over serial": above([over], str(over)), "over even": above([more], str(more))})


def s14(results: Results) -> Finding:
    """Bursts shorter than the interval: no gain over uncoordinated; long ones gain."""
    short, long = (ratio(results, Sets(True, ms), Sets(False, ms), "progress") for ms in (100, 100_000))
    return Finding(
        at_most(short, 1.02).verdict,
        f"progress over uncoordinated: bursts of 0.1 s {short}, always {long}",
    )


def _best_completion(results: Results, grain: int, skew: int) -> list[float]:
    every = [results.samples(Bsp(p, grain, skew), COMPLETION) for p in POLICIES if p != PROPOSAL]
    return [min(of_seed) for of_seed in zip(*every, strict=True)]


def s15(results: Results) -> Finding:
    """Completion within 5% of the best rival at each grain, and the highest Jain index of all.

    Of jobs where a job has 100 tickets, however wide; of processes where each of them brings 100.
    """
    found = []
    for grain, skew in _grid():
        own = results.samples(Bsp(PROPOSAL, grain, skew), COMPLETION)
        pairs = zip(own, _best_completion(results, grain, skew), strict=True)
        found.append(interval([one / best for one, best in pairs]))

    def beside(own: str) -> list[tuple[Mixed, Mixed]]:
        return [(Mixed(rival, skew), Mixed(own, skew)) for skew in SKEWS for rival in RIVALS]

    return together(
        {
            "completion": each_within(found, 0.0, 1.05, f"over the best {_told(found)}"),
            "fairness to jobs, 100 tickets each": ordered(results, beside(PROPOSAL), "jain_of_jobs"),
            "fairness to processes, 100 tickets each": ordered(results, beside(BY_WIDTH), JAIN),
        }
    )


def s16(results: Results) -> Finding:
    """CPU time of CPU-bound processes is t / T of it, within a quantum of 10 ms."""
    worst = max(results.samples(Shares(), "error_ms"))
    return exactly(worst <= 10, f"at most {worst:.1f} ms off, with quanta of 10 ms")


def s17(results: Results) -> Finding:
    """Without tracking the wide job has twice a narrow one; with it as much."""
    plain = [results.samples(Wide(False), name) for name in ("wide", "narrow")]
    tracked = [results.samples(Wide(True), name) for name in ("wide", "narrow")]
    more = all(wide > 1.9 * narrow for wide, narrow in zip(*plain, strict=True))
    same = all(abs(wide - narrow) < 0.01 for wide, narrow in zip(*tracked, strict=True))
    why = (
        f"CPUs of the wide job and a narrow one: {plain[0][0]:.3f}, {plain[1][0]:.3f} without tracking, "
        f"{tracked[0][0]:.3f}, {tracked[1][0]:.3f} with it"
    )
    return exactly(more and same, why)


def s18(results: Results) -> Finding:
    """A sleeper has its share over sleep and credit within a quantum; without the credit not."""
    with_credit, without = (max(results.samples(Sleeper(c), "error_ms")) for c in (True, False))
    return exactly(
        with_credit <= 10 < without + 1e-9,
        f"{with_credit:.1f} ms off a third with the credit, {without:.1f} ms without it",
    )


def s19(results: Results) -> Finding:
    """Completion of implicit and dynamic within a fifth of each other at 1 and 10 ms."""
    found = [
        ratio(results, Bsp(DYNAMIC, grain, skew), Bsp(IMPLICIT, grain, skew), COMPLETION)
        for grain, skew in _grid()
        if grain <= 10_000
    ]
    return each_within(found, 0.8, 1.25, f"dynamic over implicit {_told(found)}")


_ROWS: Sequence[tuple[str, str, str, Callable[[Results], Finding]]] = (
    ("s1", "4.5", "Implicit coscheduling is near an ideal gang for bulk-synchronous programs.", s1),
    ("s2", "4.5, 6.3", "Implicit coscheduling favours coarse grain over fine.", s2),
    ("s3", "4.6", "Dynamic coscheduling is near the ideal for fine grain.", s3),
    ("s4", "4.6", "Its CPU time is that of batch.", s4),
    ("s5", "4.6", "Its response is up to 20% below that of implicit coscheduling.", s5),
    ("s6", "4.6", "Its fairness is near-perfect, with parameters fitted by hand.", s6),
    ("s7", "6.2", "It gets worse as communication gets rarer.", s7),
    ("s8", "6.2.2", "Above some interval between messages coscheduling does not matter.", s8),
    ("s9", "6.3", "Without a test of fairness fine-grain jobs get more than coarse ones.", s9),
    ("s10", "6.3", "Raising starved processes after QJ makes implicit fairer, but not well.", s10),
    (
        "s11",
        "4.1, 4.3, 5",
        "Explicit schemes serve interactive jobs worse, more so with longer slots.",
        s11,
    ),
    ("s12", "4.2", "Process control is fair only if all applications are controllable.", s12),
    ("s13", "4.3", "Gang scheduling by class gives communicating jobs more than their share.", s13),
    ("s14", "4.4", "RAWSI fails where interaction is brief.", s14),
    ("s15", "7", "The proposal has good performance and fairness (no experiment was made).", s15),
    ("s16", "7.2", "A process with t of T tickets has t/T of its CPU.", s16),
    ("s17", "7.3", "Without ticket tracking a wide job gets more of the cluster; with it, no more.", s17),
    ("s18", "7.3", "Credits restore shares over the time away and as long again.", s18),
    ("s19", "6.1", "Implicit and dynamic coscheduling perform alike.", s19),
)
CLAIMS = [Claim(*row) for row in _ROWS]
