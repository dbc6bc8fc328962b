"""Rows on disk as they come. Whatever happens to the process, a batch that is there is whole.

A file of records, each with its length and a checksum; the first says of which sweep they are. A record that
a kill left torn is cut off when the file is opened again.
"""

import fcntl
import json
import os
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from molokini.experiments.sweeps.measuring import Rows
from molokini.experiments.sweeps.space import Key
from molokini.model.errors import BadFile, MolokiniError

SCHEMA = "molokini.sweep-rows/1"
_MARK = b"mrow"
_HEAD = struct.Struct("<4sII")
_SYNCED_EVERY_S = 1.0
"""A machine that dies loses that much at most; a process that is killed loses nothing."""


@dataclass(frozen=True, order=True)
class _Place:
    """Where a record is."""

    first: Key
    last: Key
    offset: int


@dataclass
class Journal:
    """The rows of one sweep. One process at a time has it open."""

    path: Path
    sweep: str
    """What the rows depend on beside their points: a digest."""
    fresh: bool = False
    count: int = 0
    """Rows that are there."""
    _places: list[_Place] = field(default_factory=list)
    _file: int = -1
    _end: int = 0
    _synced: float = 0.0

    def __enter__(self) -> "Journal":
        try:
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise BadFile(str(self.path), error.strerror or str(error)) from None
        try:
            self._lock()
            self._open()
        except BaseException:
            os.close(self._file)
            raise
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    def add(self, rows: Rows) -> None:
        """Keep *rows*, which are in order; when this returns they outlive a kill of this process."""
        head = {"rows": len(rows), "names": rows.names, "whole": rows.whole}
        data = json.dumps(head).encode() + b"\n" + rows.keys.astype("<i8").tobytes()
        self._append(data + rows.values.astype("<f8").tobytes())
        self._note(rows, self._end)
        self._end = os.lseek(self._file, 0, os.SEEK_CUR)

    def streams(self) -> list[Iterator[Rows]]:
        """All rows, in as few streams as it takes for each to be in order: most often one."""
        self._places.sort()
        streams: list[list[_Place]] = []
        for place in self._places:
            for stream in streams:
                if stream[-1].last < place.first:
                    stream.append(place)
                    break
            else:
                streams.append([place])
        return [self._read(stream) for stream in streams]

    def _read(self, places: list[_Place]) -> Iterator[Rows]:
        for place in places:
            found = self._record(place.offset)
            if found is None:
                raise BadFile(
                    str(self.path), "a record that was whole has changed; something else writes to it"
                )
            yield _rows(found)

    def _lock(self) -> None:
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise MolokiniError(f"{self.path}: another sweep writes to it; wait for its end") from None

    def _open(self) -> None:
        head = self._record(0)
        if head is None:
            if os.fstat(self._file).st_size and not os.pread(self._file, 4, 0).startswith(_MARK):
                raise BadFile(str(self.path), "is no file of a sweep's rows; move it away")
            self._begin()
            return
        about = _parsed(head)
        if about.get("schema") != SCHEMA:
            raise BadFile(str(self.path), "is no file of a sweep's rows; move it away")
        if self.fresh:
            self._begin()
            return
        if about.get("sweep") != self.sweep:
            raise BadFile(
                str(self.path),
                "holds rows of another sweep (other logs, policies, values or code); "
                "give another --output, or --fresh to throw them away",
            )
        at = _HEAD.size + len(head)
        while (data := self._record(at)) is not None:
            self._note(_rows(data), at)
            at += _HEAD.size + len(data)
        os.ftruncate(self._file, at)
        os.lseek(self._file, at, os.SEEK_SET)
        self._end = at

    def _begin(self) -> None:
        os.ftruncate(self._file, 0)
        os.lseek(self._file, 0, os.SEEK_SET)
        self._append(json.dumps({"schema": SCHEMA, "sweep": self.sweep}).encode() + b"\n")
        self._end = os.lseek(self._file, 0, os.SEEK_CUR)

    def _note(self, rows: Rows, offset: int) -> None:
        first, last = (Key(*map(int, rows.keys[at])) for at in (0, -1))
        self._places.append(_Place(first, last, offset))
        self.count += len(rows)

    def _record(self, at: int) -> bytes | None:
        """The record at *at*; None where no whole one is."""
        head = os.pread(self._file, _HEAD.size, at)
        if len(head) < _HEAD.size:
            return None
        mark, length, check = _HEAD.unpack(head)
        data = os.pread(self._file, length, at + _HEAD.size) if mark == _MARK else b""
        return data if len(data) == length and mark == _MARK and zlib.crc32(data) == check else None

    def _append(self, data: bytes) -> None:
        left = memoryview(_HEAD.pack(_MARK, len(data), zlib.crc32(data)) + data)
        try:
            while left:
                left = left[os.write(self._file, left) :]
            if monotonic() - self._synced > _SYNCED_EVERY_S:
                os.fsync(self._file)
                self._synced = monotonic()
        except OSError as error:
            raise BadFile(str(self.path), error.strerror or str(error)) from None


def _parsed(data: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(data.partition(b"\n")[0])
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _rows(data: bytes) -> Rows:
    head, _, rest = data.partition(b"\n")
    about = json.loads(head)
    count, names = about["rows"], tuple(about["names"])
    keys = np.frombuffer(rest, "<i8", count * 3).reshape(-1, 3)
    values = np.frombuffer(rest, "<f8", count * len(names), count * 24).reshape(count, len(names))
    return Rows(keys, names, values, tuple(about["whole"]))
