"""Structs: the same words for Python and for compiled code."""

import numpy as np
import pytest

from molokini.compiled.compilation import compile_entry, interpreted
from molokini.compiled.lowering import fetch_row
from molokini.compiled.structs import (
    MOST_TOGETHER,
    Floats,
    FloatTable,
    FourInts,
    Ints,
    RecordFloats,
    RecordInts,
    Struct,
)


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


def test_new_arrays_are_zero_apart_and_begin_with_a_line_of_the_cache() -> None:
    one = small()
    shapes = {"rows": (9,), "shares": (MOST_TOGETHER,), "table": (3, 5)}
    assert one.bind_together(shapes) == []
    arrays = {name: getattr(one, name) for name in shapes}
    assert {name: array.shape for name, array in arrays.items()} == shapes
    assert [array.dtype.kind for array in arrays.values()] == ["i", "f", "f"]
    for number, array in enumerate(arrays.values(), 1):
        assert not array.any()
        array[...] = number
    assert [set(array.ravel().tolist()) for array in arrays.values()] == [{1}, {2}, {3}]
    assert [array.ctypes.data % 64 for array in arrays.values()] == [0, 0, 0]
    slots = [Small.layout[name][0] for name in shapes]
    assert [one._words[slot] for slot in slots] == [array.ctypes.data for array in arrays.values()]
    # One that is replaced leaves the others as they are.
    one.bind("rows", np.arange(2))
    assert (one.rows.tolist(), one.table[2, 4]) == ([0, 1], 3.0)


def test_long_arrays_are_not_made_together_with_others_and_copies_own_theirs() -> None:
    one = small()
    assert one.bind_together({"rows": (9,), "shares": (MOST_TOGETHER + 1,), "table": (200, 3)}) == [
        "shares",
        "table",
    ]
    assert (one.rows.size, one.shares.size, one.table.shape) == (9, 3, (2, 3))
    one.bind("shares", np.full(MOST_TOGETHER + 1, 0.5))
    other = one.copy()
    assert other.shares.base is None
    one.rows[0], one.shares[0], one.table[1, 1] = 8, 8.0, 8.0
    assert (other.rows[0], other.shares[0], other.table[1, 1]) == (0, 0.5, 4.0)


@pytest.mark.parametrize("shapes", [{"rows": (2, 2)}, {"table": (4,)}])
def test_new_arrays_of_a_wrong_shape_are_not_bound(shapes: dict[str, tuple[int, ...]]) -> None:
    with pytest.raises(AssertionError, match=next(iter(shapes))):
        small().bind_together(shapes)


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


class Whole(Struct):
    """Structs inside a struct, one of them with a record."""

    before: int
    small: Small
    recorded: Recorded
    after: float


def whole() -> Whole:
    made = Whole(small=small(), recorded=recorded(3))
    made.before, made.after = 4, 0.25
    return made


def test_a_struct_inside_lies_in_the_same_row() -> None:
    one = whole()
    one.small.count, one.after = 99, 2.5
    assert one._words[Whole.layout["small"][0] + Small.layout["count"][0]] == 99
    assert (one.before, one.small.rate, one.after) == (4, 0.5, 2.5)
    assert Whole.words == 2 + Small.words + Recorded.words


def test_copies_and_read_only_twins_go_all_the_way_down() -> None:
    one = whole()
    other, view = one.copy(), one.read_only(frozenset({"small.shares", "recorded.weight"}))
    other.small.rows[0], other.small.count, other.recorded.name[0] = 5, 1, 8
    assert (one.small.rows[0], one.small.count, one.recorded.name[0]) == (0, 7, 0)
    view.small.shares[0], view.recorded.weight[1] = 3.0, 4.0
    assert (one.small.shares[0], one.recorded.weight[1]) == (3.0, 4.0)
    for array in (view.small.rows, view.recorded.name):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    bindings = one.bindings
    one.small.bind("rows", np.arange(2))
    assert one.bindings == bindings + 1, "a view is made anew when an array inside is another"


def work(w: Whole, at: float) -> None:
    w.before += w.small.rows.size
    w.small.count += 1
    w.after = w.small.table[1, 2] + at
    inner_work(w.recorded, at)
    fetch_row(w.recorded, 0)


def inner_work(r: Recorded, at: float) -> None:
    for row in range(r.name.size):
        r.name[row] += row + 1
        r.weight[row] = at


@pytest.mark.skipif(interpreted(), reason="nothing is compiled")
def test_compiled_code_reads_and_writes_the_same_words_inside() -> None:
    from molokini.compiled.compilation import FLOAT, VOID, kernel

    kernel(inner_work)
    one, other = whole(), whole()
    compile_entry(work, VOID(Whole.numba_type, FLOAT))(one, 1.5)
    work(other, 1.5)
    for w in (one, other):
        assert (w.before, w.small.count, w.after) == (8, 8, 6.5)
        assert (w.recorded.name.tolist(), w.recorded.weight.tolist()) == ([1, 2, 3], [1.5] * 3)


def test_types_of_one_name_and_another_layout_are_others() -> None:
    def made(kind: type) -> type[Struct]:
        return type("Plan", (Struct,), {"__annotations__": {"value": kind, "other": int}})

    one, same, other = made(int), made(int), made(float)
    assert one.numba_type == same.numba_type
    assert one.numba_type != other.numba_type


def test_zeros_inside_are_zeros_of_the_struct_inside() -> None:
    kind = Whole.with_zero("small.count", "before")
    assert kind.inside("small").zero == {"count"}
    assert kind.inside("recorded") is Recorded.numba_type


class _Fours(Struct):
    """A table whose rows have four columns in every struct."""

    rows: FourInts


def _add_to(s: _Fours, place: int, value: int) -> int:
    s.rows[place, 3] += value
    return int(s.rows.shape[1] * s.rows[place, 3])


def test_a_table_of_four_columns_takes_no_other() -> None:
    with pytest.raises(AssertionError, match="rows"):
        _Fours(rows=np.zeros((5, 3), dtype=np.int64))


@pytest.mark.skipif(interpreted(), reason="nothing is compiled")
def test_compiled_code_finds_the_rows_of_a_table_of_four_columns() -> None:
    from molokini.compiled.compilation import INT

    made = _Fours(rows=np.arange(20).reshape(5, 4))
    entry = compile_entry(_add_to, INT(_Fours.numba_type, INT, INT))
    assert entry(made, 2, 100) == 4 * 111
    assert made.rows[2].tolist() == [8, 9, 10, 111]
    # Another length of the table, and the same machine code.
    made.bind("rows", np.zeros((50, 4), dtype=np.int64))
    assert entry(made, 49, 5) == 20
    assert made.rows.sum() == 5
