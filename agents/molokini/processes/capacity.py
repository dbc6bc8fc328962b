"""What this machine has to offer as a node."""

import os
import socket

MEMORY = "/proc/meminfo"


def name() -> str:
    """The name of the machine, as far as it can name a node."""
    return socket.gethostname().partition(".")[0] or "node"


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0))


def memory_kb() -> int:
    """Memory of the machine, kilobytes; 0 where it is not known."""
    try:
        with open(MEMORY, encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("MemTotal:"))
    except (OSError, StopIteration, ValueError):
        return 0
