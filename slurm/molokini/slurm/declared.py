"""How a parameter of ``slurm.conf`` is declared: a field of a section, its meaning and its range."""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

from molokini.slurm.values import Kind

Value = TypeVar("Value")
_KEY = "slurm"


@dataclass(frozen=True)
class Parameter:
    """One parameter."""

    name: str
    """As Slurm's manual spells it."""
    kind: Kind[Any]
    meaning: str
    without: str = ""
    """Why it is without effect here; empty: it is understood."""
    aliases: tuple[str, ...] = ()
    section: str = ""
    """The field of ``SlurmConfig`` that holds its section."""
    field: str = ""
    """Its own field in there."""


def conf(
    name: str,
    kind: Kind[Value],
    default: Value,
    meaning: str,
    *,
    without: str = "",
    aliases: tuple[str, ...] = (),
) -> Value:
    """The field of a section that the parameter *name* sets."""
    made = Parameter(name, kind, meaning, without, aliases)
    return field(default=default, metadata={_KEY: made})


def parameters_of(section: type, name: str) -> Iterator[Parameter]:
    """The parameters of a *section*, whose field in ``SlurmConfig`` is *name*."""
    for one in fields(section):
        if (told := one.metadata.get(_KEY)) is not None:
            yield Parameter(told.name, told.kind, told.meaning, told.without, told.aliases, name, one.name)
