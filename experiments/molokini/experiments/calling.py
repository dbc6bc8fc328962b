"""Functions of one kind of run, called by its fields: what these are, and what is wrong with them."""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from functools import wraps
from inspect import Signature, cleandoc, signature
from numbers import Integral, Real
from os import PathLike
from textwrap import fill
from types import NoneType, UnionType
from typing import Annotated, Any, ParamSpec, TypeVar, Union, cast, get_args, get_origin

from molokini.model.declared import Declared

Given = ParamSpec("Given")
Asked = TypeVar("Asked")
Result = TypeVar("Result")

_SAID = {
    "log": "A file, a model (NAME?key=value), or a Workload.",
    "logs": "One log or several, as for simulate.",
    "set": "Values of parameters of policy or workload, by name, or as NAME=VALUE each.",
    "policy_dir": "Folders of policy files.",
    "policies": "Names of policies or files; the first is the baseline.",
    "load_factor": "Divide the gaps between arrivals by it: a number, several, or a range FIRST:LAST:STEP.",
    "run_time_factor": "Run times and estimates are so many times as long; written as load_factor.",
    "slurm_conf": "Configurations (slurm.conf) for the policy slurm; one entry each.",
    "maui_config": "Configurations (maui.cfg) for the policy maui; one entry each.",
    "parameters": "Values to try of each parameter, by name: a list, or a range {from, to, step}.",
    "machines": "Numbers of processors, instead of the log's: each workload on each.",
    "samples": "Points of a Latin hypercube, which sample describes.",
    "sample": "Bounds of each parameter, load_factor or run_time_factor that it draws, by name.",
    "objectives": "Two metrics: the first ranks, both make the front.",
}
"""What Python takes in more ways than the command line does, whose options say the rest."""

_WORDS: dict[Any, tuple[str, tuple[type, ...]]] = {
    int: ("a whole number", (Integral,)),
    float: ("a number", (Real,)),
    str: ("a text", (str, PathLike)),
    bool: ("True or False", (bool,)),
}


def asking(
    kind: Callable[Given, Asked],
) -> Callable[[Callable[[Asked], Result]], Callable[Given, Result]]:
    """Make of a function of one *kind*, a dataclass, a function that takes the fields of it.

    It raises TypeError, in the words of its caller, for arguments that there are not or of another type.
    """

    def decorate(function: Callable[[Asked], Result]) -> Callable[Given, Result]:
        name = function.__name__

        @wraps(function)
        def asked(*given: Given.args, **options: Given.kwargs) -> Result:
            _check(name, cast(type, kind), given, options)
            return function(kind(*given, **options))

        given_by_name = signature(kind).parameters.values()
        parameters = [one.replace(annotation=_type(one.annotation)) for one in given_by_name]
        result = signature(function).return_annotation
        asked.__signature__ = Signature(parameters, return_annotation=result)  # type: ignore[attr-defined]
        asked.__doc__ = _documented(function.__doc__ or "", cast(type, kind))
        return asked

    return decorate


def _check(name: str, kind: type, given: tuple[Any, ...], options: Mapping[str, Any]) -> None:
    known: dict[str, Field[Any]] = {field.name: field for field in fields(kind)}
    placed = [field.name for field in known.values() if not field.kw_only]
    if len(given) > len(placed):
        raise TypeError(
            f"{name}() takes only {placed[0]} without a name: write {_named(known)}=... for the others"
        )
    for option in options.keys() - known.keys():
        near = difflib.get_close_matches(option, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"help({name}) lists all"
        raise TypeError(f"{name}() has no argument {option!r}; {hint}")
    for field in known.values():
        if field.default is MISSING and field.default_factory is MISSING and field.name not in options:
            raise TypeError(f"{name}() needs {field.name}=...")
    for option, value in options.items():
        wrong = _wrong(known[option].type, value)
        if wrong:
            raise TypeError(f"{name}(): {option} must be {wrong}, not {value!r}")


def wrong_type(annotation: Any, value: Any) -> str:
    """What *value* should be, where the type of a field is known and it is not of it; else empty."""
    return _wrong(annotation, value)


def _named(known: Mapping[str, Field[Any]]) -> str:
    """The argument that users forget to name."""
    return "policy" if "policy" in known else "policies"


def _wrong(annotation: Any, value: Any) -> str:
    """What *value* should be, where its type is known and it is not of it; else empty."""
    wanted = _type(annotation)
    several = get_args(wanted) if get_origin(wanted) in (Union, UnionType) else ()
    kinds = [one for one in several if one is not NoneType] or [wanted]
    if (value is None and NoneType in several) or any(one not in _WORDS for one in kinds):
        return ""
    of_bool = isinstance(value, bool) and bool not in kinds
    if not of_bool and any(isinstance(value, _WORDS[one][1]) for one in kinds):
        return ""
    return " or ".join(_WORDS[one][0] for one in kinds)


def _type(annotation: object) -> object:
    """*annotation* without how it is written on the command line."""
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def _documented(text: str, kind: type) -> str:
    """*text* with a line or more for each argument."""
    lines = [
        fill(f"{field.name}: {_said(field)}", 100, initial_indent="    ", subsequent_indent=" " * 8)
        for field in fields(kind)
    ]
    return "\n".join([cleandoc(text), "", "Arguments, all but the first by name:", "", *lines])


def _said(field: Field[Any]) -> str:
    """What an argument is for: as help of the command says it, with the default."""
    declared = [one for one in get_args(field.type) if isinstance(one, Declared)]
    said = declared[0].settings["help"] if declared else _SAID[field.name]
    shown = field.default not in (MISSING, None, ()) and field.default is not False
    return f"{said} [default: {field.default}]" if shown else said
