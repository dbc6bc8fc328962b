"""What the paper claims of migration (sections 5.4 to 5.6)."""

from itertools import pairwise

from molokini.studies.claims import Claim, Figure, Finding, Verdict
from molokini.studies.results import Interval, Results, interval, over
from molokini.studies.rule import TENDENCY, exactly, no_more_than_shape, together, weakest
from molokini.studies.zhang2001_integrated.claims_sharing import gang
from molokini.studies.zhang2001_integrated.integrated_cases import (
    COSTS_S,
    FACTORS,
    TASKS,
    Example,
    priced,
    rows,
)
from molokini.studies.zhang2001_integrated.judging import (
    SHARE,
    WITHIN,
    Line,
    Measure,
    along,
    in_modes,
    lower,
    named,
    near,
    printed,
    reached,
    saturates,
    without_rows,
)

POLICIES = ("bgs", "mbgs", "gs", "mgs")
TABLE_1: tuple[tuple[tuple[float, float], ...], ...] = (
    ((0.55, 2.5), (0.55, 2.1), (0.55, 3.9), (0.55, 2.6)),
    ((0.61, 3.2), (0.61, 2.5), (0.61, 7.0), (0.61, 4.0)),
    ((0.66, 3.8), (0.66, 2.9), (0.66, 18.8), (0.66, 6.9)),
    ((0.72, 6.5), (0.72, 3.7), (0.72, 44.8), (0.72, 13.5)),
    ((0.77, 8.0), (0.77, 5.1), (0.78, 125.6), (0.77, 29.4)),
    ((0.83, 11.9), (0.83, 7.6), (0.83, 405.6), (0.83, 54.4)),
    ((0.89, 22.4), (0.88, 11.0), (0.86, 1738.0), (0.88, 134.2)),
    ((0.94, 34.9), (0.94, 20.9), (0.86, 4147.7), (0.94, 399.3)),
    ((0.96, 67.9), (0.98, 56.8), (0.86, 5941.5), (0.97, 1609.9)),
)
"""Utilization and mean slowdown of BGS, MBGS, GS and MGS for each workload, as published."""


def improvement(results: Results, policy: str, factor: float, mode: str) -> Interval:
    """By which share migration lowers the mean slowdown of a policy without it."""
    without = results.samples(rows(policy, factor, mode), "slowdown")
    moved = results.samples(rows(f"m{policy}", factor, mode), "slowdown")
    return interval([1.0 - over(one, other) for one, other in zip(moved, without, strict=True)])


def _row(place: int) -> Claim:
    def check(results: Results, mode: str) -> Finding:
        shares, slow = [], []
        for policy, (rho, slowdown) in zip(POLICIES, TABLE_1[place], strict=True):
            run = rows(policy, FACTORS[place], mode)
            name = f"workload {place}, {policy.upper()}"
            shares.append(Figure(f"{name}: utilization", rho, results.mean(run, "rho")))
            slow.append(Figure(f"{name}: slowdown", slowdown, results.mean(run, "slowdown")))
        used = [near(figure, WITHIN).verdict for figure in shares]
        slowdowns = printed("", slow)
        met = sum(near(figure).verdict is Verdict.HOLDS for figure in slow)
        verdict = weakest([slowdowns.verdict, *used])
        if slowdowns.verdict is Verdict.IN_SHAPE:
            verdict = Verdict.IN_SHAPE
        said = ", ".join(
            f"{p.upper()} {figure.ours.mean:,.3g}" for p, figure in zip(POLICIES, slow, strict=True)
        )
        alike = used.count(Verdict.HOLDS)
        why = f"slowdowns {said}; within a quarter: {met} of 4; utilizations within 0.03: {alike} of 4"
        return Finding(verdict, why, [*shares, *slow])

    bgs, mbgs, gs, mgs = (slowdown for _, slowdown in TABLE_1[place])
    text = f"Workload {place}: slowdowns {bgs:g} (BGS), {mbgs:g} (MBGS), {gs:,g} (GS), {mgs:,g} (MGS)."
    return in_modes(f"ZF22.{place}", "table 1", text, check)


