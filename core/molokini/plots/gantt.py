"""Processors over time: labelled rectangles for few jobs, an image of exact areas for very many."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from molokini.metrics.breakdown import UNKNOWN, size_class, size_class_name
from molokini.model.errors import UnknownName
from molokini.plots.choice_strip import draw_choices
from molokini.plots.frame import Frame, frame_of, heading
from molokini.plots.layout import AWAY, Pieces, cut_by_home, place
from molokini.plots.raster import covered
from molokini.plots.scales import plain_axis
from molokini.plots.style import (
    COPY_ALPHA,
    HATCHES,
    OTHER,
    PALETTE,
    head,
    ink_on,
    literal,
    new_figure,
    ordered_colours,
    rgb,
    styled,
)
from molokini.sim.schedule import Bools, Schedule
from molokini.workloads.workload import Floats, Ints

MOST_RECTANGLES = 3000
"""Pieces up to which each is a rectangle of its own; beyond, they are summed up in an image."""

MOST_LABELS = 400
PIXELS = (600, 1500)
"""Rows and columns of the image, at most."""

_SHOWN_USERS = 7
_DOWN: Mapping[str, Any] = {"facecolor": "none", "edgecolor": "#8c8c8c", "hatch": "////", "linewidth": 0.0}
_COPY: Mapping[str, Any] = {"facecolor": OTHER, "edgecolor": "white", "alpha": COPY_ALPHA}
_LONGEST_NAME = 20
_MOST_CLASSES = 8
_LEGENDS = {"processors": "processors of the job", "changes": "start of the job"}
_POINTS_A_SIGN = 4.6  # of a digit at the labels' size, with a little air
_LABEL_POINTS = 7.0
_LEAST_POINTS = 1.5
"""How wide the shortest job is drawn where there are few: about two pixels on a screen."""
_LEAST_OUTLINED = 4.0
_EDGE_POINTS, _OUTLINE_POINTS = 0.6, 0.8


@dataclass(frozen=True)
class Colouring:
    """Which of a few classes each job is in, and each class's name and colour."""

    what: str
    of_job: Ints
    names: list[str]
    colours: list[str]
    outlined: Bools | None = None
    """Whether each job has a black outline, where few jobs are drawn."""


@styled()
def gantt(schedule: Schedule, colour_by: str = "size") -> Figure:
    """Processors over time, coloured by ``size`` (of the job) or by ``user``.

    A schedule does not say which processors a job had, so that they are chosen for the drawing:
    contiguous ones where there are any. Suspended jobs leave gaps. In an image of very many jobs
    a pixel's colour is the mean of what covers it, idle processors being white.
    """
    figure = new_figure(11, 6)
    head(figure, *heading([schedule]))
    axes = figure.subplots()
    frame = frame_of([schedule])
    draw_gantt(axes, schedule, frame, colour_by)
    frame.apply(axes)
    return figure


def draw_gantt(
    axes: Axes,
    schedule: Schedule,
    frame: Frame,
    colour_by: str = "size",
    colouring: Colouring | None = None,
    row: int | None = None,
) -> None:
    """The Gantt chart of *schedule* on *axes* within *frame*; *colouring* goes before *colour_by*.

    With *row*, *schedule* is of this row of the matrix: jobs are paler and hatched outside their home rows.
    """
    if colouring is None:
        colouring = colouring_of(schedule, colour_by)
    placed = place(schedule, max(frame.stop_s, _last(schedule))).within(frame.start_s, frame.stop_s)
    pieces, away = placed.of(placed.job != AWAY), placed.of(placed.job == AWAY)
    axes.set_xlim(0, frame.length)
    axes.set_ylim(0, schedule.processors)
    axes.grid(visible=False)
    axes.set_ylabel("processors (number)")
    plain_axis(axes.yaxis, whole=True, ticks=8)
    copies = np.zeros(len(pieces), bool)
    if row is not None and len(pieces) > 0:
        pieces, copies = cut_by_home(pieces, schedule.trace, row)
    if len(pieces) <= MOST_RECTANGLES:
        _rectangles(axes, schedule, frame, pieces, colouring, copies)
    else:
        axes.imshow(
            density(schedule, frame, pieces, colouring, copies),
            extent=(0, frame.length, 0, schedule.processors),
            origin="lower",
            aspect="auto",
            interpolation="nearest",
        )
    if len(away) > 0:
        _outages(axes, frame, away)
    others = [Patch(label="down", **_DOWN)] * (len(away) > 0)
    if row is not None:
        others.append(Patch(label="copy, not in\nits home row", hatch=HATCHES[1], **_COPY))
    _legend(axes, colouring, others, of_pixels=len(pieces) > MOST_RECTANGLES)
    if row is None:
        draw_choices(axes, schedule, frame)


