"""The tables of the Origin 2000 workload: a file of TOML, which may be replaced."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from molokini.model.errors import BadFile
from molokini.workloads.workload import Floats

_TIMES = (
    *("minute", "half", "upper", "top", "overrun", "exact_5h"),
    *("default_middle", "other_middle", "wide_above", "wide_middle", "wide_high"),
)
_TIMES_BY_CLASS = ("default_hours", "default_high", "other_high")
_SHARE, _RATE, _HOUR_OF_DAY = (0.0, 1.0), (0.0, 1e6), (0.0, 24.0)
_ARRIVALS = {
    "cv": (1.0, 100.0),
    "peak": (1e-6, 1e6),
    "middle": _RATE,
    "low": _RATE,
    "weekend_from_h": _HOUR_OF_DAY,
    "weekend_to_h": _HOUR_OF_DAY,
}
_PEAKS = {
    "minute_most": _SHARE,
    "minute_most_mb": (0.0, 1e9),
    "above": _SHARE,
    "low": _SHARE,
    "above_most": (1.0, 1e6),
    "low_least": (1e-9, 1.0),
    "low_most": (1e-9, 1.0),
}
"""Single numbers of the tables, each with its range."""
_SHIPPED = Path(__file__).parent / "tables" / "o2k.toml"


@dataclass(frozen=True)
class Discrete:
    """Values with their shares."""

    values: Floats
    shares: Floats

    def at(self, uniform: Floats) -> Floats:
        """The value at each of *uniform*, numbers from 0 to 1."""
        return np.asarray(self.values[_places(self.shares, uniform)])


@dataclass(frozen=True)
class Memory:
    """Requested memory of jobs of at most so many processors."""

    processors: float
    shares: Floats


@dataclass(frozen=True)
class Range:
    """Classes of requested time of jobs of at most so many processors."""

    processors: float
    shares: Floats


@dataclass(frozen=True)
class SizeClass:
    """Jobs of at most so many processors and so much memory, and their classes of requested time."""

    processors: float
    memory_gb: float
    shares: Floats
    """Of all jobs of the class, as published."""
    ranges: tuple[Range, ...]
    """What jobs are made by: the class cut by processors, or one range that is all of it."""


@dataclass(frozen=True)
class Tables:
    """All tables, checked."""

    arrivals: dict[str, float]
    processors: Discrete
    memory_ends_gb: Floats
    memory: tuple[Memory, ...]
    sizes: tuple[SizeClass, ...]
    requests: tuple[Discrete, ...]
    """Requested hours, one table a class of requested time."""
    times: dict[str, Floats]
    """Actual over requested time: numbers, and rows of them by class of requested time."""
    peaks: dict[str, float]


def _places(shares: Floats, uniform: Floats) -> Any:
    return np.minimum(np.searchsorted(np.cumsum(shares), uniform, side="right"), shares.size - 1)


def piecewise(ends: Floats, shares: Floats, uniform: Floats) -> Floats:
    """Log-uniform between neighbouring *ends*, each piece with its share, at each of *uniform*."""
    knots = np.concatenate([[0.0], np.cumsum(shares)])
    knots[-1] = 1.0
    return np.asarray(np.exp(np.interp(uniform, knots, np.log(ends))))


def read_tables(file: str) -> Tables:
    """The tables of *file*, those of the package where it is empty. Raises BadFile."""
    path = Path(file) if file else _SHIPPED
    try:
        return _tables(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise BadFile(str(path), error.strerror or "it cannot be read") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadFile(str(path), f"no TOML: {error}") from None
    except KeyError as error:
        raise BadFile(str(path), f"the table or value {error} is missing") from None
    except (TypeError, ValueError, AttributeError) as error:
        raise BadFile(str(path), f"not as the tables that come with the package: {error}") from None


def _tables(found: dict[str, Any]) -> Tables:
    ends = _numbers("memory.ends_gb", found["memory"]["ends_gb"])
    tables = Tables(
        _within("arrivals", found["arrivals"], _ARRIVALS),
        _discrete("processors", found["processors"], "values"),
        ends,
        tuple(
            Memory(float(one["processors"]), _shares("memory", one["shares"], ends.size - 1))
            for one in found["memory"]["ranges"]
        ),
        tuple(_size_class(one, len(found["requests"])) for one in found["sizes"]),
        tuple(_discrete("requests", one, "hours") for one in found["requests"]),
        _times(found["times"], len(found["requests"])),
        _within("peaks", found["peaks"], _PEAKS),
    )
    sizes, peaks = tables.processors.values, tables.peaks
    if sizes.min() < 1 or (sizes != np.rint(sizes)).any():
        raise ValueError("processors.values: whole numbers of 1 or more are needed")
    if peaks["above"] + peaks["low"] > 1.0 or peaks["low_least"] > peaks["low_most"]:
        raise ValueError("peaks: above and low are 1 together at most, and low_least is low_most at most")
    most = float(tables.processors.values.max())
    for name, last in (("memory", tables.memory[-1]), ("sizes", tables.sizes[-1])):
        if last.processors < most:
            raise ValueError(f"{name}: no range for {most:g} processors")
    return tables


def _size_class(given: dict[str, Any], times: int) -> SizeClass:
    processors, shares = float(given["processors"]), _shares("sizes", given["shares"], times)
    ranges = tuple(
        Range(float(one["processors"]), _shares("sizes.ranges", one["shares"], times))
        for one in given.get("ranges", ())
    )
    ends = [one.processors for one in ranges]
    if ranges and (ends != sorted(set(ends)) or ends[-1] < processors):
        raise ValueError(f"sizes.ranges: processors that rise up to the class's {processors:g} are needed")
    return SizeClass(processors, float(given["memory_gb"]), shares, ranges or (Range(processors, shares),))


def _times(given: dict[str, Any], classes: int) -> dict[str, Floats]:
    found: dict[str, Floats] = {name: np.asarray(float(given[name])) for name in _TIMES}
    rows = {name: _numbers(f"times.{name}", given[name]) for name in _TIMES_BY_CLASS}
    for name, row in rows.items():
        if row.size != classes:
            raise ValueError(f"times.{name}: {classes} numbers are needed, one a class of requested time")
    return {**found, **rows}


def _within(name: str, given: dict[str, Any], ranges: dict[str, tuple[float, float]]) -> dict[str, float]:
    found = {key: float(given[key]) for key in ranges}
    for key, (low, high) in ranges.items():
        if not low <= found[key] <= high:
            raise ValueError(f"{name}.{key}: a number from {low:g} to {high:g} is needed")
    return found


def _numbers(name: str, given: Any) -> Floats:
    values = np.asarray(given, dtype=np.float64)
    if values.ndim != 1 or not values.size or not (np.isfinite(values).all() and values.min() >= 0.0):
        raise ValueError(f"{name}: numbers of 0 or more are needed")
    return values


def _shares(name: str, given: Any, count: int) -> Floats:
    values = _numbers(f"{name}.shares", given)
    if values.size != count or abs(values.sum() - 1.0) > 0.005:
        raise ValueError(f"{name}.shares: {count} numbers that add up to 1 are needed")
    return np.asarray(values / values.sum())


def _discrete(name: str, table: dict[str, Any], values: str) -> Discrete:
    found = _numbers(f"{name}.{values}", table[values])
    return Discrete(found, _shares(name, table["shares"], found.size))
