"""Every picture is made from every kind of schedule, says its units, and draws foreign text to the letter."""

import dataclasses
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text

from molokini.metrics import Cell, mean_with_interval, table
from molokini.model.errors import MissingExtra, UnknownName
from molokini.plots import (
    comparison,
    convergence,
    difference,
    distributions,
    fit_picture,
    gantt,
    logs_compared,
    overview,
    overview_many,
    save,
    timeline,
    workload_picture,
)
from molokini.plots.frame import frame_of, heading
from molokini.plots.gantt import colouring_of, density
from molokini.plots.layout import place
from molokini.plots.style import styled
from molokini.sim.schedule import Schedule
from molokini.workloads.fits.fitting import fit_log
from molokini.workloads.tools.comparing import compare
from molokini.workloads.workload import Header
from tests.kit.schedules import NAN, Ran, random_workload, replayed, schedule, trace, workload

HOSTILE = "`;`$x_ \\frac{ ${a_$ <b>&amp; 日本 \x07 z+i5U=: p^ %s"

SMALL = random_workload(30, 16)

PICTURES: dict[str, Callable[[Schedule], Figure]] = {
    "gantt": gantt,
    "gantt by user": lambda story: gantt(story, "user"),
    "timeline": timeline,
    "overview": overview,
    "overview of two": lambda story: overview_many([story, dataclasses.replace(story, policy=HOSTILE)]),
    "distributions": lambda story: distributions([story, dataclasses.replace(story, policy=HOSTILE)]),
    "convergence": convergence,
    "difference": lambda story: difference(story, dataclasses.replace(story, policy=HOSTILE)),
    "comparison": lambda story: comparison(table([story, dataclasses.replace(story, policy=HOSTILE)])),
    "workload": lambda story: workload_picture(story.workload),
    "two logs": lambda story: logs_compared(
        story.workload, SMALL, compare(story.workload, SMALL)["attributes"]
    ),
}

STORIES: dict[str, Schedule] = {
    "nothing": schedule(),
    "one job": schedule(Ran(0, 0, 10)),
    "no time": schedule(Ran(5, 5, 0), Ran(5, 5, 0)),
    "nothing finished": schedule(Ran(0, None, 10), Ran(1, 1, 10, end=NAN), Ran(2, None, 1, refused=True)),
    "suspended": schedule(
        Ran(0, 0, 6, 4, end=12), Ran(3, 3, 6, 4), changes=trace((3, 0, 0, 0), (9, 0, 1, 4))
    ),
    "thirty": replayed(random_workload(30, 16), 16),
    "thousands": replayed(random_workload(4000, 64, users=40), 64),
}


def labels_of(figure: Figure) -> list[str]:
    shown = [axes for axes in figure.axes if axes.get_visible()]
    return [label for axes in shown for label in (axes.get_xlabel(), axes.get_ylabel()) if label]


QUICK = [f"{picture}-thirty" for picture in PICTURES]


