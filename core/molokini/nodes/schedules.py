"""A schedule of the job level as input: each job arrives when it started there, as wide as it was."""

import csv
import math
from pathlib import Path

from molokini.model.errors import BadFile
from molokini.nodes.keys import Keys
from molokini.nodes.kinds import PATTERNS, looping, rounds_of
from molokini.nodes.scenario import Job, Process, S

_NEEDED = ("start_s", "end_s", "processors")


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
    begin, length = keys.duration("from", 0) / S, keys.duration("for", 0) / S
    most = keys.whole("most", 1000, 1, 10**6)
    keys.done()
    found: list[Job] = []
    rows = _rows(path)
    for number, start_s, end_s, width in rows:
        if start_s < begin or (length and start_s >= begin + length) or len(found) >= most:
            continue
        work = round((end_s - start_s) * S)
        programs = looping(width, grain, pattern, message, rounds_of(work, grain, io), io, skew)
        found.append(Job(number, [Process(program) for program in programs], round((start_s - begin) * S)))
    if not found:
        raise BadFile(str(path), _none_started(rows))
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


def _parsed(path: Path, table: "csv.DictReader[str]") -> list[tuple[str, float, float, int]]:
    found = []
    for line, row in enumerate(table, 2):
        try:
            start, end = float(row["start_s"] or "nan"), float(row["end_s"] or "nan")
            width = int(float(row["processors"]))
        except ValueError as error:
            raise BadFile(str(path), str(error), line) from None
        if math.isfinite(start) and math.isfinite(end) and width > 0:
            found.append((row.get("job") or str(line - 1), start, end, width))
    return found
