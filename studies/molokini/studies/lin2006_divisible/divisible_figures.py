"""The figures of the paper, drawn from our runs."""

from collections.abc import Sequence
from typing import Any

from molokini.metrics.curves import Panel, Range
from molokini.studies.lin2006_divisible.experiments import (
    AN,
    EDF_FOUR,
    FIFO_FOUR,
    GAPS,
    MN,
    MWF_TWO,
    ORDERS,
    OVERHEAD_GAP,
    OVERHEAD_LOADS,
    PERIODS,
    SENDING,
    at_gap,
    base,
    order_xs,
    ordered,
    overhead,
    periodic,
)
from molokini.studies.lin2006_divisible.setting import (
    EARLIEST,
    LATEST,
    LOADS,
    RAISE,
    REDRAW,
    REJECTED,
    Setting,
    gap_of,
    name_of,
)
from molokini.studies.results import Interval, NotRun, Results
from molokini.studies.shown import Picture, curve

_APPENDIX_CAPTION = (
    "A panel a setting of the appendix, its parameters above it; all other parameters are those of the basic "
    "model. Lower curves reject less."
)
_Curves = Sequence[tuple[str, str, dict[str, Any]]]
"""The name of each, its policy, and what is changed in the basic model."""
_RATIO = "task reject ratio (share of tasks)"
_LESS = "reject ratio, MN less AN (share of tasks)"
_LOAD = "SystemLoad (ratio)"
_GAP = "mean interarrival time (time units)"


def pictures(results: Results) -> list[Picture]:
    """Figure 4 under both readings of the deadlines, then those of the appendix."""
    earliest = "Figure 4d to 4f: all nodes and the fewest; nodes released earliest"
    loose = "Figure 4h to 4j: FIFO, EDF and MWF; DCRatio 10"
    gaps, orders = _few_and_all(results, RAISE, EARLIEST), _three_orders(results, RAISE, loose=True)
    return [
        *_figure_4(results, RAISE),
        *_figure_4(results, REDRAW),
        # MN takes the nodes that were released earliest.
        Picture("earliest-figure-4d-f", earliest, _CAPTIONS[1], gaps),
        # Section 5.3 where there is an order to choose.
        Picture("loose-figure-4h-j", loose, "The interarrival times of Figures 4e and 4f.", orders),
        *_appendix(results),
    ]


def _figure_4(results: Results, deadlines: str) -> list[Picture]:
    more = {"deadlines": deadlines}
    again = deadlines == REDRAW
    name, title = ("redrawn-", "; hopeless deadlines drawn again") if again else ("", "")

    def varied(key: str, words: str, values: Sequence[float], policies: Sequence[str]) -> _Curves:
        return [(f"{name_of(p)}, {words} {one:g}", p, {**more, key: one}) for one in values for p in policies]

    first = [
        _by_load(results, "4a: basic model", [(name_of(p), p, more) for p in EDF_FOUR]),
        _by_load(results, "4b: DCRatio", varied("dcratio", "DCRatio", (2.0, 10.0, 100.0), EDF_FOUR[2:])),
        _by_load(results, "4c: processing speed", varied("cps", "C_ps", (10.0, 10000.0), EDF_FOUR[:2])),
    ]
    nodes = _few_and_all(results, deadlines) + ([] if again else [_periods(results)])
    what = ("OPR and EPR", "all nodes and the fewest", "FIFO, EDF and MWF")
    last = "f" if again else "g"
    shown = [("a", "c", first), ("d", last, nodes), ("h", "j", _three_orders(results, deadlines))]
    return [
        Picture(f"{name}figure-4{a}-{z}", f"Figure 4{a} to 4{z}: {said}{title}", caption, panels)
        for said, caption, (a, z, panels) in zip(what, _CAPTIONS, shown, strict=True)
    ]


def _few_and_all(results: Results, deadlines: str, take: str = LATEST) -> list[Panel]:
    gaps = [_gaps(results, ratio, letter, deadlines, take) for letter, ratio in (("e", 2.0), ("f", 10.0))]
    return [_overhead(results, deadlines, take), *gaps]


def _three_orders(results: Results, deadlines: str, loose: bool = False) -> list[Panel]:
    return [
        _orders(results, f"4{letter}: C_ms = {cms:g}", cms, deadlines, loose)
        for letter, cms in (("h", 2.0), ("i", 10.0), ("j", 20.0))
    ]


_CAPTIONS = (
    "The paper draws the same axes; its curves are not in the text we have.",
    "4d: the text does not say what stays while C_ms grows; three loads and a gap are shown. Above 0 "
    "EDF-OPR-AN is better, below EDF-OPR-MN.",
    "The points are those of the ten loads, 1.0 at the left.",
)


def _by_load(results: Results, title: str, curves: _Curves) -> Panel:
    made = []
    for place, (name, policy, more) in enumerate(curves):
        settings = [base(policy, load, **more) for load in LOADS]
        made.append(curve(name, LOADS, _means(results, settings), place, dashed="-epr-" in policy))
    return Panel(title, _LOAD, _RATIO, made)


