"""Structs of arrays that compiled code reaches through one pointer.

A ``Struct`` subclass declares its fields by annotation: ``int`` and ``float`` scalars, and arrays
(``Ints``, ``Floats``, ``IntTable``, ``FloatTable``). Python code reads and writes them as attributes;
so does compiled code, in the very same words. To compiled code a struct is one pointer, whatever
the number of its fields: a policy over sixty arrays is called with two arguments, nothing is
copied and nothing is counted (docs/decisions/0003-structs-by-pointer.md).

In memory a struct is a row of 64-bit words: a scalar takes one, an array its data address followed
by its shape. Arrays must be C-contiguous and are replaced only between two compiled calls.

Fields of the types ``RecordInts`` and ``RecordFloats`` are columns of one table, the struct's *record*: what
belongs to one row stands side by side in memory, in the order of declaration, eight fields to a line of the
cache. A row that was not looked at for long is then fetched in a few lines instead of one line a field.

A compiled array field knows ``a[i]``, ``t[i, j]``, ``.size`` and ``.shape``; that is all that kernels need,
and it lets us say two things to the optimizer that numba's own arrays cannot: that no two
fields overlap, and that addresses and shapes stay as they are. Indices are not checked and do not count
from the end; the interpreted runs of the tests would show an index that goes wrong.
"""

import operator
from typing import Annotated, Any, ClassVar, Self, TypeAlias, get_type_hints

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.datamodel.models import OpaqueModel
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_global, signature
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_builtin,
    lower_getattr_generic,
    lower_setattr_generic,
    register_model,
    type_callable,
    typeof_impl,
    unbox,
)
from numpy.typing import NDArray


class ColumnType(types.Type):  # type: ignore[misc]
    """numba's type of one array field: its element type, its dimensions, and whose field it is."""

    def __init__(self, owner: str, dtype: Any, ndim: int, place: int = 0, stride: int = 1) -> None:
        self.owner, self.dtype, self.ndim = owner, dtype, ndim
        self.place, self.stride = place, stride
        """Of a record's column: which it is, and how many words a row of the record has."""
        super().__init__(name=f"Column({owner}, {dtype}, {ndim}, {place}, {stride})")

    @property
    def recorded(self) -> bool:
        """Whether this is a column of the record."""
        return self.stride > 1


Ints: TypeAlias = Annotated[NDArray[np.int64], (types.int64, 1)]
Floats: TypeAlias = Annotated[NDArray[np.float64], (types.float64, 1)]
IntTable: TypeAlias = Annotated[NDArray[np.int64], (types.int64, 2)]
FloatTable: TypeAlias = Annotated[NDArray[np.float64], (types.float64, 2)]
RecordInts: TypeAlias = Annotated[NDArray[np.int64], (types.int64, 0)]
RecordFloats: TypeAlias = Annotated[NDArray[np.float64], (types.float64, 0)]

_SCALARS = {int: types.int64, float: types.float64}


class StructType(types.Type):  # type: ignore[misc]
    """numba's type of one ``Struct`` class; equal by name, so that the disk cache finds it again.

    Fields named in *zero* are 0 in every struct of this type that compiled code is called with: what is done
    only where they are not is left out before anything of it is compiled (``compilation``).
    """

    def __init__(
        self, name: str, fields: dict[str, tuple[int, Any]], zero: frozenset[str] = frozenset()
    ) -> None:
        self.struct, self.fields, self.zero = name, fields, zero
        super().__init__(name=f"Struct({name})" if not zero else f"Struct({name}, {sorted(zero)})")

    def can_convert_to(self, typingctx: Any, other: Any) -> Any:
        """A caller in Python may give any struct of the class; it has seen to its zeros."""
        same = isinstance(other, StructType) and other.struct == self.struct
        return Conversion.safe if same else None


register_model(StructType)(OpaqueModel)
register_model(ColumnType)(OpaqueModel)


_LINE_WORDS = 8
"""Words of 64 bits in a cache line."""
_OWN = frozenset({"numba_type", "layout", "address", "words", "record_words", "record"})
"""Names of ``Struct`` itself."""


