"""numba's types of structs and of their fields."""

from typing import Any

from numba.core import types
from numba.core.datamodel.models import OpaqueModel
from numba.core.typeconv import Conversion
from numba.extending import register_model


class ColumnType(types.Type):  # type: ignore[misc]
    """numba's type of one array field: its element type, its dimensions, and the struct that has it."""

    def __init__(self, owner: str, dtype: Any, ndim: int, place: int = 0, stride: int = 1) -> None:
        self.owner, self.dtype, self.ndim = owner, dtype, ndim
        self.of_ints = dtype == types.int64
        self.place, self.stride = place, stride
        """For a column of a record: which one it is, and how many words a row of the record has. For a table
        whose rows have the same length in all structs of the class: that length."""
        self.recorded = ndim == 1 and stride > 1
        """Whether this is a column of the record."""
        super().__init__(name=f"Column({owner}, {dtype}, {ndim}, {place}, {stride})")


class StructType(types.Type):  # type: ignore[misc]
    """numba's type of one ``Struct`` class; equal by name, so that the disk cache finds it again.

    The name ends in a digest of the layout: numba takes types of one name for one type. Fields named in
    *zero* (by dots, those of a struct inside) are 0 in every struct of this type that compiled code is called
    with: code for other values is left out before anything is compiled (``compilation``).
    """

    def __init__(
        self, name: str, fields: dict[str, tuple[int, Any]], zero: frozenset[str] = frozenset()
    ) -> None:
        self.struct, self.fields, self.zero = name, fields, zero
        super().__init__(name=f"Struct({name})" if not zero else f"Struct({name}, {sorted(zero)})")

    def inside(self, attr: str) -> "StructType":
        """The type of the struct that is field *attr* of this one, which may have zeros of its own."""
        child: StructType = self.fields[attr][1].struct
        zero = frozenset(name.partition(".")[2] for name in self.zero if name.startswith(f"{attr}."))
        return StructType(child.struct, child.fields, zero) if zero else child

    def can_convert_to(self, typingctx: Any, other: Any) -> Any:
        """A caller in Python may give any struct of the class; the caller has checked its zeros."""
        same = isinstance(other, StructType) and other.struct == self.struct
        return Conversion.safe if same else None


class ChildType(types.Type):  # type: ignore[misc]
    """The type of no value: a struct that is a field of another and lies in its row."""

    def __init__(self, struct: StructType) -> None:
        self.struct = struct
        super().__init__(name=f"Child({struct.name})")


register_model(StructType)(OpaqueModel)
register_model(ColumnType)(OpaqueModel)
