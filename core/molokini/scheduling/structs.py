"""Structs of arrays that compiled code reaches through one pointer.

A ``Struct`` subclass declares its fields by annotation: ``int`` and ``float`` scalars, and arrays
(``Ints``, ``Floats``, ``IntTable``, ``FloatTable``). Python code reads and writes them as attributes;
so does compiled code, in the very same words. To compiled code a struct is one pointer, whatever
the number of its fields: a policy over sixty arrays is called with two arguments, nothing is
copied and nothing is counted (docs/decisions/0003-structs-by-pointer.md).

In memory a struct is a row of 64-bit words: a scalar takes one, an array its data address followed
by its shape. Arrays must be C-contiguous and are replaced only between two compiled calls.

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
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_global, signature
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_builtin,
    lower_getattr_generic,
    lower_setattr_generic,
    register_model,
    typeof_impl,
    unbox,
)
from numpy.typing import NDArray


class ColumnType(types.Type):  # type: ignore[misc]
    """numba's type of one array field: its element type, its dimensions, and whose field it is."""

    def __init__(self, owner: str, dtype: Any, ndim: int) -> None:
        self.owner, self.dtype, self.ndim = owner, dtype, ndim
        super().__init__(name=f"Column({owner}, {dtype}, {ndim})")


Ints: TypeAlias = Annotated[NDArray[np.int64], (types.int64, 1)]
Floats: TypeAlias = Annotated[NDArray[np.float64], (types.float64, 1)]
IntTable: TypeAlias = Annotated[NDArray[np.int64], (types.int64, 2)]
FloatTable: TypeAlias = Annotated[NDArray[np.float64], (types.float64, 2)]

_SCALARS = {int: types.int64, float: types.float64}


class StructType(types.Type):  # type: ignore[misc]
    """numba's type of one ``Struct`` class; equal by name, so that the disk cache finds it again."""

    def __init__(self, name: str, fields: dict[str, tuple[int, Any]]) -> None:
        self.fields = fields
        super().__init__(name=f"Struct({name})")


register_model(StructType)(OpaqueModel)
register_model(ColumnType)(OpaqueModel)


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
    _words: NDArray[np.int64]
    _floats: NDArray[np.float64]
    address: int

    def __init_subclass__(cls) -> None:
        slot, layout = 0, dict[str, tuple[int, Any]]()
        for name, hint in get_type_hints(cls, include_extras=True).items():
            if name.startswith("_") or name in ("numba_type", "layout", "address", "words"):
                continue
            if hint in _SCALARS:
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
        self._words = np.zeros(self.words, dtype=np.int64)
        self._floats = self._words.view(np.float64)
        self.address = self._words.ctypes.data
        for name, array in arrays.items():
            self.bind(name, array)
        unbound = [name for name in self.columns() if name not in self.__dict__]
        assert not unbound, f"{type(self).__name__} without {unbound}"

    @classmethod
    def columns(cls) -> dict[str, ColumnType]:
        """The array fields and their types."""
        return {name: kind for name, (_, kind) in cls.layout.items() if isinstance(kind, ColumnType)}

    def bind(self, name: str, array: NDArray[Any]) -> None:
        """Make *array* the field *name*, here and for compiled code."""
        slot, kind = self.layout[name]
        wanted = np.int64 if kind.dtype == types.int64 else np.float64
        assert array.dtype == wanted, name
        assert array.ndim == kind.ndim and array.flags.c_contiguous, name  # noqa: PT018
        self.__dict__[name] = array
        self._words[slot] = array.ctypes.data
        self._words[slot + 1 : slot + 1 + kind.ndim] = array.shape

    def read_only(self, but: frozenset[str]) -> Self:
        """The same struct for interpreted readers: same words, arrays that refuse to be written.

        Arrays named in *but* stay writable. Compiled code gets the same pointer either way.
        """
        twin = object.__new__(type(self))
        twin._words, twin._floats, twin.address = self._words, self._floats, self.address
        for name in self.columns():
            array = self.__dict__[name]
            if name not in but:
                array = array.view()
                array.flags.writeable = False
            twin.__dict__[name] = array
        return twin

    def copy(self) -> Self:
        """An independent struct with the same contents."""
        twin = type(self)(**{name: self.__dict__[name].copy() for name in self.columns()})
        for name, (_, kind) in self.layout.items():
            if not isinstance(kind, ColumnType):
                setattr(twin, name, getattr(self, name))
        return twin


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