def _overhead(results: Results, deadlines: str, take: str = LATEST) -> Panel:
    curves = []
    for place, load in enumerate((*OVERHEAD_LOADS, 0.0)):
        fewest = [overhead(MN, cms, load, deadlines, take) for cms in SENDING]
        found = _means(results, fewest, [overhead(AN, cms, load, deadlines) for cms in SENDING])
        name = f"SystemLoad {load:g}" if load else f"interarrival time {OVERHEAD_GAP:g}"
        curves.append(curve(name, SENDING, found, place))
    return Panel("4d: overhead", "C_ms (time units a unit of load)", _LESS, curves, zero=True)


def _gaps(results: Results, ratio: float, letter: str, deadlines: str, take: str = LATEST) -> Panel:
    more = {"dcratio": ratio, "deadlines": deadlines}
    fewest = [at_gap(MN, gap, take=take, **more) for gap in GAPS]
    found = _means(results, fewest, [at_gap(AN, gap, **more) for gap in GAPS])
    less = curve("EDF-OPR-MN less EDF-OPR-AN", GAPS, found, 0)
    return Panel(f"4{letter}: DCRatio = {ratio:g}", _GAP, _LESS, [less], zero=True)


def _periods(results: Results) -> Panel:
    curves = []
    for place, (policy, k) in enumerate((("edf-opr-k", 2), (AN, 0))):
        found = _means(results, [periodic(policy, period, k) for period in PERIODS])
        curves.append(curve(name_of(policy, k), PERIODS, found, place))
    shaded = [Range("[1263, 1359)", 1263.0, 1359.0)]
    return Panel("4g: a periodic task, D = E(200, 2)", "period (time units)", _RATIO, curves, shaded)


def _orders(results: Results, title: str, cms: float, deadlines: str, loose: bool = False) -> Panel:
    curves = []
    for place, policy in enumerate(ORDERS):
        settings = [ordered(policy, cms, x, deadlines, loose) for x in order_xs(loose)]
        gaps = [gap_of(setting) for setting in settings]
        curves.append(curve(name_of(policy), gaps, _means(results, settings), place))
    return Panel(title, _GAP, _RATIO, curves)


def _appendix(results: Results) -> list[Picture]:
    fours, threes = (1.0, 2.0, 4.0, 8.0), (1.0, 2.0, 4.0)

    def sending(name: str, values: Sequence[float], cms: Sequence[float] = fours) -> list[dict[str, Any]]:
        return [{name: value, "cms": one} for value in values for one in cms]

    speeds = [{"cps": cps} for cps in (10.0, 50.0, 500.0, 1000.0, 5000.0, 10000.0)]
    shown: list[tuple[int, Sequence[str], Sequence[dict[str, Any]]]] = [
        (6, EDF_FOUR, sending("dcratio", (2.0, 3.0))),
        (7, EDF_FOUR, sending("dcratio", (10.0, 20.0))),
        (8, EDF_FOUR, sending("dcratio", (100.0,))),
        (9, EDF_FOUR, speeds),
        (10, EDF_FOUR, sending("nodes", (32, 64), threes)),
        (11, EDF_FOUR, sending("sigma", (100.0, 400.0))),
        (12, EDF_FOUR, sending("sigma", (800.0,))),
    ]
    for first, policies in ((13, FIFO_FOUR), (16, MWF_TWO)):
        ratios = sending("dcratio", (2.0,)) + sending("dcratio", (3.0, 10.0, 20.0, 100.0), (1.0,))
        sizes = sending("sigma", (100.0, 400.0, 800.0), (1.0,))
        shown += [(first + k, policies, changes) for k, changes in enumerate((ratios, speeds, sizes))]
    found = [_many(results, *one) for one in shown]
    for figure, every in ((19, (1, 3, 4, 5, 6, 7, 8, 9)), (20, (11, 12, 13, 14, 15, 16, 17, 18, 19))):
        panels = [_orders(results, f"C_ms = {cms}", float(cms), RAISE) for cms in every]
        title = f"Figure {figure}: FIFO, EDF and MWF"
        found.append(Picture(f"figure-{figure}", title, _APPENDIX_CAPTION, panels, 3))
    return found


_NAMES = {"dcratio": "DCRatio", "cms": "C_ms", "cps": "C_ps", "nodes": "N", "sigma": "Avg sigma"}


def _many(
    results: Results, figure: int, policies: Sequence[str], changes: Sequence[dict[str, Any]]
) -> Picture:
    panels = []
    for change in changes:
        title = ", ".join(f"{_NAMES[name]} = {value:g}" for name, value in change.items())
        panels.append(_by_load(results, title, [(name_of(policy), policy, change) for policy in policies]))
    order = policies[0].partition("-")[0].upper()
    return Picture(f"figure-{figure}", f"Figure {figure}: {order}, OPR and EPR", _APPENDIX_CAPTION, panels, 3)


def _means(
    results: Results, settings: Sequence[Setting], less: Sequence[Setting] = ()
) -> list[Interval | None]:
    """Reject ratios, *less* those of others; None where no task arrived, as in short runs at a low load."""
    found: list[Interval | None] = []
    for k, setting in enumerate(settings):
        try:
            one = results.difference(setting, less[k], REJECTED) if less else results.mean(setting, REJECTED)
        except NotRun:
            found.append(None)
        else:
            found.append(one)
    return found
