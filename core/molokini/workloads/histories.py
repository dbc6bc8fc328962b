"""Accounting of PBS, LSF and Slurm as workloads: a site's own history, replayed.

A file, or a folder with a file a day. Submissions become seconds since the first of them (UnixStartTime in
the header says when that was); users, groups, queues and executables are numbered from 1, as in SWF, and
their names kept beside. A job that was requeued is one job: its last attempt.
"""

from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from math import floor
from pathlib import Path

import numpy as np

from molokini.accounting.formats import READERS
from molokini.accounting.record import (
    NEVER_STARTED,
    NO_PROCESSORS,
    NOT_TEXT,
    RANGE,
    REQUEUED,
    Odd,
    Place,
    Record,
    SkippedLine,
)
from molokini.accounting.sacct_reading import PROCESSOR_COLUMNS
from molokini.accounting.swf import STATUS, Numbers
from molokini.model.decisions import StartedBy
from molokini.model.errors import BadFile
from molokini.model.facts import NO_INDEX
from molokini.model.text import plural
from molokini.workloads.blocks import blocks
from molokini.workloads.detection import detected
from molokini.workloads.header import decode_line
from molokini.workloads.notes import PROCESSORS_FROM_NODES
from molokini.workloads.recorded import Recorded
from molokini.workloads.records import Fault
from molokini.workloads.rules import LEGITIMATE, no_usable_record, to_workload
from molokini.workloads.swf import make_header
from molokini.workloads.workload import SWF_FIELDS, Floats, Ints, Workload

LONGEST_LINE_BYTES = 1 << 22
"""A record names each processor of its job, so lines are longer than those of other formats."""
_WITH_NODES_ALONE = f"print {', '.join(PROCESSOR_COLUMNS)} too (one will do), or give --procs-per-node M"
_NAMED = ("user", "group", "executable", "queue")
_RECORDED = ("account", "qos", "licenses", "reservation", "generic", "constraint")
_STARTED_BY = {"main": StartedBy.MAIN, "backfill": StartedBy.BACKFILL, "submission": StartedBy.SUBMISSION}
OF_SEVERAL = "heterogeneous_components"
"""The note that counts components of heterogeneous jobs: each is replayed as a job of its own."""
CONSTRAINED = "constraints_not_replayed"
"""The note that counts jobs that asked for nodes with certain features: they are replayed on any. Of a
machine whose nodes have features it counts those that cannot be kept to such nodes."""


def read_history(
    path: str | Path,
    form: str,
    *,
    strict: bool = False,
    limit: int | None = None,
    per_node: int | None = None,
) -> Workload:
    """Read the accounting of the format *form* in a file, or in the files of a folder in the order of names.

    Lines that are no job are counted by reason, and fields that a job goes without by name; if *strict*, the
    first that breaks the format raises ``BadFile`` with its file and line. *limit* as for ``read_swf``.
    *per_node*: processors of each node, for jobs of which nodes alone are known.
    """
    path, jobs = Path(path), _Jobs(per_node)
    files, passed_over = _files(path, form)
    met = _Met(strict)
    for found in READERS[form](_lines(files, met)):
        if isinstance(found, SkippedLine):
            if found.waiting is not None:
                jobs.limit(*found.waiting)
            met.leave(found)
            continue
        if (left := jobs.add(*found)) is not None:
            met.leave(left)
        for odd in found[1].odd:
            met.go_without(found[0], odd)
    if not jobs.lines and met.first is not None:
        raise met.nothing(path)
    zero_s = floor(jobs.first_s) if jobs.lines else 0
    if jobs.of_several:
        met.notes[OF_SEVERAL] = jobs.of_several
    if jobs.constrained:
        met.notes[CONSTRAINED] = jobs.constrained
    workload = to_workload(
        path,
        jobs.records(zero_s),
        np.array(jobs.lines, np.int64),
        make_header(UnixStartTime=zero_s),
        skipped=met.skipped,
        notes={"files_passed_over": passed_over, PROCESSORS_FROM_NODES: jobs.from_nodes, **met.notes},
        limit=limit,
        strict=False,
    )
    names = {kind: ("", *jobs.names[kind].by_name) for kind in (*_NAMED, *_RECORDED)}
    return replace(workload, names=names, recorded=jobs.recorded(workload.number, zero_s))


def _files(path: Path, form: str) -> tuple[list[Path], int]:
    """The files to read, and how many of a folder are of no such format."""
    if not path.is_dir():
        return [path], 0
    try:
        all_of_them = sorted(one for one in path.iterdir() if one.is_file() and not one.name.startswith("."))
    except OSError as error:
        raise BadFile(str(path), error.strerror or str(error)) from None
    files = [one for one in all_of_them if one.stat().st_size and detected(one) == form]
    if not files:
        raise BadFile(str(path), f"the folder holds no file of the format {form}")
    return files, len(all_of_them) - len(files)