def _options(results: Results) -> Finding:
    one = Example("figure 13")
    two, first = results.mean(one, "option_2_s").mean, results.mean(one, "option_1_s").mean
    why = (
        f"a job of 3 with one of 4 in its way moves itself: {two:g} processor-seconds at C = 10 s "
        f"(eq. 5: 50); with two of 1 in its way these move: {first:g} (eq. 4: 35)"
    )
    return exactly((two, first) == (50.0, 35.0), why)


def _always_better(results: Results, mode: str) -> Finding:
    pairs = [
        pair
        for policy in ("gs", "bgs")
        for pair in along(gang(f"m{policy}", mode), gang(policy, mode), "slowdown")
    ]
    return lower(results, pairs)


def _where_most(results: Results, mode: str) -> Finding:
    figures, places, ends = [], [], []
    for policy, published in (("bgs", 0.508), ("gs", 0.923)):
        found = [improvement(results, policy, factor, mode) for factor in FACTORS]
        best = max(found, key=lambda one: one.mean)
        k = found.index(best)
        rho = results.mean(rows(f"m{policy}", FACTORS[k], mode), "rho").mean
        places.append((policy.upper(), best.mean, rho))
        ends.append(found[0].mean < best.mean and found[-1].mean < best.mean)
        figures.append(Figure(f"largest improvement of {policy.upper()}", published, best))
    more = sum(
        improvement(results, "gs", factor, mode).mean > improvement(results, "bgs", factor, mode).mean
        for factor in FACTORS
    )
    inside = [0.70 - WITHIN <= rho <= 0.90 + WITHIN for _, _, rho in places]
    said = "; ".join(f"{name} most by {best:.0%} at {rho:.2f}" for name, best, rho in places)
    return exactly(
        all(inside) and all(ends) and more == len(FACTORS),
        f"{said}; GS gains more than BGS in {more} of 9 rows",
        figures,
        in_shape=inside[1] and more >= TENDENCY * len(FACTORS),
    )


def _ends(results: Results, mode: str) -> Finding:
    told = (("GS", "gs", 0.86), ("MGS", "mgs", 0.97), ("BGS", "bgs", 0.96), ("MBGS", "mbgs", 0.98))
    return saturates(results, [(name, gang(policy, mode), published) for name, policy, published in told])


def _backfilling_is_more(results: Results, mode: str) -> Finding:
    return lower(results, along(gang("bgs", mode), gang("mgs", mode), "slowdown"))


def _gains(results: Results, policy: str, factor: float, mode: str, cost_s: float) -> list[float]:
    """By how much each bound on migrated tasks lowers the slowdown that there is without migration."""
    means = [results.mean(priced(policy, factor, mode, cost_s, tasks), "slowdown").mean for tasks in TASKS]
    return [means[0] - mean for mean in means]


def _by_tasks(results: Results, mode: str) -> Finding:
    most, shares, steps, up = 0, [], 0, 0
    for policy in ("mgs", "mbgs"):
        for factor in (1.2, 1.5):
            gains = _gains(results, policy, factor, mode, 10.0)
            share = gains[TASKS.index(64)] / gains[-1] if gains[-1] > 0 else 0.0
            shares.append(f"{policy.upper()} {0.55 * factor:.2f}: {share:.0%}")
            most += share > 0.5
            steps += len(gains) - 1
            up += sum(b > a for a, b in pairwise(gains))
    said = f"64 tasks give of the whole gain (C = 10 s): {', '.join(shares)}"
    why = f"{said}; {up} of {steps} steps of the bound improve"
    return exactly(most == 4 and up == steps, why, in_shape=most >= 3 or up >= TENDENCY * steps)


def _dear(results: Results, mode: str) -> Finding:
    pairs: list[tuple[Measure, Measure]] = [
        (
            (priced(policy, factor, mode, 30.0, tasks), "slowdown"),
            (priced(policy, factor, mode, 30.0, 0), "slowdown"),
        )
        for policy in ("mgs", "mbgs")
        for factor in (1.2, 1.5)
        for tasks in (64, TASKS[-1])
    ]
    return named("C = 30 s, 64 tasks and unbounded, against none", lower(results, pairs))


