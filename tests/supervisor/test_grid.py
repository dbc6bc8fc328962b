"""The arithmetic of grids: windows that come again, found from any instant, without drift."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.model.errors import BadInput
from molokini.model.slicing import MOST_ROWS, Slicing
from molokini.supervisor.grid import Grid

INSTANTS = st.integers(-(2**62), 2**62)
QUANTA = st.sampled_from([0.02, 0.1, 1 / 3, 30.0])


@st.composite
def rows_of(draw: st.DrawFn) -> Slicing:
    rows = draw(st.integers(1, MOST_ROWS))
    row = draw(st.sets(st.integers(0, rows - 1), min_size=1))
    return Slicing(rows=rows, row=tuple(sorted(row)), quantum_s=draw(QUANTA))


def grid_of(ordered: Slicing, origin: int = 0) -> Grid:
    ordered.check()
    return Grid(*ordered.windows(), origin)


@given(rows_of(), INSTANTS, INSTANTS)
def test_a_row_computes_in_its_quanta_and_in_no_other(ordered: Slicing, origin: int, at: int) -> None:
    grid, quantum = grid_of(ordered, origin), round(ordered.quantum_s * 1e9)
    assert grid.on(at) == ((at - origin) // quantum % ordered.rows in ordered.row)


@given(rows_of(), INSTANTS, INSTANTS)
def test_the_next_window_is_the_next_change(ordered: Slicing, origin: int, at: int) -> None:
    """From the end of a window on it stands still until the next; nothing is left out."""
    grid = grid_of(ordered, origin)
    begins, ends = grid.window(at)
    assert max(begins, at) < ends <= at + 2 * grid.period
    assert grid.window(begins) == (begins, ends) == grid.window(ends - 1)
    if not grid.whole:
        assert [grid.on(begins - 1), grid.on(begins), grid.on(ends)] == [False, True, False]
        assert grid.window(ends)[0] > ends


@given(rows_of(), INSTANTS)
def test_one_cycle_holds_the_share(ordered: Slicing, at: int) -> None:
    grid = grid_of(ordered)
    held, place = 0, at
    while place < at + grid.period:
        begins, ends = grid.window(place)
        held += max(0, min(ends, at + grid.period) - max(begins, place))
        place = ends
    assert held / grid.period == pytest.approx(ordered.share, abs=1e-9)


@given(rows_of(), INSTANTS, INSTANTS, st.integers(0, 2**40))
def test_time_in_windows_is_what_a_walk_finds(ordered: Slicing, origin: int, since: int, length: int) -> None:
    grid = grid_of(ordered, origin)
    length %= 5 * grid.period
    held, place = 0, since
    while place < since + length:
        begins, ends = grid.window(place)
        held += max(0, min(ends, since + length) - max(begins, place))
        place = ends
    assert grid.between(since, since + length) == held


@given(rows_of(), INSTANTS, INSTANTS, st.integers(1, 2**50))
def test_time_in_windows_by_one_instant(ordered: Slicing, origin: int, since: int, wanted: int) -> None:
    grid = grid_of(ordered, origin)
    at = grid.had_at(since, wanted)
    assert grid.between(since, at) == wanted
    assert grid.between(since, at - 1) == wanted - 1


@given(st.integers(1, MOST_ROWS), QUANTA, INSTANTS)
def test_at_each_instant_one_row_computes(rows: int, quantum_s: float, at: int) -> None:
    """Jobs of different rows never compute together, whenever they were ordered."""
    grids = [grid_of(Slicing(rows=rows, row=(k,), quantum_s=quantum_s)) for k in range(rows)]
    assert sum(grid.on(at) for grid in grids) == 1


@given(st.floats(0.02, 10.0), st.floats(0.0, 1.0), INSTANTS)
def test_slices_of_a_period(period_s: float, part: float, at: int) -> None:
    slice_s = max(0.005, part * period_s)
    grid = grid_of(Slicing(period_s=period_s, slice_s=slice_s))
    assert grid.on(at) == (at % grid.period < round(slice_s * 1e9))
    assert grid.period == round(period_s * 1e9)


@given(rows_of(), INSTANTS, st.integers(-1000, 1000))
def test_cycles_do_not_drift(ordered: Slicing, at: int, cycles: int) -> None:
    grid = grid_of(ordered)
    begins, ends = grid.window(at)
    moved = cycles * grid.period
    assert grid.window(at + moved) == (begins + moved, ends + moved)
    assert grid.cycle(at + moved) == grid.cycle(at) + cycles


@pytest.mark.parametrize(
    ("period", "windows"),
    [(0, [(0, 1)]), (10, []), (10, [(3, 3)]), (10, [(0, 4), (4, 6)]), (10, [(5, 16)]), (10, [(11, 12)])],
)
def test_windows_that_are_none(period: int, windows: list[tuple[int, int]]) -> None:
    with pytest.raises(ValueError, match="windows"):
        Grid(period, windows)


def test_rows_around_the_end_of_the_matrix_are_one_window() -> None:
    assert Slicing(rows=4, row=(0, 3), quantum_s=1.0).windows() == (4 * 10**9, ((3 * 10**9, 5 * 10**9),))
    assert Slicing(rows=2, row=(0, 1), quantum_s=1.0).windows() == (2 * 10**9, ((0, 2 * 10**9),))


@pytest.mark.parametrize(
    ("ordered", "text"),
    [
        (Slicing(), "period_s: 0.0 is not allowed; it must be from 0.02 to 86,400 seconds"),
        (Slicing(period_s=0.019, slice_s=0.01), "period_s: 0.019 is not allowed"),
        (Slicing(period_s=float("nan"), slice_s=0.01), "period_s: nan is not allowed"),
        (Slicing(period_s=0.1, slice_s=0.004), "slice_s: 0.004 is not allowed; it must be from 0.005"),
        (Slicing(period_s=0.1, slice_s=0.11), "slice_s: 0.11 is not allowed"),
        (
            Slicing(period_s=0.1, slice_s=0.095, real_time=True),
            "slice_s: 0.095 is not allowed; it must be at most",
        ),
        (Slicing(period_s=0.1, slice_s=0.05, quantum_s=1.0), "rows: say of how many rows the matrix is"),
        (Slicing(rows=2, row=(0,), quantum_s=1.0, period_s=1.0), "rows: a job has rows or a period"),
        (Slicing(rows=2, row=(0,), quantum_s=1.0, real_time=True), "real_time: is for a period"),
        (Slicing(rows=63, row=(0,), quantum_s=1.0), "rows: 63 is not allowed; it must be from 1 to 62"),
        (Slicing(rows=-1, row=(0,), quantum_s=1.0), "rows: -1 is not allowed"),
        (Slicing(rows=2, row=(), quantum_s=1.0), "row: \\[\\] is not allowed"),
        (Slicing(rows=2, row=(1, 0), quantum_s=1.0), "row: \\[1, 0\\] is not allowed"),
        (Slicing(rows=2, row=(2,), quantum_s=1.0), "row: \\[2\\] is not allowed; it must be from 0 to 1"),
        (
            Slicing(rows=2, row=(0,), quantum_s=0.009),
            "quantum_s: 0.009 is not allowed; it must be from 0.01",
        ),
        (
            Slicing(rows=5, row=(0,), quantum_s=0.004),
            "quantum_s: 0.004 is not allowed; .* from 0.005 to",
        ),
        (Slicing(rows=1, row=(0,), quantum_s=0.019), "quantum_s: 0.019 is not allowed; it must be from 0.02"),
        (Slicing(period_s=1.0, slice_s=0.5, origin_s=float("inf")), "origin_s: inf is not allowed"),
    ],
)
def test_orders_that_are_refused(ordered: Slicing, text: str) -> None:
    with pytest.raises(BadInput, match=text):
        ordered.check()


@given(rows_of())
def test_an_order_is_read_as_it_was_written(ordered: Slicing) -> None:
    assert Slicing.from_json(ordered.as_json()) == ordered
