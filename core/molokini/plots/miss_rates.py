"""Miss-rate curves over the blocks of memory."""

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure

from molokini.memory.curves import Curve
from molokini.plots.scales import log_ticks, percent_axis
from molokini.plots.style import colour, dashes, head, legend, new_figure, styled


@styled()
def miss_rate_picture(curves: Mapping[str, Curve]) -> Figure:
    """Each curve over blocks on a logarithmic axis."""
    figure = new_figure(9, 5.2)
    head(figure, "Miss rate of each program with memory of its own")
    axes = figure.subplots()
    longest = max(curve.blocks for curve in curves.values())
    for index, (name, curve) in enumerate(curves.items()):
        x = np.unique(np.geomspace(1, longest, 600).astype(np.int64))
        rates = 100 * np.interp(x, np.arange(curve.rates.size), curve.rates)
        axes.plot(x, rates, color=colour(index), linestyle=dashes(index), linewidth=1.6, label=name)
    log_ticks(axes.xaxis, 1, longest)
    percent_axis(axes)
    axes.set_xlabel("memory (blocks)")
    axes.set_ylabel("references that miss (%)")
    legend(axes, loc="upper right")
    return figure
