"""A matrix of statistics by size and wall clock limit, as ``showgrid`` and ``showstats -f`` print it."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation
from molokini.compat.maui.asking import report
from molokini.compat.maui.times import span

_OLD_NAMES = {"NHREQUEST": "PHREQUEST", "NHRUN": "PHRUN"}
_TITLES = {
    "AVGXFACTOR": "Average XFactor Grid",
    "MAXXFACTOR": "Maximum XFactor Grid",
    "AVGQTIME": "Average Queue Time (Hours) Grid",
    "JOBCOUNT": "Job Count Grid",
    "PHREQUEST": "Proc-Hours Requested Grid",
    "PHRUN": "Proc-Hours Run Grid",
    "WCACCURACY": "Average WallClock Accuracy Grid",
}
_WIDTH = 15


def show(run: Invocation, statistic: str) -> None:
    """Print the matrix of *statistic*. Raises Refused for one that there is not."""
    name = statistic.upper()
    render(run, report(run, "grid", by=_OLD_NAMES.get(name, name)))


def render(run: Invocation, found: dict[str, Any]) -> None:
    """Print the matrix of the report *found*."""
    name = found["statistic"]
    run.say(f"{_TITLES.get(name, f'{name} Grid')}\n")
    heads = [span(one) for one in found["wall_times_s"]]
    run.say(_row("PROCS", [f"{one:^{_WIDTH}}" for one in (*heads, "TOTAL")]))
    for one in found["rows"]:
        run.say(_row(f"{one['processors']:>6}", [_cell(cell) for cell in (*one["cells"], one["total"])]))
    run.say(_row(" TOTAL", [_cell(cell) for cell in (*found["totals"], found["total"])]))
    run.say("")
    for label, key in (("Job", "jobs"), ("Proc", "processors"), ("Proc-Second", "processor_seconds")):
        value = found["weighted"][key]
        run.say(f"{f'{label} Weighted Average:':<32} {'N/A' if value is None else f'{value:.4f}'}")
    run.say(f"{'Total Samples:':<32} {found['total']['jobs']}")


def _row(first: str, cells: list[str]) -> str:
    return f"[{first:^6}]" + "".join(f"[{cell}]" for cell in cells)


def _cell(cell: dict[str, Any]) -> str:
    """``   1.25     3 ``: the value, and of how many jobs."""
    if not cell["jobs"] or cell["value"] is None:
        return "-" * _WIDTH
    return f"{cell['value']:>9.2f} {cell['jobs']:>4} "
