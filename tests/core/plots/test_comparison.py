"""Policies side by side can be read: few or many, for one log or for several of long names."""

from dataclasses import replace
from itertools import combinations, product

import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from molokini.metrics import Cell
from molokini.plots import comparison
from molokini.plots.parts import Parts
from molokini.plots.style import styled

METRICS = (
    "mean_wait_s",
    "p95_wait_s",
    "mean_bounded_slowdown",
    "mean_response_s",
    "utilization",
    "loss_of_capacity",
)
LOADS = (0.8, 0.9, 1.0)


def cells(policies: int, logs: int, loads: tuple[float | None, ...] = (None,), seeds: int = 1) -> list[Cell]:
    """Values that differ, with intervals for the means; every other log and policy has a long name."""
    found = []
    for log, metric, load, policy in product(range(logs), METRICS, loads, range(policies)):
        value = (0.1 + 0.05 * ((3 * policy + 5 * log) % 11)) * (
            1 if "_of_" in metric or metric == "utilization" else 9e4
        )
        half = value * (0.5 if metric.startswith("mean") else 0)
        found.append(
            Cell(
                f"easy (order=shortest, number={policy})" if policy % 2 else f"policy-{policy}",
                metric,
                value,
                value - half if half else None,
                value + half if half else None,
                workload=f"a-log-of-a-machine-of-a-long-name-{log}-cln.swf.gz"
                if log % 2
                else f"log{log}.swf",
                load_factor=load,
                replications=seeds,
            )
        )
    return found


def seen(figure: Figure) -> list[tuple[str, Bbox]]:
    """Every text that is drawn, with its place in dots."""
    with styled():
        figure.canvas.draw()
    hidden = {text for axes in figure.axes if not axes.get_visible() for text in axes.findobj(Text)}
    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        low, high = sorted(axis.get_view_interval())
        outside = (tick for tick in axis.get_major_ticks() if not low <= tick.get_loc() <= high)
        hidden |= {text for tick in outside for text in tick.findobj(Text)}
    texts = [text for text in figure.findobj(Text) if isinstance(text, Text) and text not in hidden]
    shown = [text for text in texts if text.get_visible() and text.get_text().strip()]
    return [(text.get_text(), text.get_window_extent()) for text in shown]


def parts(policies: int, logs: int, long: str = "") -> list[Parts]:
    """Waits by user and by size of the first *logs* logs."""
    names = list(dict.fromkeys(cell.policy for cell in cells(policies, 1)))
    rows = [
        {
            "class": str(at),
            "name": f"user-of-a-long-name-{at}",
            "jobs": 3,
            "mean_wait_s": 900.0 * (at + 1),
            "share_of_work": 1 / (at + 1),
        }
        for at in range(20)
    ]
    return [
        Parts(f"{long}log{log}.swf", by, dict.fromkeys(names, rows))
        for log in range(logs)
        for by in ("user", "size")
    ]


@pytest.mark.quick(one_in=8)
@pytest.mark.parametrize("loads", [(None,), LOADS])
@pytest.mark.parametrize("logs", [1, 6])
@pytest.mark.parametrize("policies", [2, 10])
def test_no_text_is_cut_off_or_covered(policies: int, logs: int, loads: tuple[float | None, ...]) -> None:
    readable(comparison(cells(policies, logs, loads)))


@pytest.mark.deep
@pytest.mark.parametrize("logs", [1, 2])
@pytest.mark.parametrize("policies", [2, 10])
def test_parts_of_the_jobs_are_readable(policies: int, logs: int) -> None:
    figure = comparison(
        cells(policies, logs), parts=parts(policies, logs, "a-log-of-a-machine-of-a-long-name-" * 3)
    )
    readable(figure)
    texts = [text for text, _ in seen(figure)]
    assert sum("mean wait by user, the 8 with the most work of 20" in text for text in texts) == logs
    assert texts.count("policy-0") == 2 * logs + 1, "beside the bars, and in one legend of the parts"


def readable(figure: Figure) -> None:
    """Nothing that is written is cut off, or covers or is covered by another text."""
    placed = seen(figure)
    width, height = figure.bbox.width, figure.bbox.height
    assert [
        text for text, box in placed if box.x0 < 0 or box.y0 < 0 or box.x1 > width or box.y1 > height
    ] == []
    assert [
        (a, b) for (a, at), (b, by) in combinations(placed, 2) if at.padded(-1).overlaps(by.padded(-1))
    ] == []


