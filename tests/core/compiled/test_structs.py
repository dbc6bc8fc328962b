"""Structs: the same words for Python and for compiled code."""

import numpy as np
import pytest

from molokini.compiled.compilation import compile_entry, interpreted
from molokini.compiled.structs import Floats, FloatTable, Ints, RecordFloats, RecordInts, Struct, fetch_row


class Small(Struct):
    """A few of each kind."""

    count: int
    rate: float
    rows: Ints
    shares: Floats
    table: FloatTable


def small() -> Small:
    made = Small(rows=np.arange(4), shares=np.ones(3), table=np.arange(6.0).reshape(2, 3))
    made.count, made.rate = 7, 0.5
    return made


def test_scalars_keep_their_types() -> None:
    one = small()
    assert (one.count, one.rate) == (7, 0.5)
    assert (type(one.count), type(one.rate)) == (int, float)
    one.rate = -1e300
    assert (one.count, one.rate) == (7, -1e300)


def test_a_copy_is_independent() -> None:
    one = small()
    other = one.copy()
    other.count, other.rows[0] = 8, 99
    assert (one.count, one.rows[0], other.count, other.rows[0]) == (7, 0, 8, 99)
    assert one.address != other.address


def test_a_read_only_twin_refuses_writes_and_sees_changes() -> None:
    one = small()
    view = one.read_only(frozenset({"shares"}))
    with pytest.raises(ValueError, match="read-only"):
        view.rows[0] = 1
    view.shares[0] = 4.0
    one.rows[1], one.count = 42, 3
    assert (one.shares[0], view.rows[1], view.count) == (4.0, 42, 3)


def test_wrong_arrays_are_not_bound() -> None:
    with pytest.raises(AssertionError, match="rows"):
        small().bind("rows", np.ones(4))
    with pytest.raises(AssertionError, match="table"):
        small().bind("table", np.ones((4, 4)).T[:2])
    with pytest.raises(AssertionError, match="without"):
        Small(rows=np.arange(4))


def change(s: Small, at: float) -> None:
    s.count += s.rows.size
    s.rate = s.table[1, 2] + at
    s.rows[2] = s.table.shape[1]
    s.shares[0] += 1


@pytest.mark.skipif(interpreted(), reason="nothing is compiled")
def test_compiled_code_reads_and_writes_the_same_words() -> None:
    from molokini.compiled.compilation import FLOAT, VOID

    one, other = small(), small()
    compile_entry(change, VOID(Small.numba_type, FLOAT))(one, 1.5)
    change(other, 1.5)
    for s in (one, other):
        assert (s.count, s.rate, s.rows[2], s.shares[0]) == (11, 6.5, 3, 2.0)
    one.bind("rows", np.arange(9))
    compile_entry(change, VOID(Small.numba_type, FLOAT))(one, 0.0)
    assert one.count == 20


class Recorded(Struct):
    """A record of two columns beside a plain array."""

    plain: Ints
    name: RecordInts
    weight: RecordFloats


def recorded(rows: int) -> Recorded:
    made = Recorded(plain=np.arange(3))
    made.lengthen_record(rows, weight=2.5)
    return made


def test_a_record_grows_with_its_contents_and_fills_new_rows() -> None:
    one = recorded(2)
    one.name[:], one.weight[0] = [7, 8], -1.0
    one.lengthen_record(4, weight=np.inf)
    assert one.name.tolist() == [7, 8, 0, 0]
    assert one.weight.tolist() == [-1.0, 2.5, np.inf, np.inf]
    assert one.name.ctypes.data % 64 == 0
    with pytest.raises(AssertionError, match="name"):
        one.bind("name", np.arange(4))


def test_copies_and_read_only_twins_hold_the_record() -> None:
    one = recorded(2)
    other, view = one.copy(), one.read_only(frozenset({"weight"}))
    other.name[1] = 5
    view.weight[1] = 9.0
    assert (one.name[1], other.name[1], one.weight[1], other.weight[1]) == (0, 5, 9.0, 2.5)
    with pytest.raises(ValueError, match="read-only"):
        view.name[0] = 1


def rename(s: Recorded, at: float) -> None:
    for row in range(s.name.size):
        fetch_row(s, row)
        s.name[row] = row + s.plain[2]
        s.weight[row] += at


@pytest.mark.skipif(interpreted(), reason="nothing is compiled")
def test_compiled_code_reads_and_writes_the_same_record() -> None:
    from molokini.compiled.compilation import FLOAT, VOID

    one, other = recorded(5), recorded(5)
    compile_entry(rename, VOID(Recorded.numba_type, FLOAT))(one, 1.5)
    rename(other, 1.5)
    for s in (one, other):
        assert s.name.tolist() == [2, 3, 4, 5, 6]
        assert s.weight.tolist() == [4.0] * 5
