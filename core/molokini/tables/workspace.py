"""What a policy keeps for itself, and what its user has chosen, under names of its own.

A policy declares both where it stands, and reads them by name in each of its functions:

    class Plan(Workspace):                    class Wanted(Parameters):
        start_s: RecordFloats                     depth: int = parameter(4, "jobs with a reservation", low=1)
        next_s: float

    mine, parameters = Plan.of, WindowParameters.of         POLICY = Policy(...,
    parameters=WindowParameters.declared())

    mine(view).start_s[row] = now             if reserved < parameters(view).depth:

The memory lies in the tables (``memory_f``, ``memory_i``, ``global_f``, ``global_i``): a job's line is
cleared when the job leaves, and lines are added with the rows; all of it is 0 at first. No snapshot has it:
``begin`` rebuilds it. The parameters lie there in the order of their declaration.
"""

from dataclasses import replace
from typing import Annotated, Any, ClassVar, TypeAlias, get_type_hints

import numpy as np
from numpy.typing import NDArray

from molokini.compiled.overlay import Member, Overlay
from molokini.compiled.structs import Floats, RecordFloats, RecordInts
from molokini.model.policy import Kind, Parameter, Value
from molokini.tables.sizes import GLOBAL_WORDS, MEMORY_COLUMNS

__all__ = ["Choice", "Numbers", "Parameters", "SomeFloats", "SomeInts", "Workspace", "parameter", "several"]

SomeInts: TypeAlias = Annotated[NDArray[np.int64], "several"]
"""So many whole numbers of a policy's own: ``rows: SomeInts = several(60)``."""
SomeFloats: TypeAlias = Annotated[NDArray[np.float64], "several"]
"""So many numbers of a policy's own: ``room: SomeFloats = several(60)``."""

Choice: TypeAlias = Annotated[int, "choice"]
"""A parameter that is one of some words: its place among them."""
Numbers: TypeAlias = Annotated[Floats, "list"]
"""A parameter that is a list of numbers; it must be the last."""

_ARRAYS = {
    RecordFloats: "memory_f",
    RecordInts: "memory_i",
    float: "global_f",
    int: "global_i",
    SomeFloats: "global_f",
    SomeInts: "global_i",
}
_ROOM = {
    "memory_f": MEMORY_COLUMNS,
    "memory_i": MEMORY_COLUMNS,
    "global_f": GLOBAL_WORDS,
    "global_i": GLOBAL_WORDS,
}


def several(count: int) -> Any:
    """So many numbers in a field of ``SomeInts`` or ``SomeFloats``."""
    return count


class Workspace(Overlay):
    """A policy's own memory: fields by annotation, an element a job row or a number.

    ``RecordFloats`` and ``RecordInts`` have an element for each row of ``view.jobs``, which is 0 again when
    the job has left; ``float`` and ``int`` are one number; ``SomeFloats`` and ``SomeInts`` are ``several``.
    """

    def __init_subclass__(cls) -> None:
        taken = dict.fromkeys(_ROOM, 0)
        members = {}
        for name, hint in _own_hints(cls).items():
            array = _ARRAYS[hint]
            length = cls.__dict__.get(name) if hint in (SomeFloats, SomeInts) else None
            members[name] = Member(array, taken[array], length)
            taken[array] += 1 if length is None else length
        full = [array for array, count in taken.items() if count > _ROOM[array]]
        assert not full, f"{cls.__qualname__} needs more than there is of {', '.join(full)}"
        _lay_over(cls, members)
        super().__init_subclass__()


class Parameters(Overlay):
    """What the user of a policy chooses: fields by annotation, each with a ``parameter`` that declares it.

    An ``int`` is a whole number, a ``float`` a number, a ``Choice`` the place of one of some words;
    ``Numbers`` is a list, which comes last. The field ``x_y`` is the parameter ``x-y`` unless its declaration
    names it, or *separator* is another. ``SomeFloats`` are numbers in a row: a tuple of ``Parameter``, or
    ``several`` that are no parameters. A field without a declaration is a number that stands there, too.
    """

    def __init_subclass__(cls, separator: str = "-") -> None:
        declared, members, place = dict(cls._declared), dict(cls.members), cls._length
        for name, hint in _own_hints(cls).items():
            given, kind = cls.__dict__.get(name), _KINDS.get(hint)
            if name not in members:
                several = given if isinstance(given, int) else len(given or ()) if kind is None else None
                length = 0 if kind is Kind.LIST else several
                members[name] = Member("parameters", place, length, kind in (Kind.INTEGER, Kind.CHOICE))
                place += 1 if length is None else length
            if isinstance(given, Parameter) and kind is not None:
                declared[name] = replace(given, name=given.name or name.replace("_", separator), kind=kind)
            elif isinstance(given, tuple):
                declared.update({one.name: one for one in given})
        lists = [name for name, one in declared.items() if one.kind is Kind.LIST]
        assert not lists or list(declared)[-1:] == lists, f"{cls.__qualname__}: a list comes last, alone"
        cls._declared, cls._length = declared, place
        _lay_over(cls, members)
        super().__init_subclass__()

    _declared: ClassVar[dict[str, Parameter]] = {}
    _length: ClassVar[int] = 0

    @classmethod
    def declared(cls) -> tuple[Parameter, ...]:
        """The declarations in their order, for ``Policy.parameters``."""
        return tuple(cls._declared.values())


_KINDS = {int: Kind.INTEGER, float: Kind.NUMBER, Choice: Kind.CHOICE, Numbers: Kind.LIST}


def parameter(default: Value, meaning: str, **more: Any) -> Any:
    """The declaration of one parameter; *more* as in ``molokini.model.policy.Parameter``."""
    return Parameter(more.pop("name", ""), default, meaning, **more)


def _own_hints(cls: type) -> dict[str, Any]:
    """Annotated fields, those of base classes first."""
    hints = get_type_hints(cls, include_extras=True)
    return {name: hint for name, hint in hints.items() if not name.startswith("_") and name != "members"}


def _lay_over(cls: type[Overlay], members: dict[str, Member]) -> None:
    # What stands in the class under these names has been read: the numbers lie in the tables.
    for name in members:
        if name in cls.__dict__:
            delattr(cls, name)
    cls.members = members
