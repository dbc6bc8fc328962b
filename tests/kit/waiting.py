"""Waiting for what other processes do, with a deadline."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

DEADLINE_S = 300.0
"""Real time after which a test gives up; only one that fails waits for so long, however busy the machine."""


INTERRUPTIBLE = ("env", "--default-signal=INT")
"""Before a command: a shell without job control hands ignored interrupts on.

Not by ``preexec_fn``: between fork and exec a child stumbles over the threads of gRPC in our process, and
says so on its standard error.
"""


def waited(condition: Callable[[], bool], deadline_s: float = DEADLINE_S) -> None:
    """Wait until *condition* holds; AssertionError where it does not in time."""
    until = time.monotonic() + deadline_s
    while not condition():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.02)


def alive(process: int, born: str = "") -> bool:
    """Whether a process is there and has not ended (one that nobody waits for stays as a zombie).

    With *born* (see there), another one that has got its number since is not taken for it.
    """
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    fields = stat.rpartition(")")[2].split()
    return fields[0] != "Z" and born in ("", fields[_BORN])


_BORN = 19


def state(process: int) -> str:
    """The kernel's letter for what a process does (T: stopped, Z: ended, not waited for); X if it is gone."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "X"


def born(process: int) -> str:
    """When a living process was started, as the kernel counts it."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[_BORN]


def children_of(parent: int) -> list[int]:
    """The living children of a process."""
    found: list[int] = []
    # A child belongs to the thread that has started it.
    for task in Path(f"/proc/{parent}/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):
            found += map(int, (task / "children").read_text().split())
    return [child for child in found if alive(child)]


async def eventually(condition: Callable[[], bool], deadline_s: float = DEADLINE_S) -> None:
    """The same for what happens on this loop."""
    until = time.monotonic() + deadline_s
    while not condition():
        assert time.monotonic() < until, "it did not happen in time"
        await asyncio.sleep(0.01)
