"""Panels of a log's tails: LLCD, sums over blocks, Hill's estimates, mass-count, Hurst's parameter."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from molokini.plots.scales import log_ticks, percent_axis, short
from molokini.plots.style import colour, dashes, legend, literal, ordered_colours, title

QUANTITIES = {"run_s": "run time", "work_processor_s": "processor-seconds", "interarrival_s": "gap"}


def nothing(axes: Axes, text: str) -> None:
    """Say in an empty panel why it is empty."""
    axes.set_axis_off()
    axes.text(0.0, 0.9, literal(text), transform=axes.transAxes, va="top", color="#666666", parse_math=False)


def draw_llcd(axes: Axes, tails: Mapping[str, Any]) -> None:
    """P[X > x] of run times, work and gaps, with alpha by the lines through their tails."""
    title(axes, "Tails (LLCD; alpha from the slope)")
    known = {name: found["llcd"] for name, found in tails.items() if found and found["llcd"]["x"]}
    if not known:
        nothing(axes, "fewer than 50 values above 0")
        return
    for index, (name, found) in enumerate(known.items()):
        alpha = found["alpha"]
        told = "" if alpha is None else f", alpha {short(alpha)}"
        axes.plot(
            found["x"],
            found["share_above"],
            color=colour(index),
            linestyle=dashes(index),
            linewidth=1.5,
            label=f"{QUANTITIES[name]}{told}",
        )
    _log_log(
        axes, [found["x"] for found in known.values()], [found["share_above"] for found in known.values()]
    )
    axes.set_xlabel("x (seconds; processor-seconds)")
    axes.set_ylabel("values above x (share)")
    legend(axes, loc="lower left")


def draw_aggregated(axes: Axes, tails: Mapping[str, Any]) -> None:
    """The same of sums of 1, 10, 100, 1000 neighbours: parallel lines speak of a heavy tail."""
    title(axes, "Processor-seconds: sums of neighbours")
    found = tails["work_processor_s"]
    if not found or not found["aggregated"]:
        nothing(axes, "fewer than 50 values above 0")
        return
    shown = [one for one in found["aggregated"] if len(one["x"]) > 1]
    for one, tint in zip(shown, ordered_colours(len(shown)), strict=True):
        alpha = "" if one["alpha"] is None else f", alpha {short(one['alpha'])}"
        axes.plot(one["x"], one["share_above"], color=tint, linewidth=1.5, label=f"{one['block']:,}{alpha}")
    if not shown:
        nothing(axes, "all sums are equal")
        return
    _log_log(axes, [one["x"] for one in shown], [one["share_above"] for one in shown])
    axes.set_xlabel("sum (processor-seconds)")
    axes.set_ylabel("sums above x (share)")
    legend(axes, loc="lower left")


def draw_hill(axes: Axes, tails: Mapping[str, Any]) -> None:
    """Hill's estimate over the number of largest values that it is made of."""
    title(axes, "Hill's estimate of alpha from the m largest")
    known = {name: found["hill"] for name, found in tails.items() if found and len(found["hill"]["m"]) > 1}
    if not known:
        nothing(axes, "fewer than 50 values above 0")
        return
    for index, (name, found) in enumerate(known.items()):
        axes.plot(
            found["m"],
            found["alpha"],
            color=colour(index),
            linestyle=dashes(index),
            linewidth=1.5,
            label=QUANTITIES[name],
        )
    most = max(max(found["m"]) for found in known.values())
    least = min(min(found["m"]) for found in known.values())
    log_ticks(axes.xaxis, least, max(most, least + 1))
    axes.set_ylim(0, min(5.0, 1.1 * max(max(found["alpha"]) for found in known.values())))
    axes.axhspan(1, 2, color="#999999", alpha=0.15, linewidth=0)
    axes.set_xlabel("m (values)")
    axes.set_ylabel("alpha (infinite variance below 2)")
    legend(axes, loc="upper right")


def draw_mass_count(axes: Axes, mass: Mapping[str, Any]) -> None:
    """Which share of the jobs, and of the work, is in jobs no larger than x; the joint ratio marked."""
    title(axes, "Mass-count disparity of processor-seconds")
    found = mass["work_processor_s"]
    if not found:
        nothing(axes, "no work in this log")
        return
    x = np.maximum(np.array(found["x"]), 1.0)
    axes.plot(x, 100 * np.array(found["count_below"]), color=colour(0), linewidth=1.6, label="of the jobs")
    axes.plot(
        x,
        100 * np.array(found["mass_below"]),
        color=colour(1),
        linestyle="--",
        linewidth=1.6,
        label="of the work",
    )
    at = float(np.interp(found["joint_mass"], found["count_below"], x))
    axes.axvline(at, color="#444444", linewidth=0.9, linestyle=":")
    joint = f"{short(100 * found['joint_items'])} / {short(100 * found['joint_mass'])}"
    title(axes, f"Mass-count: joint ratio {joint}, N1/2 {short(100 * found['n_half'])}%")
    log_ticks(axes.xaxis, float(x[0]), max(float(x[-1]), float(x[0]) * 10))
    percent_axis(axes)
    axes.set_xlabel("size of the job (processor-seconds)")
    axes.set_ylabel("share in jobs no larger (%)")
    legend(axes, loc="upper left")


def draw_hurst(axes: Axes, found: Mapping[str, Any] | None, way: str) -> None:
    """One of the two ways to Hurst's parameter: the points, and the line of H = 0.5 beside them."""
    name, label = {
        "variance_time": ("Variance-time", "variance of mean arrivals (jobs squared)"),
        "rescaled_range": ("Rescaled range", "R/S of arrivals (ratio)"),
    }[way]
    value = "variance" if way == "variance_time" else "ratio"
    if not found or found[way]["h"] is None:
        title(axes, f"{name}: Hurst's parameter")
        nothing(axes, "too short a log")
        return
    x, y = np.array(found[way]["length_s"]), np.array(found[way][value])
    x, y = x[y > 0], y[y > 0]
    title(axes, f"{name}: H = {short(found[way]['h'])}")
    axes.plot(x, y, "o", markersize=4, color=colour(0), label="of this log")
    slope = -1.0 if way == "variance_time" else 0.5
    axes.plot(x, y[0] * (x / x[0]) ** slope, color="#444444", linestyle="--", linewidth=1, label="H = 0.5")
    _log_log(axes, [x.tolist()], [y.tolist()])
    axes.set_xlabel("length of a block (seconds)")
    axes.set_ylabel(label)
    legend(axes, loc="best")


def _log_log(axes: Axes, x: Sequence[Sequence[float]], y: Sequence[Sequence[float]]) -> None:
    for axis, values in ((axes.xaxis, x), (axes.yaxis, y)):
        low = min(min(part) for part in values)
        high = max(max(part) for part in values)
        log_ticks(axis, low / 1.2, max(high * 1.2, low * 2))
