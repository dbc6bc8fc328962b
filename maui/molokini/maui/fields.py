"""Fields of the model: each says its name in ``maui.cfg``, what it means, and whether it has an effect."""

from enum import StrEnum
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo

from molokini.maui.kinds import Choice, Duration, Flag, Kind, Name, Names, Number, Text, Whole

Yes = Annotated[bool, Flag()]
Count = Annotated[int, Whole()]
Real = Annotated[float, Number()]
Cap = Annotated[float, Number(0)]
Seconds = Annotated[int, Duration()]
SecondsOrNone = Annotated[int, Duration(-1)]
Line = Annotated[str, Text()]
Label = Annotated[str, Name()]
Labels = Annotated[tuple[str, ...], Names()]


class Section(BaseModel):
    """A part of the configuration: nothing unknown in it, and nothing changes after it is made."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


def parameter(
    name: str,
    default: Any,
    meaning: str,
    *,
    aliases: tuple[str, ...] = (),
    without: str = "",
    array: bool = False,
) -> Any:
    """A field that ``maui.cfg`` calls *name* (or an alias); *without*: why it is accepted without effect.

    An *array* is a dictionary by index; a value without an index is that of index 0.
    """
    told = {"name": name, "aliases": list(aliases), "without": without, "array": array}
    if callable(default) or isinstance(default, dict):
        factory = default if callable(default) else (lambda: dict(default))
        return Field(default_factory=factory, description=meaning, json_schema_extra=told)  # type: ignore[arg-type]
    return Field(default, description=meaning, json_schema_extra=told)  # type: ignore[arg-type]


def group(prefix: str, factory: Any, meaning: str, *, without: str = "") -> Any:
    """A field that is a section of its own; its fields' names get *prefix*, ``{}`` of *meaning* theirs."""
    told = {"prefix": prefix, "without": without}
    return Field(default_factory=factory, description=meaning, json_schema_extra=told)  # type: ignore[arg-type]


def told_of(field: FieldInfo) -> dict[str, Any]:
    """What ``parameter`` or ``group`` has kept about *field*."""
    extra = field.json_schema_extra
    return dict(extra) if isinstance(extra, dict) else {}


def kind_of(field: FieldInfo) -> Kind | None:
    """The kind of the values of *field* (of an array: of one of them); None for sections and objects."""
    for one in field.metadata:
        if isinstance(one, Kind):
            return one
    return _kind_in(field.annotation)


def _kind_in(annotation: Any) -> Kind | None:
    if isinstance(annotation, type) and issubclass(annotation, StrEnum):
        return Choice(annotation)
    if get_origin(annotation) is Annotated:
        return next((one for one in get_args(annotation)[1:] if isinstance(one, Kind)), None)
    if get_origin(annotation) is tuple:
        return None
    for inner in get_args(annotation):
        kind = _kind_in(inner)
        if kind is not None:
            return kind
    return None


def section_in(field: FieldInfo) -> type[Section] | None:
    """The section that *field* holds, alone or by name."""
    for one in (field.annotation, *get_args(field.annotation)):
        if isinstance(one, type) and issubclass(one, Section):
            return one
    return None
