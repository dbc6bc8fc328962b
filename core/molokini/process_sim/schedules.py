"""A schedule of the job level as input: each job arrives when it started there, as wide as it was."""

import csv
import math
from collections.abc import Sequence
from pathlib import Path

from molokini.model.errors import BadFile
from molokini.process_sim.building import check_memory
from molokini.process_sim.keys import MOST_NS, Keys
from molokini.process_sim.kinds import PATTERNS, looping, rounds_of
from molokini.process_sim.scenario import Job, Process, S

_NEEDED = ("start_s", "end_s", "processors")
_MOST_WIDTH = 10**9


def scheduled_jobs(keys: Keys, nodes: int) -> list[Job]:
    """The jobs of a schedule that ``molokini simulate --schedule FILE.csv`` has written.

    A job of n processors becomes n processes of the loop that the table [schedule] describes, with as much
    work as it ran for; processes are placed by the policy. Jobs that never started are left out.
    """
    file = keys.text("file", "")
    if not file:
        raise keys.refuse("file", "the CSV file of a schedule")
    path = Path(keys.file).parent / file
    grain = keys.distribution("compute", "5ms")
    io = (keys.distribution("io", "10ms"), keys.number("io_chance", 0, 0, 1))
    pattern = PATTERNS[keys.choice("pattern", "ring", tuple(PATTERNS))]
    message, skew = keys.size("message", 1000), keys.number("skew", 0, 0, 2)
    begin, length = keys.instant("from", 0) / S, keys.duration("for", 0) / S
    most = keys.whole("most", 1000, 1, 10**6)
    keys.done()
    rows = _rows(path)
    taken = [row for row in rows if row[1] >= begin and not (length and row[1] >= begin + length)][:most]
    if not taken:
        raise BadFile(str(path), _none_started(rows))
    _check_times(path, taken, begin)
    check_memory(str(path), sum(width for *_, width in taken), sum(width**2 for *_, width in taken))
    found: list[Job] = []
    for number, start_s, end_s, width in taken:
        work = round((end_s - start_s) * S)
        programs = looping(width, grain, pattern, message, rounds_of(work, grain, io), io, skew)
        found.append(Job(number, [Process(program) for program in programs], round((start_s - begin) * S)))
    return found


def _none_started(rows: list[tuple[str, float, float, int]]) -> str:
    if not rows:
        return "no job of this schedule ever started"
    starts = [row[1] for row in rows]
    return (
        "no job of this schedule started in the time that [schedule] names; "
        f"its jobs started from {min(starts):.0f} s to {max(starts):.0f} s"
    )


def _rows(path: Path) -> list[tuple[str, float, float, int]]:
    try:
        with path.open(newline="") as lines:
            table = csv.DictReader(line for line in lines if not line.startswith("#"))
            missing = [name for name in _NEEDED if name not in (table.fieldnames or ())]
            if missing:
                raise BadFile(str(path), f"no column {missing[0]}; a schedule has {', '.join(_NEEDED)}")
            return _parsed(path, table)
    except OSError as error:
        raise BadFile(str(path), error.strerror or str(error)) from None
    except (ValueError, csv.Error) as error:
        # Text that is no UTF-8, a name with a zero byte, a field of a megabyte.
        raise BadFile(str(path), f"no CSV file of a schedule: {error}") from None


def _parsed(path: Path, table: "csv.DictReader[str]") -> list[tuple[str, float, float, int]]:
    found = []
    for line, row in enumerate(table, 2):
        try:
            start, end, width = (float(row[name] or "nan") for name in _NEEDED)
        except ValueError as error:
            raise BadFile(str(path), str(error), line) from None
        if math.isfinite(start) and math.isfinite(end) and width != 0:
            if not 1 <= width <= _MOST_WIDTH:
                raise BadFile(str(path), f"processors: {width:g} is not from 1 to {_MOST_WIDTH:,}", line)
            found.append((row.get("job") or str(line - 1), start, end, int(width)))
    return found


def _check_times(path: Path, rows: Sequence[tuple[str, float, float, int]], begin_s: float) -> None:
    """Refuse jobs whose instants a table cannot hold. Raises BadFile."""
    for number, start_s, end_s, _ in rows:
        if max(start_s - begin_s, end_s - start_s) > MOST_NS / S:
            late = f"from {start_s:g} to {end_s:g} s; it may start {MOST_NS // S:,} s behind [schedule].from"
            raise BadFile(str(path), f"job {number} ran {late}, and run for as long")
