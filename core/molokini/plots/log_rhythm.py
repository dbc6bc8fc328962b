"""Panels of a log's rhythm: the week as a heat map, load by week, five scales, running means, queue against
load.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.ticker import MaxNLocator

from molokini.plots.log_tails import nothing
from molokini.plots.scales import duration, log_ticks, plain_axis, short
from molokini.plots.style import colour, dashes, ink_on, legend, literal, title

_SCALE_NAMES = {36.0: "36 s", 360.0: "6 min", 3600.0: "1 h", 36_000.0: "10 h", 360_000.0: "100 h"}


def draw_hours_of_week(axes: Axes, found: Mapping[str, Any]) -> None:
    """A colour for each hour of each weekday: how many jobs came, on average."""
    jobs = np.array(found["jobs_per_hour"])
    title(axes, "Arrivals per hour, by weekday")
    image = axes.imshow(jobs, aspect="auto", cmap="viridis", interpolation="nearest", vmin=0)
    axes.set_yticks(range(7), [literal(day) for day in found["days"]])
    axes.set_xticks(range(0, 24, 3))
    axes.set_xlabel(f"hour of the day ({found['clock']})", parse_math=False)
    axes.grid(visible=False)
    _bar(axes, image, "arrivals per hour (jobs)")


def draw_weeks(axes: Axes, weeks: Sequence[Mapping[str, Any]]) -> None:
    """The load that each week offers, or its jobs where the machine is not known."""
    loads = [week["offered_load"] for week in weeks]
    known = bool(loads) and all(load is not None for load in loads)
    title(axes, "Offered load by week" if known else "Jobs by week")
    values = 100 * np.array(loads, np.float64) if known else np.array([week["jobs"] for week in weeks])
    axes.bar(np.arange(values.size) + 0.5, values, width=0.9, color=colour(0))
    if known:
        axes.axhline(100, color="#444444", linewidth=0.9, linestyle="--")
    axes.set_xlim(0, max(values.size, 1))
    axes.grid(visible=False, axis="x")
    plain_axis(axes.xaxis, whole=True)
    plain_axis(axes.yaxis)
    axes.set_xlabel("time since the first submit (weeks)")
    axes.set_ylabel("offered load (%)" if known else "arrivals per week (jobs)")


def draw_scale(axes: Axes, found: Mapping[str, Any], first_s: float) -> None:
    """The counts of one scale: the hundred bins in a row with the most jobs, or all; the log began at
    *first_s*.
    """
    jobs = np.array(found["jobs"], np.float64)
    axes.stairs(jobs, np.arange(jobs.size + 1), fill=True, color=colour(2))
    axes.set_xlim(0, max(jobs.size, 1))
    axes.set_ylim(0, max(1.0, 1.05 * float(jobs.max())))
    name = _SCALE_NAMES[found["bin_s"]]
    title(axes, f"per {name}: variance/mean {short(found['dispersion'])}", 9.0)
    part = f"the busiest {jobs.size}" if found["bins"] > jobs.size else "the whole log"
    day = (found["shown_from_s"] - first_s) / 86400
    axes.set_xlabel(f"from day {day:,.1f} on (bins of {name}: {part})")
    axes.grid(visible=False, axis="x")
    plain_axis(axes.xaxis, ticks=4)
    plain_axis(axes.yaxis, ticks=4)


def draw_running_means(axes: Axes, found: Mapping[str, Any], jobs: int) -> None:
    """Mean run time and gap of the first so many jobs, over what they are at the end."""
    title(axes, "Means of the first jobs, over that of all")
    if len(found["jobs"]) < 2:
        nothing(axes, "too few jobs")
        return
    x = np.array(found["jobs"])
    for index, (name, label) in enumerate((("run_s", "run time"), ("gap_s", "gap between arrivals"))):
        y = np.array(found[name])
        if y[-1] > 0:
            told = f"{label} ({duration(float(y[-1]))})"
            axes.plot(x, y / y[-1], color=colour(index), linestyle=dashes(index), linewidth=1.5, label=told)
    axes.axhline(1, color="#444444", linewidth=0.9)
    log_ticks(axes.xaxis, float(x[0]), max(float(jobs), float(x[0]) + 1))
    axes.set_ylim(0, min(3.0, max(1.2, axes.get_ylim()[1])))
    plain_axis(axes.yaxis)
    axes.set_xlabel("jobs (logarithmic)")
    axes.set_ylabel("mean over that of all (ratio)")
    legend(axes, loc="best")


def draw_queue_against_load(axes: Axes, found: Mapping[str, Any] | None) -> None:
    """How many jobs found which queue at which utilization, as the log tells starts and ends."""
    title(axes, "Queue that jobs found, by utilization")
    if found is None:
        nothing(axes, "the log does not tell waits and the machine")
        return
    jobs = np.array(found["jobs"], np.float64)
    rows = int(np.flatnonzero(jobs.sum(axis=1)).max(initial=0)) + 1
    shown = jobs[:rows]
    share = 100 * shown / max(jobs.sum(), 1)
    image = axes.imshow(share, aspect="auto", cmap="viridis", interpolation="nearest", origin="lower", vmin=0)
    first = found["queue_from"]
    last = [*[low - 1 for low in first[1:]], None]
    names = [
        str(low) if low == high else f"{low}+" if high is None else f"{low}-{high}"
        for low, high in zip(first, last, strict=True)
    ]
    axes.set_yticks(range(rows), names[:rows])
    axes.set_xticks(np.arange(0, 11, 2) - 0.5, [f"{place}" for place in range(0, 101, 20)])
    axes.set_xlabel("utilization when the job came (%)")
    axes.set_ylabel("queue (jobs)")
    axes.grid(visible=False)
    _bar(axes, image, "share of jobs (%)")


def draw_correlations(axes: Axes, found: Mapping[str, Any]) -> None:
    """Rank correlations of what jobs are, as a table of colours and numbers."""
    told = {"processors": "size", "run_s": "run", "work_processor_s": "work", "estimate_s": "estimate"}
    names = {**told, "memory_kb": "memory"}
    keys = list(names)
    values = np.full((5, 5), np.nan)
    for pair, one in found["pairs"].items():
        row, column = (keys.index(name) for name in pair.split())
        values[column, row] = np.nan if one["spearman"] is None else one["spearman"]
    shown = [key for place, key in enumerate(keys) if np.isfinite([*values[place], *values[:, place]]).any()]
    same = found["same_user"]
    title(
        axes,
        "Rank correlations" + ("" if same is None else f" (run times of one user in a row {short(same)})"),
    )
    if len(shown) < 2:
        nothing(axes, "too few jobs")
        return
    below, beside = shown[1:], shown[:-1]
    table = values[np.ix_([keys.index(key) for key in below], [keys.index(key) for key in beside])]
    image = axes.imshow(table, cmap="RdBu_r", vmin=-1, vmax=1, aspect="auto")
    for row in range(len(below)):
        for column in range(len(beside)):
            value = table[row, column]
            if np.isfinite(value):
                ink = ink_on(to_hex(tuple(image.to_rgba(value))))
                axes.text(column, row, f"{value:.2f}", ha="center", va="center", color=ink, fontsize=9)
    axes.set_xticks(range(len(beside)), [names[key] for key in beside])
    axes.set_yticks(range(len(below)), [names[key] for key in below])
    axes.grid(visible=False)


def _bar(axes: Axes, image: Any, label: str) -> None:
    figure = axes.get_figure(root=True)
    assert figure is not None
    # Few ticks, so that their numbers are short and the label does not run into the next panel.
    bar = figure.colorbar(image, ax=axes, pad=0.01, fraction=0.05, ticks=MaxNLocator(5))
    bar.set_label(label, fontsize=8.5)
    bar.ax.tick_params(labelsize=8)
