"""The ``molokini`` command: what each of its commands is called, and what starts it.

What a command takes stands in ``arguments.py``; what it does stands in a file of its own, imported when it
runs, so that ``--help`` loads neither numpy nor matplotlib.
"""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields
from inspect import Parameter, Signature
from typing import Annotated, Any, TypeVar, get_args, get_type_hints

import typer

from molokini.clients.arguments import (
    CompareArguments,
    ConvertArguments,
    InfoArguments,
    PoliciesArguments,
    SimulateArguments,
)
from molokini.clients.failures import INTERRUPTED, guarded

Arguments = TypeVar("Arguments")

# Plain help: drawing it with Rich would take longer than everything else that --help does.
app = typer.Typer(
    name="molokini",
    help="Replay batch workloads under scheduling policies, exactly and fast.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)
workload_app = typer.Typer(help="Look into workload logs, and convert them.", rich_markup_mode=None)
app.add_typer(workload_app, name="workload")


def _print_version(wanted: bool) -> None:
    if wanted:
        from molokini.clients.version import version

        typer.echo(f"molokini {version()}")
        raise typer.Exit


@app.callback()
def molokini(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Show the version.")
    ] = False,
) -> None:
    """Replay batch workloads under scheduling policies, exactly and fast."""


def _taking(kind: type[Arguments]) -> Callable[[Callable[[Arguments], None]], Callable[..., None]]:
    """Make a command of a function: the fields of *kind* are its options, and it gets them as one *kind*."""

    def decorate(function: Callable[[Arguments], None]) -> Callable[..., None]:
        def command(**given: Any) -> None:
            function(kind(**{name: value for name, value in given.items() if value is not None}))

        command.__name__, command.__doc__ = function.__name__, function.__doc__
        command.__signature__ = _signature(kind)  # type: ignore[attr-defined]
        return command

    return decorate


def _signature(kind: type) -> Signature:
    """The fields of a class of arguments as parameters of a function, inherited ones last."""
    types = get_type_hints(kind, include_extras=True)
    parameters = [
        Parameter(
            field.name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if field.default is MISSING else field.default,
            annotation=_known(types[field.name]),
        )
        for field in fields(kind)
    ]
    own = kind.__annotations__
    return Signature(sorted(parameters, key=lambda parameter: parameter.name not in own))


def _known(annotation: Any) -> Any:
    """*annotation* in Typer's words, which knows of all sequences only lists."""
    kind, *more = get_args(annotation)
    return Annotated[list[str], *more] if kind == Sequence[str] else annotation


@app.command()
@_taking(SimulateArguments)
def simulate(arguments: SimulateArguments) -> None:
    """Replay a workload under one policy and measure the schedule."""
    from molokini.clients.simulate import simulate as run

    run(arguments)


@app.command()
@_taking(CompareArguments)
def compare(arguments: CompareArguments) -> None:
    """Replay workloads under several policies and say which differences mean something."""
    from molokini.clients.compare import compare as run

    run(arguments)


@app.command()
@_taking(PoliciesArguments)
def policies(arguments: PoliciesArguments) -> None:
    """List the policies and their parameters."""
    from molokini.clients.policies import policies as run

    run(arguments)


@workload_app.command()
@_taking(InfoArguments)
def info(arguments: InfoArguments) -> None:
    """Tell what is in a log, and what would be skipped and why."""
    from molokini.clients.workload import info as run

    run(arguments)


@workload_app.command()
@_taking(ConvertArguments)
def convert(arguments: ConvertArguments) -> None:
    """Convert between SWF, CSV and Parquet, and cut out a part on the way."""
    from molokini.clients.workload import convert as run

    run(arguments)


def run(arguments: list[str]) -> int:
    """Run the command line *arguments*; the exit code."""
    # A bare "molokini" is a question, not a mistake.
    return guarded(lambda: app(arguments or ["--help"], prog_name="molokini", standalone_mode=False))


def main() -> None:
    """What the shell starts."""
    code = run(sys.argv[1:])
    if code == INTERRUPTED:
        # At once: Python would wait for threads that wait for workers that are no more.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


if __name__ == "__main__":
    main()
