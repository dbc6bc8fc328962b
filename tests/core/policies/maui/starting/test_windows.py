"""Backfill windows: the steps of the running minimum of what is free."""

from hypothesis import given
from hypothesis import strategies as st

from molokini.availability.profile import clear_profile, plan
from molokini.model.machine import Machine
from molokini.policies.maui.starting.windows import window_beyond, window_wider
from molokini.tables.making import make_tables
from molokini.tables.tables import NEVER


def test_the_papers_figure_3() -> None:
    """One node for ever, and three for two hours: the wide window is the short one, and they overlap."""
    t = make_tables(Machine.counted(8))
    t.machine.idle = 3
    clear_profile(t, 0.0, 3)
    plan(t, 7200.0, 10800.0, 2)
    assert window_beyond(t, 0.0) == (3, 7200.0)
    assert window_beyond(t, 7200.0) == (1, NEVER)
    assert window_wider(t, 0) == (1, NEVER)
    assert window_wider(t, 1) == (3, 7200.0)
    assert window_wider(t, 3)[0] == 0


@given(st.lists(st.tuples(st.integers(1, 40), st.integers(1, 9)), max_size=7), st.integers(0, 9))
def test_windows_are_the_steps_of_the_running_minimum(steps: list[tuple[int, int]], idle: int) -> None:
    t = make_tables(Machine.counted(200))
    free, times = [9], [0.0]
    for gap, width in steps:
        times.append(times[-1] + gap)
        free.append(width)
    for k, (at_s, width) in enumerate(zip(times, free, strict=True)):
        t.profile.time_s[k], t.profile.free[k] = at_s, width
    t.profile.first, t.profile.last = 0, len(times)
    t.machine.idle = idle
    found, after = [], 0.0
    while after < NEVER:
        width, after = window_beyond(t, after)
        if width <= 0:
            break
        found.append((width, after))
    by_hand: list[tuple[int, float]] = []
    for width in sorted({min(idle, *free[: k + 1]) for k in range(len(free))} - {0}, reverse=True):
        ends = [at_s for at_s, value in zip(times, free, strict=True) if value < width]
        by_hand.append((width, ends[0] if ends else NEVER))
    assert found == by_hand
    longest, width = [], 0
    while True:
        width, until = window_wider(t, width)
        if width <= 0:
            break
        longest.append((width, until))
    assert longest == by_hand[::-1]
