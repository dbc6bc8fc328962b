"""Options and arguments of commands as data, for Typer and for ``quick``, which loads no Typer."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Declared:
    """How one field is written on the command line, and what ``--help`` says of it."""

    names: tuple[str, ...]
    """As ``--json``, or ``--requeue/--no-requeue``; of a positional argument none."""
    settings: dict[str, Any]
    positional: bool = False

    def for_typer(self) -> Any:
        """The same in Typer's words."""
        import typer

        made = typer.Argument if self.positional else typer.Option
        return made(*self.names, **self.settings)


def option(*names: str, **settings: Any) -> Declared:
    """An option; *settings* as of ``typer.Option``."""
    return Declared(names, settings)


def argument(**settings: Any) -> Declared:
    """A positional argument; *settings* as of ``typer.Argument``."""
    return Declared((), settings, positional=True)
