"""What Zhou and Brent, JSSPP 2001, claim, as functions of our results."""

from collections.abc import Callable
from itertools import pairwise
from math import inf
from statistics import fmean, median

from molokini.studies.claims import Claims, Figure, Finding
from molokini.studies.comparing import ordered, rises_with
from molokini.studies.results import Interval, Results, interval, less, over
from molokini.studies.rule import (
    above,
    at_most,
    below,
    each_within,
    exactly,
    in_shape_if,
    no_more_than_shape,
    together,
    weakest,
    within,
)
from molokini.studies.zhou2001_coscheduling.gang_cases import (
    FIRST_LIMITS,
    HIGHEST,
    LOADS,
    LONG_FROM,
    LONG_LIMITS,
    SECOND_LIMITS,
    UNLIMITED,
    ClassRun,
    first,
    fourth,
    second,
    third,
)

SAID = Claims()

BUSY = tuple(load for load in LOADS if load >= 0.5)
HEAVY = tuple(load for load in LOADS if load >= 0.7)
KNEE = 0.4
"""The load above which the paper has slowdowns without time-sharing rise."""
HARD, SOFT = 150.0, 20.0
"""Slowdowns at load 0.9: gang scheduling with backfilling is above the first, with long jobs queued below the
second."""
SLOTS = 5.0
COMPARABLE = 1.5
FEWER = 0.75


def _slopes(results: Results, low: float, high: float) -> list[float]:
    """By seed, what a unit of load adds to the slowdown."""
    ends = (results.samples(first(load, 1), "slowdown") for load in (low, high))
    return [(after - before) / (high - low) for before, after in zip(*ends, strict=True)]


@SAID(
    "ZB1a",
    "experiment 1, figure 1",
    "With one job a processor (k_m = 1) slowdown rises dramatically above load 0.4.",
)
def _knee(results: Results) -> Finding:
    before, after = _slopes(results, LOADS[0], KNEE), _slopes(results, KNEE, HIGHEST)
    steeper = [above([less(after, [times * one for one in before])]) for times in (3, 1)]
    figures = [
        Figure(f"slowdown a unit of load, {where} 0.4", None, interval(one))
        for where, one in (("up to", before), ("from", after))
    ]
    why = f"from 0.4 on {figures[1].ours.mean:.1f} a unit of load, before that {figures[0].ours.mean:.1f}"
    return Finding(in_shape_if(*steeper).verdict, why, figures)


@SAID("ZB1b", "experiment 1, figure 1", "More jobs a processor improve it at first, and then hardly.")
def _then_hardly(results: Results) -> Finding:
    limits = [k for k in FIRST_LIMITS if k != UNLIMITED]
    slowdowns = [results.samples(first(HIGHEST, k), "slowdown") for k in limits]
    steps = [[one - other for one, other in zip(a, b, strict=True)] for a, b in pairwise(slowdowns)]
    gains = [fmean(one) for one in steps]

    def hardly(share: float) -> Interval:
        return less([share * one for one in steps[0]], [abs(one) for one in steps[-1]])

    tight = above([interval(steps[0]), hardly(0.1)])
    loose = above([less(slowdowns[0], slowdowns[-1]), hardly(1.0)])
    figures = [
        Figure(f"slowdown at load 0.9, k_m {k}", None, results.mean(first(HIGHEST, k), "slowdown"))
        for k in limits
    ]
    shown = ", ".join(f"{a} to {b}: {gain:.1f}" for (a, b), gain in zip(pairwise(limits), gains, strict=True))
    why = f"what each step of k_m takes off the slowdown at load 0.9: {shown}"
    falling = all(one >= other for one, other in pairwise(gains))
    return no_more_than_shape(Finding(in_shape_if(tight, loose).verdict, why, figures), unless=falling)


