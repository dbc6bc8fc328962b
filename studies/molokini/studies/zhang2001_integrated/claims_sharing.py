"""What the paper claims of gang scheduling with and without backfilling (sections 5.1 to 5.3)."""

from collections.abc import Callable
from itertools import pairwise
from math import inf

import numpy as np

from molokini.studies.claims import Claims, Figure, Finding, Verdict, untestable
from molokini.studies.results import Interval, Results, interval, less
from molokini.studies.rule import above, crosses, each_within, in_shape_if, together, weakest, within
from molokini.studies.zhang2001_integrated.integrated_cases import (
    BEYOND,
    FACTORS,
    LEVELS,
    MODES,
    SWITCHES,
    rows,
)
from molokini.studies.zhang2001_integrated.judging import (
    WITHIN,
    Line,
    Pairs,
    along,
    bf,
    crossing,
    lower,
    named,
    printed,
    ratio,
    reached,
    saturates,
    saturation,
)

SAID = Claims()


def gang(policy: str, mode: str, mpl: int = 5, switch: float = 0.0) -> Line:
    """A curve of figures 9, 10 and 12."""
    return lambda factor: rows(policy, factor, mode, mpl, switch)


def _lower(pairs: Callable[[str], Pairs]) -> Callable[[Results, str], Finding]:
    return lambda results, mode: lower(results, pairs(mode))


SAID("ZF8a", "figure 9", "BF has lower slowdowns than GS-2 and GS-3 at every load.", MODES)(
    _lower(lambda mode: [pair for mpl in (2, 3) for pair in along(bf, gang("gs", mode, mpl), "slowdown")])
)


def _crossed(
    results: Results,
    one: Line,
    other: Line,
    metric: str,
    published: float,
    band: tuple[float, float],
    words: str,
) -> Finding:
    """Whether *one* lies above *other* from about *published* on; in shape inside of *band*."""
    at = crossing(results, one, other, metric)
    known = [seed for seed in at if seed is not None]
    last = results.difference(one(FACTORS[-1]), other(FACTORS[-1]), metric).mean
    beyond = f"{'above' if last > 0 else 'below'} at {results.mean(one(FACTORS[-1]), 'rho').mean:.2f}"
    low, high = published - WITHIN, published + WITHIN
    beside = (max(0.0, low - band[0]), max(0.0, band[1] - high))
    found = crosses(at, low, high, f"{words}, for {published:g}; {beyond}", beside)
    if len(known) < 2:
        return found
    figure = Figure(f"utilization of the crossing, {words}", published, interval(known))
    return Finding(found.verdict, found.why, [figure])


@SAID("ZF8b", "figure 9", "BF has lower slowdowns than GS-5 above a utilization of 0.65.", MODES)
def _gs_5_against_bf(results: Results, mode: str) -> Finding:
    return _crossed(results, gang("gs", mode), bf, "slowdown", 0.65, (0.55, 0.75), "slowdown, GS-5 over BF")


@SAID("ZF8c", "figure 9", "GS has very high slowdowns even below 0.75.", MODES)
def _gs_is_slow(results: Results, mode: str) -> Finding:
    two = [(gang("gs", mode, mpl)(1.3), gang("bgs", mode, mpl)(1.3)) for mpl in LEVELS]
    ratios = [ratio(results, gs, bgs, "slowdown") for gs, bgs in two]
    figures = [
        Figure(f"slowdown of GS-{mpl} at 0.72", 44.8 if mpl == 5 else None, results.mean(runs[0], "slowdown"))
        for mpl, runs in zip(LEVELS, two, strict=True)
    ]
    said = ", ".join(f"{one.mean:.1f}" for one in ratios)
    why = f"at 0.72 GS-2, -3, -5 have {said} times the slowdown of BGS-2, -3, -5; three times is very high"
    return each_within(ratios, 3.0, inf, why, figures)


