"""All commands with their options, as data: what completion and man pages are made of."""

from collections.abc import Iterator, Sequence
from dataclasses import MISSING, dataclass, fields
from inspect import get_annotations
from typing import Any, get_args

from molokini.clients.commands import COMMAND_LINE, COMMANDS
from molokini.model.declared import Behind, Declared

HELP = "Show what the command takes, and exit."


@dataclass(frozen=True)
class Described:
    """One option of a command, or a positional argument, which has no names."""

    names: tuple[str, ...]
    """As they are typed: ``--name``, ``-n``, ``--requeue``, ``--no-requeue``."""
    metavar: str
    """What stands for its value; empty where it takes none."""
    help: str
    required: bool = False
    many: bool = False


@dataclass(frozen=True)
class DescribedCommand:
    """One command."""

    words: tuple[str, ...]
    help: str
    options: tuple[Described, ...]
    positional: tuple[Described, ...]


def described() -> Iterator[DescribedCommand]:
    """Every command, in the order of the table."""
    for row in COMMANDS:
        kind = row.arguments()
        by_name = {field.name: field for field in fields(kind)}
        every = [_described(by_name[name]) for name in in_help_order(kind) if name != COMMAND_LINE]
        yield DescribedCommand(
            tuple(row.name.split()),
            row.help,
            (*(one for one in every if one and one.names), Described(("-h", "--help"), "", HELP)),
            tuple(one for one in every if one and not one.names),
        )


def _described(field: Any) -> Described | None:
    """What is declared of *field*; None where help does not list it."""
    kind, declared, *_ = (one for one in get_args(field.type) if not isinstance(one, Behind))
    assert isinstance(declared, Declared)
    if declared.settings.get("hidden"):
        return None
    names = tuple(part for name in declared.written(field.name) for part in name.split("/"))
    flag = bool in (kind, *get_args(kind))
    metavar = "" if flag else declared.settings.get("metavar") or field.name.upper()
    return Described(
        names,
        metavar,
        declared.settings["help"],
        required=field.default is MISSING and field.default_factory is MISSING,
        many=kind == Sequence[str],
    )


def in_help_order(kind: type) -> list[str]:
    """The fields of *kind* in the order of help: inherited ones last, unless a field says otherwise.

    A field that a class declares again stays where it was.
    """
    first = {name: base for base in kind.__mro__ for name in get_annotations(base)}
    order = [name for base in kind.__mro__ for name in get_annotations(base) if first[name] is base]
    for field in fields(kind):
        for behind in get_args(field.type):
            if isinstance(behind, Behind):
                order.remove(field.name)
                order.insert(order.index(behind.field) + 1, field.name)
    return order
