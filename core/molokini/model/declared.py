"""Options and arguments as data: how a field is written on a command line, and what help says of it.

The classes of options are loaded by commands that load no Typer, and by runs that know no command line.
"""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Declared:
    """How one field is written on the command line, and what ``--help`` says of it."""

    names: tuple[str, ...]
    """As ``--name`` and ``-n``, or ``--requeue/--no-requeue``; empty where the field's own name says it."""
    settings: dict[str, Any]
    positional: bool = False
    alone: str | None = None
    """The value of an option that stands without one; None where it must have one."""
    endings: tuple[str, ...] = ()
    """Of such an option where the command takes words, too: the next word is its value only if it ends so."""

    def written(self, field: str) -> tuple[str, ...]:
        """The names of *field* on the command line; none of a positional argument."""
        return () if self.positional else self.names or (f"--{field.replace('_', '-')}",)


@dataclass(frozen=True)
class Behind:
    """Where ``--help`` lists what a class adds to a base: behind this field, and not first."""

    field: str


def option(*names: str, alone: str | None = None, endings: tuple[str, ...] = (), **settings: Any) -> Declared:
    """An option; *settings* as of ``typer.Option``."""
    return Declared(names, settings, alone=alone, endings=endings)


def argument(**settings: Any) -> Declared:
    """A positional argument; *settings* as of ``typer.Argument``."""
    return Declared((), settings, positional=True)
