"""Parameter files: what a fit found, as TOML that a person can read and change, and back."""

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import Any

from molokini.model.errors import BadFile, BadInput, UnknownName
from molokini.workloads.atomic import atomic_path
from molokini.workloads.distributions import DISTRIBUTIONS, Distribution
from molokini.workloads.fits.arrivals import Arrivals
from molokini.workloads.fits.bursts import BurstFit, Bursts
from molokini.workloads.fits.candidates import Candidate
from molokini.workloads.fits.cycle import kinds_of_day, week_of
from molokini.workloads.fits.fitting import LogFit, Table

SCHEMA = "molokini.fit/1"
_MOST_BYTES = 1 << 22


@dataclass(frozen=True)
class Runs:
    """Run times of jobs of up to *most* processors."""

    most: int
    zero_share: float
    distribution: Distribution
    largest_s: float
    """Draws above it are drawn again: a few enormous ones would carry the mean."""


@dataclass(frozen=True)
class Site:
    """What a parameter file tells: all that jobs are made from."""

    log: str
    jobs: int
    processors: int
    arrivals: Arrivals
    sizes: Table
    runs: tuple[Runs, ...]
    """In order of size; the last is for all wider ones, too."""
    estimated_share: float = 0.0
    exact_share: float = 0.0
    past_share: float = 0.0
    accuracy: Distribution | None = None
    estimates: Table | None = None
    """Values that estimates are rounded up to."""
    memory_share: float = 0.0
    memory: Distribution | None = None
    users: Table | None = None


def write_site(fit: LogFit, path: str | Path) -> None:
    """Write what a fit found; the same fit gives the same bytes."""
    with atomic_path(path) as temporary:
        temporary.write_text(text_of(fit), encoding="utf-8")


def text_of(fit: LogFit) -> str:
    """What ``write_site`` writes."""
    lines = [
        "# Made by 'molokini workload fit'; used by --workload 'fitted:THIS-FILE?jobs=100000'.",
        "# Every number may be changed.",
        f"schema = {_written(SCHEMA)}",
        f"log = {_written(fit.name)}",
        f"jobs = {fit.jobs}",
        f"processors = {fit.processors}",
        *_section(
            "gaps",
            fit.gaps.for_making,
            "in operational time, s",
            zero_share=fit.gap_zero_share,
            largest_s=fit.gaps.largest,
        ),
        *_plain("cycle", "intensity of each half hour of the day from 0:00", **kinds_of_day(fit.cycle)),
        *_bursts(fit.bursts),
        *_plain("sizes", "processors", values=fit.sizes.values, shares=fit.sizes.shares),
    ]
    for one in fit.runs:
        more = {"most": one.most, "zero_share": one.zero_share, "largest_s": one.fits.largest}
        lines += _section("[run]", one.fits.for_making, "s", **more)
    if fit.accuracy is not None and fit.estimates is not None:
        told = {
            "share": fit.estimated_share,
            "exact": fit.exact_share,
            "past": fit.past_share,
            "rounded_up_to_s": fit.estimates.values,
            "weights": fit.estimates.shares,
        }
        lines += _section("accuracy", fit.accuracy, "run time / estimate of jobs that ended early", **told)
    if fit.memory is not None:
        lines += _section("memory", fit.memory, "kB per processor", share=fit.memory_share)
    if fit.users is not None:
        lines += _plain(
            "users", "of the jobs, the busiest first", shares=sorted(fit.users.shares, reverse=True)
        )
    return "\n".join(lines) + "\n"


def _bursts(found: BurstFit) -> list[str]:
    if found.bursts is None:
        return []
    told = "gaps come in the order of those of visits of so many jobs, which last Pareto times"
    return _plain("bursts", told, jobs=found.bursts.jobs, tail=found.bursts.tail)


def _section(name: str, fitted: Candidate, unit: str, **more: Any) -> list[str]:
    chosen = {
        "distribution": fitted.distribution.NAME,
        "parameters": dict(fitted.distribution.parameters()),
    }
    told = f"{unit}; KS distance from the log {fitted.ks:.4f}"
    return _plain(name, told, **chosen, **more)


def _plain(name: str, comment: str, **values: Any) -> list[str]:
    return ["", f"[{name}]  # {comment}", *(f"{key} = {_written(value)}" for key, value in values.items())]


def _written(value: Any) -> str:
    if isinstance(value, str):
        quoted = "".join(sign if sign.isprintable() and sign not in '"\\' else "?" for sign in value)
        return f'"{quoted}"'
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else ("inf" if value > 0 else "-inf")
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_written(one)}" for key, one in value.items()) + " }"
    if isinstance(value, Sequence):
        return f"[{', '.join(map(_written, value))}]"
    return repr(value)