def _below_both(metric: str, mode: str) -> Pairs:
    return [
        pair
        for mpl in LEVELS
        for other in (bf, gang("gs", mode, mpl))
        for pair in along(gang("bgs", mode, mpl), other, metric)
    ]


SAID("ZF9a", "figure 9", "BGS has lower slowdowns than BF, and than GS with as many rows.", MODES)(
    _lower(lambda mode: _below_both("slowdown", mode))
)


def _by_level(metric: str, mode: str) -> Pairs:
    return [
        pair
        for less, more in pairwise(LEVELS)
        for pair in along(gang("bgs", mode, more), gang("bgs", mode, less), metric)
    ]


@SAID("ZF9b", "figure 9", "BGS improves with the number of rows.", MODES)
def _slowdown_by_level(results: Results, mode: str) -> Finding:
    means = named("means", lower(results, _by_level("slowdown", mode)))
    spread = named("deviations", lower(results, _by_level("slowdown_std", mode)))
    return Finding(means.verdict, f"{means.why}; {spread.why}")


@SAID(
    "ZF10",
    "figure 9",
    "A slowdown of 20 is reached at 0.67 by GS-5, 0.76 by BF, 0.82 by BGS-2 and 0.87 by BGS-5.",
    MODES,
)
def _level_20(results: Results, mode: str) -> Finding:
    told: list[tuple[str, Line, float]] = [
        ("GS-5", gang("gs", mode), 0.67),
        ("BF", bf, 0.76),
        ("BGS-2", gang("bgs", mode, 2), 0.82),
        ("BGS-5", gang("bgs", mode), 0.87),
    ]
    found = [(name, reached(results, line, "slowdown", 20.0), published) for name, line, published in told]
    figures = [Figure(f"slowdown 20 under {name}", at, ours) for name, ours, at in found if ours is not None]
    missing = [name for name, ours, _ in found if ours is None]
    said = ", ".join(
        f"{name} {'never' if ours is None else f'{ours.mean:.3f}'} for {at:g}" for name, ours, at in found
    )
    return Finding(Verdict.CONTRADICTED, said, figures) if missing else printed(said, figures, WITHIN)


@SAID("ZF11", "figure 9", "BGS is better than GS with as many rows at every switch cost.", MODES)
def _at_every_cost(results: Results, mode: str) -> Finding:
    two = [(gang("bgs", mode, mpl, cs), gang("gs", mode, mpl, cs)) for cs in SWITCHES for mpl in LEVELS]
    return lower(results, [pair for one, other in two for pair in along(one, other, "slowdown")])


SAID("ZF12", "figure 9", "BGS-5 is better than BF where a switch costs 0 or 1%.", MODES)(
    _lower(lambda mode: [p for cs in (0.0, 0.01) for p in along(gang("bgs", mode, 5, cs), bf, "slowdown")])
)


@SAID("ZF13", "figure 9", "At 2% BGS-5 saturates at 0.93 (BF at 0.95) and is better up to 0.92.", MODES)
def _two_percent(results: Results, mode: str) -> Finding:
    line = gang("bgs", mode, 5, 0.02)
    full = saturates(results, [("BGS-5 at 2%", line, 0.93), ("BF", bf, 0.95)])
    upto = [factor for factor in FACTORS if results.mean(bf(factor), "rho").mean <= 0.92]
    better = named("BGS-5 at 2% against BF up to 0.92", lower(results, along(line, bf, "slowdown", upto)))
    cross = _crossed(results, line, bf, "slowdown", 0.92, (0.75, 1.0), "slowdown, BGS-5 at 2% over BF")
    found = together([full, better])
    return Finding(found.verdict, f"{found.why}; {cross.why}", [*found.figures, *cross.figures])


@SAID("ZF14", "figure 9", "At 5% BGS-5 is better than BF up to 0.83 only.", MODES)
def _five_percent(results: Results, mode: str) -> Finding:
    line = gang("bgs", mode, 5, 0.05)
    return _crossed(results, line, bf, "slowdown", 0.83, (0.75, 0.95), "slowdown, BGS-5 at 5% over BF")


