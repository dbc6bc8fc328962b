"""How every picture looks: fonts, colours, and text that is drawn to the letter."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from io import BytesIO
from typing import Any

import matplotlib
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure, FigureBase
from matplotlib.font_manager import FontProperties, findfont, get_font

from molokini.workloads.workload import Floats

FONT = "DejaVu Sans"  # comes with matplotlib: the same glyphs on every machine

_LEGEND_SIZE = 8.5
_BESIDE_NAME = 50.0  # points of a legend's entry that are not its name

_STYLE: dict[Any, Any] = {  # matplotlib's stubs name each key in a type of its own
    "font.family": [FONT],
    "font.size": 10.0,
    "axes.titlesize": 10.5,
    "axes.labelsize": 10.0,
    "xtick.labelsize": 9.0,
    "ytick.labelsize": 9.0,
    "legend.fontsize": _LEGEND_SIZE,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "axes.unicode_minus": True,
    "text.parse_math": False,
    "text.usetex": False,
    "path.simplify": True,
    "svg.hashsalt": "molokini",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,  # text of a PDF can be searched and copied
}

PALETTE: tuple[str, ...] = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#000000",
    "#b8a900",
)
"""Okabe and Ito's colours, told apart with any colour vision (the yellow darkened for thin lines)."""

DASHES: tuple[str, ...] = ("-", "--", "-.", ":")

HATCHES: tuple[str, ...] = ("", "////", "....", "xxxx")

HATCHED: dict[str, Any] = {"edgecolor": "white", "linewidth": 0.0}
"""How hatches are drawn into bars and the patches of legends."""

COPY_ALPHA = 0.45
"""How pale a job of gang scheduling is outside its home row."""

OTHER = "#999999"
"""The colour of everything that has no colour of its own."""

_LONGEST = 110


@contextmanager
def styled() -> Iterator[None]:
    """Draw in Molokini's style whatever the user's settings are, and leave them as they were."""
    with matplotlib.rc_context(_STYLE):
        yield


class _Shown(Figure):
    """A figure that a notebook shows by itself."""

    def _repr_png_(self) -> bytes:
        out = BytesIO()
        self.savefig(out, format="png", dpi=100)
        return out.getvalue()


def new_figure(width_in: float, height_in: float) -> Figure:
    """An empty figure of this size in inches that belongs to no window system."""
    figure = _Shown(figsize=(width_in, height_in), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def literal(text: str, longest: int = _LONGEST) -> str:
    """*text* as one line that can be drawn: no control characters, no glyph the font lacks, not too long."""
    known = _glyphs()
    shown = "".join(" " if sign.isspace() else sign if ord(sign) in known else "\ufffd" for sign in text)
    return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"


def fitted(text: str, points: float, size: float) -> str:
    """*text* to the letter, its middle left out where it would be wider than *points* at font *size*."""
    whole = literal(text, 4 * _LONGEST)
    shown, kept = whole, len(whole)
    while kept > 2 and width_points(shown, size) > points:
        kept -= 1
        shown = f"{whole[: kept - kept // 2]}…{whole[len(whole) - kept // 2 :]}"
    return shown


def width_points(text: str, size: float) -> float:
    """How wide *text* is at font *size*."""
    font = get_font(findfont(FontProperties(family=[FONT])))
    font.set_size(size, 72)
    font.set_text(text)
    return float(font.get_width_height()[0]) / 64


def title(axes: Axes, text: str, size: float | None = None) -> None:
    """Put *text* above *axes*, drawn to the letter."""
    axes.set_title(literal(text), loc="left", parse_math=False, fontsize=size)


def wrapped_title(axes: Axes, text: str, size: float) -> None:
    """Put *text* above *axes*, whole: in as many lines as it takes at font *size*."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    room = 0.88 * 72 * figure.get_size_inches()[0]
    lines = [""]
    for word in literal(text, 40 * _LONGEST).split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and width_points(longer, size) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    axes.set_title("\n".join(lines), loc="left", parse_math=False, fontsize=size)


def head(figure: FigureBase, text: str, below: str = "", size: float = 11.5) -> None:
    """The heading of a picture or a part of one, to the letter, at the left; *below* is a second line."""
    room = 0.98 * 72 * figure.get_figure(root=True).get_size_inches()[0]
    lines = [fitted(line, room, size) for line in (text, below) if line]
    figure.suptitle("\n".join(lines), x=0.01, ha="left", fontsize=size, parse_math=False)


def legend(axes: Axes, columns: int = 1, **where: Any) -> None:
    """A legend whose entries are drawn to the letter; nothing where no entry is labelled."""
    handles, names = axes.get_legend_handles_labels()
    if not handles:
        return
    box = axes.legend(
        handles,
        [literal(name, 40) for name in names],
        ncols=columns,
        frameon=True,
        framealpha=0.85,
        edgecolor="none",
        **where,
    )
    for text in box.get_texts():
        text.set_parse_math(False)


def legend_below(figure: Figure, handles: Sequence[Artist], labels: Sequence[str]) -> None:
    """One legend for all of *figure*, below it, in as many columns as have room."""
    names = [literal(name, 40) for name in labels]
    wide = max((width_points(name, _LEGEND_SIZE) for name in names), default=0.0) + _BESIDE_NAME
    columns = max(1, min(len(names), int(72 * figure.get_size_inches()[0] / wide)))
    box = figure.legend(handles, names, ncols=columns, loc="outside lower left", frameon=False)
    for text in box.get_texts():
        text.set_parse_math(False)


def colour(index: int) -> str:
    """The colour of the policy or user number *index*; they repeat after eight."""
    return PALETTE[index % len(PALETTE)]


def hatch(index: int) -> str:
    """A hatch that tells bars apart whose colours repeat: none for the first eight."""
    return HATCHES[index // len(PALETTE) % len(HATCHES)]


def dashes(index: int) -> str:
    """A line style that tells lines apart that share a colour or cover one another."""
    return DASHES[(index + index // len(PALETTE)) % len(DASHES)]


def ordered_colours(count: int) -> list[str]:
    """*count* colours whose order the eye sees, dark for the first (viridis without its palest part)."""
    share = np.array([0.25]) if count == 1 else np.linspace(0.0, 0.93, count)
    scale = matplotlib.colormaps["viridis"]
    return [matplotlib.colors.to_hex(scale(float(at))) for at in share]


def rgb(colours: Sequence[str]) -> Floats:
    """One line of red, green and blue (0 to 1) a colour."""
    return np.array([matplotlib.colors.to_rgb(name) for name in colours], dtype=np.float64).reshape(-1, 3)


def ink_on(background: str) -> str:
    """Black or white, whichever can be read on *background*."""
    red, green, blue = matplotlib.colors.to_rgb(background)
    return "white" if 0.299 * red + 0.587 * green + 0.114 * blue < 0.55 else "black"


@lru_cache(maxsize=1)
def _glyphs() -> frozenset[int]:
    return frozenset(get_font(findfont(FontProperties(family=[FONT]))).get_charmap())
