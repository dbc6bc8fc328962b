import pytest

from molokini.plots.labels import metric_name, unit_of
from molokini.plots.scales import duration, log_ticks, log_time_axis, plain, power, short, time_unit
from molokini.plots.style import new_figure


@pytest.mark.parametrize(
    ("seconds", "name"),
    [
        (1, "seconds"),
        (300, "seconds"),
        (301, "minutes"),
        (86400, "hours"),
        (30 * 86400, "days"),
        (1e12, "days"),
    ],
)
def test_the_unit_follows_the_span(seconds: float, name: str) -> None:
    assert time_unit(seconds).name == name


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (5, "5"),
        (0.25, "0.25"),
        (1234567, "1,234,567"),
        (-3.5, "-3.5"),
        (1e12, "1e+12"),
        (1e-7, "1e-07"),
    ],
)
def test_plain_numbers(value: float, text: str) -> None:
    assert plain(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1e-5, "10\u207b\u2075"),
        (1e9, "10\u2079"),
        (1e-4, "0.0001"),
        (3e9, "3e+09"),
        (1e6, "1,000,000"),
        (0.001, "0.001"),
    ],
)
def test_numbers_of_logarithmic_axes(value: float, text: str) -> None:
    assert power(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0"), (6837.2258, "6,837"), (92.8702, "92.9"), (1.0, "1"), (0.0412, "0.0412")]
)
def test_short_numbers(value: float, text: str) -> None:
    assert short(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(42, "42 s"), (210, "3.5 min"), (353943, "4.1 d"), (36000, "10 h"), (6837.2258, "1.9 h")],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_names_and_units_of_metrics() -> None:
    assert metric_name("mean_bounded_slowdown") == "mean bounded slowdown"
    assert metric_name("mean_wait_s") == "mean wait"
    assert unit_of("utilization", 0.9) == ("%", 0.01)
    assert unit_of("mean_wait_s", 50.0) == ("seconds", 1.0)
    assert unit_of("mean_wait_s", 2500.0) == ("minutes", 60.0)
    assert unit_of("mean_wait_s", 7000.0) == ("hours", 3600.0)
    assert unit_of("mean_wait_s", 50000.0) == ("hours", 3600.0)
    assert unit_of("mean_queue_length", 5.0) == ("jobs", 1.0)


@pytest.mark.parametrize(
    ("high_s", "ticks"),
    [
        (5e3, ["1 s", "10 s", "1 min", "10 min", "1 h"]),
        (1e5, ["1 s", "10 s", "1 min", "10 min", "1 h", "1 d"]),
        (1e9, ["1 s", "1 min", "1 h", "1 d", "100 d", "10,000 d"]),
    ],
)
def test_ticks_of_time_do_not_crowd(high_s: float, ticks: list[str]) -> None:
    axes = new_figure(5, 3).subplots()
    log_time_axis(axes, 1.0, high_s)
    format_tick = axes.xaxis.get_major_formatter()
    assert [format_tick(at) for at in axes.xaxis.get_majorticklocs()] == ticks


def test_wide_numbers_of_a_logarithmic_axis_are_powers_side_by_side() -> None:
    axes = new_figure(4, 3).subplots()
    log_ticks(axes.xaxis, 1.0, 2e9)
    assert axes.xaxis.get_major_formatter()(1e6, 0) == "10\u2076"
    log_ticks(axes.yaxis, 1.0, 2e8)
    assert axes.yaxis.get_major_formatter()(1e6, 0) == "1,000,000"
