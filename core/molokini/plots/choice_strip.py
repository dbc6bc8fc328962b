"""A strip above a Gantt chart: which of several policies decided when."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle

from molokini.model.choices import reigns
from molokini.plots.frame import Frame
from molokini.plots.style import PALETTE, literal
from molokini.sim.schedule import Schedule

_LOW, _HEIGHT = 1.012, 0.03
"""Where the strip is, in parts of the chart's height."""


def draw_choices(axes: Axes, schedule: Schedule, frame: Frame) -> None:
    """The strip of *schedule*, where a policy chose among others."""
    parts = reigns(schedule.choices, frame.stop_s)
    if not parts:
        return
    names = list(dict.fromkeys(name for name, _, _ in parts))
    # From the far end: the chart's own colours come from the near one.
    colours = {name: PALETTE[-1 - at % len(PALETTE)] for at, name in enumerate(names)}
    for name, from_s, to_s in parts:
        edges = np.clip(frame.shown(np.array([from_s, to_s])), 0.0, frame.length)
        axes.add_patch(
            Rectangle(
                (float(edges[0]), _LOW),
                float(edges[1] - edges[0]),
                _HEIGHT,
                transform=axes.get_xaxis_transform(),
                facecolor=colours[name],
                linewidth=0.0,
                clip_on=False,
            )
        )
    own = axes.get_legend()
    box = axes.legend(
        handles=[Patch(facecolor=colours[name], label=literal(name, 24)) for name in names],
        title="policy that decided\n(strip above the chart)",
        loc="lower left",
        bbox_to_anchor=(1.0, 0.0),
        frameon=False,
        borderaxespad=0.4,
        handlelength=1.2,
        title_fontsize=8.5,
        alignment="left",
    )
    for text in box.get_texts():
        text.set_parse_math(False)
    if own is not None:
        axes.add_artist(own)
