"""Structs of arrays that compiled code reaches through one pointer.

A ``Struct`` subclass declares its fields by annotation: ``int`` and ``float`` scalars, and arrays
(``Ints``, ``Floats``, ``IntTable``, ``FloatTable``; ``FourInts`` and ``EightInts``, whose rows have
that length). Python code reads and writes them as attributes;
so does compiled code, in the very same words. To compiled code a struct is one pointer, whatever
the number of its fields: a policy over sixty arrays is called with two arguments, nothing is
copied and nothing is counted (docs/decisions/0003-structs-by-pointer.md).

In memory a struct is a row of 64-bit words: a scalar takes one, an array its data address followed
by its shape. Arrays must be C-contiguous and are replaced only between two compiled calls; short ones that
are made together lie in one piece of memory. A field that is a struct itself lies inline in the same row, so
that a field of a field costs compiled code what a field costs (docs/architecture.md).

Fields of the types ``RecordInts`` and ``RecordFloats`` are columns of one table, the struct's *record*: what
belongs to one row stands side by side in memory, in the order of declaration, eight fields to a line of the
cache. A row that has left the cache is then fetched in a few lines, and not in one line for each field.

A compiled array field has ``a[i]``, ``t[i, j]``, ``.size`` and ``.shape``; that is all that kernels need,
and so the optimizer can be given two facts that numba's own arrays cannot give: no two
fields overlap, and addresses and shapes do not change. Indices are not checked and do not count
from the end; the interpreted runs of the tests would show an index out of bounds.
"""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache, lru_cache
from typing import Annotated, Any, ClassVar, Self, TypeAlias, get_origin, get_type_hints

import numpy as np
from numba.core import types
from numba.extending import typeof_impl
from numpy.typing import NDArray

from molokini.compiled.lowering import LINE_WORDS
from molokini.compiled.struct_types import ChildType, ColumnType, StructType

Ints: TypeAlias = Annotated[NDArray[np.int64], (types.int64, 1)]
Floats: TypeAlias = Annotated[NDArray[np.float64], (types.float64, 1)]
IntTable: TypeAlias = Annotated[NDArray[np.int64], (types.int64, 2)]
FloatTable: TypeAlias = Annotated[NDArray[np.float64], (types.float64, 2)]
FourInts: TypeAlias = Annotated[NDArray[np.int64], (types.int64, 2, 4)]
"""A table of four columns, as compiled code knows: it shifts a row's number where it would multiply it."""
EightInts: TypeAlias = Annotated[NDArray[np.int64], (types.int64, 2, 8)]
RecordInts: TypeAlias = Annotated[NDArray[np.int64], (types.int64, 0)]
"""A column of whole numbers, one a job: ``planned: RecordInts``."""
RecordFloats: TypeAlias = Annotated[NDArray[np.float64], (types.float64, 0)]
"""A column of numbers, one a job: ``start_s: RecordFloats``."""

_SCALARS = {int: types.int64, float: types.float64}
MOST_TOGETHER = 512
"""Elements of the longest array that lies in one piece of memory with other arrays of its struct."""
_Place: TypeAlias = tuple[str, int, bool, int, int, tuple[int, ...]]
"""A field: its name and slot, whether it holds whole numbers, its first and last word, and its shape."""
_Shapes: TypeAlias = tuple[tuple[str, tuple[int, ...]], ...]
_OWN = frozenset({"numba_type", "layout", "address", "words", "record_words", "record", "children"})
"""Names of ``Struct`` itself."""


class _Scalar:
    """A descriptor over one word."""

    def __init__(self, slot: int, kind: type[int] | type[float]) -> None:
        self.slot, self.kind = slot, kind

    def __get__(self, instance: "Struct | None", owner: type) -> Any:
        if instance is None:
            return self
        words = instance._floats if self.kind is float else instance._words
        return words.item(self.slot)

    def __set__(self, instance: "Struct", value: float) -> None:
        words = instance._floats if self.kind is float else instance._words
        words[self.slot] = value