def _too_many(metric: str) -> Callable[[Results], Finding]:
    def check(results: Results) -> Finding:
        found = results.difference(first(HIGHEST, UNLIMITED), first(HIGHEST, 30), metric)
        figures = [Figure(f"{metric}, no limit less 30", None, found)]
        return above([found], f"at load 0.9, without a limit less with 30: {found}", figures)

    return check


def _best_first(results: Results) -> ClassRun:
    """The setting of experiment 1 with the least slowdown at load 0.9, of those with a limit."""
    limited = [first(HIGHEST, k) for k in FIRST_LIMITS if k != UNLIMITED]
    return min(limited, key=lambda one: results.mean(one, "slowdown").mean)


@SAID("ZB1d", "experiment 1, figure 1", "At load 0.9 its slowdown is above 150.")
def _hard(results: Results) -> Finding:
    best = _best_first(results)
    found = results.mean(best, "slowdown")
    middle = median(results.samples(best, "slowdown"))
    why = f"with the best limit, {best.k_m}: {found}; the median over seeds is {middle:.1f}"
    return within(found, HARD, inf, why, HARD / 2, [Figure("slowdown at load 0.9", HARD, found)])


@SAID(
    "ZB2a",
    "experiment 2, figure 2",
    "With long jobs alone queued, slowdown, mean and largest number of slots all fall as k_m does.",
)
def _tighter(results: Results) -> Finding:
    pairs = [(second(load, b), second(load, a)) for load in BUSY for a, b in pairwise(SECOND_LIMITS)]
    metrics = ("slowdown", "mean_slots", "max_slots")
    return together({metric: ordered(results, pairs, metric) for metric in metrics})


@SAID("ZB2b", "experiment 2, figure 2", "At load 0.9 and k_m 1 or 2 slowdown is below 20, against 150.")
def _soft(results: Results) -> Finding:
    best = min((second(HIGHEST, k) for k in (1, 2)), key=lambda one: results.mean(one, "slowdown").mean)
    ours, ratio = results.mean(best, "slowdown"), results.ratio(_best_first(results), best, "slowdown")
    figures = [
        Figure(f"slowdown at load 0.9, k_m {best.k_m}", SOFT, ours),
        Figure("best of experiment 1 over that", HARD / SOFT, ratio),
    ]
    both = (results.samples(one, "slowdown") for one in (_best_first(results), best))
    middle = median(over(one, other) for one, other in zip(*both, strict=True))
    why = (
        f"experiment 1 at its best has {ratio.mean:.1f} times as much; the median over seeds is {middle:.1f}"
    )
    found = within(ours, -inf, SOFT, why, figures=figures)
    return no_more_than_shape(found, unless=ratio.low > HARD / SOFT)


@SAID("ZB2c", "experiment 2, figure 2", "At load 0.9 and k_m 1 there are about 5 slots on average.")
def _slots(results: Results) -> Finding:
    found = results.mean(second(HIGHEST, 1), "mean_slots")
    figures = [Figure("mean slots at load 0.9, k_m 1", SLOTS, found)]
    beside = (0.2 * SLOTS, 0.6 * SLOTS)
    return within(found, 0.7 * SLOTS, 1.4 * SLOTS, f"idle time counts: {found}", beside, figures)


@SAID(
    "ZB3a", "experiment 3, figure 3", "As alpha_l falls from 1, slowdown falls and then rises; 0.8 is best."
)
def _best_share(results: Results) -> Finding:
    shares = (*LONG_FROM, 1.0)
    found = {share: results.mean(third(HIGHEST, share), "slowdown") for share in shares}
    best = min(found, key=lambda share: found[share].mean)
    gain = results.difference(third(HIGHEST, 1.0), third(HIGHEST), "slowdown")
    low = max(share for share in shares if share <= 0.4)
    loss = results.difference(third(HIGHEST, low), third(HIGHEST), "slowdown")
    figures = [Figure(f"slowdown at load 0.9, alpha_l {share}", None, one) for share, one in found.items()]
    both = no_more_than_shape(above([gain, loss]), unless=0.6 <= best <= 0.9)
    verdict = in_shape_if(both, above([gain])).verdict
    return Finding(verdict, f"at load 0.9 the best alpha_l is {best}", figures)


