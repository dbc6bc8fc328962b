"""The figures of the paper, drawn from our runs."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from molokini.metrics.curves import Curve, Panel, Range
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
    "A panel a setting of the appendix, its parameters above it; all other parameters are those of "
    "the basic model. Lower "
    "curves reject less."
)
_RATIO = "task reject ratio (share of tasks)"
_LESS = "reject ratio, MN less AN (share of tasks)"
_LOAD = "SystemLoad (ratio)"
_GAP = "mean interarrival time (time units)"


def pictures(results: Results) -> list[Picture]:
    """Figure 4 under both readings of the deadlines, then those of the appendix."""
    return [
        *_figure_4(results, RAISE),
        *_figure_4(results, REDRAW),
        _earliest(results),
        _loose(results),
        *_appendix(results),
    ]


def _figure_4(results: Results, deadlines: str) -> list[Picture]:
    more = {"deadlines": deadlines}
    again = deadlines == REDRAW
    name = "redrawn-" if again else ""
    title = "; hopeless deadlines drawn again" if again else ""
    ratios = [
        (f"{name_of(policy)}, DCRatio {ratio:g}", policy, {**more, "dcratio": ratio})
        for ratio in (2.0, 10.0, 100.0)
        for policy in ("edf-opr-an", "edf-epr-an")
    ]
    speeds = [
        (f"{name_of(policy)}, C_ps {cps:g}", policy, {**more, "cps": cps})
        for cps in (10.0, 10000.0)
        for policy in ("edf-opr-mn", "edf-epr-mn")
    ]
    first = [
        _by_load(results, "4a: basic model", [(name_of(p), p, more) for p in EDF_FOUR]),
        _by_load(results, "4b: DCRatio", ratios),
        _by_load(results, "4c: processing speed", speeds),
    ]
    nodes = [
        _overhead(results, deadlines),
        _gaps(results, 2.0, "e", deadlines),
        _gaps(results, 10.0, "f", deadlines),
    ]
    if not again:
        nodes.append(_periods(results))
    orders = [
        _orders(results, f"4{letter}: C_ms = {cms:g}", cms, deadlines)
        for letter, cms in (("h", 2.0), ("i", 10.0), ("j", 20.0))
    ]
    last = "f" if again else "g"
    what = ("OPR and EPR", "all nodes and the fewest", "FIFO, EDF and MWF")
    shown = [("a", "c", first), ("d", last, nodes), ("h", "j", orders)]
    return [
        Picture(f"{name}figure-4{a}-{z}", f"Figure 4{a} to 4{z}: {said}{title}", caption, panels)
        for said, caption, (a, z, panels) in zip(what, _CAPTIONS, shown, strict=True)
    ]


_CAPTIONS = (
    "The paper draws the same axes; its curves are not in the text we have.",
    "4d: the text does not say what stays while C_ms grows; three loads and a gap are shown. Above 0 "
    "EDF-OPR-AN is better, below EDF-OPR-MN.",
    "The points are those of the ten loads, 1.0 at the left.",
)


def _by_load(results: Results, title: str, curves: Iterable[tuple[str, str, dict[str, Any]]]) -> Panel:
    made = []
    for place, (name, policy, more) in enumerate(curves):
        settings = [base(policy, load, **more) for load in LOADS]
        made.append(_curve(name, LOADS, _means(results, settings), place, dashed="-epr-" in policy))
    return Panel(title, _LOAD, _RATIO, made)


def _earliest(results: Results) -> Picture:
    """Figures 4d to 4f where MN takes the nodes that were released earliest."""
    panels = [
        _overhead(results, RAISE, EARLIEST),
        _gaps(results, 2.0, "e", RAISE, EARLIEST),
        _gaps(results, 10.0, "f", RAISE, EARLIEST),
    ]
    title = "Figure 4d to 4f: all nodes and the fewest; nodes released earliest"
    return Picture("earliest-figure-4d-f", title, _CAPTIONS[1], panels)


def _overhead(results: Results, deadlines: str, take: str = LATEST) -> Panel:
    curves = []
    for place, load in enumerate((*OVERHEAD_LOADS, 0.0)):
        fewest = [overhead(MN, cms, load, deadlines, take) for cms in SENDING]
        found = _differences(results, fewest, [overhead(AN, cms, load, deadlines) for cms in SENDING])
        name = f"SystemLoad {load:g}" if load else f"interarrival time {OVERHEAD_GAP:g}"
        curves.append(_curve(name, SENDING, found, place))
    return Panel("4d: overhead", "C_ms (time units a unit of load)", _LESS, curves, zero=True)


def _gaps(results: Results, ratio: float, letter: str, deadlines: str, take: str = LATEST) -> Panel:
    more = {"dcratio": ratio, "deadlines": deadlines}
    fewest = [at_gap(MN, gap, take=take, **more) for gap in GAPS]
    found = _differences(results, fewest, [at_gap(AN, gap, **more) for gap in GAPS])
    curve = _curve("EDF-OPR-MN less EDF-OPR-AN", GAPS, found, 0)
    return Panel(f"4{letter}: DCRatio = {ratio:g}", _GAP, _LESS, [curve], zero=True)


def _periods(results: Results) -> Panel:
    curves = []
    for place, (policy, k) in enumerate((("edf-opr-k", 2), (AN, 0))):
        found = _means(results, [periodic(policy, period, k) for period in PERIODS])
        curves.append(_curve(name_of(policy, k), PERIODS, found, place))
    shaded = [Range("[1263, 1359)", 1263.0, 1359.0)]
    return Panel("4g: a periodic task, D = E(200, 2)", "period (time units)", _RATIO, curves, shaded)


def _orders(results: Results, title: str, cms: float, deadlines: str, loose: bool = False) -> Panel:
    curves = []
    for place, policy in enumerate(ORDERS):
        settings = [ordered(policy, cms, x, deadlines, loose) for x in order_xs(loose)]
        gaps = [gap_of(setting) for setting in settings]
        curves.append(_curve(name_of(policy), gaps, _means(results, settings), place))
    return Panel(title, _GAP, _RATIO, curves)


def _loose(results: Results) -> Picture:
    """Section 5.3 where there is an order to choose."""
    panels = [
        _orders(results, f"4{letter}: C_ms = {cms:g}", cms, RAISE, loose=True)
        for letter, cms in (("h", 2.0), ("i", 10.0), ("j", 20.0))
    ]
    title = "Figure 4h to 4j: FIFO, EDF and MWF; DCRatio 10"
    return Picture("loose-figure-4h-j", title, "The interarrival times of Figures 4e and 4f.", panels)


def _appendix(results: Results) -> list[Picture]:
    fours, threes = (1.0, 2.0, 4.0, 8.0), (1.0, 2.0, 4.0)
    speeds = [{"cps": cps} for cps in (10.0, 50.0, 500.0, 1000.0, 5000.0, 10000.0)]
    found = [
        _many(results, "6", EDF_FOUR, [{"dcratio": r, "cms": c} for r in (2.0, 3.0) for c in fours]),
        _many(results, "7", EDF_FOUR, [{"dcratio": r, "cms": c} for r in (10.0, 20.0) for c in fours]),
        _many(results, "8", EDF_FOUR, [{"dcratio": 100.0, "cms": c} for c in fours]),
        _many(results, "9", EDF_FOUR, speeds),
        _many(results, "10", EDF_FOUR, [{"nodes": n, "cms": c} for n in (32, 64) for c in threes]),
        _many(results, "11", EDF_FOUR, [{"sigma": s, "cms": c} for s in (100.0, 400.0) for c in fours]),
        _many(results, "12", EDF_FOUR, [{"sigma": 800.0, "cms": c} for c in fours]),
    ]
    for first, policies in ((13, FIFO_FOUR), (16, MWF_TWO)):
        ratios = [{"dcratio": 2.0, "cms": cms} for cms in fours]
        ratios += [{"dcratio": ratio, "cms": 1.0} for ratio in (3.0, 10.0, 20.0, 100.0)]
        found.append(_many(results, str(first), policies, ratios))
        found.append(_many(results, str(first + 1), policies, speeds))
        sizes = [{"sigma": sigma, "cms": 1.0} for sigma in (100.0, 400.0, 800.0)]
        found.append(_many(results, str(first + 2), policies, sizes))
    for figure, sending in (("19", (1, 3, 4, 5, 6, 7, 8, 9)), ("20", (11, 12, 13, 14, 15, 16, 17, 18, 19))):
        panels = [_orders(results, f"C_ms = {cms}", float(cms), RAISE) for cms in sending]
        found.append(
            Picture(f"figure-{figure}", f"Figure {figure}: FIFO, EDF and MWF", _APPENDIX_CAPTION, panels, 3)
        )
    return found


_NAMES = {"dcratio": "DCRatio", "cms": "C_ms", "cps": "C_ps", "nodes": "N", "sigma": "Avg sigma"}


def _many(
    results: Results, figure: str, policies: Sequence[str], changes: Sequence[dict[str, Any]]
) -> Picture:
    panels = []
    for change in changes:
        title = ", ".join(f"{_NAMES[name]} = {value:g}" for name, value in change.items())
        panels.append(_by_load(results, title, [(name_of(policy), policy, change) for policy in policies]))
    order = policies[0].partition("-")[0].upper()
    return Picture(f"figure-{figure}", f"Figure {figure}: {order}, OPR and EPR", _APPENDIX_CAPTION, panels, 3)


def _means(results: Results, settings: Sequence[Setting]) -> list[Interval | None]:
    return [_known(lambda s=setting: results.mean(s, REJECTED)) for setting in settings]  # type: ignore[misc]


def _differences(
    results: Results, ones: Sequence[Setting], others: Sequence[Setting]
) -> list[Interval | None]:
    return [
        _known(lambda a=one, b=other: results.difference(a, b, REJECTED))  # type: ignore[misc]
        for one, other in zip(ones, others, strict=True)
    ]


def _known(ask: Callable[[], Interval]) -> Interval | None:
    """None where no task arrived, as in short runs at a low load."""
    try:
        return ask()
    except NotRun:
        return None


def _curve(
    name: str, x: Sequence[float], found: Sequence[Interval | None], style: int, dashed: bool = False
) -> Curve:
    points = [(at, one) for at, one in zip(x, found, strict=True) if one is not None]
    return curve(name, [at for at, _ in points], [one for _, one in points], style, dashed)
