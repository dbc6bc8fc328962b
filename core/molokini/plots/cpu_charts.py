"""What the CPUs of a cluster did, to the nanosecond: one row a CPU, one colour a segment."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from molokini.plots.style import OTHER, PALETTE, head, legend_below, literal, new_figure, styled
from molokini.workloads.workload import Ints

COLOURS: Mapping[str, str] = {
    "compute": PALETTE[0],
    "spin": PALETTE[1],
    "send": PALETTE[2],
    "receive": PALETTE[5],
    "switch": PALETTE[6],
    "kernel": PALETTE[3],
    "sync": PALETTE[7],
    "idle": "#eeeeee",
}
_NAMES = tuple(COLOURS)
_ROW_IN = 0.22
_UNITS = (("s", 10**9), ("ms", 10**6), ("us", 10**3), ("ns", 1))
_MOST_ROWS = 200


@styled()
def process_timeline(
    heading: str, pieces: Ints, rows: Sequence[tuple[int, int, str]], window_ns: tuple[int, int]
) -> Figure:
    """*pieces* as of ``Run.pieces``; *rows* are (CPU, process or -1 for the CPU's own, name), from above."""
    shown = list(rows)[:_MOST_ROWS]
    unit, size = next((one for one in _UNITS if window_ns[1] - window_ns[0] >= 5 * one[1]), _UNITS[-1])
    figure = new_figure(10.0, 1.6 + _ROW_IN * len(shown))
    more = f"; {len(rows) - len(shown)} more rows are left out" if len(rows) > len(shown) else ""
    head(figure, heading, f"rows: CPUs of nodes, and their processes{more}")
    axes = figure.subplots()
    used: set[str] = set()
    for place, (cpu, process, _) in enumerate(shown):
        mine = pieces[(pieces[:, 0] == cpu) & ((pieces[:, 1] == process) | (process < 0))]
        for name in _NAMES:
            some = mine[mine[:, 2] == _NAMES.index(name)]
            if not len(some):
                continue
            used.add(name)
            left = np.maximum(some[:, 3], window_ns[0]) / size
            right = np.minimum(some[:, 4], window_ns[1]) / size
            tall = 0.42 if process < 0 else 0.3
            corners = np.stack(
                [
                    np.stack([left, np.full_like(left, place - tall)], axis=-1),
                    np.stack([right, np.full_like(left, place - tall)], axis=-1),
                    np.stack([right, np.full_like(left, place + tall)], axis=-1),
                    np.stack([left, np.full_like(left, place + tall)], axis=-1),
                ],
                axis=1,
            )
            axes.add_collection(
                PolyCollection(list(corners), facecolors=COLOURS.get(name, OTHER), linewidths=0),
                autolim=False,
            )
    axes.set_xlim(window_ns[0] / size, window_ns[1] / size)
    axes.set_ylim(len(shown) - 0.5, -0.5)
    axes.set_yticks(range(len(shown)), [literal(name, 30) for _, _, name in shown], fontsize=7.5)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel(f"time ({unit})", parse_math=False)
    handles = [Patch(facecolor=COLOURS[name]) for name in _NAMES if name in used]
    legend_below(figure, handles, [name for name in _NAMES if name in used])
    return figure
