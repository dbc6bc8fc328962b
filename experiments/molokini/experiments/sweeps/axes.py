"""Values of an axis: a list, a range, or dimensions of a Latin hypercube (McKay, Beckman, Conover 1979)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeGuard

import numpy as np

from molokini.experiments.factors import several_factors
from molokini.model.errors import BadValue
from molokini.workloads.streams import Streams

MOST_VALUES = 10_000
"""Of one axis."""
MOST_SAMPLES = 100_000
_RANGE = "a list, or a range { from = 1, to = 9, step = 2 } or { from = 1, to = 64, steps = 7, log = true }"
_BOUNDS = "[LOW, HIGH], or { from = LOW, to = HIGH, log = true, whole = true }"


def values_of(name: str, given: object) -> list[Any]:
    """The values of axis *name*, in order, each once. Raises BadValue."""
    if isinstance(given, Mapping):
        found = _range(name, given)
    elif isinstance(given, str) and given.count(":") == 2:
        found = list(several_factors(name, given))
    elif isinstance(given, list | tuple):
        found = list(given)
    else:
        found = [given]
    if not found or len(found) > MOST_VALUES:
        raise BadValue(name, given, f"{_RANGE}, of 1 to {MOST_VALUES:,} values")
    each = {str(value): value for value in found}
    return list(each.values())


def _range(name: str, given: Mapping[str, Any]) -> list[Any]:
    low, high = _ends(name, given, _RANGE)
    rest = {key: value for key, value in given.items() if key not in ("from", "to")}
    logarithmic = rest.pop("log", False)
    if list(rest) == ["step"] and not logarithmic and _is_number(rest["step"]) and rest["step"] > 0:
        count = math.floor((high - low) / rest["step"] + 1e-9) + 1
        if count > MOST_VALUES:
            raise BadValue(name, dict(given), f"a range of at most {MOST_VALUES:,} values")
        found = [round(low + at * rest["step"], 9) for at in range(count)]
    elif list(rest) == ["steps"] and isinstance(rest["steps"], int) and 2 <= rest["steps"] <= MOST_VALUES:
        spaced = np.geomspace if logarithmic else np.linspace
        if logarithmic and low <= 0:
            raise BadValue(name, dict(given), "a range above 0 where it is logarithmic")
        found = [round(float(value), 9) for value in spaced(low, high, rest["steps"])]
    else:
        raise BadValue(name, dict(given), _RANGE)
    return [_whole(value) for value in found]


@dataclass(frozen=True)
class Dimension:
    """One dimension of a Latin hypercube."""

    name: str
    low: float
    high: float
    logarithmic: bool = False
    whole: bool = False


def dimension_of(name: str, given: object) -> Dimension:
    """The dimension that *given* describes. Raises BadValue."""
    if isinstance(given, Sequence) and not isinstance(given, str) and len(given) == 2:
        given = {"from": given[0], "to": given[1]}
    if not isinstance(given, Mapping) or not given.keys() <= {"from", "to", "log", "whole"}:
        raise BadValue(name, given, _BOUNDS)
    low, high = _ends(name, given, _BOUNDS)
    if low == high or (given.get("log", False) and low <= 0):
        raise BadValue(name, dict(given), f"{_BOUNDS}, LOW below HIGH, and above 0 where it is logarithmic")
    return Dimension(name, low, high, bool(given.get("log", False)), bool(given.get("whole", False)))


def latin_hypercube(dimensions: Sequence[Dimension], samples: int, seed: int) -> list[dict[str, Any]]:
    """*samples* points: each dimension is cut into as many strata, and each stratum has one point.

    A dimension is drawn from a stream of its own, so that one more changes no other.
    """
    columns = []
    for one in dimensions:
        stream = Streams(seed).under("latin hypercube").of(one.name)
        share = (stream.permutation(samples) + stream.random(samples)) / samples
        columns.append([_placed(one, float(value)) for value in share])
    names = [one.name for one in dimensions]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def strata(values: Sequence[float], most: int) -> list[float]:
    """Borders of at most *most* classes of *values*, each of about as many, for reports."""
    borders = np.quantile(np.asarray(values, dtype=np.float64), np.linspace(0, 1, most + 1))
    kept = [float(borders[0])]
    kept += [float(high) for low, high in pairwise(borders) if high > low]
    return kept


def _placed(one: Dimension, share: float) -> float | int:
    if one.whole:
        # Each whole number from low to high, both included, has the same share.
        return min(int(one.high), int(one.low + share * (one.high - one.low + 1)))
    if one.logarithmic:
        return round(one.low * float((one.high / one.low) ** share), 9)
    return round(one.low + share * (one.high - one.low), 9)


def _ends(name: str, given: Mapping[str, Any], allowed: str) -> tuple[float, float]:
    low, high = given.get("from"), given.get("to")
    if not _is_number(low) or not _is_number(high) or low > high:
        raise BadValue(name, dict(given), allowed)
    return low, high


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _whole(value: float) -> float | int:
    return int(value) if float(value).is_integer() else value