class Struct:
    """Base of all structs; a subclass only annotates its fields."""

    numba_type: ClassVar[StructType]
    layout: ClassVar[dict[str, tuple[int, Any]]]
    words: ClassVar[int]
    record_words: ClassVar[int]
    """Words in a row of the record, a whole number of cache lines; 0 without a record."""
    children: ClassVar[dict[str, type["Struct"]]] = {}
    """Fields that are structs."""
    _columns: ClassVar[dict[str, ColumnType]]
    _dtypes: ClassVar[dict[str, np.dtype[Any]]]
    _words: NDArray[np.int64]
    _floats: NDArray[np.float64]
    _record: NDArray[np.int64]
    address: int

    def __init_subclass__(cls) -> None:
        hints = get_type_hints(cls, include_extras=True)
        recorded = [name for name, hint in hints.items() if hint in (RecordInts, RecordFloats)]
        cls.record_words = -(-len(recorded) // LINE_WORDS) * LINE_WORDS
        cls.children = {}
        # The record's address and length come first, where there is one.
        slot, layout = (2 if recorded else 0), dict[str, tuple[int, Any]]()
        for name, hint in hints.items():
            if name.startswith("_") or name in _OWN or get_origin(hint) is ClassVar:
                continue
            owner = f"{cls.__qualname__}.{name}"
            if name in recorded:
                kind, place = hint.__metadata__[0][0], recorded.index(name)
                layout[name] = (0, ColumnType(owner, kind, 1, place, cls.record_words))
            elif hint in _SCALARS:
                layout[name] = (slot, _SCALARS[hint])
                setattr(cls, name, _Scalar(slot, hint))
                slot += 1
            elif isinstance(hint, type) and issubclass(hint, Struct):
                cls.children[name] = hint
                layout[name] = (slot, ChildType(hint.numba_type))
                slot += hint.words
            else:
                dtype, ndim, *length = hint.__metadata__[0]
                layout[name] = (slot, ColumnType(owner, dtype, ndim, 0, *length))
                slot += 1 + ndim
        cls.layout, cls.words = layout, slot
        cls._columns = {name: kind for name, (_, kind) in layout.items() if isinstance(kind, ColumnType)}
        cls._dtypes = {name: np.dtype(str(kind.dtype)) for name, kind in cls._columns.items()}
        cls.numba_type = StructType(f"{cls.__qualname__}#{_digest(layout)}", layout)
        typeof_impl.register(cls)(lambda value, context: type(value).numba_type)

    def __init__(self, **fields: "NDArray[Any] | Struct | Mapping[str, NDArray[Any]]") -> None:
        """A struct with these arrays; fields that are structs have these arrays, or copies of a struct's."""
        self._lie_in(np.zeros(self.words, dtype=np.int64))
        for name, field in fields.items():
            if isinstance(field, Struct):
                self.__dict__[name]._fill_from(field)
            elif isinstance(field, Mapping):
                self.__dict__[name]._bind_all(field)
            else:
                self.bind(name, field)
        self._check_bound()

    def _bind_all(self, arrays: "Mapping[str, NDArray[Any]]") -> None:
        for name, array in arrays.items():
            self.bind(name, array)
        self._check_bound()

    def _lie_in(self, words: NDArray[np.int64]) -> None:
        """Have *words* for the row; structs that are fields have parts of them."""
        self._lie_at(words, words.view(np.float64), words.ctypes.data)

    def _lie_at(self, words: NDArray[np.int64], floats: NDArray[np.float64], address: int) -> None:
        self._bindings = 0
        self._words, self._floats, self.address = words, floats, address
        if self.record_words:
            self._make_record(0)
        for name, kind in self.children.items():
            slot = self.layout[name][0]
            part = slice(slot, slot + kind.words)
            child = object.__new__(kind)
            child._lie_at(words[part], floats[part], address + 8 * slot)
            self.__dict__[name] = child

    def _check_bound(self) -> None:
        unbound = [name for name in self.columns() if name not in self.__dict__]
        assert not unbound, f"{type(self).__name__} without {unbound}"

    def each_child(self) -> Iterator[tuple[str, "Struct"]]:
        """The structs that are fields, with their names."""
        for name in self.children:
            yield name, self.__dict__[name]

    @property
    def bindings(self) -> int:
        """How often an array was bound, here and in structs that are fields."""
        return self._bindings + sum(child.bindings for _, child in self.each_child())

    @classmethod
    def with_zero(cls, *fields: str) -> StructType:
        """numba's type of the structs of this class in which all these numbers are 0."""
        return StructType(cls.numba_type.struct, cls.layout, frozenset(fields))

    @classmethod
    def columns(cls) -> dict[str, ColumnType]:
        """The array fields and their types."""
        return cls._columns

    @classmethod
    def scalars(cls) -> list[str]:
        """The fields that are one number."""
        no_number = ColumnType | ChildType
        return [name for name, (_, kind) in cls.layout.items() if not isinstance(kind, no_number)]

    def bind(self, name: str, array: NDArray[Any]) -> None:
        """Make *array* the field *name*, here and for compiled code."""
        slot, kind = self.layout[name]
        assert not kind.recorded, name
        assert array.dtype == self._dtypes[name], name
        assert array.ndim == kind.ndim and array.flags.c_contiguous, name  # noqa: PT018
        assert kind.stride == 1 or array.shape[1] == kind.stride, name
        self._put(name, slot, array, array.ctypes.data)

    def _put(self, name: str, slot: int, array: NDArray[Any], address: int) -> None:
        self.__dict__[name] = array
        self._bindings += 1
        words = self._words
        words[slot] = address
        for length in array.shape:
            slot += 1
            words[slot] = length

    def bind_together(self, shapes: Mapping[str, tuple[int, ...]]) -> list[str]:
        """Make fields that are short new arrays, full of zeros, by their *shapes*; the names of the others.

        They lie in one piece of memory, each from a line of the cache on: a piece and its address cost more
        than many arrays in it. Of a long one neither is true, nor need it be written before it is used.
        """
        plan, size, long = self._together(tuple(shapes.items()))
        piece = np.zeros(size + LINE_WORDS, dtype=np.int64)
        address = piece.ctypes.data
        skipped = -(address // 8) % LINE_WORDS
        piece, address = piece[skipped:], address + 8 * skipped
        floats, words, fields = piece.view(np.float64), self._words, self.__dict__
        for name, slot, of_ints, first, last, shape in plan:
            array = (piece if of_ints else floats)[first:last]
            words[slot] = address + 8 * first
            if len(shape) == 1:
                fields[name], words[slot + 1] = array, shape[0]
            else:
                fields[name] = array.reshape(shape)
                words[slot + 1], words[slot + 2] = shape
        self._bindings += len(plan)
        return list(long)

    @classmethod
    @lru_cache(maxsize=1024)
    def _together(cls, shapes: _Shapes) -> tuple[list[_Place], int, list[str]]:
        """Where fields of these shapes lie in a piece of memory; its length; which are too long for it."""
        together, long, size = list[_Place](), list[str](), 0
        for name, shape in shapes:
            slot, kind = cls.layout[name]
            assert len(shape) == kind.ndim, name
            assert kind.stride in (1, shape[-1]), name
            length = shape[0] if len(shape) == 1 else shape[0] * shape[1]
            if length > MOST_TOGETHER:
                long.append(name)
            else:
                together.append((name, slot, kind.of_ints, size, size + length, shape))
                size += -(-length // LINE_WORDS) * LINE_WORDS
        return together, size, long

    def _make_record(self, rows: int) -> None:
        """A record that begins with a cache line; its contents are to be filled in."""
        words = np.empty(rows * self.record_words + LINE_WORDS, dtype=np.int64)
        first = -(words.ctypes.data // 8) % LINE_WORDS
        self._have_record(words[first : first + rows * self.record_words].reshape(rows, self.record_words))

    def move_record(self, words: NDArray[np.int64]) -> None:
        """Have the record in *words* from now on, with the same contents; they begin with a cache line."""
        old = self._record
        record = words[: old.size].reshape(old.shape)
        record[...] = old
        self._have_record(record)

    def _have_record(self, record: NDArray[np.int64]) -> None:
        """Make *record*, which begins with a cache line, that of this struct."""
        self._words[0], self._words[1] = record.ctypes.data, len(record)
        self._record = record
        self._bindings += 1
        for name, kind in self.columns().items():
            if kind.recorded:
                column = record[:, kind.place]
                self.__dict__[name] = column if kind.of_ints else column.view(np.float64)

    @contextmanager
    def lent(self, name: str, array: NDArray[Any]) -> Iterator[None]:
        """Meanwhile *array* is the field *name*, for compiled code as well; it is no binding."""
        slot, own = self.layout[name][0], self.__dict__[name]
        assert array.dtype == own.dtype, name
        assert array.ndim == own.ndim and array.flags.c_contiguous, name  # noqa: PT018
        words = self._words
        kept = words[slot : slot + 1 + own.ndim].copy()
        self.__dict__[name] = array
        words[slot] = array.ctypes.data
        words[slot + 1 : slot + 1 + own.ndim] = array.shape
        try:
            yield
        finally:
            self.__dict__[name] = own
            words[slot : slot + 1 + own.ndim] = kept

    def lengthen_record(self, rows: int, **values: float) -> None:
        """Give the record so many rows: old ones keep their contents, new ones hold *values*, else 0."""
        old, row = self._record, np.zeros(self.record_words, dtype=np.int64)
        for name, value in values.items():
            kind = self.columns()[name]
            row[kind.place : kind.place + 1].view(self._dtypes[name])[0] = value
        self._make_record(rows)
        self._record[: len(old)] = old
        self._record[len(old) :] = row

    @property
    def record(self) -> NDArray[np.int64]:
        """The record as it stands in memory, a row a line; floats by their bits."""
        return self._record

    def read_only(self, but: frozenset[str]) -> Self:
        """The same struct for interpreted readers: same words, arrays that refuse to be written.

        Arrays named in *but* (by dots, those of a struct inside) stay writable. Compiled code gets the same
        pointer either way.
        """
        twin = object.__new__(type(self))
        twin._words, twin._floats, twin.address = self._words, self._floats, self.address
        twin._bindings, twin.__dict__["_noted"] = 0, self.noted
        if self.record_words:
            twin._record = self._record
        for name, child in self.each_child():
            own = frozenset(one.partition(".")[2] for one in but if one.startswith(f"{name}."))
            twin.__dict__[name] = child.read_only(own)
        for name in self.columns():
            array = self.__dict__[name]
            if name not in but:
                array = array.view()
                array.flags.writeable = False
            twin.__dict__[name] = array
        return twin

    @property
    def noted(self) -> dict[str, Any]:
        """What Python code notes beside it, for whoever has this struct; a copy begins with nothing."""
        found: dict[str, Any] = self.__dict__.setdefault("_noted", {})
        return found

    def copy(self) -> Self:
        """An independent struct with the same contents."""
        twin = object.__new__(type(self))
        twin._lie_in(np.zeros(self.words, dtype=np.int64))
        twin._fill_from(self)
        return twin

    def _fill_from(self, other: Self) -> None:
        shapes = {
            name: other.__dict__[name].shape for name, kind in self.columns().items() if not kind.recorded
        }
        for name in self.bind_together(shapes):
            self.bind(name, other.__dict__[name].copy())
            del shapes[name]
        for name in shapes:
            self.__dict__[name][...] = other.__dict__[name]
        if self.record_words:
            self._make_record(len(other._record))
            self._record[:] = other._record
        for name, child in self.each_child():
            child._fill_from(other.__dict__[name])
        self._copy_own_scalars(other)

    @classmethod
    @cache
    def _number_places(cls) -> NDArray[np.int64]:
        """The places, in the row of such a struct, of all that is one number, here and in structs inside."""
        found = [slot for slot, kind in cls.layout.values() if not isinstance(kind, ColumnType | ChildType)]
        inside = [cls.layout[name][0] + child._number_places() for name, child in cls.children.items()]
        return np.concatenate([np.array(found, dtype=np.int64), *inside])

    def numbers_in_order(self) -> NDArray[np.int64]:
        """All that is one number, here and in structs inside, by its bits."""
        return self._words[self._number_places()]

    def set_numbers(self, numbers: NDArray[np.int64]) -> None:
        """Take over numbers that ``numbers_in_order`` has given."""
        self._words[self._number_places()] = numbers

    def copy_scalars(self, other: Self) -> None:
        """Take over the numbers of *other*, which are no arrays, and those of structs inside."""
        places = self._number_places()
        self._words[places] = other._words[places]

    def _copy_own_scalars(self, other: Self) -> None:
        for name in self.scalars():
            setattr(self, name, getattr(other, name))


def _digest(layout: dict[str, tuple[int, Any]]) -> str:
    """Eight hexadecimal digits that change with the layout, and with that of structs inside."""
    said = ", ".join(f"{name} {slot} {kind.name}" for name, (slot, kind) in layout.items())
    return hashlib.sha256(said.encode()).hexdigest()[:8]
