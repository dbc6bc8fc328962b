"""Who may change a path: what an agent of root executes, or believes, is to be in no other user's hands."""

import os
import stat
from pathlib import Path


def changed_by_others(path: Path) -> Path | None:
    """The first of *path* and the folders above it that a user other than root can change, or replace.

    None where there is no such, and for agents of other users: theirs are often folders of a group. In a
    folder with the sticky bit a user replaces nothing that is another's.
    """
    if os.geteuid() != 0:
        return None
    # As it is written, for a link may be another user's; and where it leads to.
    for end in (Path(os.path.abspath(path)), Path(os.path.realpath(path))):
        for one in (end, *end.parents):
            found = one.lstat()
            sticky = stat.S_ISLNK(found.st_mode) or (one != end and found.st_mode & stat.S_ISVTX)
            if found.st_uid != 0 or (found.st_mode & stat.S_IWOTH and not sticky):
                return one
    return None
