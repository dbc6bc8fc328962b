"""Overlays: names for places in arrays, the same for Python and for compiled code."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import pytest

from molokini.compiled.compilation import compile_entry, interpreted
from molokini.compiled.overlay import Member, Overlay
from molokini.compiled.structs import Floats, FloatTable, Ints, Struct


class Store(Struct):
    """Arrays of an owner who does not know what they hold."""

    floats: Floats
    ints: Ints
    table: FloatTable


class Names(Overlay):
    """Names for some of it."""

    members: ClassVar = {
        "next_s": Member("floats", 0),
        "limit": Member("floats", 1, whole=True),
        "rest": Member("floats", 2, 0),
        "count": Member("ints", 1),
        "slots": Member("ints", 2, 2),
        "start_s": Member("table", 1),
    }

    next_s: float
    limit: int
    rest: Floats
    count: int
    slots: Ints
    start_s: Floats


names = Names.of


def store() -> Store:
    return Store(
        floats=np.array([0.5, 3.0, 10.0, 20.0, 30.0]), ints=np.arange(5), table=np.arange(6.0).reshape(3, 2)
    )


def _write(one: Store, out: Floats) -> None:
    names(one).next_s = min(names(one).next_s, 0.25)
    names(one).count += names(one).limit
    names(one).slots[1] = names(one).slots[0] * 10
    names(one).start_s[2] = names(one).rest[1]
    names(one).rest[0] += 1
    out[0], out[1], out[2] = names(one).rest.size, names(one).slots.size, names(one).start_s.size


def _plain(one: Store) -> list[float]:
    out = np.zeros(3)
    _write(one, out)
    return [float(number) for number in out]


def _compiled(one: Store) -> list[float]:
    from numba.core import types

    out = np.zeros(3)
    signature = types.void(Store.numba_type, types.Array(types.float64, 1, "C"))
    compile_entry(_write, signature)(one, out)
    return [float(number) for number in out]


WAYS = [_plain, pytest.param(_compiled, marks=pytest.mark.skipif(interpreted(), reason="compiles"))]


@pytest.mark.parametrize("way", WAYS)
def test_names_read_and_write_the_arrays(way: Callable[[Store], list[float]]) -> None:
    one = store()
    assert way(one) == [3.0, 2.0, 3.0]
    assert one.floats.tolist() == [0.25, 3.0, 11.0, 20.0, 30.0]
    assert one.ints.tolist() == [0, 4, 2, 20, 4]
    assert one.table.tolist() == [[0.0, 1.0], [2.0, 3.0], [4.0, 20.0]]


@pytest.mark.parametrize("way", WAYS)
def test_an_array_that_was_lengthened_is_seen_as_it_is_now(way: Callable[[Store], list[float]]) -> None:
    one = store()
    one.bind("table", np.zeros((9, 4)))
    assert way(one)[2] == 9.0
    assert one.table[2].tolist() == [0.0, 20.0, 0.0, 0.0]


def test_numbers_keep_their_types() -> None:
    one = names(store())
    assert [type(value) for value in (one.next_s, one.limit, one.count)] == [float, int, int]


def test_a_name_that_there_is_not_is_refused() -> None:
    one = names(store())
    with pytest.raises(AttributeError, match="Names has no number next"):
        one.next = 1.0
    with pytest.raises(AttributeError, match="has no number slots"):
        one.slots = 1  # type: ignore[assignment]
    with pytest.raises(AttributeError, match="an element a row"):
        one.start_s = 1.0  # type: ignore[assignment]
    with pytest.raises(AttributeError, match="ends_s"):
        _ = one.ends_s


def test_a_member_may_have_the_name_of_what_overlays_have() -> None:
    class Odd(Overlay):
        members: ClassVar = {name: Member("floats", k) for k, name in enumerate(("of", "members"))}

    one: Any = Odd.of(store())
    assert (one.of, one.members) == (0.5, 3.0)
    assert Odd.members["of"].place == 0


@pytest.mark.skipif(interpreted(), reason="compiles")
def test_overlays_of_one_name_and_other_places_are_other_types() -> None:
    """Or numba would take machine code of the one for the other."""

    def made(place: int) -> type[Overlay]:
        class Same(Overlay):
            members: ClassVar = {"next_s": Member("floats", place)}

        return Same

    def read(place: int) -> float:
        seen = made(place).of

        def first(one: Store, out: Floats) -> None:
            out[0] = seen(one).next_s

        from numba.core import types

        out = np.zeros(1)
        compile_entry(first, types.void(Store.numba_type, types.Array(types.float64, 1, "C")))(store(), out)
        return float(out[0])

    assert (read(0), read(1)) == (0.5, 3.0)
