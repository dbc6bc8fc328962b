"""Rows on disk, as they come: whatever happens to the process, a row that is there is whole.

The file holds a line a row, behind a line that says of which study and code they are. A line is appended with
one write; where a machine died in the middle of one, it is cut off when the file is opened again.
"""

import fcntl
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from molokini.model.errors import BadFile, MolokiniError
from molokini.studies.study import Point, Row, canonical

SCHEMA = "molokini.study-runs/1"


class Store:
    """The rows of one study. One process at a time has it open."""

    def __init__(self, path: Path, study: str, code: str, fresh: bool = False) -> None:
        self.path = path
        self.stale = 0
        """Rows that were there and are of no use: made by other code, or unwanted."""
        self._head = {"schema": SCHEMA, "study": study, "code": code}
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise BadFile(str(path), error.strerror or str(error)) from None
        try:
            self._lock()
            self._rows = self._opened(fresh)
        except BaseException:
            os.close(self._file)
            raise

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    def __len__(self) -> int:
        return len(self._rows)

    def get(self, point: Point) -> Row | None:
        """The row of *point*, if it was run."""
        return self._rows.get(point.key)

    def add(self, rows: Mapping[Point, Row]) -> None:
        """Keep *rows*; when this returns they outlive a crash of this machine."""
        lines = [canonical({"point": point.as_dict(), "row": dict(row)}) for point, row in rows.items()]
        self._append("".join(f"{line}\n" for line in lines))
        self._rows.update((point.key, row) for point, row in rows.items())

    def _lock(self) -> None:
        try:
            # A lock of the process: its forked workers do not hold it, and it ends with it.
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise MolokiniError(f"{self.path}: another run writes to it; wait for its end") from None

    def _opened(self, fresh: bool) -> dict[str, Row]:
        text = self._read()
        first, newline, rest = text.partition(b"\n")
        head = _parsed(first)
        if newline and (head is None or head.get("schema") != SCHEMA):
            raise BadFile(str(self.path), "is no file of a study's runs; move it away")
        if head == self._head and newline and not fresh:
            rows, good = _rows(rest)
            os.ftruncate(self._file, len(first) + 1 + good)
            os.lseek(self._file, 0, os.SEEK_END)
            return rows
        self.stale = rest.count(b"\n")
        if newline and not fresh:
            # Its removal was not asked for: it may be hours of work of a version that a later run needs.
            self.path.with_suffix(".old.jsonl").write_bytes(text)
        os.ftruncate(self._file, 0)
        os.lseek(self._file, 0, os.SEEK_SET)
        self._append(canonical(self._head) + "\n")
        return {}

    def _read(self) -> bytes:
        pieces = []
        while piece := os.read(self._file, 1 << 20):
            pieces.append(piece)
        return b"".join(pieces)

    def _append(self, text: str) -> None:
        left = memoryview(text.encode("ascii"))
        try:
            while left:
                left = left[os.write(self._file, left) :]
            os.fsync(self._file)
        except OSError as error:
            raise BadFile(str(self.path), error.strerror or str(error)) from None


def _rows(text: bytes) -> tuple[dict[str, Row], int]:
    """The rows of whole lines up to the first that is none, and how many bytes those take."""
    rows: dict[str, Row] = {}
    good = 0
    for line in text.splitlines(keepends=True):
        found = _parsed(line) if line.endswith(b"\n") else None
        if found is None or not isinstance(found.get("row"), dict):
            break
        rows[canonical(found.get("point"))] = found["row"]
        good += len(line)
    return rows, good


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
