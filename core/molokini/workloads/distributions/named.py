"""A distribution from its name and parameters in text: ``bounded-pareto?k=1&p=1e6&alpha=1.1``.

Inside of a model's parameter, where ``?`` and ``&`` are taken, it is ``bounded-pareto:k=1;p=1e6;alpha=1.1``.
Lists are separated by commas: ``log-uniform?bounds=1,100,1e4&shares=0.5,0.5``.
"""

from dataclasses import MISSING, fields
from typing import Any

from molokini.model.errors import BadInput, BadValue, UnknownName
from molokini.model.specs import split_spec
from molokini.workloads.distributions import DISTRIBUTIONS
from molokini.workloads.distributions.base import Distribution
from molokini.workloads.distributions.of_scipy import OfScipy

SCIPY = "scipy."
"""Before the name of one of scipy's."""


def distribution_of(text: str) -> Distribution:
    """The distribution that *text* names.

    Raises UnknownName for a name that there is not, BadInput for parameters that it has not, BadValue for
    values out of range.
    """
    name, given = split_spec(text.replace(":", "?", 1).replace(";", "&"))
    if name.startswith(SCIPY):
        values = {key: _number(key, value) for key, value in given.items()}
        return OfScipy(name.removeprefix(SCIPY), tuple(sorted(values.items())))
    if name not in DISTRIBUTIONS:
        raise UnknownName("distribution", name, [*DISTRIBUTIONS, f"{SCIPY}NAME"])
    kind = DISTRIBUTIONS[name]
    known = {one.name: one for one in fields(kind)}  # type: ignore[arg-type]
    for key in given:
        if key not in known:
            raise UnknownName(f"parameter of {name}", key, known)
    missing = [
        key
        for key, one in known.items()
        if key not in given and one.default is MISSING and one.default_factory is MISSING
    ]
    if missing:
        raise BadInput(f"{text}: {name} needs {', '.join(f'{key}=NUMBER' for key in missing)} as well")
    return kind(**{key: _parsed(known[key].type, key, value) for key, value in given.items()})


def _parsed(kind: Any, key: str, text: str) -> Any:
    shown = str(kind)
    if "tuple" in shown:
        return tuple(_number(key, part) for part in text.split(","))
    number = _number(key, text)
    if kind is int or shown == "int":
        if number != int(number):
            raise BadValue(key, text, "a whole number")
        return int(number)
    return number


def _number(key: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BadValue(key, text, "a number") from None
