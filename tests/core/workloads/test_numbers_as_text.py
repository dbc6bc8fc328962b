"""Numbers of records as they are written: whole ones without a point, and none changed."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from molokini.workloads.swf import text_rows


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5))
@example([2.0**63])
@example([-(2.0**63), 1.0])
@example([2.0**63 - 1024, 0.5])
def test_a_number_is_read_back_as_it_was(column: list[float]) -> None:
    """Also where it is whole and too large for a whole number of the machine."""
    [text] = text_rows(np.array([column]).T, " ")
    assert [float(line) for line in text.splitlines()] == column


def test_whole_numbers_have_no_point() -> None:
    assert list(text_rows(np.array([[-1.0, 2.5], [2.0**53, 7.0]]), ",")) == ["-1,2.5\n9007199254740992,7\n"]