def _same_trend(results: Results, mode: str) -> Finding:
    alike = steps = 0
    for policy in ("mgs", "mbgs"):
        for factor in (1.2, 1.5):
            for cost_s in COSTS_S:
                runs = [priced(policy, factor, mode, cost_s, tasks) for tasks in TASKS]
                slow, wait = (
                    [results.mean(run, metric).mean for run in runs] for metric in ("slowdown", "wait_s")
                )
                for k in range(len(runs) - 1):
                    steps += 1
                    alike += (slow[k + 1] <= slow[k]) == (wait[k + 1] <= wait[k])
    why = f"wait and slowdown move the same way in {alike} of {steps} steps of the bound"
    return exactly(alike == steps, why, in_shape=alike >= TENDENCY * steps)


def paid(policy: str, mode: str) -> Line:
    """A curve of figure 15: C = 10 s and 64 tasks, where the policy migrates."""
    if policy[0] == "m":
        return lambda factor: priced(policy, factor, mode)
    return gang(policy, mode)


def _best_and_worst(results: Results, mode: str) -> Finding:
    found = []
    for metric, words in (("kappa", "loss of capacity"), ("slowdown", "slowdown"), ("wait_s", "wait")):
        best = [
            pair for other in ("bgs", "mgs") for pair in along(paid("mbgs", mode), paid(other, mode), metric)
        ]
        worst_of = [
            pair for one in ("bgs", "mgs") for pair in along(paid(one, mode), paid("gs", mode), metric)
        ]
        found.append(named(words, lower(results, best + worst_of)))
    return together(found)


def _kappa_of_mgs(results: Results, mode: str) -> Finding:
    below = named(
        "kappa of MGS against BGS", lower(results, along(paid("mgs", mode), paid("bgs", mode), "kappa"))
    )
    return together(
        [below, saturates(results, [("BGS", paid("bgs", mode), 0.96), ("MGS", paid("mgs", mode), 0.98)])]
    )


def _ratio(results: Results, one: Line, other: Line, factor: float, metric: str) -> float:
    return over(results.mean(one(factor), metric).mean, results.mean(other(factor), metric).mean)


def _wait_of_mgs(results: Results, mode: str) -> Finding:
    ratios = [_ratio(results, paid("mgs", mode), paid("bgs", mode), factor, "wait_s") for factor in FACTORS]
    inside = sum(1.25 <= ratio <= 2.5 for ratio in ratios)
    said = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    why = f"wait of MGS over that of BGS by load: {said}"
    return exactly(inside == len(ratios), why, in_shape=inside >= TENDENCY * len(ratios))


def _slowdown_of_mgs(results: Results, mode: str) -> Finding:
    below = lower(results, along(paid("bgs", mode), paid("mgs", mode), "slowdown"))
    ratios = [_ratio(results, paid("mgs", mode), paid("bgs", mode), factor, "slowdown") for factor in FACTORS]
    said = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    met = no_more_than_shape(below, unless=2.5 <= ratios[5] <= 7.5)
    return Finding(met.verdict, f"BGS against MGS {below.why}; MGS over BGS by load: {said}")


def _short_and_long(results: Results, mode: str) -> Finding:
    published = {"short": (18.9, 104.8, 5.5), "long": (4.8, 4.1, 0.85)}
    figures, ratios = [], {}
    for jobs, (bgs, mgs, _) in published.items():
        ours = [results.mean(rows(policy, 1.5, mode), f"slowdown_{jobs}") for policy in ("bgs", "mgs")]
        ratios[jobs] = over(ours[1].mean, ours[0].mean)
        figures += [
            Figure(f"slowdown of {jobs} jobs under {name}", value, one)
            for name, value, one in zip(("BGS", "MGS"), (bgs, mgs), ours, strict=True)
        ]
    met = all(abs(ratios[jobs] / told - 1.0) <= SHARE for jobs, (_, _, told) in published.items())
    shape = ratios["short"] > 2 and 0.7 <= ratios["long"] <= 1.1
    said = f"{ratios['short']:.2f} for short jobs (5.5), {ratios['long']:.2f} for the others (0.85)"
    return exactly(met, f"MGS over BGS: {said}", figures, in_shape=shape)


