"""``docs/job-fields.md``: the fields of a job and of its end, as they are declared."""

from collections.abc import Iterable
from dataclasses import fields
from typing import get_type_hints

from molokini.model.job_specs import FIELDS, OF_OUTCOME, Field, JobSpec, Length, Outcome, Shown
from molokini.model.run_results import FIGURES, ON_JOB, RunResult

_HEAD = """# The fields of a job

Made by `make pages` from `core/molokini/model/job_specs.py` and `core/molokini/model/run_results.py`, where
each field is declared once. `JobSpec`, `Outcome`, `Report` and `Job` in `proto/molokini/proto/v1` say what
each means to the last detail.

## What a user asks for

A field is kept in the journal, in snapshots and in the record of a past job by its name, and only where it is
set. *Altered*: `AlterJob` changes it, "waiting" only before the job runs. *Secret*: only callers who may read
the job get it, and listings leave it out unless asked. *Own*: jobs of one batch mostly differ in it, so it
costs least there. *In*: the document of the command that has it.
"""
_OUTCOME = """
Of `outcome`, which says what an emulated node pretends:
"""
_RESULT = """
## How it ended

A figure is reported by agents and kept in the journal by its name; `Job` and the documents have it by the
second name. *Several agents*: what the job has of its parts, where several agents ran one each.
"""


def page() -> str:
    """The document."""
    return "".join((_HEAD, "\n", *_asked(), _OUTCOME, "\n", *_outcome(), _RESULT, "\n", *_figures()))


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _asked() -> Iterable[str]:
    yield _row(("Field", "Type", "What it says", "Bounds", "Altered", "Secret", "Own", "In"))
    yield _row(["---"] * 8)
    types = get_type_hints(JobSpec)
    for name, field in FIELDS.items():
        altered = ("yes" if field.altered_late else "waiting") if field.altered else ""
        shown = "" if field.shown is Shown.NOWHERE else f"`{field.shown.value}`"
        flags = ("yes" if field.secret else "", "yes" if field.own else "")
        yield _row((f"`{name}`", _type(types[name]), _says(field), _bounds(field), altered, *flags, shown))


def _outcome() -> Iterable[str]:
    yield _row(("Field", "Type", "What it says", "Bounds"))
    yield _row(["---"] * 4)
    types = get_type_hints(Outcome)
    for name, field in OF_OUTCOME.items():
        yield _row((f"`{name}`", _type(types[name]), _says(field), _bounds(field)))


def _figures() -> Iterable[str]:
    yield _row(("Figure", "On `Job`", "Type", "What it says", "Several agents"))
    yield _row(["---"] * 5)
    types = {one.name: one.type for one in fields(RunResult)}
    for name, figure in FIGURES.items():
        says = f"{figure.text}, {figure.unit}" if figure.unit else figure.text
        if figure.known_by and figure.known_by != name:
            says += f"; not known where `{figure.known_by}` is 0"
        yield _row((f"`{name}`", f"`{ON_JOB[name]}`", _type(types[name]), says, figure.of_parts))


def _says(field: Field) -> str:
    return f"{field.text}, {field.unit}" if field.unit else field.text


def _bounds(field: Field) -> str:
    if field.range is not None:
        return field.range.words
    if field.length is Length.SHORT:
        return f"`{field.length.value}` characters"
    return f"{field.length.value:,} characters" if field.length is not None else ""


def _type(kind: object) -> str:
    name = kind.__name__ if isinstance(kind, type) and not hasattr(kind, "__args__") else str(kind)
    return f"`{name.replace(f'{JobSpec.__module__}.', '')}`"


if __name__ == "__main__":
    print(page(), end="")
