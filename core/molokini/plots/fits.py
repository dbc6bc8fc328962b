"""Fits beside their log: cumulative distributions, tails and quantiles, an attribute a row."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from molokini.model.text import plural
from molokini.plots.scales import log_ticks, percent_axis
from molokini.plots.style import colour, dashes, head, legend, new_figure, styled, title
from molokini.workloads.fits.bursts import BurstFit
from molokini.workloads.fits.candidates import Candidate, Fits
from molokini.workloads.fits.fitting import LogFit
from molokini.workloads.statistics.tails import llcd
from molokini.workloads.tools.comparing import attributes
from molokini.workloads.workload import Floats, Workload

_NAMES = {
    "interarrival_s": ("Gaps", "gap (s)"),
    "run_s": ("Run times", "run time (s)"),
    "work_processor_s": ("Work", "work (processor-seconds)"),
    "processors": ("Sizes", "size (processors)"),
    "memory_kb": ("Memory per processor", "memory (kB)"),
    "accuracy": ("Accuracy", "run time / estimate (share)"),
}
_WAYS = (
    ("variance of mean counts (jobs squared)", "variance_time", "variance"),
    ("range over deviation (ratio)", "rescaled_range", "ratio"),
)
_CURVES = 3
_POINTS = 300
_QUANTILES = 200


@styled()
def fit_picture(workload: Workload, fit: LogFit) -> Figure:
    """Three panels an attribute: the log and its nearest candidates as CDF and LLCD, quantiles of the
    nearest. The last row has the bursts of arrivals.
    """
    samples = attributes(workload)
    attributed = list(fit.reports.items())
    rows = len(attributed) + (fit.bursts.made is not None)
    height = 0.85 + 3.6 * rows
    figure = new_figure(16, height)
    figure.set_layout_engine("none")
    head(figure, f"Fits to {workload.name}", plural(len(workload), "job"))
    grid = figure.add_gridspec(
        rows,
        3,
        left=0.06,
        right=0.98,
        bottom=0.5 / height,
        top=1 - 1.15 / height,
        hspace=0.42,
        wspace=0.27,
    )
    for place, (name, fits) in enumerate(attributed):
        values = samples[name][samples[name] > 0]
        panels = [figure.add_subplot(grid[place, column]) for column in range(3)]
        heading, label = _NAMES[name]
        _cumulative(panels[0], heading, label, values, fits)
        _tail(panels[1], heading, label, values, fits)
        _quantiles(panels[2], heading, label, values, fits.best)
    if fit.bursts.made is not None:
        for column, (heading, way, measure) in enumerate(_WAYS):
            _scaling(figure.add_subplot(grid[rows - 1, column]), heading, way, measure, fit.bursts)
    return figure


def _scaling(axes: Axes, heading: str, way: str, measure: str, found: BurstFit) -> None:
    """The points through which H was laid, of the log and of jobs made with bursts and without."""
    title(axes, f"Bursts of arrivals: {heading.partition(' (')[0]}")
    shown = [("the log", found.log, "#000000", "-"), ("made from the fit", found.made, colour(0), dashes(1))]
    if found.bursts is not None:
        shown.append(("independent gaps", found.independent, colour(1), dashes(2)))
    lowest, highest = [], []
    for name, one, ink, style in shown:
        if one is None or one[way]["h"] is None:
            continue
        at, value = np.array(one[way]["length_s"]) / 3600, np.array(one[way][measure])
        kept = value > 0
        axes.plot(
            at[kept],
            value[kept],
            color=ink,
            linestyle=style,
            linewidth=1.6,
            label=f"{name} (H {one[way]['h']:.2f})",
        )
        lowest.append((at[kept].min(), value[kept].min()))
        highest.append((at[kept].max(), value[kept].max()))
    lows, highs = np.min(lowest, axis=0), np.max(highest, axis=0)
    log_ticks(axes.xaxis, lows[0], highs[0])
    log_ticks(axes.yaxis, lows[1] / 1.2, highs[1] * 1.2)
    axes.set_xlabel("length (h)")
    axes.set_ylabel(heading)
    legend(axes, loc="best")


def _cumulative(axes: Axes, heading: str, label: str, values: Floats, fits: Fits) -> None:
    title(axes, f"{heading}: cumulative")
    low, high = _ends(values)
    at = np.geomspace(low, high, _POINTS)
    share = 100 * np.searchsorted(np.sort(values), at, side="right") / values.size
    axes.step(at, share, where="post", color="#000000", linewidth=1.8, label="the log")
    for index, one in enumerate(fits.candidates[:_CURVES]):
        axes.plot(
            at,
            100 * one.distribution.cdf(at),
            color=colour(index),
            linestyle=dashes(index + 1),
            linewidth=1.4,
            label=f"{one.name} (KS {one.ks:.3f})",
        )
    log_ticks(axes.xaxis, low, high)
    percent_axis(axes)
    axes.set_xlabel(label)
    axes.set_ylabel("share no larger (%)")
    legend(axes, loc="best")


def _tail(axes: Axes, heading: str, label: str, values: Floats, fits: Fits) -> None:
    title(axes, f"{heading}: tail (LLCD)")
    found = llcd(values)
    low, high = _ends(values)
    at = np.geomspace(low, high, _POINTS)
    axes.plot(found["x"], found["share_above"], color="#000000", linewidth=1.8, label="the log")
    for index, one in enumerate(fits.candidates[:_CURVES]):
        above = np.maximum(one.distribution.survival(at), 1e-300)
        axes.plot(at, above, color=colour(index), linestyle=dashes(index + 1), linewidth=1.4, label=one.name)
    log_ticks(axes.xaxis, low, high)
    log_ticks(axes.yaxis, min(0.5, 0.5 / values.size), 1.5)
    axes.set_xlabel(label)
    axes.set_ylabel("values above (share)")
    legend(axes, loc="lower left")


def _quantiles(axes: Axes, heading: str, label: str, values: Floats, best: Candidate) -> None:
    title(axes, f"{heading}: quantiles of {best.name}")
    share = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
    theirs, ours = np.quantile(values, share), best.distribution.quantiles(share)
    low, high = _ends(values)
    axes.plot([low, high], [low, high], color="#444444", linewidth=0.9)
    axes.plot(ours, theirs, "o", markersize=3, color=colour(0))
    log_ticks(axes.xaxis, low, high)
    log_ticks(axes.yaxis, low, high)
    unit = label[label.index("(") :]
    axes.set_xlabel(f"fitted {unit}")
    axes.set_ylabel(f"in the log {unit}")


def _ends(values: Floats) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    return low * 0.9, max(high * 1.1, low * 2)
