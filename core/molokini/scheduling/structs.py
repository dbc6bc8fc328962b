"""Structs of arrays that compiled code reaches through one pointer.

A ``Struct`` subclass declares its fields by annotation: ``int`` and ``float`` scalars, and arrays
(``Ints``, ``Floats``, ``IntTable``, ``FloatTable``). Python code reads and writes them as attributes;
so does compiled code, in the very same words. To compiled code a struct is one pointer, whatever
the number of its fields: a policy over sixty arrays is called with two arguments, nothing is
copied and nothing is counted (docs/decisions/0003-structs-by-pointer.md).

In memory a struct is a row of 64-bit words: a scalar takes one, an array its data address followed
by its shape. Arrays must be C-contiguous and are replaced only between two compiled calls.
"""

from typing import Annotated, Any, ClassVar, Self, TypeAlias, get_type_hints

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.datamodel.models import OpaqueModel
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    lower_setattr_generic,
    register_model,
    typeof_impl,
    unbox,
)
from numba.np.arrayobj import make_array, populate_array
from numpy.typing import NDArray

_I1 = types.Array(types.int64, 1, "C")
_F1 = types.Array(types.float64, 1, "C")
_I2 = types.Array(types.int64, 2, "C")
_F2 = types.Array(types.float64, 2, "C")

Ints: TypeAlias = Annotated[NDArray[np.int64], _I1]
Floats: TypeAlias = Annotated[NDArray[np.float64], _F1]
IntTable: TypeAlias = Annotated[NDArray[np.int64], _I2]
FloatTable: TypeAlias = Annotated[NDArray[np.float64], _F2]

_SCALARS = {int: types.int64, float: types.float64}


class StructType(types.Type):  # type: ignore[misc]
    """numba's type of one ``Struct`` class; equal by name, so that the disk cache finds it again."""

    def __init__(self, name: str, fields: dict[str, tuple[int, Any]]) -> None:
        self.fields = fields
        super().__init__(name=f"Struct({name})")

    def __reduce__(self) -> tuple[Any, ...]:
        return StructType, (self.name[len("Struct(") : -1], self.fields)


register_model(StructType)(OpaqueModel)


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
    _words: NDArray[np.int64]
    _floats: NDArray[np.float64]
    address: int

    def __init_subclass__(cls) -> None:
        slot, layout = 0, {}
        for name, hint in get_type_hints(cls, include_extras=True).items():
            if name.startswith("_") or name in ("numba_type", "layout", "address"):
                continue
            kind = _SCALARS.get(hint) or hint.__metadata__[0]
            layout[name] = (slot, kind)
            if hint in _SCALARS:
                setattr(cls, name, _Scalar(slot, hint))
                slot += 1
            else:
                slot += 1 + kind.ndim
        cls.layout = layout
        cls.numba_type = StructType(cls.__name__, layout)
        typeof_impl.register(cls)(lambda value, context: type(value).numba_type)

    def __init__(self, **arrays: NDArray[Any]) -> None:
        _, (last, kind) = next(reversed(self.layout.items()))
        self._allocate(last + 1 + getattr(kind, "ndim", 0))
        for name, array in arrays.items():
            self.bind(name, array)
        unbound = [n for n, (_, kind) in self.layout.items() if hasattr(kind, "ndim") and n not in self.__dict__]
        assert not unbound, f"{type(self).__name__} without {unbound}"

    def _allocate(self, words: int) -> None:
        self._words = np.zeros(words, dtype=np.int64)
        self._floats = self._words.view(np.float64)
        self.address = self._words.ctypes.data

    def bind(self, name: str, array: NDArray[Any]) -> None:
        """Make *array* the field *name*, here and for compiled code."""
        slot, kind = self.layout[name]
        wanted = np.int64 if kind.dtype == types.int64 else np.float64
        assert array.dtype == wanted and array.ndim == kind.ndim and array.flags.c_contiguous, name
        self.__dict__[name] = array
        self._words[slot] = array.ctypes.data
        self._words[slot + 1 : slot + 1 + kind.ndim] = array.shape

    def read_only(self, but: frozenset[str]) -> Self:
        """The same struct for interpreted readers: same words, arrays that refuse to be written.

        Arrays named in *but* stay writable. Compiled code gets the same pointer either way.
        """
        twin = object.__new__(type(self))
        twin._words, twin._floats, twin.address = self._words, self._floats, self.address
        for name, (_, kind) in self.layout.items():
            if hasattr(kind, "ndim"):
                array = self.__dict__[name]
                if name not in but:
                    array = array.view()
                    array.flags.writeable = False
                twin.__dict__[name] = array
        return twin

    def copy(self) -> Self:
        """An independent struct with the same contents."""
        arrays = {n: self.__dict__[n].copy() for n, (_, kind) in self.layout.items() if hasattr(kind, "ndim")}
        twin = type(self)(**arrays)
        for name, (_, kind) in self.layout.items():
            if not hasattr(kind, "ndim"):
                setattr(twin, name, getattr(self, name))
        return twin


@infer_getattr
class _StructAttribute(AttributeTemplate):  # type: ignore[misc]
    key = StructType

    def generic_resolve(self, typ: StructType, attr: str) -> Any:
        return typ.fields[attr][1] if attr in typ.fields else None


def _word(builder: Any, struct: Any, slot: int) -> Any:
    base = builder.bitcast(struct, ir.IntType(64).as_pointer())
    return builder.gep(base, [ir.Constant(ir.IntType(64), slot)])


@lower_getattr_generic(StructType)  # type: ignore[untyped-decorator]
def _lower_get(context: Any, builder: Any, typ: StructType, struct: Any, attr: str) -> Any:
    slot, kind = typ.fields[attr]
    if not isinstance(kind, types.Array):
        pointer = builder.bitcast(_word(builder, struct, slot), context.get_data_type(kind).as_pointer())
        return builder.load(pointer)

    def constant_word(k: int) -> Any:
        word = builder.load(_word(builder, struct, k))
        # Addresses and shapes do not change during a compiled call: the load may leave any loop.
        word.set_metadata("invariant.load", builder.module.add_metadata([]))
        return word

    shape = [constant_word(slot + 1 + axis) for axis in range(kind.ndim)]
    itemsize = ir.Constant(ir.IntType(64), 8)
    strides = [itemsize]
    for axis in range(kind.ndim - 1, 0, -1):
        strides.insert(0, builder.mul(strides[0], shape[axis]))
    data = builder.inttoptr(constant_word(slot), context.get_data_type(kind.dtype).as_pointer())
    array = make_array(kind)(context, builder)
    populate_array(array, data=data, shape=shape, strides=strides, itemsize=itemsize, meminfo=None)
    return array._getvalue()


@lower_setattr_generic(StructType)  # type: ignore[untyped-decorator]
def _lower_set(context: Any, builder: Any, sig: Any, args: Any, attr: str) -> None:
    typ, value_type = sig.args
    struct, value = args
    slot, kind = typ.fields[attr]
    value = context.cast(builder, value, value_type, kind)
    pointer = builder.bitcast(_word(builder, struct, slot), context.get_data_type(kind).as_pointer())
    builder.store(value, pointer)


@unbox(StructType)  # type: ignore[untyped-decorator]
def _unbox(typ: StructType, obj: Any, c: Any) -> Any:
    address = c.pyapi.object_getattr_string(obj, "address")
    value = c.pyapi.long_as_longlong(address)
    c.pyapi.decref(address)
    return NativeValue(c.builder.inttoptr(value, c.context.get_value_type(typ)))
