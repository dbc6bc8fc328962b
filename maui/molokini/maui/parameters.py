"""The table of every parameter, made of what the fields of the model say of themselves."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, get_args

from pydantic.fields import FieldInfo

from molokini.maui.fields import Section, kind_of, section_in, told_of
from molokini.maui.kinds import Kind, Name
from molokini.maui.model import OBJECTS, MauiConfig
from molokini.maui.sections.credentials import COUNTED
from molokini.policies.maui.configuration.words import LimitKind

Path = tuple[str, ...]
"""Names of fields, and ids of objects, from ``MauiConfig`` down."""


@dataclass(frozen=True)
class Parameter:
    """One parameter, or one attribute of an object."""

    name: str
    aliases: tuple[str, ...]
    path: Path
    """Fields from ``MauiConfig`` (of an attribute: from its object) down to the value."""
    kind: Kind
    default: Any
    subject: str
    """The section, or the object parameter (``USERCFG``)."""
    meaning: str
    without: str
    """Why it is accepted without effect; empty where it has one."""
    array: bool = False
    by_partition: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Every way to write its name."""
        return (self.name, *self.aliases)


@dataclass(frozen=True)
class ObjectType:
    """One object parameter: ``USERCFG[id] ATTR=VALUE ...``."""

    name: str
    field_name: str
    what: str
    section: type[Section]
    attributes: Mapping[str, Parameter] = field(repr=False)
    """By each of their names."""

    @property
    def single(self) -> bool:
        """Whether there is one object, which needs no id (SYSCFG)."""
        held = MauiConfig.model_fields[self.field_name]
        return section_in(held) is held.annotation

    @property
    def pairs(self) -> bool:
        """Whether limits may be for pairs: ``MAXPROC[USER]``."""
        return "pairs" in self.section.model_fields

    def path(self, id_: str) -> Path:
        """Where the object *id_* is."""
        return (self.field_name,) if self.single else (self.field_name, id_)


def _by_name(parameters: Iterator[Parameter]) -> dict[str, Parameter]:
    found: dict[str, Parameter] = {}
    for one in parameters:
        for name in one.names:
            if name in found:
                raise RuntimeError(f"two parameters are called {name}")
            found[name] = one
    return found


def _parameters(section: type[Section], path: Path, subject: str) -> Iterator[Parameter]:
    for name, one in section.model_fields.items():
        told = told_of(one)
        if told.get("prefix"):
            inner = section_in(one)
            assert inner is not None
            for leaf_name, leaf in inner.model_fields.items():
                yield _parameter(
                    leaf, (*path, name, leaf_name), subject, told["prefix"], one.description or ""
                )
        elif told.get("name"):
            yield _parameter(one, (*path, name), subject)


def _parameter(one: FieldInfo, path: Path, subject: str, prefix: str = "", meaning: str = "{}") -> Parameter:
    told = told_of(one)
    kind = kind_of(one)
    if kind is None:
        raise RuntimeError(f"{'.'.join(path)} has no kind")
    return Parameter(
        name=prefix + told["name"],
        aliases=tuple(told["aliases"]),
        path=path,
        kind=_of_array(one) if told["array"] else kind,
        default=one.get_default(call_default_factory=True, validated_data={}),
        subject=subject,
        meaning=meaning.format(one.description),
        without=told["without"],
        array=told["array"],
        by_partition=path[0] == "priority" and told["name"].endswith(("WEIGHT", "CAP")),
    )


def _of_array(one: FieldInfo) -> Kind:
    """The kind of an array's values; that of its ids stands first in the annotation."""
    return next(part for part in get_args(get_args(one.annotation)[1]) if isinstance(part, Kind))


def _scalars() -> Iterator[Parameter]:
    taken = {field for field, _ in OBJECTS.values()}
    for name, one in MauiConfig.model_fields.items():
        section = section_in(one)
        if section is not None and name not in taken:
            yield from _parameters(section, (name,), name)


PARAMETERS: Mapping[str, Parameter] = _by_name(_scalars())
"""Every parameter that is not an object, by each of its names."""


def _types() -> Iterator[ObjectType]:
    for name, (field_, what) in OBJECTS.items():
        section = section_in(MauiConfig.model_fields[field_])
        assert section is not None
        yield ObjectType(name, field_, what, section, _by_name(_parameters(section, (), name)))


OBJECT_TYPES: Mapping[str, ObjectType] = {one.name: one for one in _types()}
"""Every object parameter, by its name."""


def every() -> Iterator[Parameter]:
    """Each parameter and each attribute once, in the order of the model."""
    yield from _unique(PARAMETERS)
    for one in OBJECT_TYPES.values():
        yield from _unique(one.attributes)


PAIRS: Mapping[LimitKind, Parameter] = {
    COUNTED.words[name.removeprefix("MAX")]: replace(
        one, path=("pairs",), meaning=one.meaning.rstrip(".") + ", for each pair with another credential."
    )
    for name, one in OBJECT_TYPES["USERCFG"].attributes.items()
    if one.path[0] == "running"
}
"""Limits of pairs (``MAXPROC[USER]``), by what they count."""

SCALAR_PATHS: Mapping[Path, Parameter] = {one.path: one for one in PARAMETERS.values()}
"""The parameters that are no objects, by where they are."""

OBJECT_FIELDS: Mapping[str, ObjectType] = {one.field_name: one for one in OBJECT_TYPES.values()}
"""The object parameters, by the field of ``MauiConfig`` that holds their objects."""


def _unique(parameters: Mapping[str, Parameter]) -> Iterator[Parameter]:
    return (one for name, one in parameters.items() if name == one.name)


ID = Name()
"""The kind of ids and indices."""