def form_of_folder(path: Path) -> str | None:
    """The format of the first file in *path* whose format can be told."""
    try:
        files = sorted(one for one in path.iterdir() if one.is_file() and not one.name.startswith("."))
    except OSError as error:
        raise BadFile(str(path), error.strerror or str(error)) from None
    found = (detected(one) for one in files if one.stat().st_size)
    return next((form for form in found if form in READERS), None)


class _Met:
    """What was met that is no job, or not understood: counted, or told at once if *strict*."""

    def __init__(self, strict: bool) -> None:
        self._strict = strict
        self.skipped: Counter[str] = Counter()
        self.notes: Counter[str] = Counter()
        self.first: SkippedLine | None = None
        """The first line of those that tell most of what is wrong with the file (``_gravity``)."""

    def leave(self, left: SkippedLine) -> None:
        """Count a line that is no job."""
        if self._strict and left.reason not in LEGITIMATE:
            raise BadFile(left.place.path, left.cause, left.place.line)
        self.skipped[left.reason] += 1
        if self.first is None or _gravity(left) < _gravity(self.first):
            self.first = left

    def go_without(self, place: Place, odd: Odd) -> None:
        """Count a field that is not understood."""
        if self._strict and odd.broken:
            raise BadFile(place.path, odd.cause, place.line)
        self.notes[odd.note] += 1

    def nothing(self, path: Path) -> BadFile:
        """The complaint that there is no job at all."""
        assert self.first is not None
        place = self.first.place
        within = "" if place.path == str(path) else f"{Path(place.path).name}: "
        return no_usable_record(path, self.skipped, Fault(place.line, "", f"{within}{self.first.cause}"))


def _gravity(left: SkippedLine) -> int:
    """0: the line breaks the format; 1: it says too little of its job; 2: it is of no job that has run."""
    return 1 if left.reason == NO_PROCESSORS else 2 if left.reason in LEGITIMATE else 0


def _lines(files: list[Path], met: _Met) -> Iterator[tuple[Place, str]]:
    for path in files:
        line, name = 0, str(path)
        for block in blocks(path, LONGEST_LINE_BYTES):
            for raw in block.removesuffix(b"\n").split(b"\n"):
                line += 1
                broken = _broken(raw)
                if broken is not None:
                    met.leave(SkippedLine(Place(name, line), *broken))
                    continue
                text = decode_line(raw.rstrip(b"\r"))
                if text.strip() and not text.startswith("#"):
                    yield Place(name, line), text


def _broken(raw: bytes) -> tuple[str, str] | None:
    """Why a line is not looked at: the reason, and the cause in words."""
    if len(raw) > LONGEST_LINE_BYTES:
        return "line_too_long", f"the line is longer than {LONGEST_LINE_BYTES} bytes"
    if b"\x00" in raw:
        return NOT_TEXT, f"the line holds a NUL at byte {raw.index(0) + 1}"
    return None


