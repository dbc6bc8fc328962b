"""Axes that people read without arithmetic: time in a unit that fits, logarithms in plain numbers."""

import math
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, MultipleLocator, NullFormatter

from molokini.workloads.workload import Floats


@dataclass(frozen=True)
class TimeUnit:
    """A unit of time: its name on an axis, its length in seconds, and steps that look natural."""

    name: str
    seconds: float
    steps: tuple[float, ...] = ()


_UNITS = (
    (300.0, TimeUnit("seconds", 1.0, (1, 2, 5, 10, 15, 30, 60))),
    (3 * 3600.0, TimeUnit("minutes", 60.0, (1, 2, 5, 10, 15, 30))),
    (4 * 86400.0, TimeUnit("hours", 3600.0, (1, 2, 3, 6, 12, 24))),
    (math.inf, TimeUnit("days", 86400.0, (1, 2, 5, 7, 14, 28, 50, 100, 200, 500, 1000))),
)

_LOG_TIMES = (
    (1.0, "1 s"),
    (10.0, "10 s"),
    (60.0, "1 min"),
    (600.0, "10 min"),
    (3600.0, "1 h"),
    (36000.0, "10 h"),
    (86400.0, "1 d"),
    (864000.0, "10 d"),
    (8640000.0, "100 d"),
    (86400000.0, "1000 d"),
    (864000000.0, "10,000 d"),
)

_CROWDED: tuple[tuple[float, frozenset[str]], ...] = (
    (4.0, frozenset()),
    (7.0, frozenset({"10 h"})),
    (math.inf, frozenset({"10 s", "10 min", "10 h", "10 d", "1000 d"})),
)


_WIDE = 1e7
_RAISED = str.maketrans("-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")


def time_unit(seconds: float) -> TimeUnit:
    """The unit in which a span of *seconds* is best read."""
    return next(unit for limit, unit in _UNITS if seconds <= limit)


def time_axis(axis: Axis, unit: TimeUnit, length_s: float, ticks: int = 12) -> None:
    """Place ticks on an axis whose numbers are in *unit*, for a span of *length_s* seconds."""
    wanted = length_s / unit.seconds / ticks
    step = next((step for step in unit.steps if step >= wanted), None)
    axis.set_major_locator(MaxNLocator(ticks) if step is None else MultipleLocator(step))
    axis.set_major_formatter(FuncFormatter(lambda value, _: plain(value)))


def log_time_axis(axes: Axes, low_s: float, high_s: float) -> None:
    """A logarithmic x axis over seconds whose ticks are written with their unit."""
    axes.set_xscale("log")
    axes.set_xlim(low_s, high_s)
    # Ticks that would be written over their neighbours are left out, the odd ones first.
    decades = math.log10(high_s / low_s)
    left_out = next(names for limit, names in _CROWDED if decades <= limit)
    shown = [(at, name) for at, name in _LOG_TIMES if low_s <= at <= high_s and name not in left_out]
    axes.xaxis.set_major_locator(FixedLocator([at for at, _ in shown]))
    names = dict(shown)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: names.get(value, "")))
    axes.xaxis.set_minor_locator(FixedLocator([]))


def log_axis(axes: Axes, low: float, high: float) -> None:
    """A logarithmic x axis whose ticks are plain numbers, not powers."""
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    axes.xaxis.set_major_locator(FixedLocator([10.0**power for power in range(first, last + 1)]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: plain(value)))
    axes.xaxis.set_minor_formatter(NullFormatter())


def log_ticks(axis: Axis, low: float, high: float) -> None:
    """A logarithmic *axis* from *low* to *high*, both above 0, with at least two ticks of plain numbers."""
    axes = axis.axes
    (axes.set_xscale if axis is axes.xaxis else axes.set_yscale)("log")
    (axes.set_xlim if axis is axes.xaxis else axes.set_ylim)(low, high)
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    shown: list[float] = []
    for steps in ((1,), (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 7)):
        shown = [
            step * 10.0**power for power in decades for step in steps if low <= step * 10.0**power <= high
        ]
        if len(shown) >= 3:
            break
    every = max(1, math.ceil(len(shown) / 5))
    axis.set_major_locator(FixedLocator(shown[::every]))
    # Side by side, numbers of nine digits would run into one another.
    written = power if axis is axes.yaxis or high < _WIDE else raised
    axis.set_major_formatter(FuncFormatter(lambda value, _: written(value)))
    axis.set_minor_locator(FixedLocator([]))


def plain_axis(axis: Axis, whole: bool = False, ticks: int = 6) -> None:
    """A linear axis whose ticks are plain numbers with thousands marked; *whole*: integers only."""
    axis.set_major_locator(MaxNLocator(ticks, integer=whole, steps=[1, 2, 2.5, 5, 10]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: plain(value)))


def percent_axis(axes: Axes) -> None:
    """A y axis from 0 to 100 percent."""
    axes.set_ylim(0, 105)
    axes.yaxis.set_major_locator(FixedLocator([0, 25, 50, 75, 100]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: plain(value)))


def plain(value: float) -> str:
    """A number for a tick: thousands marked, no more digits than it has, no exponent in daily use."""
    if value == 0 or 1e-3 <= abs(value) < 1e9:
        text = f"{value:,.4f}" if abs(value) < 1000 else f"{value:,.1f}"
        return text.rstrip("0").rstrip(".")
    return f"{value:.3g}"


def power(value: float) -> str:
    """A number for a tick of a logarithmic axis: powers of ten that are too long to write out are raised."""
    if value == 0 or 1e-4 <= abs(value) < 1e9:
        return plain(value)
    return raised(value)


def raised(value: float) -> str:
    """A number for a tick: a power of ten from 1,000 on is written as one."""
    exponent = round(math.log10(abs(value))) if value else 0
    if not math.isclose(value, 10.0**exponent) or 0 <= exponent < 3:
        return plain(value)
    return f"10{str(exponent).translate(_RAISED)}"


def short(value: float) -> str:
    """A number for a label inside a picture: three digits that count, thousands marked."""
    if value == 0 or not 1e-3 <= abs(value) < 1e9:
        return f"{value:.3g}"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def spaced(low: float, high: float, count: int) -> Floats:
    """*count* values from *low* to *high* at equal ratios."""
    return np.geomspace(low, high, count)


def duration(seconds: float) -> str:
    """A length of time in words: "42 s", "3.5 min", "97.2 h", "12.3 d"."""
    for limit, length, name in ((120.0, 1.0, "s"), (3600.0, 60.0, "min"), (4 * 86400.0, 3600.0, "h")):
        if seconds < limit:
            return f"{short(seconds / length)} {name}"
    return f"{short(seconds / 86400.0)} d"
