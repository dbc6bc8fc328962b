"""Waiting for what other processes do, with a deadline."""

import time
from collections.abc import Callable
from pathlib import Path


def waited(condition: Callable[[], bool], deadline_s: float = 30.0) -> None:
    """Wait until *condition* holds; AssertionError where it does not in time."""
    until = time.monotonic() + deadline_s
    while not condition():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.02)


def alive(process: int) -> bool:
    """Whether a process is there and has not ended (one that nobody waits for stays as a zombie)."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def children_of(parent: int) -> list[int]:
    """The living children of a process."""
    text = Path(f"/proc/{parent}/task/{parent}/children").read_text()
    return [child for child in map(int, text.split()) if alive(child)]
