"""What the paper claims of its workload, of backfilling, and of wrong estimates (sections 2 to 4)."""

from collections.abc import Sequence

from molokini.studies.claims import Claims, Figure, Finding, Verdict
from molokini.studies.results import Results, less
from molokini.studies.rule import below, counted, each_within, exactly, in_shape_if, somewhere, together
from molokini.studies.zhang2001_integrated.integrated_cases import (
    FACTORS,
    MODES,
    PHIS,
    Example,
    GangRun,
    Jobs,
    plain,
    rows,
)
from molokini.studies.zhang2001_integrated.judging import Line, Pairs, along, bf, lower, named, spreads

SAID = Claims()

SMALL_SPREAD = 0.15
"""Means that differ by no more are called the same."""


@SAID(
    "ZF1",
    "section 2.2, figures 2, 3",
    "Jobs take 1 to 256 of 320 processors; 30% take more than 32 and do more than 80% of the work; "
    "utilization is 0.55.",
)
def _workload(results: Results) -> Finding:
    jobs = Jobs()
    figures = [
        Figure("share of jobs above 32 processors", 0.30, results.mean(jobs, "large_jobs")),
        Figure("their share of the work", None, results.mean(jobs, "large_work")),
        Figure("largest job", 256.0, results.mean(jobs, "largest")),
        Figure("offered load", 0.55, results.mean(jobs, "load")),
        Figure("median run time, s", None, results.mean(jobs, "median_run_s")),
    ]
    return Finding(Verdict.UNTESTABLE, "an input: what our stand-in was made for", figures)


@SAID(
    "ZF2",
    "section 2.1, figure 1",
    "A share Phi of the jobs ends at its estimate, the others uniformly before it.",
)
def _phi(results: Results) -> Finding:
    jobs = Jobs()
    exact, distance = results.mean(jobs, "exact_jobs"), results.mean(jobs, "phi_distance")
    why = f"an input of our stand-in: the others' distance from a uniform distribution is {distance.mean:.4f}"
    figure = Figure("share that ends at its estimate (Phi 0.2)", 0.2, exact)
    return Finding(Verdict.UNTESTABLE, why, [figure])


def _spread(results: Results, lines: Sequence[Line], metric: str, upto: float, words: str) -> Finding:
    factors = [factor for factor in FACTORS if 0.55 * factor < upto]
    found = spreads(results, lines, metric, factors)
    most = max(found, key=lambda one: one.mean)
    at = 0.55 * factors[found.index(most)]
    why = f"{words} within {SMALL_SPREAD:.0%}, at most {most.mean:.0%} (load {at:.2f})"
    return in_shape_if(each_within(found, 0.0, SMALL_SPREAD, why), each_within(found, 0.0, 2 * SMALL_SPREAD))


@SAID("ZF3a", "figure 5", "Under BF, Phi has little effect on mean slowdown and wait.")
def _bf_and_phi(results: Results) -> Finding:
    def line(phi: float) -> Line:
        return lambda factor: plain("conservative", factor, phi)

    lines, told = [line(phi) for phi in PHIS], (("slowdown", "slowdowns"), ("wait_s", "waits"))
    return together([_spread(results, lines, metric, 0.85, words) for metric, words in told])


def _exact_and_not(metric: str, upto: float) -> Pairs:
    """BF with exact estimates and with others."""
    return [
        ((plain("conservative", factor, 1.0), metric), (plain("conservative", factor, phi), metric))
        for phi in PHIS[:-1]
        for factor in FACTORS
        if 0.55 * factor <= upto
    ]


@SAID("ZF3b", "figure 5a", "Up to a utilization of 0.90 overestimation lowers BF's slowdown.")
def _bf_gains(results: Results) -> Finding:
    pairs = [(other, exact) for exact, other in _exact_and_not("slowdown", 0.90)]
    return named("slowdown with Phi below 1 against exact estimates", lower(results, pairs))


@SAID("ZF3c", "figure 5b", "Exact estimates shorten BF's wait a little.")
def _bf_waits(results: Results) -> Finding:
    return named("wait with exact estimates against others", lower(results, _exact_and_not("wait_s", 1.0)))


@SAID(
    "ZF4",
    "figure 6",
    "Jobs with good estimates (class 9) wait less than the mean, those with bad ones (class 0) more.",
)
def _classes(results: Results) -> Finding:
    steps = (("wait_class_9_s", "wait_s"), ("wait_s", "wait_class_0_s"))
    pairs = [((bf(factor), one), (bf(factor), other)) for one, other in steps for factor in FACTORS]
    return named("class 9 against all, all against class 0", lower(results, pairs))


@SAID("ZF5", "figure 4", "Of five jobs the last fills a hole that FCFS leaves and delays none.")
def _hole(results: Results) -> Finding:
    one = Example("figure 4")
    first, filled = results.mean(one, "fcfs_5").mean, results.mean(one, "conservative_5").mean
    third = {results.mean(one, f"{policy}_3").mean for policy in ("fcfs", "conservative")}
    good = filled == 0.0 < first and len(third) == 1
    why = f"job 5 starts at {filled:g} s instead of {first:g} s, job 3 at {third.pop():g} s in both"
    return exactly(good, why)


@SAID("ZF6", "figure 7", "In the matrix shown, J4 and J5 run twice as fast as the others.")
def _rates(results: Results) -> Finding:
    found = [results.mean(Example("figure 7"), f"rate_{job}").mean for job in range(1, 7)]
    good = found == [0.25, 0.25, 0.25, 0.5, 0.5, 0.25]
    return exactly(good, f"rates of jobs 1 to 6: {found}")


def _bgs_by_phi(mode: str) -> list[Line]:
    def line(phi: float) -> Line:
        return lambda factor: GangRun("bgs", factor, mode, phi=phi)

    return [line(phi) for phi in PHIS]


@SAID("ZF7a", "figure 8", "Under BGS-5 waits do not differ with Phi.", MODES)
def _bgs_waits(results: Results, mode: str) -> Finding:
    return _spread(results, _bgs_by_phi(mode), "wait_s", 1.0, "waits")


@SAID(
    "ZF7b",
    "figure 8",
    "Under BGS-5 slowdowns do not differ with Phi up to 0.75; from 0.85 on exact estimates are not "
    "always best.",
    MODES,
)
def _bgs_slowdowns(results: Results, mode: str) -> Finding:
    lines = _bgs_by_phi(mode)
    found = _spread(results, lines, "slowdown", 0.755, "slowdowns up to 0.75")
    high = [factor for factor in FACTORS if 0.55 * factor >= 0.85]
    two = [(lines[-1](factor), line(factor)) for factor in high for line in lines[:-1]]
    worse = [results.difference(*both, "slowdown") for both in two]
    count = counted(worse)
    why = f"from 0.85 on exact estimates are clearly worse than others in {count.right} of {len(worse)} pairs"
    return together([found, somewhere(count, why)])


@SAID(
    "ZF35",
    "section 4.1",
    "Plain gang scheduling improves FCFS's wait much; backfilling improves response more unless there "
    "are many rows.",
    MODES,
)
def _waits_of_all(results: Results, mode: str) -> Finding:
    def waits_of(run: GangRun) -> list[float]:
        return results.samples(run, "wait_s")

    half = [
        less([2 * one for one in waits_of(rows("gs", factor, mode))], waits_of(plain("fcfs", factor)))
        for factor in FACTORS
    ]
    low = lower(results, along(bf, lambda factor: rows("gs", factor, mode, 2), "slowdown"))
    waits = below(half, "twice the wait of GS-5 less that of FCFS")
    return together([waits, named("slowdown of BF against GS-2", low)])
