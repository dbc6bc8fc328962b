"""The hours to come under several scenarios: jobs waiting and busy processors, with bands over the draws."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from molokini.compiled.structs import Floats
from molokini.plots.frame import Frame
from molokini.plots.scales import percent_axis, plain_axis, time_unit
from molokini.plots.style import PALETTE, head, legend, literal, new_figure, styled
from molokini.whatif.compared import Curve, Judged

_STYLES = ("-", "--", "-.", ":")


@styled()
def whatif_picture(
    scenarios: Sequence[Judged], now_s: float, until_s: float, processors: int, title: str, note: str = ""
) -> Figure:
    """Medians as lines, and from the lowest to the highest draw as bands, from now on."""
    figure = new_figure(11, 5.5)
    head(figure, title, note)
    upper, lower = figure.subplots(2, 1, sharex=True)
    frame = Frame(now_s, until_s, time_unit(until_s - now_s), since="now")
    at_s = np.linspace(now_s, until_s, scenarios[0].waiting.middle.size)
    for k, one in enumerate(scenarios):
        _draw(upper, frame, at_s, one.waiting, k, literal(one.name, 30), 1.0)
        _draw(lower, frame, at_s, one.busy, k, "", 100.0 / max(processors, 1))
    upper.set_ylabel("jobs waiting (jobs)")
    upper.set_ylim(bottom=0, top=max(upper.get_ylim()[1], 1.0))
    plain_axis(upper.yaxis, whole=True, ticks=5)
    lower.set_ylabel("busy processors (%)")
    percent_axis(lower)
    legend(upper, loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.4, handlelength=2.0)
    frame.apply(upper, labelled=False)
    frame.apply(lower)
    figure.align_ylabels()
    return figure


def _draw(axes: Axes, frame: Frame, at_s: Floats, curve: Curve, k: int, label: str, factor: float) -> None:
    times, colour = frame.shown(at_s), PALETTE[k % len(PALETTE)]
    if (curve.high > curve.low).any():
        axes.fill_between(
            times,
            factor * curve.low,
            factor * curve.high,
            step="post",
            color=colour,
            alpha=0.15,
            linewidth=0,
        )
    axes.step(
        times,
        factor * curve.middle,
        where="post",
        color=colour,
        linewidth=1.4,
        linestyle=_STYLES[k % len(_STYLES)],
        label=label or None,
    )
