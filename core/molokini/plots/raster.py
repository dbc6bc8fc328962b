"""Very many rectangles as one image, every area exact: no rectangle is too thin to count."""

import numpy as np

from molokini.workloads.workload import Floats


def covered(
    left: Floats, right: Floats, low: Floats, high: Floats, shape: tuple[int, int], weight: Floats
) -> Floats:
    """The area of each pixel that rectangles cover, times their *weight*.

    Coordinates count pixels: ``left`` and ``right`` from 0 to ``shape[1]``, ``low`` and ``high`` from
    0 to ``shape[0]``. Rectangles may overlap; their areas add up.
    """
    rows, columns = shape
    # The share of each pixel below a bound is 1, 1, ..., f, 0, ...: a sum from the right of two
    # numbers. A rectangle is the difference of four such corners, so that it takes sixteen numbers
    # and not one a pixel.
    corners = np.zeros((rows + 2) * (columns + 2))
    for y, sign_y in ((high, 1.0), (low, -1.0)):
        row, up = _split(y)
        for x, sign_x in ((right, 1.0), (left, -1.0)):
            column, along = _split(x)
            for add_row, share_y in ((1, up), (0, 1 - up)):
                for add_column, share_x in ((1, along), (0, 1 - along)):
                    at = (row + add_row) * (columns + 2) + column + add_column
                    corners += np.bincount(
                        at, weights=sign_x * sign_y * weight * share_y * share_x, minlength=corners.size
                    )
    grid = corners.reshape(rows + 2, columns + 2)[::-1, ::-1]
    area: Floats = grid.cumsum(axis=0).cumsum(axis=1)[::-1, ::-1][1:-1, 1:-1]
    return area


def _split(bound: Floats) -> tuple[np.typing.NDArray[np.int64], Floats]:
    whole = np.floor(bound)
    return whole.astype(np.int64), bound - whole