@pytest.mark.quick(*QUICK)
@pytest.mark.parametrize("story", STORIES)
@pytest.mark.parametrize("picture", PICTURES)
def test_every_picture_of_every_story(picture: str, story: str, tmp_path: Path) -> None:
    kept = STORIES[story]
    kept = dataclasses.replace(kept, workload=dataclasses.replace(kept.workload, name=HOSTILE))
    figure = PICTURES[picture](kept)
    save(figure, tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 5000 or not len(kept.workload)
    assert all("(" in label and label.endswith(")") for label in labels_of(figure))
    foreign = [text for text in figure.findobj(Text) if isinstance(text, Text) and "$" in text.get_text()]
    assert all(not text.get_parse_math() for text in foreign)


@pytest.mark.deep
def test_the_picture_of_a_fit_has_a_row_for_each_attribute() -> None:
    log = dataclasses.replace(random_workload(300, 16), name=HOSTILE)
    fit = fit_log(log)
    figure = fit_picture(log, fit)
    assert fit.bursts.made is not None
    assert len(figure.axes) == 3 * len(fit.reports) + 2  # and Hurst's parameter in two ways
    labels = labels_of(figure)
    assert all("(" in label and label.endswith(")") for label in labels)


def test_labels_say_their_units() -> None:
    labels = labels_of(overview(STORIES["thirty"]))
    assert labels == [
        "jobs waiting (jobs)",
        "busy processors (%)",
        "time since the first submit (hours)",
        "processors (number)",
    ]


def test_a_heading_agrees_with_its_numbers() -> None:
    one, many = schedule(Ran(0, 0, 10), processors=1), STORIES["thirty"]
    assert heading([one])[1] == "1 job, 1 processor"
    assert heading([many])[1] == "30 jobs, 16 processors"
    assert heading([many], "load factor 1.2")[1] == "30 jobs, 16 processors, load factor 1.2"
    assert "load factor 1.2" in overview(many, note="load factor 1.2").get_suptitle()
    picture = workload_picture(workload([Ran(0, 0, 10)], header=Header((("MaxProcs", "1"),))))
    assert picture.get_suptitle() == "small\n1 job"


@pytest.mark.deep
def test_between_the_bars_of_a_workload_there_are_no_lines() -> None:
    bars = [axes for axes in workload_picture(STORIES["thirty"].workload).axes if axes.patches]
    barred = [axes for axes in bars if any(line.get_visible() for line in axes.yaxis.get_gridlines())]
    assert barred
    assert not any(line.get_visible() for axes in barred for line in axes.xaxis.get_gridlines())


def test_a_heading_tells_the_parameters_once() -> None:
    one = dataclasses.replace(STORIES["thirty"], policy="easy", parameters={"order": "shortest"})
    figure = overview(one)
    assert figure.get_suptitle().splitlines()[0].endswith(": easy (order=shortest)")
    assert figure.axes[0].get_title(loc="left").startswith("mean wait")
    many = dataclasses.replace(one, parameters={f"p{at}": at for at in range(90)})
    assert heading([many])[0].endswith(": easy")


def test_few_jobs_are_numbered_rectangles() -> None:
    [axes] = gantt(schedule(Ran(0, 0, 10, processors=3), Ran(0, 0, 10), Ran(4, 10, 10, processors=4))).axes
    assert sorted(text.get_text() for text in axes.texts) == ["1", "2", "3"]
    [rectangles] = [found for found in axes.collections if isinstance(found, PolyCollection)]
    assert len(rectangles.get_paths()) == 3
    assert not axes.images


def test_a_short_job_among_few_is_wide_enough_to_be_seen() -> None:
    long = Ran(0, 0, 200_000, processors=2)
    [axes] = gantt(schedule(long, Ran(0, 100_000, 15), Ran(0, 199_990, 10, processors=2))).axes
    [drawn] = [found for found in axes.collections if isinstance(found, PolyCollection)]
    pixels = [np.ptp(axes.transData.transform(np.asarray(path.vertices))[:, 0]) for path in drawn.get_paths()]
    assert min(pixels) >= 1.0
    right = max(np.asarray(path.vertices)[:, 0].max() for path in drawn.get_paths())
    assert right <= axes.get_xlim()[1]


def test_waits_of_0_are_said_in_words() -> None:
    [waits, _] = distributions([schedule(Ran(0, 0, 10), Ran(20, 20, 10))]).axes
    assert [text.get_text() for text in waits.texts] == ["no job waited"]
    [waits, _] = distributions([schedule(Ran(0, 0, 10), Ran(0, 10, 10), processors=1)]).axes
    assert not waits.texts


def test_two_logs_have_one_legend_outside_the_curves() -> None:
    figure = logs_compared(SMALL, SMALL, compare(SMALL, SMALL)["attributes"])
    assert [axes for axes in figure.axes if axes.get_legend() is not None] == []
    assert len(figure.legends) == 1


def test_many_jobs_are_one_image() -> None:
    [axes] = gantt(STORIES["thousands"]).axes
    assert len(axes.images) == 1
    assert not axes.collections
    assert not axes.texts


def test_white_of_the_image_is_what_was_idle() -> None:
    story = STORIES["thousands"]
    frame = frame_of([story])
    colouring = colouring_of(story, "size")
    black = dataclasses.replace(colouring, colours=["#000000"] * len(colouring.colours))
    image = density(story, frame, place(story, frame.stop_s), black)
    used = float(story.workload.processors @ story.run_s) / (
        story.processors * (frame.stop_s - frame.start_s)
    )
    assert 1 - image.mean() == pytest.approx(used)


def test_the_users_of_the_most_work_have_colours_of_their_own() -> None:
    jobs = [Ran(0, 0, 10.0 + user, user=user) for user in range(1, 21)]
    colouring = colouring_of(schedule(*jobs, processors=20), "user")
    assert colouring.names == [*(f"user {user}" for user in range(20, 13, -1)), "13 others"]
    assert colouring.of_job[-1] == 0
    assert colouring.of_job[0] == 7


def test_many_sizes_share_shades_without_a_gap() -> None:
    jobs = [Ran(0, 0, 10, processors=2**k) for k in range(13)]
    colouring = colouring_of(schedule(*jobs, processors=8192), "size")
    assert len(colouring.names) == 8
    assert colouring.names[0] == "1-2"
    assert colouring.names[-1] == "2049-4096"
    assert (np.diff(colouring.of_job) >= 0).all()


def test_an_unknown_colouring_is_named() -> None:
    with pytest.raises(UnknownName, match="size"):
        gantt(STORIES["one job"], "sizes")


def test_long_time_lines_have_a_band_and_short_ones_are_exact() -> None:
    exact = timeline(STORIES["thirty"]).axes[0]
    assert exact.get_legend() is None
    [step] = exact.get_lines()
    assert np.asarray(step.get_ydata()).max() == 0 or np.asarray(step.get_ydata()).max() % 1 == 0
    banded = timeline(replayed(random_workload(20000, 16), 16)).axes[0].get_legend()
    assert banded is not None
    assert [text.get_text() for text in banded.get_texts()] == ["min to max of a pixel", "mean"]


def test_bars_name_policies_and_lines_name_loads() -> None:
    cells = [Cell(policy, "mean_wait_s", 10.0, 8.0, 12.0) for policy in ("fcfs", "$x_")]
    bars = comparison(cells).axes[0]
    assert [text.get_text() for text in bars.get_yticklabels()] == ["fcfs", "$x_"]
    assert [text.get_text() for text in bars.texts] == ["10 s", "10 s"]
    over = [dataclasses.replace(cell, load_factor=load) for cell in cells for load in (0.8, 1.0, 1.2)]
    lines = comparison(over).axes[0]
    assert lines.get_xlabel() == "load factor (ratio to the log's)"
    assert [line.get_label() for line in lines.get_lines()] == ["fcfs", "$x_"]
    assert lines.get_xticks().tolist() == [0.8, 1.0, 1.2]


def test_a_cell_without_a_value_has_no_bar_but_a_name() -> None:
    figure = comparison([Cell("fcfs", "mean_slowdown", None), Cell("easy", "mean_slowdown", 2.0)])
    assert len(figure.axes[0].patches) == 1
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == ["fcfs", "easy"]


def test_panels_that_are_not_needed_are_not_seen() -> None:
    figure = comparison([Cell("easy", f"mean_{name}", 2.0) for name in ("a", "b", "c", "d")])
    assert [axes.get_visible() for axes in figure.axes] == [True] * 4 + [False] * 2


@pytest.mark.deep
def test_hours_are_the_clocks_where_the_header_says_when() -> None:
    jobs = [Ran(0, 0, 10), Ran(1800, 0, 10), Ran(7200, 0, 10)]
    plain = workload_picture(workload(jobs)).axes[2]
    told = workload_picture(workload(jobs, header=Header((("UnixStartTime", str(86400 + 5 * 3600)),)))).axes[
        2
    ]
    odd = workload_picture(workload(jobs, header=Header((("UnixStartTime", "`;`"),)))).axes[2]
    assert [bar.get_height() for bar in plain.patches[:3]] == [2, 0, 1]  # type: ignore[attr-defined]
    assert [bar.get_height() for bar in told.patches[5:8]] == [2, 0, 1]  # type: ignore[attr-defined]
    assert "UTC" in told.get_xlabel()
    assert "seconds of the log" in odd.get_xlabel()


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("molokini.plots")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"molokini\[pictures\]"):
        __import__("molokini.plots")


