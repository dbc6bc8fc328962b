"""``bjobs -A``: one line for each array."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation, Job, LsfView, Values
from molokini.compat.lsf.formats import shown
from molokini.compat.lsf.states import stat

_COUNTED = ("PEND", "DONE", "RUN", "EXIT", "SSUSP", "USUSP", "PSUSP")


def say(run: Invocation, given: Values, lines: list[Job], view: LsfView) -> None:
    """Count the elements of each array by state; all of them, ended ones too."""
    arrays: dict[int, Job] = {}
    for line in lines:
        if line.array is not None:
            arrays.setdefault(line.id, line)
    if not given.flag("noheader"):
        run.say(_line(("JOBID", "ARRAY_SPEC", "OWNER", "NJOBS", *_COUNTED)))
    for number, line in arrays.items():
        counts = _counts(run, number, line)
        written = f"{line.name}[{of_indices(line.array or {})}]"
        told = (str(counts.get(name, 0)) for name in _COUNTED)
        run.say(_line((str(number), shown(written), line.user, str(sum(counts.values())), *told)))


def _counts(run: Invocation, number: int, line: Job) -> dict[str, int]:
    from molokini.compat.lsf.selecting import Wish, found

    wish = Wish()
    wish.references, wish.finished = [(number, None)], True
    counts: dict[str, int] = {}
    for element in found(run, wish, ()):
        counts[stat(element)] = counts.get(stat(element), 0) + 1
    return counts


def of_indices(array: dict[str, Any]) -> str:
    """``1-10:2``, or ``1,3,5-7`` where they are listed."""
    if array.get("indices"):
        from molokini.compat.indices import ranges

        return ranges(array["indices"])
    step = f":{array['step']}" if array.get("step", 1) > 1 else ""
    return f"{array.get('first', 0)}-{array.get('last', 0)}{step}"


def _line(values: tuple[str, ...]) -> str:
    number, written, owner, *counts = values
    widths = (5, 4, 4, 4, 4, 5, 5, 5)
    told = " ".join(count.rjust(width) for count, width in zip(counts, widths, strict=True))
    return f"{number:<7} {written:<14.14} {owner:<8.8} {told}"
