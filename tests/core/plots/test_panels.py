"""Curves in panels: all that is given is drawn, labelled to the letter."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from molokini.metrics.curves import Curve, Panel, Range
from molokini.plots import panels


def panel(name: str = "a", **more: object) -> Panel:
    curves = [
        Curve("with $band$", (1, 2, 3), (0.1, 0.2, 0.4), (0.05, 0.1, 0.3), (0.15, 0.3, 0.5)),
        Curve("without", (1, 2, 3), (0.3, 0.2, 0.1), dashed=True, style=3),
    ]
    return Panel(name, "load (1)", "rejected (1)", curves, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(("count", "columns", "rows"), [(1, 2, 1), (2, 2, 1), (3, 2, 2), (8, 4, 2)])
def test_every_panel_has_its_axes(count: int, columns: int, rows: int) -> None:
    figure: Figure = panels("many", [panel(f"panel {at}") for at in range(count)], columns)
    assert [axes.get_title(loc="left") for axes in figure.axes] == [f"panel {at}" for at in range(count)]
    height = figure.get_size_inches()[1]
    assert height == pytest.approx(0.5 + 3.4 * rows)


def test_curves_bands_and_labels() -> None:
    axes = panels("one", [panel(ranges=[Range("here", 1.5, 2.5)], zero=True)]).axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("load (1)", "rejected (1)")
    lines = {line.get_label(): line for line in axes.get_lines()}
    assert np.array_equal(lines["with $band$"].get_ydata(), [0.1, 0.2, 0.4])
    assert lines["without"].get_linestyle() == "--"
    assert len(axes.collections) == 1  # the band of the one that has intervals
    legend = axes.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["here", "with $band$", "without"]


def test_what_is_drawn_is_data() -> None:
    found = panel().as_dict()
    assert (found["x"], found["y"], len(found["curves"])) == ("load (1)", "rejected (1)", 2)
    assert found["curves"][0]["high"] == [0.15, 0.3, 0.5]
    assert found["curves"][1]["low"] == []


@pytest.mark.parametrize("curves", [2, 7])
def test_a_logarithmic_axis_holds_every_value_below_the_legend(curves: int) -> None:
    steep = [Curve(f"curve {k}", (1, 2, 3), (1.0, 30.0, 2000.0 + k)) for k in range(curves)]
    axes = panels("steep", [Panel("p", "load", "slowdown", steep, log_y=True)]).axes[0]
    assert axes.get_yscale() == "log"
    low, high = axes.get_ylim()
    assert 0 < low < 1.0
    assert high > 2000.0
    # A legend over the curves leaves them more than a quarter of the height.
    assert (high > 2e4) == (curves > 5)
    assert high < 1e7


@pytest.mark.parametrize(
    "names", [["local", "gang"], ["ls", "sb", "dcs", "pb", "pb-sb", "a very long way of it"]]
)
def test_single_values_are_bars_with_names_and_intervals(names: list[str]) -> None:
    curves = [Curve(name, (0.0,), (3.0 + at,), (2.5,), (5.0 + at,)) for at, name in enumerate(names)]
    axes = panels("ways", [Panel("", "", "response (s)", curves, bars=True)]).axes[0]
    assert [text.get_text() for text in axes.get_xticklabels()] == names
    bars = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    assert [bar.get_height() for bar in bars] == [3.0 + at for at in range(len(names))]
    assert [np.asarray(line.get_ydata())[1] for line in axes.get_lines()] == [
        5.0 + at for at in range(len(names))
    ]
    assert {text.get_rotation() for text in axes.get_xticklabels()} == {90.0 if len(names) > 2 else 0.0}
    assert axes.get_ylim()[0] == 0
