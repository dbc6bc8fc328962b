"""Who may read files that tell about users, such as the log: the server's user, and a group if one is set."""

import grp
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from molokini.model.errors import BadValue


@dataclass(frozen=True)
class Readers:
    """The server's user alone (mode 0600), or also the *group* of this number (mode 0640)."""

    group: int | None = None

    @staticmethod
    def of(field: str, name: str) -> "Readers":
        """As the key *field* says: the name of a group, or nothing. BadValue where there is no such group."""
        if not name:
            return Readers()
        try:
            return Readers(grp.getgrnam(name).gr_gid)
        except KeyError:
            raise BadValue(field, name, "a group of this machine") from None

    @property
    def folder_mode(self) -> int:
        """Of a folder for such files."""
        return 0o700 if self.group is None else 0o750

    def open(self, path: Path, flags: int) -> int:
        """Open *path*, or make it where *flags* say so; a descriptor. Raises OSError.

        Whatever program made the file, the mode is right from then on. Only what is no file, such as a
        device, and a file of another user stay as they are.
        """
        handle = os.open(path, flags | os.O_CLOEXEC, 0o600)
        try:
            found = os.fstat(handle)
            if stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid():
                self._settle(handle, found)
        except OSError:
            os.close(handle)
            raise
        return handle

    def settle_folder(self, path: Path) -> None:
        """Give the folder *path*, which is new, to these readers. Raises OSError."""
        if self.group is not None:
            os.chown(path, -1, self.group)
        path.chmod(self.folder_mode)

    def _settle(self, handle: int, found: os.stat_result) -> None:
        wanted = 0o600 if self.group is None else 0o640
        if self.group is not None and found.st_gid != self.group:
            # The group before must not read it, and the new one not before it is the file's.
            os.fchmod(handle, 0o600)
            os.fchown(handle, -1, self.group)
        os.fchmod(handle, wanted)