@pytest.mark.deep
@pytest.mark.parametrize("loads", [(None,), LOADS])
def test_the_confidence_of_intervals_is_told(loads: tuple[float | None, ...]) -> None:
    one = [text for text, _ in seen(comparison(cells(2, 1, loads)))]
    assert any("95% intervals by batch means" in text for text in one)
    over = [text for text, _ in seen(comparison(cells(2, 1, loads, seeds=7)))]
    assert any("95% intervals over 7 seeds" in text for text in over)
    other = [text for text, _ in seen(comparison(cells(2, 1, loads), confidence=0.9))]
    assert any("90% intervals" in text for text in other)
    none = [text for text, _ in seen(comparison([Cell("easy", "mean_wait_s", 3.0)]))]
    assert not any("95%" in text for text in none)


@pytest.mark.deep
def test_each_log_has_its_name_once_and_each_policy_in_one_legend() -> None:
    texts = [text for text, _ in seen(comparison(cells(3, 2, LOADS)))]
    assert texts.count("log0.swf") == 1
    assert texts.count("policy-0") == 1
    bars = [text for text, _ in seen(comparison(cells(2, 1)))]
    assert bars.count("policy-0") == 2  # one a row of panels


def test_ten_policies_are_told_apart() -> None:
    axes = comparison(cells(10, 1, LOADS)).axes[0]
    looks = {(line.get_color(), line.get_linestyle(), line.get_marker()) for line in axes.get_lines()}
    assert len(looks) == 10


def test_a_share_is_told_in_percent() -> None:
    texts = [text for text, _ in seen(comparison([Cell("easy", "utilization", 0.55)]))]
    assert "55%" in texts


def test_times_beside_bars_are_written_as_in_the_table() -> None:
    day = 86400.0
    waits = [Cell("fcfs", "mean_wait_s", 12 * day), Cell("easy", "mean_wait_s", 8040.0)]
    axes = comparison(waits).axes[0]
    assert axes.get_xlabel() == "mean wait (days)"
    assert [text.get_text() for text in axes.texts] == ["12 d", "2 h 14 min"]


def test_jobs_and_processors_are_told() -> None:
    one = comparison(cells(2, 1), sizes={"log0.swf": "30 jobs, 16 processors"})
    assert any("\n30 jobs, 16 processors; whiskers" in text for text, _ in seen(one))
    sizes = {cell.workload: "30 jobs, 16 processors" for cell in cells(2, 3)}
    texts = [text for text, _ in seen(comparison(cells(2, 3), sizes=sizes))]
    assert sum(text.endswith(": 30 jobs, 16 processors") for text in texts) == 3


def test_bars_of_many_policies_are_told_apart() -> None:
    axes = comparison(cells(12, 1)).axes[0]
    bars = [bar for bar in axes.patches if isinstance(bar, Rectangle)]
    assert len({(bar.get_facecolor(), bar.get_hatch()) for bar in bars}) == 12


@pytest.mark.deep
@pytest.mark.parametrize("loads", [(None,), LOADS])
@pytest.mark.parametrize("policies", [2, 10])
def test_logarithmic_axes_show_what_one_flattens(policies: int, loads: tuple[float | None, ...]) -> None:
    every = cells(policies, 1, loads)
    bad = [
        replace(cell, mean=(cell.mean or 0) * 1e4) if cell.policy == "policy-0" else cell for cell in every
    ]
    figure = comparison(bad, logarithmic=True)
    readable(figure)
    shown = [axes for axes in figure.axes if axes.get_visible()]
    lines = loads != (None,)
    scales = [axes.get_yscale() if lines else axes.get_xscale() for axes in shown]
    labels = [axes.get_ylabel() if lines else axes.get_xlabel() for axes in shown]
    assert scales == ["log"] * 4 + ["linear"] * 2, "shares keep their linear axes"
    assert all(
        label.endswith("logarithmic)") == (scale == "log")
        for label, scale in zip(labels, scales, strict=True)
    )


def test_a_policy_without_waits_has_no_bar_on_a_logarithmic_axis() -> None:
    waits = [Cell("fcfs", "mean_wait_s", 500.0, 0.0, 900.0), Cell("easy", "mean_wait_s", 0.0)]
    readable(comparison(waits, logarithmic=True))
    assert comparison([Cell("easy", "mean_wait_s", 0.0)], logarithmic=True).axes[0].get_xscale() == "linear"
