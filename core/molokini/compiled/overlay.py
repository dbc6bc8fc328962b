"""Names for places in the arrays of a struct, read and written alike by Python and by compiled code.

The core makes, lengthens and clears the arrays without knowing what they hold; the names belong to the code
that uses them. ``Overlay.of`` takes a struct and gives the names: it costs nothing, as compiled code gets the
same pointer under another type.

    class Plan(Overlay):          mine = Plan.of          mine(view).start_s[row] = at_s
        ...                                               mine(view).next_s = min(mine(view).next_s, at_s)

Subclasses say where their members lie (``Member``), mostly by rules of a base class of their own.
"""

import hashlib
import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from llvmlite import ir
from numba.core import types
from numba.core.datamodel.models import OpaqueModel
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_global, signature
from numba.extending import (
    infer_getattr,
    lower_builtin,
    lower_getattr_generic,
    lower_setattr_generic,
    register_model,
    type_callable,
)

from molokini.compiled.lowering import address_of_element, length_of, tell_field, word_of
from molokini.compiled.struct_types import ColumnType, StructType

_I64 = ir.IntType(64)


@dataclass(frozen=True)
class Member:
    """One name: the array in which it lies, and its place there.

    In an array of one dimension it is the element at *place*, or, with a *length*, so many from there on (0:
    up to the end of the array). In an array of two dimensions it is the column *place*, an element a row.
    """

    array: str
    place: int
    length: int | None = None
    whole: bool = False
    """A whole number, although the array holds floats."""

    @property
    def text(self) -> str:
        """All of it in one string, for a digest."""
        return f"{self.array} {self.place} {self.length} {self.whole}"


class OverlayType(types.Type):  # type: ignore[misc]
    """numba's type of a struct seen through an ``Overlay``."""

    def __init__(self, name: str, members: dict[str, Member], struct: StructType) -> None:
        self.overlay, self.members, self.struct = name, members, struct
        super().__init__(name=f"Overlay({name}, {struct.name})")


class MemberType(types.Type):  # type: ignore[misc]
    """The type of a member that has several elements; its value is the place of the array in the struct."""

    def __init__(self, owner: str, member: Member, column: ColumnType) -> None:
        self.owner, self.member, self.column = owner, member, column
        super().__init__(name=f"Member({owner}, {member.text}, {column.name})")


register_model(OverlayType)(OpaqueModel)
register_model(MemberType)(OpaqueModel)


class Overlay:
    """Base of all overlays; a subclass sets ``members``."""

    members: ClassVar[dict[str, Member]] = {}

    if TYPE_CHECKING:

        @classmethod
        def of(cls, struct: Any) -> Self:
            """*struct* under these names."""

        def __getattr__(self, name: str) -> Any:
            """A member."""

        def __setattr__(self, name: str, value: float) -> None:
            """Change a member that is a number."""

    def __init_subclass__(cls) -> None:
        # A class of its own has the members, which may be called as what a class of overlays has.
        seen = type(cls.__name__, (_Seen,), {"__slots__": (), **_descriptors(cls.members)})
        make, put = object.__new__, _Seen.__dict__["_struct"].__set__

        # Under this name in error messages of numba, which calls what it cannot type by its name.
        def of(struct: Any) -> _Seen:
            made: _Seen = make(seen)
            put(made, struct)
            return made

        of.__qualname__ = f"{cls.__qualname__}.of"
        _register(of, cls)
        cls.of = staticmethod(of)  # type: ignore[method-assign, assignment]


class _Seen:
    """In Python: a struct under the names of an overlay."""

    __slots__ = ("_struct",)
    _struct: Any

    def __setattr__(self, name: str, value: float) -> None:
        if not isinstance(type(self).__dict__.get(name), _Single):
            raise AttributeError(f"{type(self).__name__} has no number {name}")
        object.__setattr__(self, name, value)


class _Single:
    """In Python: a member that is a number, or, in an array of two dimensions, a column."""

    def __init__(self, name: str, member: Member) -> None:
        self.name, self.array, self.place, self.whole = name, member.array, member.place, member.whole

    def __get__(self, made: _Seen, owner: type[_Seen]) -> Any:
        array = getattr(made._struct, self.array)
        if array.ndim == 2:
            return array[:, self.place]
        value = array.item(self.place)
        return int(value) if self.whole else value

    def __set__(self, made: _Seen, value: float) -> None:
        array = getattr(made._struct, self.array)
        if array.ndim == 2:
            raise AttributeError(f"{type(made).__name__}.{self.name} has an element a row")
        array[self.place] = value


class _Part:
    """In Python: a member that is some of an array."""

    def __init__(self, member: Member) -> None:
        last = member.place + member.length if member.length else None
        self.array, self.which = member.array, slice(member.place, last)

    def __get__(self, made: _Seen, owner: type[_Seen]) -> Any:
        return getattr(made._struct, self.array)[self.which]


def _descriptors(members: dict[str, Member]) -> dict[str, _Single | _Part]:
    return {
        name: _Single(name, member) if member.length is None else _Part(member)
        for name, member in members.items()
    }


