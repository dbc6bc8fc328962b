"""How a process ends at once in the middle of something, and what is said of it.

Machine code that does not return cannot be left: nothing behind it runs any more, no ``finally`` either. So
another thread says one line and ends the process. In a process of a sweep the line goes to the parent.
"""

import json
import os
import select
import sys
from time import monotonic
from typing import NoReturn

_LONGEST = 3000
"""Characters of a line: below what a pipe takes in one piece."""
_SHOW_CURSOR = "\r\x1b[K\x1b[?25h"
_parent: int | None = None


def leave(text: str, exit_code: int) -> NoReturn:
    """End this process now, with *text* as its last line; of an empty one nothing is seen."""
    say(text, exit_code)
    os._exit(exit_code)


def say(text: str, exit_code: int) -> None:
    """Write *text*, the last line of this process, to standard error, or to the parent."""
    if _parent is not None:
        os.write(_parent, json.dumps([exit_code, text[:_LONGEST]]).encode() + b"\n")
    elif text:
        # A progress bar may be on the terminal, which has hidden the cursor.
        cleared = _SHOW_CURSOR if sys.stderr.isatty() else ""
        os.write(2, f"{cleared}molokini: {text}\n".encode(errors="backslashreplace"))


def leave_to(pipe: int) -> None:
    """From now on the last line of this process goes into *pipe*."""
    global _parent
    _parent = pipe


def last_words(pipe: int, processes: int, within_s: float) -> list[tuple[int, str]]:
    """What so many *processes* have said, as (exit code, text), read from *pipe*."""
    until, found = monotonic() + within_s, b""
    while found.count(b"\n") < processes:
        if not select.select([pipe], [], [], max(0.0, until - monotonic()))[0]:
            break
        found += os.read(pipe, 65536)
    return [(int(code), str(text)) for code, text in map(json.loads, found.splitlines())]
