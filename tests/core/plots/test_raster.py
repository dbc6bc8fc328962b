import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.plots.raster import covered
from molokini.workloads.workload import Floats

ROWS, COLUMNS = 4, 5


def plainly(left: float, right: float, low: float, high: float, weight: float) -> Floats:
    """The same by looking at every pixel."""
    x = [max(0.0, min(right, c + 1) - max(left, c)) for c in range(COLUMNS)]
    y = [max(0.0, min(high, r + 1) - max(low, r)) for r in range(ROWS)]
    return weight * np.outer(y, x)


spans = st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted)
rectangles = st.tuples(spans, spans, st.floats(0, 3))


@given(st.lists(rectangles, max_size=8))
def test_areas_are_exact_and_add_up(boxes: list[tuple[list[float], list[float], float]]) -> None:
    table = np.array(
        [[x[0] * COLUMNS, x[1] * COLUMNS, y[0] * ROWS, y[1] * ROWS, weight] for x, y, weight in boxes]
    ).reshape(-1, 5)
    left, right, low, high, weights = table.T
    image = covered(left, right, low, high, (ROWS, COLUMNS), weights)
    expected = sum((plainly(*line) for line in table.tolist()), np.zeros((ROWS, COLUMNS)))
    assert image == pytest.approx(expected, abs=1e-9)


def test_rows_count_from_processor_zero() -> None:
    one = np.ones(1)
    image = covered(0 * one, 2 * one, 0 * one, one, shape=(ROWS, COLUMNS), weight=one)
    assert image[0].tolist() == pytest.approx([1, 1, 0, 0, 0])
    assert image[1:].sum() == pytest.approx(0)