def _last(schedule: Schedule) -> float:
    """The last end, which may lie behind the part of a schedule that is drawn."""
    return float(schedule.end_s[schedule.finished].max(initial=-np.inf))


def colouring_of(schedule: Schedule, by: str) -> Colouring:
    """The classes that ``size`` or ``user`` puts the jobs of *schedule* into."""
    if by not in ("size", "user"):
        raise UnknownName("colouring", by, ("size", "user"))
    return _by_size(schedule) if by == "size" else _by_user(schedule)


def density(
    schedule: Schedule, frame: Frame, pieces: Pieces, colouring: Colouring, copies: Bools | None = None
) -> Floats:
    """The image of *pieces*: red, green and blue from 0 to 1, rows from processor 0 upwards.

    Those that are *copies* are paler.
    """
    rows, columns = min(PIXELS[0], schedule.processors), PIXELS[1]
    across = columns / frame.length
    up = rows / schedule.processors
    box = (
        np.clip(frame.shown(pieces.start_s) * across, 0, columns),
        np.clip(frame.shown(pieces.end_s) * across, 0, columns),
        np.clip(pieces.low * up, 0, rows),
        np.clip(pieces.high * up, 0, rows),
    )
    # White less what each piece takes of it: idle pixels stay white, shared ones mix.
    taken = 1.0 - rgb(colouring.colours)[colouring.of_job[pieces.job]]
    if copies is not None:
        taken[copies] *= COPY_ALPHA
    layers = [covered(*box, shape=(rows, columns), weight=taken[:, channel]) for channel in range(3)]
    return np.clip(1.0 - np.stack(layers, axis=-1), 0.0, 1.0)


def _by_size(schedule: Schedule) -> Colouring:
    index = size_class(schedule.workload.processors)
    present = np.unique(index)
    if present.size <= _MOST_CLASSES:
        names = [_range_name(int(value), int(value), schedule.processors) for value in present]
        return Colouring("processors", np.searchsorted(present, index), names, ordered_colours(present.size))
    # Too many shades to tell apart: neighbouring classes share one.
    bounds = np.array_split(present, _MOST_CLASSES)
    of_class = np.searchsorted([int(part[-1]) for part in bounds], index)
    names = [_range_name(int(part[0]), int(part[-1]), schedule.processors) for part in bounds]
    return Colouring("processors", of_class, names, ordered_colours(len(bounds)))


def _range_name(first: int, last: int, processors: int) -> str:
    """The sizes of these classes, none wider than the machine where its jobs fit it."""
    low = size_class_name(first).split("-")[0]
    high = size_class_name(last).split("-")[-1]
    if int(low) <= processors < int(high):
        high = str(processors)
    return low if low == high else f"{low}-{high}"


def _by_user(schedule: Schedule) -> Colouring:
    """The users of the most processor-seconds have colours; the rest share a grey."""
    users, of_job = np.unique(schedule.workload.user, return_inverse=True)
    work = np.where(np.isfinite(schedule.run_s), schedule.run_s, 0.0) * schedule.workload.processors
    rank = np.argsort(-np.bincount(of_job, weights=work, minlength=users.size), kind="stable")
    shown = rank if rank.size <= _SHOWN_USERS + 1 else rank[:_SHOWN_USERS]
    place_of = np.full(users.size, shown.size, dtype=np.int64)
    place_of[shown] = np.arange(shown.size)
    called = [schedule.workload.name_of_number("user", int(users[at])) or UNKNOWN for at in shown]
    names = [literal(f"user {name}", _LONGEST_NAME) for name in called]
    colours = [*PALETTE[: shown.size]]
    if shown.size < users.size:
        names.append(f"{users.size - shown.size} others")
        colours.append(OTHER)
    return Colouring("users", place_of[of_job], names, colours)


def _faces(colouring: Colouring, pieces: Pieces, copies: Bools) -> list[str]:
    """The colour of each of *pieces*."""
    pale = [to_hex(1.0 - COPY_ALPHA * (1.0 - one)) for one in rgb(colouring.colours)]
    of_class = colouring.of_job[pieces.job].tolist()
    return [
        (pale if copy else colouring.colours)[index]
        for index, copy in zip(of_class, copies.tolist(), strict=True)
    ]