class _Scalar:
    """A descriptor over one word."""

    def __init__(self, slot: int, kind: type[int] | type[float]) -> None:
        self.slot, self.kind = slot, kind

    def __get__(self, instance: "Struct | None", owner: type) -> Any:
        if instance is None:
            return self
        words = instance._floats if self.kind is float else instance._words
        return self.kind(words[self.slot])

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
    _words: NDArray[np.int64]
    _floats: NDArray[np.float64]
    _record: NDArray[np.int64]
    address: int

    def __init_subclass__(cls) -> None:
        hints = get_type_hints(cls, include_extras=True)
        recorded = [name for name, hint in hints.items() if hint in (RecordInts, RecordFloats)]
        cls.record_words = -(-len(recorded) // _LINE_WORDS) * _LINE_WORDS
        # The record's address and length come first.
        slot, layout = 2, dict[str, tuple[int, Any]]()
        for name, hint in hints.items():
            if name.startswith("_") or name in _OWN:
                continue
            if name in recorded:
                kind = hint.__metadata__[0][0]
                place, owner = recorded.index(name), f"{cls.__name__}.{name}"
                layout[name] = (0, ColumnType(owner, kind, 1, place, cls.record_words))
            elif hint in _SCALARS:
                layout[name] = (slot, _SCALARS[hint])
                setattr(cls, name, _Scalar(slot, hint))
                slot += 1
            else:
                dtype, ndim = hint.__metadata__[0]
                layout[name] = (slot, ColumnType(f"{cls.__name__}.{name}", dtype, ndim))
                slot += 1 + ndim
        cls.layout, cls.words = layout, slot
        cls.numba_type = StructType(cls.__name__, layout)
        typeof_impl.register(cls)(lambda value, context: type(value).numba_type)

    def __init__(self, **arrays: NDArray[Any]) -> None:
        self.bindings = 0
        """How often an array was put in the place of another."""
        self._words = np.zeros(self.words, dtype=np.int64)
        self._floats = self._words.view(np.float64)
        self.address = self._words.ctypes.data
        self._make_record(0)
        for name, array in arrays.items():
            self.bind(name, array)
        unbound = [name for name in self.columns() if name not in self.__dict__]
        assert not unbound, f"{type(self).__name__} without {unbound}"

    @classmethod
    def with_zero(cls, *fields: str) -> StructType:
        """numba's type of those structs of this class in which all these numbers are 0."""
        return StructType(cls.__name__, cls.layout, frozenset(fields))

    @classmethod
    def columns(cls) -> dict[str, ColumnType]:
        """The array fields and their types."""
        return {name: kind for name, (_, kind) in cls.layout.items() if isinstance(kind, ColumnType)}

    def bind(self, name: str, array: NDArray[Any]) -> None:
        """Make *array* the field *name*, here and for compiled code."""
        slot, kind = self.layout[name]
        assert not kind.recorded, name
        wanted = np.int64 if kind.dtype == types.int64 else np.float64
        assert array.dtype == wanted, name
        assert array.ndim == kind.ndim and array.flags.c_contiguous, name  # noqa: PT018
        self.__dict__[name] = array
        self.bindings += 1
        self._words[slot] = array.ctypes.data
        self._words[slot + 1 : slot + 1 + kind.ndim] = array.shape

    def _make_record(self, rows: int) -> None:
        """A record that begins with a cache line; its contents are to be filled in."""
        words = np.empty(rows * self.record_words + _LINE_WORDS, dtype=np.int64)
        first = -(words.ctypes.data // 8) % _LINE_WORDS
        record = words[first : first + rows * self.record_words].reshape(rows, self.record_words)
        self._words[0], self._words[1] = record.ctypes.data, rows
        self._record = record
        self.bindings += 1
        for name, kind in self.columns().items():
            if kind.recorded:
                column = record[:, kind.place]
                self.__dict__[name] = column if kind.dtype == types.int64 else column.view(np.float64)

    def lengthen_record(self, rows: int, **values: float) -> None:
        """Give the record so many rows: old ones keep their contents, new ones hold *values*, else 0."""
        old, row = self._record, np.zeros(self.record_words, dtype=np.int64)
        for name, value in values.items():
            kind = self.columns()[name]
            row[kind.place : kind.place + 1].view(str(kind.dtype))[0] = value
        self._make_record(rows)
        self._record[: len(old)] = old
        self._record[len(old) :] = row

    @property
    def record(self) -> NDArray[np.int64]:
        """The record as it stands in memory, a row a line; floats by their bits."""
        return self._record

    def read_only(self, but: frozenset[str]) -> Self:
        """The same struct for interpreted readers: same words, arrays that refuse to be written.

        Arrays named in *but* stay writable. Compiled code gets the same pointer either way.
        """
        twin = object.__new__(type(self))
        twin._words, twin._floats, twin.address = self._words, self._floats, self.address
        twin._record = self._record
        for name in self.columns():
            array = self.__dict__[name]
            if name not in but:
                array = array.view()
                array.flags.writeable = False
            twin.__dict__[name] = array
        return twin

    def copy(self) -> Self:
        """An independent struct with the same contents."""
        plain = {
            name: self.__dict__[name].copy() for name, kind in self.columns().items() if not kind.recorded
        }
        twin = type(self)(**plain)
        twin._make_record(len(self._record))
        twin._record[:] = self._record
        twin.copy_scalars(self)
        return twin

    def copy_scalars(self, other: Self) -> None:
        """Take over the numbers of *other*, which are no arrays."""
        for name, (_, kind) in self.layout.items():
            if not isinstance(kind, ColumnType):
                setattr(self, name, getattr(other, name))


@infer_getattr
class _StructAttribute(AttributeTemplate):  # type: ignore[misc]
    key = StructType

    def generic_resolve(self, typ: StructType, attr: str) -> Any:
        return typ.fields[attr][1] if attr in typ.fields else None


_I64 = ir.IntType(64)


def _word(builder: Any, pointer: Any, slot: int) -> Any:
    base = builder.bitcast(pointer, _I64.as_pointer())
    return builder.gep(base, [ir.Constant(_I64, slot)])


def _constant_word(builder: Any, pointer: Any, slot: int) -> Any:
    """Load an address or a shape: it does not change during a compiled call, so it may leave any loop."""
    word = builder.load(_word(builder, pointer, slot))
    word.set_metadata("invariant.load", builder.module.add_metadata([]))
    return word


def _is_field(builder: Any, instruction: Any, field: str) -> Any:
    """Tell the optimizer which field a load or store touches; fields never overlap."""
    module = builder.module
    root = module.add_metadata([ir.MetaDataString(module, "molokini structs")])
    kind = module.add_metadata([ir.MetaDataString(module, field), root, ir.Constant(_I64, 0)])
    tag = module.add_metadata([kind, kind, ir.Constant(_I64, 0)])
    instruction.set_metadata("tbaa", tag)
    return instruction


@lower_getattr_generic(StructType)  # type: ignore[untyped-decorator]
def _lower_get(context: Any, builder: Any, typ: StructType, struct: Any, attr: str) -> Any:
    slot, kind = typ.fields[attr]
    if attr in typ.zero:
        return context.get_constant(kind, 0)
    place = _word(builder, struct, slot)
    if isinstance(kind, ColumnType):
        return builder.bitcast(place, context.get_value_type(kind))
    pointer = builder.bitcast(place, context.get_data_type(kind).as_pointer())
    return _is_field(builder, builder.load(pointer), f"{typ.name}.{attr}")


@lower_setattr_generic(StructType)  # type: ignore[untyped-decorator]
def _lower_set(context: Any, builder: Any, sig: Any, args: Any, attr: str) -> None:
    typ, value_type = sig.args
    struct, value = args
    slot, kind = typ.fields[attr]
    value = context.cast(builder, value, value_type, kind)
    pointer = builder.bitcast(_word(builder, struct, slot), context.get_data_type(kind).as_pointer())
    _is_field(builder, builder.store(value, pointer), f"{typ.name}.{attr}")


@unbox(StructType)  # type: ignore[untyped-decorator]
def _unbox(typ: StructType, obj: Any, c: Any) -> Any:
    address = c.pyapi.object_getattr_string(obj, "address")
    value = c.pyapi.long_as_longlong(address)
    c.pyapi.decref(address)
    return NativeValue(c.builder.inttoptr(value, c.context.get_value_type(typ)))


def _index_type(column: ColumnType, index: Any) -> Any:
    """The index as this column takes it, or None: integers only, as many as dimensions."""
    if column.ndim == 1 and isinstance(index, types.Integer):
        return types.int64
    if column.ndim == 2 and isinstance(index, types.BaseTuple) and len(index) == 2:
        return types.UniTuple(types.int64, 2) if all(isinstance(i, types.Integer) for i in index) else None
    return None


@infer_global(operator.getitem)
class _ColumnGet(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        if isinstance(args[0], ColumnType) and (index := _index_type(args[0], args[1])) is not None:
            return signature(args[0].dtype, args[0], index)
        return None


@infer_global(operator.setitem)
class _ColumnSet(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        if isinstance(args[0], ColumnType) and (index := _index_type(args[0], args[1])) is not None:
            return signature(types.none, args[0], index, args[0].dtype)
        return None


def _element(context: Any, builder: Any, typ: ColumnType, column: Any, index: Any) -> Any:
    if typ.ndim == 2:
        row, offset = builder.extract_value(index, 0), builder.extract_value(index, 1)
        index = builder.add(builder.mul(row, _constant_word(builder, column, 2)), offset)
    elif typ.recorded:
        index = builder.mul(index, ir.Constant(_I64, typ.stride))
        index = builder.add(index, ir.Constant(_I64, typ.place))
    data = builder.inttoptr(_constant_word(builder, column, 0), context.get_data_type(typ.dtype).as_pointer())
    return builder.gep(data, [index])


@lower_builtin(operator.getitem, ColumnType, types.Any)  # type: ignore[untyped-decorator]
def _lower_getitem(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    typ = sig.args[0]
    return _is_field(builder, builder.load(_element(context, builder, typ, *args)), typ.owner)


@lower_builtin(operator.setitem, ColumnType, types.Any, types.Any)  # type: ignore[untyped-decorator]
def _lower_setitem(context: Any, builder: Any, sig: Any, args: Any) -> None:
    typ = sig.args[0]
    column, index, value = args
    _is_field(builder, builder.store(value, _element(context, builder, typ, column, index)), typ.owner)


@infer_getattr
class _ColumnAttribute(AttributeTemplate):  # type: ignore[misc]
    key = ColumnType

    def resolve_size(self, typ: ColumnType) -> Any:
        return types.int64 if typ.ndim == 1 else None

    def resolve_shape(self, typ: ColumnType) -> Any:
        return types.UniTuple(types.int64, typ.ndim)


@lower_getattr_generic(ColumnType)  # type: ignore[untyped-decorator]
def _lower_shape(context: Any, builder: Any, typ: ColumnType, column: Any, attr: str) -> Any:
    shape = [_constant_word(builder, column, 1 + axis) for axis in range(typ.ndim)]
    if attr == "size":
        return shape[0]
    return context.make_tuple(builder, types.UniTuple(types.int64, typ.ndim), shape)


def fetch_row(struct: Struct, row: int) -> None:
    """Have the first two cache lines of a row of the record fetched: it will be needed soon."""


@type_callable(fetch_row)  # type: ignore[untyped-decorator]
def _type_fetch(context: Any) -> Any:
    return lambda struct, row: types.none


@lower_builtin(fetch_row, StructType, types.Any)  # type: ignore[untyped-decorator]
def _lower_fetch(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    struct, row = args
    stride = next(kind.stride for _, kind in sig.args[0].fields.values() if _is_recorded(kind))
    record = builder.inttoptr(_constant_word(builder, struct, 0), _I64.as_pointer())
    first = builder.mul(row, ir.Constant(_I64, stride))
    byte, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [byte, flag, flag, flag])
    prefetch = builder.module.declare_intrinsic("llvm.prefetch", (byte,), kind)
    for line in range(2):
        place = builder.gep(record, [builder.add(first, ir.Constant(_I64, line * _LINE_WORDS))])
        to_write, in_all_caches, data = (ir.Constant(flag, value) for value in (1, 3, 1))
        builder.call(prefetch, [builder.bitcast(place, byte), to_write, in_all_caches, data])
    return context.get_dummy_value()


def _is_recorded(kind: Any) -> bool:
    return isinstance(kind, ColumnType) and kind.recorded
