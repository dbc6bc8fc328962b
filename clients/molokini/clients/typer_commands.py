"""Typer's commands, made from the table in ``commands.py``: fields of dataclasses are their options."""

from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields
from inspect import Parameter, Signature
from itertools import pairwise
from typing import Annotated, Any, get_args

import typer
from typer.core import TyperGroup

from molokini.clients.command_lines import reader_of
from molokini.clients.commands import COMMANDS, GROUPS, HEADINGS, Command
from molokini.clients.described import in_help_order
from molokini.model.declared import Declared


def app_for(words: Sequence[str]) -> typer.Typer:
    """The ``molokini`` command that reads the command line *words*.

    Lists and suggestions want all commands, but not their options: those have only the commands that *words*
    name.
    """
    # Plain help: drawing it with Rich would take longer than everything else that --help does.
    app = typer.Typer(
        name="molokini",
        help="Schedule batch jobs: replay workloads exactly and fast, or run a live cluster.",
        cls=_InTableOrder,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        # Typer's own asks this program at every press of the key; ``molokini completion`` is quicker.
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_molokini)
    apps = {"": app}
    for group, text in GROUPS.items():
        apps[group] = typer.Typer(help=text, rich_markup_mode=None, cls=_WholeSummaries)
        app.add_typer(apps[group], name=group)
    for row in COMMANDS:
        group, _, name = row.name.rpartition(" ")
        kind = row.arguments() if name in words else None
        add = apps[group].command(name, cls=reader_of(kind) if kind else None, help=row.help)
        add(_command(row, kind))
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        from molokini.model.version import version

        typer.echo(f"molokini {version()}")
        raise typer.Exit


def _molokini(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Show the version.")
    ] = False,
) -> None:
    """Schedule batch jobs: replay workloads exactly and fast, or run a live cluster."""


class _WholeSummaries(TyperGroup):
    """Commands with the whole of their first sentence; Typer cuts it off."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        self._write("Commands", self.list_commands(ctx), formatter)

    def _write(self, heading: str, names: Sequence[str], formatter: Any) -> None:
        width = max(map(len, self.commands))
        summaries = [(self.commands[name].help or "").partition("\n\n")[0] for name in names]
        with formatter.section(heading):
            formatter.write_dl(
                [(name.ljust(width), text) for name, text in zip(names, summaries, strict=True)]
            )


class _InTableOrder(_WholeSummaries):
    """Commands and groups as the table lists them, under its headings; Typer has all groups last."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(dict.fromkeys(row.name.partition(" ")[0] for row in COMMANDS))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        names = self.list_commands(ctx)
        begins = [*map(names.index, HEADINGS), len(names)]
        for heading, (first, behind) in zip(HEADINGS.values(), pairwise(begins), strict=True):
            self._write(heading, names[first:behind], formatter)


def _command(row: Command, kind: type | None) -> Callable[..., int]:
    """A function whose parameters are the fields of *kind*; it carries *row* out."""

    def command(**given: Any) -> int:
        assert kind is not None, f"{row.name} is run, but was not named"
        return row.run(kind(**{name: value for name, value in given.items() if value is not None}))

    command.__signature__ = Signature(_parameters(kind) if kind else [])  # type: ignore[attr-defined]
    return command


def _parameters(kind: type) -> list[Parameter]:
    """The fields of *kind* as parameters of a function."""
    by_name = {field.name: field for field in fields(kind)}
    return [
        Parameter(
            name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if by_name[name].default is MISSING else by_name[name].default,
            annotation=_known(name, by_name[name].type),
        )
        for name in in_help_order(kind)
    ]


def _known(name: str, annotation: Any) -> Any:
    """*annotation* of the field *name* in Typer's words, which knows of all sequences only lists."""
    kind, declared, *_ = get_args(annotation)
    assert isinstance(declared, Declared)
    made = typer.Argument if declared.positional else typer.Option
    words = made(*declared.written(name), **declared.settings)
    return Annotated[list[str], words] if kind == Sequence[str] else Annotated[kind, words]