class _Jobs:
    """The jobs so far, as rows of SWF's eighteen fields with submissions since 1970."""

    def __init__(self, per_node: int | None) -> None:
        self._per_node = per_node
        self.from_nodes = 0
        """Jobs that have got their processors from their nodes."""
        self.of_several = self.constrained = 0
        """Components of heterogeneous jobs; jobs that asked for features of nodes."""
        self.names = {kind: Numbers() for kind in (*_NAMED, *_RECORDED)}
        self.lines = array("q")
        self.first_s = float("inf")
        self._values = array("d")
        self._numbers: list[tuple[int, int]] = []
        self._rows: dict[tuple[int, int, float], int] = {}
        self._limits: dict[int, int] = {}
        """How many elements of an array may run at a time, by the array's number."""
        self._told: list[tuple[float, ...]] = []
        """What is recorded of each, in the order of ``Recorded``."""

    def limit(self, number: int, most: int) -> None:
        """So many elements of the array *number* may run at a time: what is told last holds."""
        self._limits[number] = most

    def add(self, place: Place, record: Record) -> SkippedLine | None:
        """Take *record*; what is left out in its place, or for it."""
        if record.array_limit is not None and record.indices:
            self.limit(record.number, record.array_limit)
        elif record.array_limit is not None:
            self._limits.setdefault(record.number, record.array_limit)
        if record.start_s is None:
            return SkippedLine(place, NEVER_STARTED, f"job {record.number} never started")
        if record.processors <= 0 and record.allocated <= 0:
            if not record.held_nodes:
                return SkippedLine(place, NO_PROCESSORS, f"job {record.number} does not give its processors")
            if self._per_node is None:
                nodes = f"job {record.number} says that it held {plural(record.held_nodes, 'node')}"
                return SkippedLine(
                    place, NO_PROCESSORS, f"{nodes}, and nothing of processors: {_WITH_NODES_ALONE}"
                )
            self.from_nodes += 1
            record = replace(record, allocated=record.held_nodes * self._per_node)
        if record.submitted_s < 0:
            return SkippedLine(place, RANGE, f"submission: {record.submitted_s:.0f} is before 1970")
        key, row = (record.number, record.index, record.submitted_s), len(self.lines)
        before = self._rows.setdefault(key, row)
        values = array("d", self._row(record))
        told = self._recorded(record)
        self.of_several += record.of_several
        self.constrained += bool(record.constraint)
        self.first_s = min(self.first_s, record.submitted_s)
        if before != row:
            # The same job once more: it was requeued, and this is how it ended in the end.
            self._values[before * len(values) : (before + 1) * len(values)] = values
            self._told[before] = told
            return SkippedLine(place, REQUEUED, f"job {record.number} ended before, and ran again")
        self._values.extend(values)
        self._told.append(told)
        self._numbers.append((record.number, record.index))
        self.lines.append(place.line)
        return None

    def _row(self, record: Record) -> list[float]:
        assert record.start_s is not None
        held = record.allocated or record.processors
        executable = record.command or record.name
        named = {"user": record.user, "group": record.group, "executable": executable, "queue": record.queue}
        fields = {
            "submit_s": record.submitted_s,
            "wait_s": record.start_s - record.submitted_s,
            "run_s": record.end_s - record.start_s,
            "allocated_processors": record.allocated or -1,
            "cpu_s": record.cpu_s / held if record.cpu_s > 0 else -1,
            "used_memory_kb": record.used_kb // held if record.used_kb else -1,
            "requested_processors": record.processors or -1,
            "requested_s": record.estimate_s if record.estimate_s > 0 else -1,
            "requested_memory_kb": record.memory_kb or -1,
            "status": STATUS[record.ending],
            **{kind: self.names[kind].number(name) for kind, name in named.items()},
        }
        return [float(fields.get(name, -1.0)) for name in SWF_FIELDS]

    def _recorded(self, record: Record) -> tuple[float, ...]:
        nan = float("nan")
        return (
            self.names["account"].number(record.account),
            self.names["qos"].number(record.qos),
            record.submitted_s,
            nan if record.eligible_s is None else record.eligible_s,
            nan if record.start_s is None else record.start_s,
            record.end_s,
            nan if record.priority is None else record.priority,
            _STARTED_BY.get(record.started_by, StartedBy.UNKNOWN),
            record.wanted_nodes,
            record.most_nodes,
            record.least_s,
            record.alone,
            self.names["licenses"].number(record.licenses),
            self.names["reservation"].number(record.reservation),
            record.number if record.index != NO_INDEX else 0,
            self.names["generic"].number(record.generic),
            self.names["constraint"].number(record.constraint),
        )

    def recorded(self, numbers: Ints, zero_s: int) -> Recorded:
        """What is recorded of the jobs of these *numbers*, with instants since *zero_s*."""
        places = {number: place for place, number in enumerate(self._numbered())}
        rows = [places[number] for number in numbers.tolist()]
        columns = np.array(self._told, dtype=np.float64).reshape(len(self._told), -1)[rows].T
        instants, counts = columns[2:6] - zero_s, np.nan_to_num(columns).astype(np.int64)
        return Recorded(
            account=counts[0],
            qos=counts[1],
            submit_s=instants[0],
            eligible_s=instants[1],
            start_s=instants[2],
            end_s=instants[3],
            priority=columns[6],
            started_by=counts[7],
            least_nodes=counts[8],
            most_nodes=counts[9],
            least_s=columns[10],
            alone=columns[11].astype(np.bool_),
            licenses=counts[12],
            reservation=counts[13],
            array=counts[14],
            generic=counts[15],
            constraint=counts[16],
            array_limit=np.array([self._limits.get(number, 0) for number in counts[14].tolist()], np.int64),
        )

    def records(self, zero_s: int) -> Floats:
        """All rows, numbered, with submissions since *zero_s*."""
        values = np.array(self._values).reshape(-1, len(SWF_FIELDS))
        values[:, SWF_FIELDS.index("submit_s")] -= zero_s
        values[:, SWF_FIELDS.index("number")] = self._numbered()
        return values

    def _numbered(self) -> list[int]:
        """A job's own number where it is the first of it; elements of arrays, and others, get those above."""
        greatest = max((number for number, _ in self._numbers), default=0)
        taken: set[int] = set()
        numbers = []
        for number, index in self._numbers:
            if index != NO_INDEX or number in taken:
                greatest += 1
                number = greatest
            taken.add(number)
            numbers.append(number)
        return numbers