def _gs_saturates(cost: float, published: dict[int, float]) -> Callable[[Results, str], Finding]:
    """At which utilization GS does, by its rows, where a switch costs so much."""
    at = f" at {cost:.0%}" if cost else ""
    return lambda results, mode: saturates(
        results, [(f"GS-{mpl}{at}", gang("gs", mode, mpl, cost), rho) for mpl, rho in published.items()]
    )


SAID("ZF16a", "figure 10", "GS-3 saturates at 0.79, GS-5 at 0.84.", MODES)(
    _gs_saturates(0.0, {3: 0.79, 5: 0.84})
)
SAID("ZF16b", "figure 10", "At 5% GS-3 saturates at 0.73, GS-5 at 0.75.", MODES)(
    _gs_saturates(0.05, {3: 0.73, 5: 0.75})
)


@SAID("ZF17", "figure 10", "BF's waits are shorter than GS's above 0.72; BF saturates at 0.95.", MODES)
def _wait_of_gs(results: Results, mode: str) -> Finding:
    cross = _crossed(results, gang("gs", mode), bf, "wait_s", 0.72, (0.62, 0.82), "wait, GS-5 over BF")
    return together([cross, saturates(results, [("BF", bf, 0.95)])])


@SAID(
    "ZF18", "figure 10", "BGS has shorter waits than BF and GS, the shorter the more rows there are.", MODES
)
def _wait_of_bgs(results: Results, mode: str) -> Finding:
    below = named("against BF and GS", lower(results, _below_both("wait_s", mode)))
    level = named("by rows", lower(results, _by_level("wait_s", mode)))
    spread = named("deviations by rows", lower(results, _by_level("wait_std_s", mode)))
    found = together([below, level])
    return Finding(found.verdict, f"{found.why}; {spread.why}")


SAID("ZF19a", "figure 11", "BGS-5 has lower slowdowns than BF for small and for large jobs.", MODES)(
    _lower(
        lambda mode: [
            p for one in ("small", "large") for p in along(gang("bgs", mode), bf, f"slowdown_{one}")
        ]
    )
)


def _gaps(results: Results, line: Line) -> list[list[float]]:
    """At each load, seed by seed, how much longer large jobs wait than small ones."""
    sizes = ([results.samples(line(f), f"wait_{size}_s") for f in FACTORS] for size in ("large", "small"))
    return [[a - b for a, b in zip(*two, strict=True)] for two in zip(*sizes, strict=True)]


@SAID(
    "ZF19b",
    "figure 11",
    "BGS-5 shortens waits of large jobs more; large and small jobs' are nearer to one another.",
    MODES,
)
def _gain_of_large(results: Results, mode: str) -> Finding:
    ours, theirs = _gaps(results, gang("bgs", mode)), _gaps(results, bf)
    # Both are the same sum: large jobs gain more than small ones by as much as the two come nearer.
    nearer = [less(there, here) for here, there in zip(ours, theirs, strict=True)]
    return above(nearer, "gap of waits of large and small jobs, under BF less under BGS-5")


@SAID(
    "ZF19c",
    "figure 11",
    "With more load large jobs fall behind under both; small ones wait less and are slowed down more.",
    MODES,
)
def _sizes_and_load(results: Results, mode: str) -> Finding:
    found = []
    for name, line in (("BF", bf), ("BGS-5", gang("bgs", mode))):
        gaps = _gaps(results, line)
        wider = [less(after, before) for before, after in pairwise(gaps)]
        every = [interval(one) for one in gaps]
        found.append(above(wider, f"steps of load that widen the gap of waits under {name}"))
        found.append(above(every, f"loads at which small jobs wait less under {name}"))
    worse = [less(*(results.samples(bf(f), f"slowdown_{s}") for s in ("small", "large"))) for f in FACTORS]
    told = above(worse, "loads at which small jobs have the larger slowdown under BF").why
    found.append(untestable(f"{told}, but in our stand-in run times do not depend on sizes"))
    return together(found)