@pytest.mark.deep
def test_a_few_long_estimates_do_not_stretch_the_axis_of_run_times() -> None:
    jobs = [Ran(at, at, 100.0 + at % 50) for at in range(5000)]
    kept = workload(jobs)
    assert workload_picture(kept).axes[1].get_title(loc="left") == "Run times and estimates"
    estimate_s = kept.estimate_s.copy()
    estimate_s[:3] = 1e9
    axes = workload_picture(dataclasses.replace(kept, estimate_s=estimate_s)).axes[1]
    assert axes.get_title(loc="left") == "Run times and estimates (to p99.9; 3 values beyond)"
    assert axes.get_xlim()[1] < 1000
    assert np.asarray(axes.get_lines()[1].get_ydata())[-1] == pytest.approx(99.94)


@pytest.mark.deep
def test_reasons_of_a_mean_that_has_not_settled_are_whole() -> None:
    figure = convergence(replayed(random_workload(4000, 64, users=40), 64))
    for axes, metric in zip(figure.axes, ("response_s", "wait_s", "bounded_slowdown"), strict=True):
        told = mean_with_interval(STORIES["thousands"], metric).warning or "converged"
        assert axes.get_title(loc="left").replace("\n", " ") == told
        with styled():
            figure.canvas.draw()
        assert axes.title.get_window_extent().x1 <= figure.bbox.width
    assert any("\n" in axes.get_title(loc="left") for axes in figure.axes), "an example that wraps"


