"""What the paper claims of its workload, of backfilling, and of wrong estimates (sections 2 to 4)."""

from collections.abc import Sequence

from molokini.studies.claims import Claim, Figure, Finding
from molokini.studies.results import Results
from molokini.studies.rule import exactly, together
from molokini.studies.zhang2001_integrated.integrated_cases import (
    FACTORS,
    PHIS,
    Example,
    GangRun,
    Jobs,
    plain,
    rows,
)
from molokini.studies.zhang2001_integrated.judging import (
    Line,
    bf,
    in_modes,
    largest_spread,
    lower,
    named,
    without_rows,
)

SMALL_SPREAD = 0.15
"""Means that differ by no more are called the same."""


def _workload(results: Results) -> Finding:
    jobs = Jobs()
    figures = [
        Figure("share of jobs above 32 processors", 0.30, results.mean(jobs, "large_jobs")),
        Figure("their share of the work", None, results.mean(jobs, "large_work")),
        Figure("largest job", 256.0, results.mean(jobs, "largest")),
        Figure("offered load", 0.55, results.mean(jobs, "load")),
        Figure("median run time, s", None, results.mean(jobs, "median_run_s")),
    ]
    shares, work, largest, load = (figure.ours.mean for figure in figures[:4])
    good = abs(shares - 0.3) < 0.03 and work > 0.8 and largest == 256 and abs(load - 0.55) < 0.01
    return exactly(good, "an input: what the model was made for", figures)


def _phi(results: Results) -> Finding:
    jobs = Jobs()
    exact, distance = results.mean(jobs, "exact_jobs"), results.mean(jobs, "phi_distance")
    good = abs(exact.mean - 0.2) < 0.02 and distance.mean < 0.02
    why = f"an input: the others' distance from a uniform distribution is {distance.mean:.4f}"
    figure = Figure("share that ends at its estimate (Phi 0.2)", 0.2, exact)
    return exactly(good, why, [figure])


def _bf_by_phi(phi: float) -> Line:
    return lambda factor: plain("conservative", factor, phi)


def _spread(results: Results, lines: Sequence[Line], metric: str, upto: float, words: str) -> Finding:
    factors = [factor for factor in FACTORS if 0.55 * factor < upto]
    found = largest_spread(results, lines, metric, factors)
    most = max(found)
    many = sum(one < SMALL_SPREAD for one in found)
    at = 0.55 * factors[found.index(most)]
    where = f"at {many} of {len(found)} loads, at most {most:.0%} (load {at:.2f})"
    why = f"{words} within {SMALL_SPREAD:.0%} {where}"
    return exactly(many == len(found), why, in_shape=most < 2 * SMALL_SPREAD)


def _bf_and_phi(results: Results) -> Finding:
    lines = [_bf_by_phi(phi) for phi in PHIS]
    return together(
        [
            _spread(results, lines, metric, 0.85, words)
            for metric, words in (("slowdown", "slowdowns"), ("wait_s", "waits"))
        ]
    )


def _bf_gains(results: Results) -> Finding:
    factors = [factor for factor in FACTORS if 0.55 * factor <= 0.90]
    pairs = [
        ((plain("conservative", factor, phi), "slowdown"), (plain("conservative", factor, 1.0), "slowdown"))
        for phi in PHIS[:-1]
        for factor in factors
    ]
    return named("slowdown with Phi below 1 against exact estimates", lower(results, pairs))


def _bf_waits(results: Results) -> Finding:
    pairs = [
        ((plain("conservative", factor, 1.0), "wait_s"), (plain("conservative", factor, phi), "wait_s"))
        for phi in PHIS[:-1]
        for factor in FACTORS
    ]
    return named("wait with exact estimates against others", lower(results, pairs))


def _classes(results: Results) -> Finding:
    steps = (("wait_class_9_s", "wait_s"), ("wait_s", "wait_class_0_s"))
    pairs = [((bf(factor), one), (bf(factor), other)) for one, other in steps for factor in FACTORS]
    return named("class 9 against all, all against class 0", lower(results, pairs))


