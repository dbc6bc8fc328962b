"""Two logs in one picture: the cumulative distributions of what their jobs are, laid over each other."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from molokini.model.text import plural
from molokini.plots.distributions import cumulative
from molokini.plots.log_tails import nothing
from molokini.plots.scales import log_ticks, log_time_axis, percent_axis, plain_axis, short
from molokini.plots.style import colour, dashes, head, legend_below, new_figure, styled, title
from molokini.workloads.statistics.selfsimilar import at_scales
from molokini.workloads.tools.comparing import attributes
from molokini.workloads.workload import Workload

_NAMES = {
    "interarrival_s": ("Gaps between arrivals", "gap (seconds to days, logarithmic)"),
    "processors": ("Sizes", "size of the job (processors, logarithmic)"),
    "run_s": ("Run times", "run time (seconds to days, logarithmic)"),
    "work_processor_s": ("Work", "work (processor-seconds, logarithmic)"),
    "estimate_s": ("Estimates", "estimate (seconds to days, logarithmic)"),
    "accuracy": ("Accuracy of estimates", "run time / estimate (at most 1)"),
    "memory_kb": ("Memory per processor", "memory (kB, logarithmic)"),
}


@styled()
def logs_compared(one: Workload, other: Workload, told: Mapping[str, Any]) -> Figure:
    """A panel an attribute, two curves a panel, and the variance of arrivals at five scales; *told*:
    distances.
    """
    figure = new_figure(16, 8)
    sizes = [plural(len(log), "job") for log in (one, other)]
    head(figure, f"{one.name} and {other.name}", f"{sizes[0]} and {sizes[1]}")
    panels = figure.subplots(2, 4).ravel()
    first, second = attributes(one), attributes(other)
    for axes, (name, (heading, label)) in zip(panels, _NAMES.items(), strict=False):
        distance = told[name]["ks"]
        title(axes, heading if distance is None else f"{heading}: KS {short(distance)}")
        samples = [first[name], second[name]]
        if not all(values.size for values in samples):
            nothing(axes, "not both logs have it")
            continue
        if name == "accuracy":
            at = np.linspace(0, 1, 401)
            for index, (values, log) in enumerate(zip(samples, (one, other), strict=True)):
                share = 100 * np.searchsorted(np.sort(values), at, side="right") / values.size
                axes.plot(at, share, color=colour(index), linestyle=dashes(index), label=log.name)
            percent_axis(axes)
            plain_axis(axes.xaxis)
        else:
            top = max(float(values.max()) for values in samples)
            if name.endswith("_s") and name != "work_processor_s":
                log_time_axis(axes, 1.0, 1.1 * top + 10.0)
            else:
                log_ticks(axes.xaxis, 0.9, 1.1 * top + 10.0)
            cumulative(axes, samples, [one.name, other.name])
        axes.set_xlabel(label)
        axes.set_ylabel("share no larger (%)")
    _dispersion(panels[7], one, other)
    lines, names = panels[7].get_legend_handles_labels()
    if lines:
        legend_below(figure, lines, names)
    return figure


def _dispersion(axes: Any, one: Workload, other: Workload) -> None:
    title(axes, "Burstiness: variance over mean of arrivals")
    for index, log in enumerate((one, other)):
        scales = at_scales(log.submit_s, log.processors.astype(np.float64))
        known = [(scale["bin_s"], scale["dispersion"]) for scale in scales if scale["dispersion"] > 0]
        if known:
            x, y = zip(*known, strict=True)
            axes.plot(x, y, marker="o", color=colour(index), linestyle=dashes(index), label=log.name)
    low, high = axes.get_ylim()
    log_ticks(axes.xaxis, 20.0, 600_000.0)
    log_ticks(axes.yaxis, max(low, 0.1), max(high, 10.0))
    axes.axhline(1, color="#444444", linewidth=0.9, linestyle=":")
    axes.set_xlabel("scale (seconds)")
    axes.set_ylabel("variance over mean (jobs)")
