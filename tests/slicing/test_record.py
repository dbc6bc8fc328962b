"""What was achieved for a sliced job: figures of whole periods, made of what the slicer has seen."""

import math
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.slicing.record import Record

MS = 1_000_000
PERIOD, LENGTH = 100 * MS, 40 * MS


@dataclass
class Window:
    """One period with one window, as it went."""

    late: int
    on: int
    ran: int
    waited: int


windows = st.builds(
    Window,
    late=st.integers(0, 3 * MS),
    on=st.integers(0, LENGTH),
    ran=st.integers(0, 2 * LENGTH),
    waited=st.integers(0, 3 * MS),
)


def recorded(seen: list[Window], cycles: list[int]) -> Record:
    record = Record()
    for cycle, one in zip(cycles, seen, strict=True):
        record.began(cycle, cycle * PERIOD, cycle * PERIOD + one.late, PERIOD)
        record.ended(one.on)
        record.spent(one.ran, one.waited, LENGTH)
    return record


def spread(values: list[int]) -> list[float]:
    """By the definitions: half of the values, one in a hundred, and none lie above."""
    found = sorted(values)
    return [found[round(part * (len(found) - 1))] / 1e9 for part in (0.5, 0.99, 1.0)]


@given(seen=st.lists(windows, min_size=1, max_size=250), gap=st.integers(1, 260))
@settings(max_examples=100, deadline=None)
def test_figures_are_those_of_periods_that_follow_each_other(seen: list[Window], gap: int) -> None:
    # After *gap* windows the job is suspended for a while.
    cycles = [k if k < gap else k + 7 for k in range(len(seen))]
    whole = [k for k in range(len(seen) - 1) if cycles[k + 1] == cycles[k] + 1]
    at = [cycle * PERIOD + one.late for cycle, one in zip(cycles, seen, strict=True)]
    lasted = [at[k + 1] - at[k] for k in whole]
    figures = recorded(seen, cycles).figures()
    assert (figures["periods"], figures["windows"]) == (len(whole), len(whole))
    most = max(500_000, LENGTH // 50)
    missed = [k for k in whole if seen[k].waited > most or seen[k].late > most]
    assert figures["misses"] == len(missed)
    assert figures["missed_s"] == (spread([seen[k].waited + seen[k].late for k in missed]) if missed else [])
    for name, values in (
        ("elapsed_s", lasted),
        ("on_s", [seen[k].on for k in whole]),
        ("ran_s", [seen[k].ran for k in whole]),
        ("waited_s", [seen[k].waited for k in whole]),
    ):
        assert figures[name] == sum(values) / 1e9
    if not whole:
        assert figures["period_s"] is figures["slice_s"] is None
        assert figures["jitter_s"] == []
    else:
        assert math.isclose(figures["period_s"], sum(lasted) / 1e9 / len(whole))
        assert math.isclose(figures["slice_s"], sum(seen[k].on for k in whole) / 1e9 / len(whole))
        assert figures["jitter_s"] == spread([abs(value - PERIOD) for value in lasted])
    assert figures["late_s"] == spread([one.late for one in seen])


def test_the_spread_is_median_one_in_a_hundred_and_largest() -> None:
    record = Record()
    for cycle in range(101):
        record.began(cycle, 0, cycle * MS, PERIOD)
    assert record.figures()["late_s"] == [0.05, 0.099, 0.1]


@pytest.mark.parametrize(("waited", "missed"), [(LENGTH // 50, 0), (LENGTH // 50 + 1, 1)])
def test_a_window_is_missed_beyond_the_bound_alone(waited: int, missed: int) -> None:
    ended = Window(0, LENGTH, LENGTH, waited)
    assert recorded([ended, ended], [0, 1]).figures()["misses"] == missed
    late = Window(waited, LENGTH, LENGTH, 0)
    assert recorded([late, late], [0, 1]).figures()["misses"] == missed


def test_what_is_missing_of_a_missed_window_is_late_and_waited_together() -> None:
    seen = [Window(MS, LENGTH, LENGTH, 2 * MS), Window(0, LENGTH, LENGTH, 0), Window(0, LENGTH, LENGTH, 0)]
    assert recorded(seen, [0, 1, 2]).figures()["missed_s"] == [0.003] * 3
    record = recorded(seen[:1], [0])
    record.again()
    assert record.figures()["missed_s"] == []
