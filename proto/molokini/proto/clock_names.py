"""The name of a machine's monotonic clock: two processes that find the same name read the same clock."""

from contextlib import suppress
from pathlib import Path

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_NAMESPACE = Path("/proc/self/ns/time")
"""A namespace of clocks may shift them; a kernel without it has one clock for all."""


def clock_name() -> str:
    """Made of the kernel's present start and the namespace of clocks; empty where these are not known."""
    try:
        boot = _BOOT.read_text().strip()
    except OSError:
        return ""
    namespace = 0
    with suppress(FileNotFoundError):
        namespace = _NAMESPACE.stat().st_ino
    return f"{boot}/{namespace}"