def _hole(results: Results) -> Finding:
    one = Example("figure 4")
    first, filled = results.mean(one, "fcfs_5").mean, results.mean(one, "conservative_5").mean
    third = {results.mean(one, f"{policy}_3").mean for policy in ("fcfs", "conservative")}
    good = filled == 0.0 < first and len(third) == 1
    why = f"job 5 starts at {filled:g} s instead of {first:g} s, job 3 at {third.pop():g} s in both"
    return exactly(good, why)


def _rates(results: Results) -> Finding:
    found = [results.mean(Example("figure 7"), f"rate_{job}").mean for job in range(1, 7)]
    good = found == [0.25, 0.25, 0.25, 0.5, 0.5, 0.25]
    return exactly(good, f"rates of jobs 1 to 6: {found}")


def _bgs_by_phi(mode: str) -> list[Line]:
    def line(phi: float) -> Line:
        return lambda factor: GangRun("bgs", factor, mode, phi=phi)

    return [line(phi) for phi in PHIS]


def _bgs_waits(results: Results, mode: str) -> Finding:
    return _spread(results, _bgs_by_phi(mode), "wait_s", 1.0, "waits")


def _bgs_slowdowns(results: Results, mode: str) -> Finding:
    lines = _bgs_by_phi(mode)
    found = _spread(results, lines, "slowdown", 0.755, "slowdowns up to 0.75")
    high = [factor for factor in FACTORS if 0.55 * factor >= 0.85]
    means = {factor: [results.mean(line(factor), "slowdown").mean for line in lines] for factor in high}
    better = sum(min(values[:-1]) <= values[-1] for values in means.values())
    why = f"from 0.85 on exact estimates are not best at {better} of {len(high)} loads"
    return together([found, exactly(better == len(high), why, in_shape=better > 0)])


def _waits_of_all(results: Results, mode: str) -> Finding:
    gang = [results.mean(rows("gs", factor, mode), "wait_s").mean for factor in FACTORS]
    first = [results.mean(plain("fcfs", factor), "wait_s").mean for factor in FACTORS]
    much = sum(one < other / 2 for one, other in zip(gang, first, strict=True))
    pairs = [((bf(factor), "slowdown"), (rows("gs", factor, mode, 2), "slowdown")) for factor in FACTORS]
    low = lower(results, pairs)
    half = f"the wait of GS-5 is below half of FCFS's at {much} of {len(gang)} loads"
    waits = exactly(much == len(gang), half, in_shape=much > len(gang) / 2)
    return together([waits, named("slowdown of BF against GS-2", low)])


CLAIMS: tuple[Claim, ...] = (
    without_rows(
        "ZF1",
        "section 2.2, figures 2, 3",
        "Jobs take 1 to 256 of 320 processors; 30% take more than 32 and do more than 80% of the work; "
        "utilization is 0.55.",
        _workload,
    ),
    without_rows(
        "ZF2",
        "section 2.1, figure 1",
        "A share Phi of the jobs ends at its estimate, the others uniformly before it.",
        _phi,
    ),
    without_rows(
        "ZF3a", "figure 5", "Under BF, Phi has little effect on mean slowdown and wait.", _bf_and_phi
    ),
    without_rows(
        "ZF3b", "figure 5a", "Up to a utilization of 0.90 overestimation lowers BF's slowdown.", _bf_gains
    ),
    without_rows("ZF3c", "figure 5b", "Exact estimates shorten BF's wait a little.", _bf_waits),
    without_rows(
        "ZF4",
        "figure 6",
        "Jobs with good estimates (class 9) wait less than the mean, those with bad ones (class 0) more.",
        _classes,
    ),
    without_rows(
        "ZF5", "figure 4", "Of five jobs the last fills a hole that FCFS leaves and delays none.", _hole
    ),
    without_rows(
        "ZF6", "figure 7", "In the matrix shown, J4 and J5 run twice as fast as the others.", _rates
    ),
    in_modes("ZF7a", "figure 8", "Under BGS-5 waits do not differ with Phi.", _bgs_waits),
    in_modes(
        "ZF7b",
        "figure 8",
        "Under BGS-5 slowdowns do not differ with Phi up to 0.75; from 0.85 on exact estimates are not "
        "always best.",
        _bgs_slowdowns,
    ),
    in_modes(
        "ZF35",
        "section 4.1",
        "Plain gang scheduling improves FCFS's wait much; backfilling improves response more unless there "
        "are many rows.",
        _waits_of_all,
    ),
)
