"""The matrix of gang scheduling on a terminal: a line a row, a sign for one processor or for several."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rich.text import Text

from molokini.clients.show.rich_tables import console, lines, row, show, table
from molokini.model.instants import instant
from molokini.model.text import duration, exact, figure, percent, plural

COLOURS = ("blue", "red", "green", "magenta", "yellow", "cyan")
"""Backgrounds of jobs, one after the other in the order of their starts."""
_INK = "white"
_DARK_ON = ("green", "yellow", "cyan")
_IN_PIPE = 120
"""Signs that a line may have where there is no terminal to say so."""
_WIDEST = 6
"""Signs that a processor takes at most."""
_MOST = 40
"""Jobs that are listed on a terminal or in a pipe; all are in the JSON."""
_MOST_RANGES = 4
_FREE, _HOME, _COPY, _SHORT, _AWAY = ".", "=", "-", "#", "x"
_NOBODY, _NO_PROCESSOR = -1, -2


class CellRun(NamedTuple):
    """Neighbouring signs of one job, of none (-1), or of processors that are not in service (-2)."""

    job: int
    signs: int


class Scale(NamedTuple):
    """So many processors share a sign, or one has so many signs; one of the two is 1."""

    processors: int
    signs: int

    @property
    def told(self) -> str:
        """What a sign is, where that is not one processor."""
        if self.processors > 1:
            return f"a sign is {self.processors} processors, and shows who has most of them"
        return f"{self.signs} signs are a processor" if self.signs > 1 else ""


def show_matrix(found: Mapping[str, Any], of: str = "matrix") -> None:
    """Print the matrix of the report *found*; *of* says of what it is."""
    out = console()
    room = out.width if out.is_terminal else _IN_PIPE
    names = [f"{'>' if one['row'] == found['active_row'] else ' '}{one['row']} " for one in found["rows"]]
    edge = max(map(len, names), default=0)
    scale = scale_for(found["columns"], room - edge - 2)
    lines(out, [f"{of}, {found['policy']} at {instant(found['now_s'])}: {_size(found)}"])
    for name, one in zip(names, found["rows"], strict=True):
        line = Text(f"{name:>{edge}}|")
        for run in runs_of(found, one["row"], scale):
            line.append_text(_drawn(found["jobs"], run, one["row"]))
        line.append("|")
        out.print(line, soft_wrap=True)
    lines(out, [_state(found)])
    signs = f"{_HOME} job in its home row, {_COPY} copy, {_FREE} free, {_SHORT} no room for the number"
    signs += f", {_AWAY} not in service" if found.get("away", ()) else ""
    lines(out, ["; ".join(filter(None, (signs, scale.told))), " "])
    _show_jobs(found["jobs"])


def scale_for(columns: int, room: int) -> Scale:
    """How *columns* processors fit into *room* signs."""
    room = max(1, room)
    if columns > room:
        return Scale(-(-columns // room), 1)
    return Scale(1, max(1, min(_WIDEST, room // max(columns, 1))))


def runs_of(found: Mapping[str, Any], r: int, scale: Scale) -> list[CellRun]:
    """Row *r* as signs: the job (its place in the list) that has most of the processors of each."""
    owners = [_NOBODY] * found["columns"]
    for first, last in found.get("away", ()):
        owners[first : last + 1] = [_NO_PROCESSOR] * (last + 1 - first)
    for place, job in enumerate(found["jobs"]):
        if r in job["rows"]:
            for first, last in job["columns"]:
                owners[first : last + 1] = [place] * (last + 1 - first)
    runs: list[CellRun] = []
    for at in range(0, len(owners), scale.processors):
        owner = _most_frequent(owners[at : at + scale.processors])
        if runs and runs[-1].job == owner:
            runs[-1] = CellRun(owner, runs[-1].signs + scale.signs)
        else:
            runs.append(CellRun(owner, scale.signs))
    return runs


def _most_frequent(owners: Sequence[int]) -> int:
    """Of several that have equally many, the first."""
    return max(dict.fromkeys(owners), key=owners.count)


def _drawn(jobs: Sequence[Mapping[str, Any]], run: CellRun, r: int) -> Text:
    if run.job in (_NOBODY, _NO_PROCESSOR):
        return Text((_FREE if run.job == _NOBODY else _AWAY) * run.signs, "dim")
    job, colour = jobs[run.job], COLOURS[run.job % len(COLOURS)]
    fill = _HOME if job["home"] == r else _COPY
    text = job["job"] if len(job["job"]) <= run.signs else _SHORT * run.signs
    ink = "black" if colour in _DARK_ON else _INK
    return Text(text.ljust(run.signs, fill), f"{ink} on {colour}" if fill == _HOME else colour)


def _size(found: Mapping[str, Any]) -> str:
    rows, columns = plural(len(found["rows"]), "row"), plural(found["columns"], "processor")
    if found["quantum_s"] is None:
        return f"{rows} in use of {columns}, evenly shared"
    return f"{rows} of {columns}, quantum {duration(found['quantum_s'])}, mode {found['mode']}"


def _state(found: Mapping[str, Any]) -> str:
    run, wait = plural(len(found["jobs"]), "job"), plural(found["waiting"], "job")
    active = found["active_row"]
    told = f"; row {active} has the processors (>)" if active is not None else ""
    return f"{run} in the matrix, {wait} waiting, {percent(found['occupied'])} of the matrix occupied{told}"


def _show_jobs(jobs: Sequence[Mapping[str, Any]]) -> None:
    if not jobs:
        return
    made = table("", "job", "processors", "home", "rows", "rate", "started", "columns", words=(0, 3, 6))
    for one in jobs[:_MOST]:
        row(
            made,
            one["job"],
            f"{one['processors']:,}",
            str(one["home"]),
            ",".join(map(str, one["rows"])),
            figure(one["rate"], 3),
            exact(one["start_s"]) if one["start_s"] is not None else "-",
            _ranges(one["columns"]),
        )
    out = console()
    show(out, made)
    if len(jobs) > _MOST:
        lines(out, [f"{plural(len(jobs) - _MOST, 'more job')}: see --json"])


def _ranges(columns: Sequence[Sequence[int]]) -> str:
    told = [str(first) if first == last else f"{first}-{last}" for first, last in columns[:_MOST_RANGES]]
    more = len(columns) - _MOST_RANGES
    return ",".join(told) + (f" and {plural(more, 'more range')}" if more > 0 else "")