@SAID("ZB3b", "experiment 3, figure 3", "With k_m 6 and no short jobs there are never more than 6 slots.")
def _never_more(results: Results) -> Finding:
    every = [third(load, share) for load in LOADS for share in LONG_FROM]
    every += [third(load, k_l=k) for load in LOADS for k in LONG_LIMITS]
    most = max(max(results.samples(one, "max_slots")) for one in every)
    return exactly(most <= 6, f"{most:g} at most, at every instant of all runs")


@SAID("ZB3c", "experiment 3, figure 3", "More long jobs that share a processor only do harm.")
def _more_long(results: Results) -> Finding:
    def rising(metric: str) -> Finding:
        return rises_with([(f"k_l {k}", results.samples(third(HIGHEST, k_l=k), metric)) for k in LONG_LIMITS])

    return together({f"{one} at load 0.9": rising(one) for one in ("slowdown", "mean_slots")})


@SAID(
    "ZB3d",
    "experiment 3, figure 3",
    "It is not as good as experiment 2, and better than experiment 1 in slowdown and slots.",
)
def _between(results: Results) -> Finding:
    worse = [(second(load, 1), third(load)) for load in HEAVY]
    better = [(third(load), first(load, 6)) for load in HEAVY]
    return together(
        {
            "slowdown, experiment 2 below 3": ordered(results, worse, "slowdown"),
            "slowdown, 3 below 1": ordered(results, better, "slowdown"),
            "slots, 3 below 1": ordered(results, better, "mean_slots"),
        }
    )


def _new_over_old(results: Results, metric: str, words: str) -> list[Figure]:
    """Experiment 4 over the best of experiment 2, at each load from 0.5 on."""
    return [
        Figure(f"{words} load {load}", None, results.ratio(fourth(load), second(load, 1), metric))
        for load in BUSY
    ]


@SAID("ZB4a", "experiment 4, figure 4", "Its slowdown is comparable with the best of experiment 2.")
def _comparable(results: Results) -> Finding:
    figures = _new_over_old(results, "slowdown", "new over old at")
    return each_within([one.ours for one in figures], 1 / COMPARABLE, COMPARABLE, figures=figures)


@SAID("ZB4b", "experiment 4, figure 4", "At heavy load it has fewer slots on average and far fewer at most.")
def _fewer_slots(results: Results) -> Finding:
    mean = results.difference(fourth(HIGHEST), second(HIGHEST, 1), "mean_slots")
    largest = results.ratio(fourth(HIGHEST), second(HIGHEST, 1), "max_slots")
    figures = [
        Figure("mean slots at load 0.9, new less old", None, mean),
        Figure("largest number of slots, new over old", None, largest),
    ]
    why = f"the mean differs by {mean.mean:+.2f}, the largest is {largest.mean:.2f} times"
    verdict = weakest([below([mean]).verdict, at_most(largest, FEWER, slack=1 - FEWER).verdict])
    return Finding(verdict, why, figures)


@SAID("ZB5", "figure 5", "Long jobs do not suffer badly: their slowdown is about as before.")
def _long_jobs(results: Results) -> Finding:
    figures = _new_over_old(results, "long_slowdown", "slowdown of long jobs, new over old,")
    most = max(one.ours.mean for one in figures)
    held = weakest([at_most(one.ours, COMPARABLE, slack=COMPARABLE).verdict for one in figures])
    return Finding(held, f"at most {most:.2f} times as much", figures)


SAID(
    "ZB1c",
    "experiment 1, figure 1",
    "At heavy load gang scheduling without a limit is worse than with k_m = 30.",
)(_too_many("slowdown"))
SAID("ZB6", "section 4.1", "Without a limit there are too many slots.")(_too_many("mean_slots"))

CLAIMS = SAID.made
