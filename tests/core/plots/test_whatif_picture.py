"""The picture of the hours to come: a line a scenario, a band where draws differ, axes with units."""

import numpy as np
from matplotlib.collections import PolyCollection

from molokini.plots.whatif_picture import whatif_picture
from molokini.whatif.compared import Curve, Judged


def judged(name: str, spread: float) -> Judged:
    middle = np.linspace(10.0, 0.0, 25)
    curve = Curve(middle, middle - spread, middle + spread)
    return Judged(name, {}, curve, curve, (), (), 0.0)


def test_lines_bands_and_units() -> None:
    figure = whatif_picture([judged("as it is", 0.0), judged("easy", 2.0)], 0.0, 86_400.0, 20, "title")
    upper, lower = figure.axes
    assert [len(axes.lines) for axes in (upper, lower)] == [2, 2]
    bands = [[one for one in axes.collections if isinstance(one, PolyCollection)] for axes in (upper, lower)]
    assert [len(found) for found in bands] == [1, 1]
    assert np.asarray(lower.lines[0].get_ydata())[0] == 50.0
    assert (upper.get_ylabel(), lower.get_ylabel()) == ("jobs waiting (jobs)", "busy processors (%)")
    assert lower.get_xlabel() == "time since now (hours)"
    legend = upper.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["as it is", "easy"]