def _rectangles(
    axes: Axes, schedule: Schedule, frame: Frame, pieces: Pieces, colouring: Colouring, copies: Bools
) -> None:
    left, right = frame.shown(pieces.start_s), frame.shown(pieces.end_s)
    few = len(pieces) <= MOST_LABELS
    points = _points_across(axes, frame)
    slim = (right - left) * points < _LEAST_POINTS + 2 * _EDGE_POINTS if few else np.zeros(len(pieces), bool)
    pointed = _pointed_out(colouring, pieces) if few else np.zeros(len(pieces), bool)
    if few:
        least = np.where(pointed, _LEAST_OUTLINED, _LEAST_POINTS) / points
        right = np.maximum(right, left + least)
        left, right = np.minimum(left, frame.length - least), np.minimum(right, frame.length)
    corners = np.stack(
        [
            np.stack([left, pieces.low], axis=-1),
            np.stack([right, pieces.low], axis=-1),
            np.stack([right, pieces.high], axis=-1),
            np.stack([left, pieces.high], axis=-1),
        ],
        axis=1,
    )
    colours = _faces(colouring, pieces, copies)
    widths = np.where(pointed, _OUTLINE_POINTS, np.where(slim, 0.0, _EDGE_POINTS if few else 0.2))
    # The slim and outlined ones last, so that no neighbour covers them.
    order = np.argsort(slim + 2 * pointed, kind="stable")
    for some, hatch in ((order[~copies[order]], ""), (order[copies[order]], HATCHES[1])):
        if not some.size:
            continue
        shapes = PolyCollection(
            [corners[at] for at in some],
            facecolors=[colours[at] for at in some],
            edgecolors=np.where(pointed[some], "black", "white").tolist(),
            linewidths=widths[some],
            hatch=hatch,
        )
        axes.add_collection(shapes, autolim=False)
    if few:
        _labels(axes, schedule, frame, pieces, colours)


def _outages(axes: Axes, frame: Frame, away: Pieces) -> None:
    """Processors that were down, hatched; which ones is chosen for the drawing, as those of jobs are."""
    left, right = frame.shown(away.start_s), frame.shown(away.end_s)
    corners = np.stack([left, away.low, right, away.low, right, away.high, left, away.high], axis=-1)
    shapes = PolyCollection(list(corners.reshape(-1, 4, 2)), **_DOWN)
    axes.add_collection(shapes, autolim=False)


def _pointed_out(colouring: Colouring, pieces: Pieces) -> Bools:
    """Which pieces are of jobs that have an outline."""
    outlined = colouring.outlined
    return np.zeros(len(pieces), bool) if outlined is None else outlined[pieces.job]


def _points_across(axes: Axes, frame: Frame) -> float:
    """Points on the paper for each unit of time, a little fewer than there will be after the layout."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    return float(72 * figure.get_size_inches()[0] * axes.get_position().width / frame.length)


def _labels(axes: Axes, schedule: Schedule, frame: Frame, pieces: Pieces, colours: list[str]) -> None:
    """Job numbers, one a job, in its largest piece, where it can hold them."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    inches = figure.get_size_inches()
    # Room on the paper, a little less than the axes will have after their labels are placed.
    across = _points_across(axes, frame)
    up = 72 * inches[1] * axes.get_position().height / schedule.processors
    wide = (pieces.end_s - pieces.start_s) / frame.unit.seconds * across
    tall = (pieces.high - pieces.low) * up
    largest: dict[int, int] = {}
    for piece in np.argsort(wide * tall, kind="stable").tolist():
        largest[int(pieces.job[piece])] = piece
    for job, piece in largest.items():
        text = str(schedule.workload.number[job])
        along, room = _POINTS_A_SIGN * len(text), _LABEL_POINTS + 1
        upright = wide[piece] < along
        if (tall[piece] < along or wide[piece] < room) if upright else tall[piece] < room:
            continue
        middle = frame.shown((pieces.start_s[piece : piece + 1] + pieces.end_s[piece : piece + 1]) / 2)
        axes.text(
            float(middle[0]),
            float(pieces.low[piece] + pieces.high[piece]) / 2,
            text,
            ha="center",
            va="center",
            rotation=90 if upright else 0,
            fontsize=_LABEL_POINTS,
            color=ink_on(colours[piece]),
            parse_math=False,
        )


def _legend(axes: Axes, colouring: Colouring, others: Sequence[Patch], of_pixels: bool) -> None:
    used = set(np.unique(colouring.of_job).tolist())
    patches = [
        Patch(facecolor=colour, label=literal(name, 40))
        for index, (name, colour) in enumerate(zip(colouring.names, colouring.colours, strict=True))
        if index in used
    ]
    patches += others
    if not patches:
        return
    title = _LEGENDS.get(colouring.what, "jobs")
    if of_pixels:
        title = f"{title}\n(a pixel: mean of\nits jobs; idle: white)"
    box = axes.legend(
        handles=patches,
        title=title,
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        frameon=False,
        borderaxespad=0.4,
        handlelength=1.2,
        title_fontsize=8.5,
        alignment="left",
    )
    for text in box.get_texts():
        text.set_parse_math(False)
