"""Mean response by size under SRPT, sharing and FCFS: formulas as lines, simulations as points."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from molokini.plots.scales import log_ticks
from molokini.plots.style import colour, dashes, head, legend, new_figure, styled, title
from molokini.queueing.single_server import DISCIPLINES, AgainstSharing
from molokini.queueing.sizes import Sizes

_POINTS = 400
_SIMULATED = ("srpt", "ps")


@styled()
def by_size(
    name: str, sizes: Sizes, queues: Sequence[AgainstSharing], simulated: Sequence[Mapping[str, Any]] = ()
) -> Figure:
    """For each load E[T(x)] over x under each discipline, and the response of SRPT over that of sharing.

    *simulated* are means by size with their intervals, as ``experiments.one_server`` makes them.
    """
    figure = new_figure(6.2 * len(queues) if len(queues) < 3 else 15.5, 7.6)
    head(
        figure,
        f"One server, sizes {name}",
        "slowdown is response over size; lines: formula, points: simulation",
    )
    panels = figure.subplots(2, len(queues), squeeze=False)
    for place, found in enumerate(queues):
        points = next((one for one in simulated if one["load"] == found.load), None)
        _slowdowns(panels[0, place], sizes, found, points)
        _ratio(panels[1, place], sizes, found)
    return figure


def _slowdowns(axes: Axes, sizes: Sizes, found: AgainstSharing, points: Mapping[str, Any] | None) -> None:
    title(axes, f"load {found.load:g}: mean slowdown by size")
    x, at = _shown(sizes)
    top = 1.0
    for index, name in enumerate(DISCIPLINES):
        slowdown = (getattr(found, name).response / sizes.x)[at]
        if not np.isfinite(slowdown).all():
            continue
        axes.plot(x, slowdown, color=colour(index), linestyle=dashes(index), linewidth=1.6, label=name)
        top = max(top, float(slowdown.max()))
    for one in () if points is None else points["by_size"]:
        index = _SIMULATED.index(one["policy"])
        size = one["mean_size"]
        low, high = (one[end] if one[end] is not None else one["mean_response"] for end in ("low", "high"))
        middle = one["mean_response"]
        axes.errorbar(
            [size],
            [middle / size],
            yerr=[[(middle - low) / size], [(high - middle) / size]],
            color=colour(index),
            marker="o",
            markersize=4,
            linewidth=1.0,
        )
    log_ticks(axes.xaxis, float(x[0]), float(x[-1]))
    log_ticks(axes.yaxis, 0.9, top * 1.3)
    axes.set_xlabel("size")
    axes.set_ylabel("response over size")
    legend(axes, loc="upper right")


def _ratio(axes: Axes, sizes: Sizes, found: AgainstSharing) -> None:
    title(axes, "mean response of srpt over that of ps")
    x, at = _shown(sizes)
    ratio = (found.srpt.response / found.ps.response)[at]
    axes.axhline(1.0, color="#444444", linewidth=0.9)
    axes.plot(x, ratio, color=colour(0), linewidth=1.6)
    log_ticks(axes.xaxis, float(x[0]), float(x[-1]))
    axes.set_ylim(0, max(1.15, 1.1 * float(ratio.max())))
    axes.set_xlabel("size")
    axes.set_ylabel("ratio (below 1: srpt is better)")


def _shown(sizes: Sizes) -> tuple[Any, Any]:
    """Sizes that come: from where one job in ten thousand is smaller to where one in a million is larger."""
    low = max(float(sizes.x[0]), sizes.distribution.quantile(1e-4))
    bounded = np.isfinite(sizes.distribution.support[1])
    high = float(sizes.x[-1]) if bounded else sizes.distribution.quantile(1 - 1e-6)
    at = np.unique(np.searchsorted(sizes.x, np.geomspace(low, high, _POINTS)).clip(0, sizes.x.size - 1))
    return sizes.x[at], at
