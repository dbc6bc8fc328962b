"""Commands from classes of arguments: each field is an option, and the command gets them as one value."""

from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields
from inspect import Parameter, Signature
from typing import Annotated, Any, TypeVar, get_args, get_type_hints

from molokini.clients.declared import Declared

Arguments = TypeVar("Arguments")
Result = TypeVar("Result", None, int)


def taking(kind: type[Arguments]) -> Callable[[Callable[[Arguments], Result]], Callable[..., Result]]:
    """Make a command of a function: the fields of *kind* are its options, and it gets them as one *kind*.

    What the function returns is the exit code; None is 0.
    """

    def decorate(function: Callable[[Arguments], Result]) -> Callable[..., Result]:
        def command(**given: Any) -> Result:
            return function(kind(**{name: value for name, value in given.items() if value is not None}))

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
    kind, *given = get_args(annotation)
    more = [part.for_typer() if isinstance(part, Declared) else part for part in given]
    return Annotated[list[str], *more] if kind == Sequence[str] else Annotated[kind, *more]
