"""Panels of whose jobs a log holds: users, estimates, run times by size, memory."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from molokini.model.text import duration, plural
from molokini.plots.log_tails import nothing
from molokini.plots.scales import log_ticks, percent_axis, plain_axis, short
from molokini.plots.style import colour, dashes, legend, literal, title

_KB_UNITS = ((1024.0**2, "GB"), (1024.0, "MB"), (1.0, "kB"))


def draw_run_by_size(axes: Axes, classes: Sequence[Mapping[str, Any]]) -> None:
    """A box for each class of sizes: quartiles and median, whiskers at the 5th and 95th percentile."""
    title(axes, "Run times by size (5, 25, 50, 75, 95%)")
    if not classes:
        nothing(axes, "no jobs")
        return
    boxes = [
        {
            "whislo": max(one["p5"], 1.0),
            "q1": max(one["p25"], 1.0),
            "med": max(one["p50"], 1.0),
            "q3": max(one["p75"], 1.0),
            "whishi": max(one["p95"], 1.0),
            "fliers": [],
        }
        for one in classes
    ]
    drawn = axes.bxp(boxes, showfliers=False, patch_artist=True, widths=0.6)
    for box in drawn["boxes"]:
        box.set(facecolor=colour(5), alpha=0.6, edgecolor=colour(0))
    for line in drawn["medians"]:
        line.set(color=colour(1), linewidth=1.6)
    names = [
        f"{one['from_processors']}-{one['to_processors']}"
        if one["from_processors"] < one["to_processors"]
        else str(one["to_processors"])
        for one in classes
    ]
    turned = len(names) > 6
    axes.set_xticks(
        range(1, len(names) + 1), names, rotation=40 if turned else 0, ha="right" if turned else "center"
    )
    most = max(box["whishi"] for box in boxes)
    log_ticks(axes.yaxis, 0.8, max(10.0, 1.3 * most))
    axes.grid(visible=False, axis="x")
    axes.set_xlabel("size of the job (processors)")
    axes.set_ylabel("run time (s)")


def draw_accuracy(axes: Axes, found: Mapping[str, Any] | None) -> None:
    """Run time over estimate in 20 classes, with those that are exact or past it."""
    title(axes, "Accuracy of estimates")
    if found is None:
        nothing(axes, "no job gives an estimate")
        return
    values = 100 * np.array([*found["accuracy"], found["exact"], found["past"]])
    bins = len(found["accuracy"])
    at = np.concatenate([(np.arange(bins) + 0.5) / bins, [1.06, 1.13]])
    tints = [colour(0)] * bins + [colour(2), colour(1)]
    axes.bar(at, values, width=[0.9 / bins] * bins + [0.05, 0.05], color=tints)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1.06, 1.13], ["0", "0.25", "0.5", "0.75", "1", ">1"])
    axes.grid(visible=False, axis="x")
    plain_axis(axes.yaxis)
    axes.set_xlabel("run time / estimate (1: exact, >1: past it)")
    axes.set_ylabel("share of jobs with an estimate (%)")


def draw_modes(axes: Axes, found: Mapping[str, Any] | None) -> None:
    """The commonest estimates and their shares."""
    title(axes, "Commonest estimates")
    if found is None:
        nothing(axes, "no job gives an estimate")
        return
    modes = found["modes"]
    values = [100 * one["share"] for one in modes]
    names = [duration(one["estimate_s"]) for one in modes]
    # Estimates that are rounded to the same words are shown in seconds.
    exact = [f"{one['estimate_s']:,.15g} s" for one in modes]
    told = [name if names.count(name) == 1 else other for name, other in zip(names, exact, strict=True)]
    _ranked(axes, told, {"": values})
    title(
        axes, f"Commonest of {found['distinct']:,} estimates ({100 * found['share_of_modes']:.0f}% of jobs)"
    )
    axes.set_xlabel("share of jobs with an estimate (%)")


def draw_top_users(axes: Axes, found: Mapping[str, Any]) -> None:
    """Who submits most, and the share of the work that is theirs."""
    title(axes, "Users with most jobs")
    if not found["top"]:
        nothing(axes, "the log has no users")
        return
    top = found["top"]
    gini = found["disparity_of_jobs"]["gini"] if found["disparity_of_jobs"] else 0.0
    title(axes, f"Users with most jobs, of {plural(found['users'], 'user')} (Gini {short(gini)})")
    shares = {
        "of the jobs": [100 * one["share_of_jobs"] for one in top],
        "of the processor-seconds": [100 * (one["share_of_work"] or 0.0) for one in top],
    }
    _ranked(axes, [f"user {one['name']}" for one in top], shares)
    axes.set_xlabel("share (%)")
    legend(axes, loc="lower right")


def draw_memory(axes: Axes, found: Mapping[str, Any] | None) -> None:
    """How memory per processor is distributed, asked for and used."""
    title(axes, "Memory per processor")
    if found is None:
        nothing(axes, "the log has no memory")
        return
    known = {
        name: [value for value in values if value > 0]
        for name, values in found["x"].items()
        if any(value > 0 for value in values)
    }
    largest = max(max(values) for values in known.values())
    size, unit = next((one, name) for one, name in _KB_UNITS if largest >= one)
    names = {"requested_kb": "requested", "used_kb": "used"}
    for index, (name, values) in enumerate(known.items()):
        share = np.linspace(100 - len(values) + 1, 100, len(values))
        axes.plot(
            np.array(values) / size,
            share,
            color=colour(index),
            linestyle=dashes(index),
            linewidth=1.6,
            label=f"{names[name]} ({found[name]['jobs']:,} jobs)",
        )
    low = min(min(values) for values in known.values()) / size
    log_ticks(axes.xaxis, low, max(largest / size, 2 * low))
    percent_axis(axes)
    axes.set_xlabel(f"memory per processor ({unit}, logarithmic)")
    axes.set_ylabel("share of jobs with no more (%)")
    legend(axes, loc="upper left")


def _ranked(axes: Axes, names: Sequence[str], shares: Mapping[str, Sequence[float]]) -> None:
    """Bars from the top down, the largest first; several side by side where there are several shares."""
    at = np.arange(len(names))
    height = 0.8 / len(shares)
    for index, (label, values) in enumerate(shares.items()):
        axes.barh(
            at + (index - (len(shares) - 1) / 2) * height,
            values,
            height=0.9 * height,
            color=colour(index),
            label=label or None,
        )
    axes.set_yticks(at, [literal(name, 20) for name in names], fontsize=8)
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    plain_axis(axes.xaxis)