def read_site(path: str | Path) -> Site:
    """The parameters in a file; BadFile says what is missing in it or wrong."""
    path = Path(path)
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise BadFile(str(path), f"is larger than {_MOST_BYTES:,} bytes; that is no parameter file")
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeError, ValueError, RecursionError) as error:
        raise BadFile(str(path), getattr(error, "strerror", None) or str(error)) from None
    try:
        return _site(given)
    except (BadInput, KeyError, TypeError, ValueError, OverflowError) as error:
        cause = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)
        raise BadFile(str(path), cause) from None


def _site(given: Mapping[str, Any]) -> Site:
    if given.get("schema") != SCHEMA:
        raise BadInput(
            f"its schema is {given.get('schema')!r}, not {SCHEMA!r}: 'molokini workload fit' writes it"
        )
    sizes = given["sizes"]
    runs = tuple(
        Runs(
            _whole("run.most", one["most"]),
            _share("run.zero_share", one["zero_share"]),
            _drawn("run", one),
            _number("run.largest_s", one["largest_s"]),
        )
        for one in given["run"]
    )
    if not runs or any(low.most >= high.most for low, high in pairwise(runs)):
        raise BadInput("run: tables of rising 'most' are needed, one at least")
    accuracy, memory, users = (given.get(name, {}) for name in ("accuracy", "memory", "users"))
    processors = _whole("processors", given["processors"])
    found_sizes = _table("sizes", sizes["values"], sizes["shares"])
    if any(size != int(size) or not 1 <= size <= processors for size in found_sizes.values):
        raise BadInput(f"sizes.values: whole numbers from 1 to the machine's {processors:,} are needed")
    return Site(
        log=str(given["log"]),
        jobs=_whole("jobs", given["jobs"]),
        processors=processors,
        arrivals=_arrivals(given),
        sizes=found_sizes,
        runs=runs,
        estimated_share=_share("accuracy.share", accuracy.get("share", 0.0)),
        exact_share=_share("accuracy.exact", accuracy.get("exact", 0.0)),
        past_share=_share("accuracy.past", accuracy.get("past", 0.0)),
        accuracy=_drawn("accuracy", accuracy) if accuracy else None,
        estimates=_table("accuracy", accuracy["rounded_up_to_s"], accuracy["weights"]) if accuracy else None,
        memory_share=_share("memory.share", memory.get("share", 0.0)),
        memory=_drawn("memory", memory) if memory else None,
        users=_table("users", range(1, len(users["shares"]) + 1), users["shares"]) if users else None,
    )


def _arrivals(given: Mapping[str, Any]) -> Arrivals:
    gaps, cycle, bursts = given["gaps"], given["cycle"], given.get("bursts")
    return Arrivals(
        gaps=_drawn("gaps", gaps),
        zero_share=_share("gaps.zero_share", gaps["zero_share"]),
        largest_s=_number("gaps.largest_s", gaps["largest_s"]),
        cycle=week_of(*(_numbers(f"cycle.{day}", cycle[day]) for day in ("weekday", "saturday", "sunday"))),
        bursts=None
        if bursts is None
        else Bursts(_number("bursts.jobs", bursts["jobs"]), _number("bursts.tail", bursts["tail"])),
    )


def _drawn(where: str, given: Mapping[str, Any]) -> Distribution:
    name = given["distribution"]
    if name not in DISTRIBUTIONS:
        raise UnknownName(f"distribution ({where})", str(name), DISTRIBUTIONS)
    kind = DISTRIBUTIONS[name]
    values: dict[str, Any] = {}
    for key, value in given["parameters"].items():
        values[key] = tuple(_numbers(where, value)) if isinstance(value, list) else _number(where, value)
    if "order" in values:
        values["order"] = _whole(f"{where}.order", values["order"])
    try:
        return kind(**values)
    except TypeError:
        known = ", ".join(one.name for one in fields(kind))  # type: ignore[arg-type]
        raise BadInput(f"{where}: the distribution {name} needs {known}") from None


def _table(where: str, values: Any, shares: Any) -> Table:
    found, weights = _numbers(where, values), _numbers(where, shares)
    if not found or len(found) != len(weights) or min(weights) < 0 or not sum(weights) > 0:
        raise BadInput(f"{where}: as many shares of 0 or more as values are needed, and one of each at least")
    if any(low >= high for low, high in pairwise(found)):
        raise BadInput(f"{where}: values have to rise")
    total = sum(weights)
    return Table(tuple(found), tuple(weight / total for weight in weights))


def _numbers(where: str, values: Any) -> list[float]:
    return [_number(where, value) for value in values]


def _number(where: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        raise BadInput(f"{where}: {value!r} is not a number")
    return float(value)


def _whole(where: str, value: Any) -> int:
    number = _number(where, value)
    if not 1 <= number <= 2**31 - 1 or number != int(number):
        raise BadInput(f"{where}: {value!r} is not a whole number from 1 on")
    return int(number)


def _share(where: str, value: Any) -> float:
    number = _number(where, value)
    if not 0 <= number <= 1:
        raise BadInput(f"{where}: {value!r} is not a share from 0 to 1")
    return number
