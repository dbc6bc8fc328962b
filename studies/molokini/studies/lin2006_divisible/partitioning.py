"""Claims of section 5.1: the optimal partitioning rule against equal chunks."""

from collections.abc import Callable, Sequence
from typing import Any

from molokini.applications.divisible import fractions
from molokini.studies.claims import Claims, Figure, Finding
from molokini.studies.comparing import Pair, alike, falls_with, mean_difference, never_higher, ordered
from molokini.studies.lin2006_divisible.experiments import (
    DC_RATIOS,
    SPEEDS,
    How,
    base,
    cases,
    figure_4_settings,
    pairs,
    variations,
)
from molokini.studies.lin2006_divisible.setting import RAISE, REDRAW, REJECTED, costs
from molokini.studies.results import Results
from molokini.studies.rule import by_intervals, exactly

LIGHT = 0.7
"""The largest SystemLoad at which no more comes than all nodes can do: sizes of 0 or less are drawn again."""
NEAR = 0.01
"""Reject ratios that differ by no more lie on one another in a figure from 0 to 1."""


HOWS = (How("hopeless deadlines raised"), How("pairs drawn again", REDRAW))
LIGHTER = How("where nodes can do what comes")
SAID = Claims()
Two = tuple[str, str]
MN = ("edf-opr-mn", "edf-epr-mn")
AN = ("edf-opr-an", "edf-epr-an")
OTHERS = (("fifo-opr-mn", "fifo-epr-mn"), ("fifo-opr-an", "fifo-epr-an"), ("mwf-opr-mn", "mwf-epr-mn"))


@SAID(
    "system-load",
    "5, Workload Generation",
    "SystemLoad is the number of tasks times E(Avg sigma, N) over the simulated time.",
)
def _system_load(results: Results) -> Finding:
    figures, near = [], True
    for load in (0.1, 0.5, 1.0):
        ours = results.mean(base("edf-opr-an", load), "nominal_load")
        counted = results.mean(base("edf-opr-an", load), "counted_load")
        near = near and counted.low <= load <= counted.high
        figures += [Figure(f"SystemLoad {load:g}, counted", load, counted)]
        assert abs(ours.mean - load) < 1e-9
    delivered = results.mean(base("edf-opr-an", 0.5), "delivered_load")
    why = (
        "the counted load agrees with the one asked for; what really came, with sizes of 0 or less drawn "
        f"again, is more: at 0.5 it is {delivered}"
    )
    return by_intervals(near, why, figures, in_shape=True)


@SAID(
    "long-enough",
    "5, metric",
    "10,000,000 time units are long enough (read as: over ten seeds the 95% interval of a reject ratio is no "
    "wider than 0.01 to either side).",
)
def _long_enough(results: Results) -> Finding:
    settings = sorted(set(figure_4_settings(RAISE)), key=repr)
    wide = [results.mean(setting, REJECTED) for setting in settings]
    widest = max((one.high - one.low) / 2 for one in wide)
    within = sum((one.high - one.low) / 2 <= NEAR for one in wide)
    why = f"{within} of {len(wide)} cases of Figure 4; the widest half is {widest:.4f}"
    return by_intervals(within == len(wide), why, in_shape=within >= 0.9 * len(wide))


@SAID("fractions", "5.1.4, analysis", "Where C_ms / C_ps goes to 0, OPR's fractions go to 1/n each.")
def _fractions(_: Results) -> Finding:
    away = []
    for cps in SPEEDS:
        shares = fractions("opr", 200.0, 16, costs(1.0, cps))
        away.append(max(abs(16 * share - 1) for share in shares))
    told = ", ".join(f"C_ps {cps:g}: {share:.2%}" for cps, share in zip(SPEEDS, away, strict=True))
    falling = away == sorted(away, reverse=True) and away[-1] < 0.01
    return exactly(falling, f"largest distance of a fraction from 1/16, as a share of it: {told}")


def _lower(two: Two, *changes: dict[str, Any]) -> Callable[[Results, How], Finding]:
    return lambda results, how: ordered(
        results, _all(two, [{**change, "deadlines": how.deadlines} for change in changes]), REJECTED
    )


def _closer(two: Two, parameter: str, values: Sequence[float]) -> Callable[[Results, How], Finding]:
    """That EPR comes nearer to OPR with each value."""

    def check(results: Results, how: How) -> Finding:
        steps = []
        for value in values:
            change: dict[str, Any] = {parameter: value, "deadlines": how.deadlines}
            compared = pairs(two[1], two[0], **change)
            steps.append((f"{value:g}", mean_difference(results, compared, REJECTED)))
        found = falls_with(steps)
        return Finding(found.verdict, f"EPR less OPR, mean over the ten loads, at {found.why}")

    return check