def test_means_are_drawn_from_zero_and_the_legend_covers_no_line() -> None:
    quiet = schedule(*(Ran(10.0 * at, 10.0 * at, 5) for at in range(30)))
    for axes in convergence(quiet).axes:
        bottom, top = axes.get_ylim()
        highest = max(float(np.max(line.get_ydata())) for line in axes.get_lines())
        assert bottom == 0.0
        assert top >= 1.2 * highest
        assert top > 0


def test_no_size_in_the_legend_is_wider_than_the_machine() -> None:
    jobs = [Ran(0, 0, 10, processors=width) for width in (1, 60, 100)]
    assert colouring_of(schedule(*jobs, processors=100), "size").names == ["1", "33-64", "65-100"]


def test_an_image_says_what_a_pixel_is() -> None:
    legend = gantt(STORIES["thousands"]).axes[0].get_legend()
    assert legend is not None
    assert "a pixel" in legend.get_title().get_text()
    few = gantt(STORIES["thirty"]).axes[0].get_legend()
    assert few is not None
    assert "pixel" not in few.get_title().get_text()


def test_a_difference_colours_each_job_by_the_change_of_its_start() -> None:
    before = schedule(Ran(0, 0, 4000), Ran(0, 4000, 4000), Ran(0, 8000, 4000), processors=1)
    after = schedule(Ran(0, 4000, 4000), Ran(0, 0, 4000), Ran(0, 8000, 4000), processors=1)
    figure = difference(before, dataclasses.replace(after, policy="other"))
    assert (
        "starts under other: 1 job earlier by 1.11 h on average, 1 job later by 1.11 h"
        in figure.get_suptitle()
    )
    [first] = [found for found in figure.axes[0].collections if isinstance(found, PolyCollection)]
    shades = [to_hex(tuple(colour)) for colour in np.asarray(first.get_facecolor()).tolist()]
    assert shades == ["#d9d9d9", "#e6701b", "#4393c3"], "at the same time, later, earlier"
    outlines = [to_hex(tuple(colour)) for colour in np.asarray(first.get_edgecolor()).tolist()]
    assert outlines == ["#ffffff", "#000000", "#000000"], "what changed stands out among few jobs"
    assert [axes.get_title(loc="left") for axes in figure.axes[:3]] == ["fcfs", "other", "other less fcfs"]
