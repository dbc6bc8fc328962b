"""What the kernel offers and the standard library does not: three settings of a process."""

import ctypes
import os

_PDEATHSIG, _SUBREAPER, _NO_NEW_PRIVILEGES = 1, 36, 38
_libc = ctypes.CDLL(None, use_errno=True)


def _set(option: int, value: int) -> None:
    if _libc.prctl(option, value, 0, 0, 0) != 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends."""
    _set(_SUBREAPER, 1)


def die_with_parent(number: int) -> None:
    """Get the signal *number* when the parent ends. A change of user undoes it, so call this after one."""
    _set(_PDEATHSIG, number)


def keep_privileges_as_they_are() -> None:
    """No program that this process executes, set-uid ones included, gains privileges by it."""
    _set(_NO_NEW_PRIVILEGES, 1)