def _mbgs_over_bgs(results: Results, mode: str) -> Finding:
    found = {}
    for metric in ("wait_s", "slowdown"):
        found[metric] = [
            _ratio(results, paid("bgs", mode), paid("mbgs", mode), factor, metric) for factor in FACTORS
        ]
    inside = sum(1.5 <= ratio <= 2.5 for ratio in found["slowdown"]) + sum(
        2.0 <= r <= 3.0 for r in found["wait_s"]
    )
    better = all(ratio > 1 for ratios in found.values() for ratio in ratios)
    said = "; ".join(
        f"{metric.removesuffix('_s')}s: {', '.join(f'{r:.2f}' for r in one)}" for metric, one in found.items()
    )
    why = f"BGS over MBGS by load (C = 10 s, 64 tasks): {said}"
    return exactly(inside == 2 * len(FACTORS), why, in_shape=better)


def _level_20(results: Results, mode: str) -> Finding:
    found = reached(results, gang("mbgs", mode), "slowdown", 20.0)
    if found is None:
        return Finding(Verdict.CONTRADICTED, "not reached under every seed")
    figure = Figure("slowdown 20 under MBGS", 0.94, found)
    return Finding(near(figure, WITHIN).verdict, f"reached at {found.mean:.3f}", [figure])


CLAIMS: tuple[Claim, ...] = (
    without_rows(
        "ZF21",
        "figure 13",
        "Two ways to migrate take what equations 4 and 5 say; the cheaper is taken.",
        _options,
    ),
    *(_row(place) for place in range(len(TABLE_1))),
    in_modes("ZF23", "table 1", "Migration lowers slowdown under GS and BGS in every row.", _always_better),
    in_modes(
        "ZF24",
        "table 1",
        "It does so most at 0.70 to 0.90 (BGS by 50%, GS by 92%), and for GS more than for BGS.",
        _where_most,
    ),
    in_modes(
        "ZF25", "table 1", "It raises saturation from 0.86 to 0.97 for GS, from 0.96 to 0.98 for BGS.", _ends
    ),
    in_modes(
        "ZF26", "section 5.6", "Backfilling improves GS more than migration does.", _backfilling_is_more
    ),
    in_modes(
        "ZF27a",
        "figure 14",
        "The more tasks may migrate the better; 64 a slice give most of the gain.",
        _by_tasks,
    ),
    in_modes("ZF27b", "figure 14", "There is a gain even where a migration takes 30 s.", _dear),
    in_modes("ZF27c", "figure 14", "Wait and slowdown follow the same trend.", _same_trend),
    in_modes(
        "ZF28",
        "figure 15",
        "MBGS is best and GS worst in loss of capacity, slowdown and wait at every load.",
        _best_and_worst,
    ),
    in_modes(
        "ZF29",
        "figure 15",
        "MGS loses less capacity than BGS, up to 0.98 where BGS reaches 0.96.",
        _kappa_of_mgs,
    ),
    in_modes("ZF30", "figure 15", "Waits are 50 to 100% longer under MGS than under BGS.", _wait_of_mgs),
    in_modes(
        "ZF31",
        "figure 15",
        "Slowdowns are lower under BGS than under MGS, up to five times.",
        _slowdown_of_mgs,
    ),
    in_modes(
        "ZF32",
        "section 5.6",
        "At workload 5 jobs below the median have 18.9 under BGS and 104.8 under MGS, others 4.8 and 4.1.",
        _short_and_long,
    ),
    in_modes(
        "ZF33",
        "section 5.6",
        "MBGS has waits two to three times, slowdowns 1.5 to 2 times shorter than BGS.",
        _mbgs_over_bgs,
    ),
    in_modes("ZF34", "section 6", "MBGS reaches a slowdown of 20 at 0.94.", _level_20),
)
