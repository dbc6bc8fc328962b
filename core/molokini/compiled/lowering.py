"""What compiled code does with a struct: machine code for fields, elements of arrays and their lengths.

Imported for its effect by ``structs``: numba asks what is registered here.
"""

import operator
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_global, signature
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_builtin,
    lower_cast,
    lower_getattr_generic,
    lower_setattr_generic,
    type_callable,
    unbox,
)

from molokini.compiled.struct_types import ChildType, ColumnType, StructType

LINE_WORDS = 8
"""Words of 64 bits in a cache line."""


@infer_getattr
class _StructAttribute(AttributeTemplate):  # type: ignore[misc]
    key = StructType

    def generic_resolve(self, typ: StructType, attr: str) -> Any:
        if attr not in typ.fields:
            return None
        kind = typ.fields[attr][1]
        return typ.inside(attr) if isinstance(kind, ChildType) else kind


_I64 = ir.IntType(64)


def word_of(builder: Any, pointer: Any, slot: int) -> Any:
    """The address of word *slot* of the struct at *pointer*."""
    base = builder.bitcast(pointer, _I64.as_pointer())
    return builder.gep(base, [ir.Constant(_I64, slot)])


def _constant_word(builder: Any, pointer: Any, slot: int) -> Any:
    """Load an address or a shape: it does not change during a compiled call, so it may leave any loop."""
    word = builder.load(word_of(builder, pointer, slot))
    word.set_metadata("invariant.load", builder.module.add_metadata([]))
    return word


def tell_field(builder: Any, instruction: Any, field: str, array: str = "") -> Any:
    """Tell the optimizer which field a load or store touches: fields never overlap.

    Parts of one *array* that have names of their own do not overlap either, but each overlaps with the array.
    """
    module = builder.module
    kind = module.add_metadata([ir.MetaDataString(module, "molokini structs")])
    for name in (array, field) if array else (field,):
        kind = module.add_metadata([ir.MetaDataString(module, name), kind, ir.Constant(_I64, 0)])
    tag = module.add_metadata([kind, kind, ir.Constant(_I64, 0)])
    instruction.set_metadata("tbaa", tag)
    return instruction


@lower_getattr_generic(StructType)  # type: ignore[untyped-decorator]
def _lower_get(context: Any, builder: Any, typ: StructType, struct: Any, attr: str) -> Any:
    slot, kind = typ.fields[attr]
    if attr in typ.zero:
        return context.get_constant(kind, 0)
    place = word_of(builder, struct, slot)
    if isinstance(kind, ColumnType):
        return builder.bitcast(place, context.get_value_type(kind))
    if isinstance(kind, ChildType):
        return builder.bitcast(place, context.get_value_type(kind.struct))
    pointer = builder.bitcast(place, context.get_data_type(kind).as_pointer())
    return tell_field(builder, builder.load(pointer), f"{typ.name}.{attr}")


@lower_setattr_generic(StructType)  # type: ignore[untyped-decorator]
def _lower_set(context: Any, builder: Any, sig: Any, args: Any, attr: str) -> None:
    typ, value_type = sig.args
    struct, value = args
    slot, kind = typ.fields[attr]
    value = context.cast(builder, value, value_type, kind)
    pointer = builder.bitcast(word_of(builder, struct, slot), context.get_data_type(kind).as_pointer())
    tell_field(builder, builder.store(value, pointer), f"{typ.name}.{attr}")


@unbox(StructType)  # type: ignore[untyped-decorator]
def _unbox(typ: StructType, obj: Any, c: Any) -> Any:
    address = c.pyapi.object_getattr_string(obj, "address")
    value = c.pyapi.long_as_longlong(address)
    c.pyapi.decref(address)
    return NativeValue(c.builder.inttoptr(value, c.context.get_value_type(typ)))


@lower_cast(StructType, StructType)  # type: ignore[untyped-decorator]
def _as_the_same(context: Any, builder: Any, given: Any, wanted: Any, struct: Any) -> Any:
    """Code that knows of numbers which are always 0 may call code that does not."""
    return struct


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
        length = ir.Constant(_I64, typ.stride) if typ.stride > 1 else _constant_word(builder, column, 2)
        index = builder.add(builder.mul(row, length), offset)
    elif typ.recorded:
        index = builder.mul(index, ir.Constant(_I64, typ.stride))
        index = builder.add(index, ir.Constant(_I64, typ.place))
    return address_of_element(context, builder, typ, column, index)


def address_of_element(context: Any, builder: Any, typ: ColumnType, column: Any, index: Any) -> Any:
    """The address of element *index* of the array, counted through all its rows."""
    data = builder.inttoptr(_constant_word(builder, column, 0), context.get_data_type(typ.dtype).as_pointer())
    return builder.gep(data, [index])


def length_of(builder: Any, column: Any, axis: int) -> Any:
    """How many elements the array has along *axis*."""
    return _constant_word(builder, column, 1 + axis)


@lower_builtin(operator.getitem, ColumnType, types.Any)  # type: ignore[untyped-decorator]
def _lower_getitem(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    typ = sig.args[0]
    return tell_field(builder, builder.load(_element(context, builder, typ, *args)), typ.owner)


@lower_builtin(operator.setitem, ColumnType, types.Any, types.Any)  # type: ignore[untyped-decorator]
def _lower_setitem(context: Any, builder: Any, sig: Any, args: Any) -> None:
    typ = sig.args[0]
    column, index, value = args
    tell_field(builder, builder.store(value, _element(context, builder, typ, column, index)), typ.owner)


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


def fetch_row(struct: Any, row: int) -> None:
    """Have the first two cache lines of a row of the record fetched, as it will be needed soon."""


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
        place = builder.gep(record, [builder.add(first, ir.Constant(_I64, line * LINE_WORDS))])
        to_write, in_all_caches, data = (ir.Constant(flag, value) for value in (1, 3, 1))
        builder.call(prefetch, [builder.bitcast(place, byte), to_write, in_all_caches, data])
    return context.get_dummy_value()


def _is_recorded(kind: Any) -> bool:
    return isinstance(kind, ColumnType) and kind.recorded