@SAID(
    "ZF20a", "figure 12", "BGS loses less capacity than BF and GS, the less the more rows there are.", MODES
)
def _kappa(results: Results, mode: str) -> Finding:
    below = named("against BF and GS", lower(results, _below_both("kappa", mode)))
    return together([below, named("by rows", lower(results, _by_level("kappa", mode)))])


@SAID(
    "ZF20b",
    "figure 12",
    "All that backfills saturates at about 0.95; GS at 0.82 to 0.87, by the number of rows.",
    MODES,
)
def _same_end(results: Results, mode: str) -> Finding:
    found = {f"BGS-{mpl}": saturation(results, gang("bgs", mode, mpl)).rho for mpl in LEVELS}
    found["BF"] = saturation(results, bf).rho
    most, least = max(one.mean for one in found.values()), min(one.mean for one in found.values())
    gs = [saturation(results, gang("gs", mode, mpl)).rho for mpl in LEVELS]
    figures = [Figure(f"rho_max of {name}", 0.95, one) for name, one in found.items()]
    figures += [Figure(f"rho_max of GS-{mpl}", None, one) for mpl, one in zip(LEVELS, gs, strict=True)]
    said = ", ".join(f"{one.mean:.3f}" for one in gs)
    why = f"with backfilling {least:.3f} to {most:.3f}, GS-2, -3, -5: {said} for 0.82 to 0.87"
    alike = each_within(list(found.values()), 0.95 - WITHIN, 0.95 + WITHIN)
    inside = each_within(gs, 0.82 - WITHIN, 0.87 + WITHIN)
    behind = each_within(gs, 0.0, least)
    met = in_shape_if(together([alike, inside]), behind)
    return Finding(met.verdict, why, figures)


@SAID("ZF20c", "figure 12", "BF's loss of capacity falls beyond 0.83.")
def _kappa_of_bf(results: Results) -> Finding:
    means = [results.mean(bf(factor), "kappa").mean for factor in FACTORS]
    at = int(np.argmax(means))
    rho = results.mean(bf(FACTORS[at]), "rho")
    why = f"it is largest at {rho.mean:.3f} ({means[at]:.3f}), and {means[-1]:.3f} at the highest load"
    figure = Figure("utilization at which BF's kappa is largest", 0.83, rho)
    falls = above([results.difference(bf(FACTORS[at]), bf(FACTORS[-1]), "kappa")])
    met = in_shape_if(together([falls, within(rho, 0.75, 0.91)]), falls)
    return Finding(met.verdict, why, [figure])


def _sum(results: Results, line: Line) -> Interval:
    rho, kappa = (results.samples(line(BEYOND), metric) for metric in ("rho", "kappa"))
    return interval([a + b for a, b in zip(rho, kappa, strict=True)])


@SAID("ZF20d", "figure 12", "At saturation the loss of capacity is what utilization leaves.", MODES)
def _dashed_line(results: Results, mode: str) -> Finding:
    found = {"GS-5": gang("gs", mode), "BGS-5": gang("bgs", mode), "BF": bf}
    figures = [
        Figure(f"rho + kappa of {name} at saturation", 1.0, _sum(results, line))
        for name, line in found.items()
    ]
    met = weakest([within(figure.ours, 0.99, 1.01, slack=0.02).verdict for figure in figures])
    said = ", ".join(f"{name} {figure.ours.mean:.4f}" for name, figure in zip(found, figures, strict=True))
    return Finding(met, said, figures)


SAID("ZF15", "section 5.3", "Changing between BGS and BF at a critical utilization would pay.")(
    lambda _: untestable("the paper gives no figure, and did not run it")
)