def _same(two: Two, **change: Any) -> Callable[[Results, How], Finding]:
    def check(results: Results, how: How) -> Finding:
        every = pairs(*two, deadlines=how.deadlines, **change)
        light = [pair for pair in every if pair[0].load <= LIGHT]
        return alike(results, light if how is LIGHTER else every, REJECTED, NEAR)

    return check


_A, _B, _C = "5.1.2, Figure 4a", "5.1.3, Figure 4b", "5.1.4, Figure 4c"
SAID("opr-mn", _A, "In the basic model EDF-OPR-MN always rejects less than EDF-EPR-MN.", HOWS)(_lower(MN, {}))
SAID("opr-an", _A, "In the basic model EDF-OPR-AN always rejects less than EDF-EPR-AN.", HOWS)(_lower(AN, {}))
SAID("dcratio-lower", _B, "With DCRatio 2, 10 and 100 EDF-OPR-AN rejects less than EDF-EPR-AN.", HOWS)(
    _lower(AN, {"dcratio": 2.0}, {"dcratio": 10.0}, {"dcratio": 100.0})
)
SAID(
    "dcratio-closer",
    _B,
    "As DCRatio grows (2, 3, 10, 20, 100), EDF-EPR-AN comes closer to EDF-OPR-AN.",
    HOWS,
)(_closer(AN, "dcratio", DC_RATIOS))
SAID(
    "dcratio-same",
    _B,
    "With DCRatio 100 EDF-EPR-AN and EDF-OPR-AN perform almost the same.",
    (*HOWS, LIGHTER),
)(_same(AN, dcratio=100.0))
SAID("speed-lower", _C, "With C_ps 10 and 10,000 EDF-OPR-MN rejects less than EDF-EPR-MN.", HOWS)(
    _lower(MN, {"cps": 10.0}, {"cps": 10000.0})
)
SAID("speed-closer", _C, "As C_ps grows from 10 to 10,000, the two differ less and less.", HOWS)(
    _closer(MN, "cps", SPEEDS)
)
SAID(
    "speed-same",
    _C,
    "With C_ps 10,000 the curves of EDF-OPR-MN and EDF-EPR-MN almost lie on one another.",
    HOWS,
)(_same(MN, cps=10000.0))


def everything() -> list[Pair]:
    """OPR against EPR for every parameter set of the paper, all else equal."""
    found = [pair for two in (MN, AN) for pair in _all(two, variations(True))]
    found += [pair for two in OTHERS for pair in _all(two, variations(False))]
    return list(dict.fromkeys(found))


def _all(two: Two, changes: Sequence[dict[str, Any]]) -> list[Pair]:
    return list(dict.fromkeys(pair for change in changes for pair in pairs(*two, **change)))


_CHANGED: list[dict[str, Any]] = [
    *({"nodes": nodes, "cms": cms} for nodes in (32, 64) for cms in (1.0, 2.0, 4.0)),
    *({"cms": cms} for cms in (1.0, 2.0, 4.0, 8.0)),
    *({"sigma": sigma, "cms": cms} for sigma in (100.0, 400.0, 800.0) for cms in (1.0, 2.0, 4.0, 8.0)),
]
for _two in (MN, AN):
    SAID(
        f"changed-{_two[0][4:]}",
        "5.1.2, Figures 6, 10, 11, 12",
        f"So it is with N 32 and 64, C_ms 1 to 8, Avg sigma 100 to 800: {_two[0].upper()} always rejects "
        f"less than {_two[1].upper()}.",
    )(lambda results, two=_two: ordered(results, _all(two, _CHANGED), REJECTED))
for _two, _figures in zip(OTHERS, ("13 to 15", "13 to 15", "16 to 18"), strict=True):
    SAID(
        f"pair-{_two[0]}",
        f"5.1, Figures {_figures}",
        f"The other pairs are like that: {_two[0].upper()} rejects less than {_two[1].upper()}, whatever the "
        "parameters.",
    )(lambda results, two=_two: ordered(results, _all(two, variations(False)), REJECTED))
SAID(
    "always",
    "5.1.4, conclusion",
    "Whatever the parameters, algorithms with OPR always perform better than those with EPR.",
)(lambda results: ordered(results, everything(), REJECTED))
SAID(
    "never-more",
    "5.1.4, conclusion",
    "Put more carefully: for no parameters of the paper OPR rejects more than EPR beyond the interval.",
)(lambda results: never_higher(results, everything(), REJECTED))


PROMISES = Claims()
"""What must hold of every algorithm, or the runs are worth nothing."""


@PROMISES("guarantee", "4.3, Figure 3", "An admitted task meets its deadline, whatever is admitted after it.")
def guarantee(results: Results) -> Finding:
    """No admitted task of any run was late."""
    settings = cases()
    late = results.total(settings, "missed")
    tasks = results.total(settings, "jobs")
    return exactly(not late, f"{late:,.0f} of {tasks:,.0f} tasks, those of all runs, were admitted and late")
