"""Streams of a command whose caller has closed them, of any command of ours: nothing else is imported."""

import os
import sys


def fill_closed_streams() -> None:
    """Put streams where the caller has closed standard output, or that of errors.

    Python has None there. What is written to the former fails when it is flushed, as on a full disk; a
    command that prints nothing is carried out. Errors are dropped where their stream is closed.
    """
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
