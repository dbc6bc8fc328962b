"""How a run ended, in figures: each is declared once, and reported, kept and shown by that.

Facts, snapshots, records of past jobs, ``Job`` on the wire, the documents of the command and a table of
``docs/job-fields.md`` follow from the fields of ``RunResult``. The name of a field is its name in ``Report``
and in the journal.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from math import fsum
from operator import attrgetter
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Figure:
    """What a field of ``RunResult`` is beside its type."""

    text: str
    """What it says, for users."""
    unit: str = ""
    on_job: str = ""
    """Its name in ``Job`` and in documents; empty: its own."""
    over_parts: Callable[[Iterable[Any]], Any] | None = None
    """What the attempt has of its parts, one an agent; None: what the part has that says how all ended."""
    of_parts: str = "of the part that says how all ended"
    """The same in words."""
    measured: bool = False
    """Whether an agent may report what cannot be true, which then is not known: 0."""
    known_by: str = ""
    """The figure without which this one is not known; 0 of it is a figure otherwise."""
    reported: bool = True
    """Whether agents report it; else the server computes it."""


def _figure(default: float, figure: Figure) -> Any:
    return field(default=default, metadata={"figure": figure})


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a run ended and what it used. A new field also needs a field of ``Report`` and one of ``Job``."""

    exit_code: int = _figure(0, Figure("Exit code of the last attempt that ended, from 0 to 255"))
    signal: int = _figure(0, Figure("Signal that ended it; 0: none"))
    memory_kb: int = _figure(
        0,
        Figure(
            "Most memory used on one of its nodes; 0: not known", "kB", "memory_used_kb", max, "the largest"
        ),
    )
    memory_all_kb: int = _figure(
        0,
        Figure(
            "Most memory used on each of its nodes, added up; 0: not known",
            "kB",
            of_parts="the sum of memory_kb",
            reported=False,
        ),
    )
    cpu_s: float = _figure(
        0.0,
        # Exact, so that the order in which the parts ended does not show.
        Figure(
            "Processor time of all its processes", "s", "", fsum, "the sum", measured=True, known_by="cpu_s"
        ),
    )
    read_kb: int = _figure(
        0, Figure("Read from storage", "kB", "", sum, "the sum", measured=True, known_by="cpu_s")
    )
    written_kb: int = _figure(
        0, Figure("Written to storage", "kB", "", sum, "the sum", measured=True, known_by="cpu_s")
    )


FIGURES: Final[dict[str, Figure]] = {one.name: one.metadata["figure"] for one in fields(RunResult)}
"""The figures by the names of their fields, in the order of documents."""
ON_JOB: Final[dict[str, str]] = {name: figure.on_job or name for name, figure in FIGURES.items()}
"""Their names in ``Job``."""
NO_RESULT: Final = RunResult()
"""One for all runs that have not ended, or of which nothing is known."""
_NEWER = ("cpu_s", "read_kb", "written_kb", "memory_all_kb")
"""What records of past jobs had as a list under ``usage`` before their version 3."""

figures_of: Final = attrgetter(*FIGURES)
"""The values of a result in the order of ``FIGURES``."""
DEFAULTS: Final[dict[str, Any]] = dict(zip(FIGURES, figures_of(NO_RESULT), strict=True))
"""What each figure is where it is not known."""


def result_of(values: Sequence[Any]) -> RunResult:
    """The result with these *values*, in the order of ``FIGURES``."""
    return RunResult(*values) if any(values) else NO_RESULT


def known_of(result: RunResult) -> dict[str, Any]:
    """The figures of *result* that are not 0, by name."""
    if result is NO_RESULT:
        return {}
    return {name: value for name, value in zip(FIGURES, figures_of(result), strict=True) if value}


def read_result(stored: dict[str, Any]) -> RunResult:
    """The result among what is *stored* of a run, of any version."""
    found = {**dict(zip(_NEWER, stored.get("usage", ()), strict=False)), **stored}
    return result_of([found.get(name, default) for name, default in DEFAULTS.items()])


def recorded_in(record: Mapping[str, Any]) -> dict[str, Any]:
    """What the *record* of a supervisor says of an end, as agents report it."""
    reported = ((name, default) for name, default in DEFAULTS.items() if FIGURES[name].reported)
    return {name: type(default)(record[name]) for name, default in reported}


def reported_in(report: Any) -> RunResult:
    """What *report*, an ``agent_service.Report``, says of an end."""
    values = []
    for name, default in DEFAULTS.items():
        value = getattr(report, name) if FIGURES[name].reported else default
        if FIGURES[name].measured and not 0 <= value < 2**53:
            # No reason to doubt the end itself.
            value = default
        values.append(value)
    return result_of(values)


def result_of_parts(telling: RunResult, parts: Sequence[RunResult]) -> RunResult:
    """The result of an attempt of these *parts*; *telling* is that of the part that says how all ended."""
    values = {}
    for name, figure in FIGURES.items():
        column = [getattr(part, name) for part in parts]
        values[name] = figure.over_parts(column) if figure.over_parts else getattr(telling, name)
    if len(parts) > 1:
        values["memory_all_kb"] = sum(part.memory_kb for part in parts)
    return result_of(list(values.values()))
