"""What the kernel offers and the standard library does not: settings of a process."""

import ctypes
import os

# The two signals that the C library keeps for itself: its own calls, and so Python's, refuse them.
_OF_THE_C_LIBRARY = (32, 33)
# The number of the system call rt_sigaction, by machine.
_SIGACTION = {"x86_64": 13, "aarch64": 134, "riscv64": 134, "ppc64le": 173, "s390x": 174}
_DEFAULT_ACTION = bytes(32)
_SIGNAL_SET_BYTES = 8

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


def default_signals_of_the_c_library() -> None:
    """Ignore no signal that the C library keeps for itself; what posix_spawn, and so make, starts does."""
    call = _SIGACTION.get(os.uname().machine)
    if call is None:
        return
    for number in _OF_THE_C_LIBRARY:
        _libc.syscall(call, number, _DEFAULT_ACTION, None, ctypes.c_size_t(_SIGNAL_SET_BYTES))