def _register(of: Any, cls: type[Overlay]) -> None:
    """Let compiled code call *of*."""
    known: dict[str, OverlayType] = {}

    def seen(struct: StructType) -> OverlayType:
        if struct.name not in known:
            said = ", ".join(f"{name} {member.text}" for name, member in cls.members.items())
            digest = hashlib.sha256(said.encode()).hexdigest()[:8]
            known[struct.name] = OverlayType(f"{cls.__qualname__}#{digest}", cls.members, struct)
        return known[struct.name]

    @type_callable(of)  # type: ignore[untyped-decorator]
    def _type_of(context: Any) -> Any:
        return lambda struct: seen(struct) if isinstance(struct, StructType) else None

    @lower_builtin(of, StructType)  # type: ignore[untyped-decorator]
    def _lower_of(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.bitcast(args[0], context.get_value_type(sig.return_type))


@infer_getattr
class _OverlayAttribute(AttributeTemplate):  # type: ignore[misc]
    key = OverlayType

    def generic_resolve(self, typ: OverlayType, attr: str) -> Any:
        if attr not in typ.members:
            return None
        member = typ.members[attr]
        column = typ.struct.fields[member.array][1]
        if column.ndim == 2 or member.length is not None:
            return MemberType(f"{typ.name}.{attr}", member, column)
        return types.int64 if member.whole else column.dtype


def _array(builder: Any, typ: OverlayType, struct: Any, member: Member) -> tuple[Any, ColumnType]:
    """The place of the member's array in the struct, and the array's type."""
    slot, column = typ.struct.fields[member.array]
    return word_of(builder, struct, slot), column


def _number(context: Any, builder: Any, typ: OverlayType, struct: Any, member: Member) -> tuple[Any, Any]:
    """The place of a number, and its type."""
    array, column = _array(builder, typ, struct, member)
    return address_of_element(context, builder, column, array, ir.Constant(_I64, member.place)), column


@lower_getattr_generic(OverlayType)  # type: ignore[untyped-decorator]
def _lower_get(context: Any, builder: Any, typ: OverlayType, struct: Any, attr: str) -> Any:
    member = typ.members[attr]
    array, column = _array(builder, typ, struct, member)
    if column.ndim == 2 or member.length is not None:
        kind = MemberType(f"{typ.name}.{attr}", member, column)
        return builder.bitcast(array, context.get_value_type(kind))
    place, _ = _number(context, builder, typ, struct, member)
    value = tell_field(builder, builder.load(place), f"{typ.name}.{attr}", column.owner)
    return context.cast(builder, value, column.dtype, types.int64) if member.whole else value


@lower_setattr_generic(OverlayType)  # type: ignore[untyped-decorator]
def _lower_set(context: Any, builder: Any, sig: Any, args: Any, attr: str) -> None:
    typ, value_type = sig.args
    struct, value = args
    place, column = _number(context, builder, typ, struct, typ.members[attr])
    value = context.cast(builder, value, value_type, column.dtype)
    tell_field(builder, builder.store(value, place), f"{typ.name}.{attr}", column.owner)


@infer_global(operator.getitem)
class _MemberGet(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        if isinstance(args[0], MemberType) and isinstance(args[1], types.Integer):
            return signature(args[0].column.dtype, args[0], types.int64)
        return None


@infer_global(operator.setitem)
class _MemberSet(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Any, kws: Any) -> Any:
        if isinstance(args[0], MemberType) and isinstance(args[1], types.Integer):
            return signature(types.none, args[0], types.int64, args[0].column.dtype)
        return None


def _element(context: Any, builder: Any, typ: MemberType, array: Any, index: Any) -> Any:
    place = ir.Constant(_I64, typ.member.place)
    if typ.column.ndim == 2:
        place = builder.add(builder.mul(index, length_of(builder, array, 1)), place)
    else:
        place = builder.add(index, place)
    return address_of_element(context, builder, typ.column, array, place)


@lower_builtin(operator.getitem, MemberType, types.Any)  # type: ignore[untyped-decorator]
def _lower_getitem(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    typ = sig.args[0]
    return tell_field(
        builder, builder.load(_element(context, builder, typ, *args)), typ.owner, typ.column.owner
    )


@lower_builtin(operator.setitem, MemberType, types.Any, types.Any)  # type: ignore[untyped-decorator]
def _lower_setitem(context: Any, builder: Any, sig: Any, args: Any) -> None:
    typ = sig.args[0]
    array, index, value = args
    place = _element(context, builder, typ, array, index)
    tell_field(builder, builder.store(value, place), typ.owner, typ.column.owner)


@infer_getattr
class _MemberAttribute(AttributeTemplate):  # type: ignore[misc]
    key = MemberType

    def resolve_size(self, typ: MemberType) -> Any:
        return types.int64


@lower_getattr_generic(MemberType)  # type: ignore[untyped-decorator]
def _lower_size(context: Any, builder: Any, typ: MemberType, array: Any, attr: str) -> Any:
    if typ.member.length:
        return ir.Constant(_I64, typ.member.length)
    length = length_of(builder, array, 0)
    return length if typ.column.ndim == 2 else builder.sub(length, ir.Constant(_I64, typ.member.place))
