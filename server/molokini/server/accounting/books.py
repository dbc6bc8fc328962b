"""Files that grow, and a mark beside the state: up to which fact, and to which byte, they are written.

Lines are durable before the mark says so. A server that died between the two cuts the file back to the mark
when it starts and writes these lines again: none is lost, and none is there twice.
"""

import json
import logging
import os
from dataclasses import dataclass
from pathlib import Path

from molokini.model.errors import BadFile
from molokini.server.crash import crash_point
from molokini.server.journal.syncing import make_folders, sync
from molokini.server.readers import Readers

MARK = "accounting-mark"
"""In the folder of the state."""
_APPENDING = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
OWNER = Readers()

log = logging.getLogger("molokini.server")


@dataclass(frozen=True)
class Mark:
    """Facts up to *serial* are in the files, the last of which is *size* bytes long; an empty name: none."""

    serial: int
    file: str = ""
    size: int = 0


class Books:
    """The files in *folder*, which *readers* may read, with their mark in the folder of the state."""

    def __init__(self, folder: Path, state: Path, readers: Readers = OWNER) -> None:
        self._readers = readers
        self._folder, self._mark_file = folder.absolute(), state / MARK
        self.mark = Mark(0)
        self._handle = -1
        self._open = ""
        self._added = False
        """Whether there are lines behind the mark."""

    def begin(self, last: int) -> None:
        """Go on where the mark is, or begin behind fact *last*, the newest of the state.

        Raises BadFile where the folder or the mark cannot be used.
        """
        try:
            new = not self._folder.exists()
            make_folders(self._folder, self._readers.folder_mode)
            if new:
                self._readers.settle_folder(self._folder)
            known = self._read_mark()
            self.mark = Mark(last) if known is None else known
            self.back()
            if self.mark.serial > last:
                # An older copy of the state was put in its place: what happens now has these numbers again.
                log.warning(
                    "accounting is %d facts ahead of the state, and continues", self.mark.serial - last
                )
                self.mark = Mark(last, self.mark.file, self.mark.size)
            self._keep_mark(self.mark)
        except OSError as error:
            raise BadFile(str(error.filename or self._folder), _cause(error)) from None

    def back(self) -> None:
        """Cut off what was written behind the mark. Raises OSError."""
        self.close()
        path = Path(self.mark.file)
        if not self.mark.file or not path.exists():
            return
        size = path.stat().st_size
        if size < self.mark.size:
            log.warning("%s: removed %d bytes of accounting", path, self.mark.size - size)
        elif size > self.mark.size:
            os.truncate(path, self.mark.size)
            sync(path)

    def add(self, name: str, lines: str, head: str, before: int) -> None:
        """Put *lines* at the end of the file *name*, below *head* if it is new; not durable yet.

        Facts up to *before* have been added; *lines* are of later ones. Raises OSError.
        """
        if name != self._open:
            self._turn(name, before)
            if os.fstat(self._handle).st_size == 0:
                lines = head + lines
        self._added = True
        body = lines.encode("utf-8", "replace")
        while body:
            body = body[os.write(self._handle, body) :]

    def _turn(self, name: str, before: int) -> None:
        """Go on in another file: the mark must tell of it first, or it would not be cut back."""
        self.keep(before)
        self.close()
        path = self._folder / name
        new = not path.exists()
        self._handle = self._readers.open(path, _APPENDING)
        self._open = name
        if new:
            sync(self._folder)
        size = os.fstat(self._handle).st_size
        if size and os.pread(self._handle, 1, size - 1) != b"\n":
            # Another program has left a line without an end.
            os.write(self._handle, b"\n")
            size += 1
        self._keep_mark(Mark(before, str(path), size))

    def keep(self, serial: int) -> None:
        """Make durable what was added: facts up to *serial* are in the files. Raises OSError."""
        if not self._added:
            # There was nothing to write of them; a server that reads them once more finds that again.
            self.mark = Mark(serial, self.mark.file, self.mark.size)
            return
        os.fsync(self._handle)
        crash_point("before-accounting-mark")
        size = os.fstat(self._handle).st_size
        self._keep_mark(Mark(serial, self.mark.file, size))
        self._added = False

    def _keep_mark(self, mark: Mark) -> None:
        draft = self._mark_file.with_suffix(".part")
        body = json.dumps({"serial": mark.serial, "file": mark.file, "size": mark.size})
        with open(OWNER.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "w") as file:
            file.write(body)
        sync(draft)
        draft.replace(self._mark_file)
        sync(self._mark_file.parent)
        self.mark = mark

    def _read_mark(self) -> Mark | None:
        if not self._mark_file.exists():
            return None
        try:
            found = json.loads(self._mark_file.read_text())
            return Mark(int(found["serial"]), str(found["file"]), int(found["size"]))
        except (ValueError, KeyError, TypeError):
            raise BadFile(
                str(self._mark_file),
                "is not an accounting mark; remove it, and accounting starts from scratch",
            ) from None

    def close(self) -> None:
        """Close the open file; a second time does nothing."""
        if self._handle >= 0:
            os.close(self._handle)
        self._handle, self._open, self._added = -1, "", False


def _cause(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
